"""Proofs of whole games: long proof searches in a folder, their certificates, and an independent checker."""
