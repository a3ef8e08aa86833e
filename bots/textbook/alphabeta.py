"""Alpha-beta pruning: minimax's value from far fewer positions (game-playing-notes, "Alpha-Beta Pruning"; Knuth and
Moore, "An Analysis of Alpha-Beta Pruning", 1975)."""

from __future__ import annotations

import math

from cornered.bots.textbook.search import PvMoves, TextbookSearch, ValuedLine
from cornered.engine import State

__all__ = ["alpha_beta"]


def alpha_beta(state: State, depth: float, alpha: float, beta: float, ply: int, search: TextbookSearch) -> ValuedLine:
    """Return the value of `state`: exact between `alpha` and `beta`, else a bound on the side where it lies.

    MAX has `alpha` elsewhere and MIN `beta`: once they meet, one of the two avoids this position, and the rest is
    pruned.
    """
    search.visit(ply)
    if (value := search.leaf(state, depth, ply)) is not None:
        return value, ()
    if state.to_move == search.seat:
        return _max(state, depth, alpha, beta, ply, search)
    return _min(state, depth, alpha, beta, ply, search)


def _max(state: State, depth: float, alpha: float, beta: float, ply: int, search: TextbookSearch) -> ValuedLine:
    best = -math.inf
    line: PvMoves = ()
    moves = state.moves()
    for index, move in enumerate(moves, start=1):
        value, rest = alpha_beta(state.play(move), depth - 1, alpha, beta, ply + 1, search)
        if value > best:
            best, line = value, (move, *rest)
        alpha = max(alpha, best)
        if beta <= alpha:
            search.pruned += len(moves) - index
            break
    return best, line


def _min(state: State, depth: float, alpha: float, beta: float, ply: int, search: TextbookSearch) -> ValuedLine:
    best = math.inf
    line: PvMoves = ()
    moves = state.moves()
    for index, move in enumerate(moves, start=1):
        value, rest = alpha_beta(state.play(move), depth - 1, alpha, beta, ply + 1, search)
        if value < best:
            best, line = value, (move, *rest)
        beta = min(beta, best)
        if beta <= alpha:
            search.pruned += len(moves) - index
            break
    return best, line
