"""Ratings of finished matches: what belongs to which pool, and what a result changes. Pure."""
