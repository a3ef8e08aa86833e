"""Weights of evaluations found by playing: learnt from self-play, or looked for with matches."""
