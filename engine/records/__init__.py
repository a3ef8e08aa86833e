"""Game records: one game with its tags and moves, as JSON and as text."""
