"""The archive: how finished matches are indexed from their events, and the conditions of a search. Pure."""
