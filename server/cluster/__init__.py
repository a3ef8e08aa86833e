"""Several nodes, purely: which node owns what, and what nodes send to each other."""
