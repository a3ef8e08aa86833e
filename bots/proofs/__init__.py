"""Proofs by search: depth-first proof-number search (df-pn), one compiled template for all games, and the strategies
that it finds."""
