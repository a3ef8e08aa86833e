"""Contests between bots, and the statistics, reports, tuning, training and experiments that are made from their
games."""
