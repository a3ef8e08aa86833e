"""Puzzles: positions of bots' games in which exactly one move wins, at every move of the way, as a solver proves."""
