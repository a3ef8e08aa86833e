"""Neural networks that play Bamboo, in plain numpy: inputs, forward and backward passes, weights and players."""
