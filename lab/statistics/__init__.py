"""Inference from scores: intervals, Elo, sequential tests, ratings. Each formula stands once, with its source."""
