"""Evaluations with tunable weights: the parameters of each game, and files of weights for bots."""
