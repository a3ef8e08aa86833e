"""Minimax: the value that a player can guarantee against best play of all others (game-playing-notes, "Minimax
Algorithm" and "Depth-Limited Search").

With three or four players all others are MIN: the search is *paranoid* (Sturtevant and Korf, "On Pruning Techniques
for Multi-Player Games", 2000).
"""

from __future__ import annotations

import math

from cornered.bots.textbook.search import PvMoves, TextbookSearch, ValuedLine
from cornered.engine import State

__all__ = ["depth_limited", "minimax"]


def minimax(state: State, ply: int, search: TextbookSearch) -> ValuedLine:
    """Return the value of `state` by searching every line to the end of the game: O(b^d) positions."""
    return depth_limited(state, math.inf, ply, search)


def depth_limited(state: State, depth: float, ply: int, search: TextbookSearch) -> ValuedLine:
    """Return the value of `state` by searching every line `depth` plies deep, evaluated at the horizon."""
    search.visit(ply)
    if (value := search.leaf(state, depth, ply)) is not None:
        return value, ()
    is_max = state.to_move == search.seat
    best = -math.inf if is_max else math.inf
    line: PvMoves = ()
    for move in state.moves():
        after = state.play(move)
        search.trace.enter(move, after)
        value, rest = depth_limited(after, depth - 1, ply + 1, search)
        if value > best if is_max else value < best:
            best, line = value, (move, *rest)
        search.trace.leave(value, best)
    return best, line
