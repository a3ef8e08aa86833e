"""Neural networks that play Bamboo, in plain numpy: what they see, who teaches them, and how they learn."""
