"""Monte Carlo tree search guided by a network: priors from its preferences for moves, values from its scores (PUCT)."""
