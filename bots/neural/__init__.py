"""A neural network that plays Bamboo, in plain numpy: its shape, its teachers, and how it learns from their games."""
