"""Tuning of evaluation weights: learning from self-play, and optimisation by matches."""
