"""Games between bots that answer a question: who plays them, where they are kept, and what they say."""
