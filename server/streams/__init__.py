"""Streams of events that are no matches: one for each tournament or class."""
