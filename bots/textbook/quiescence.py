"""Quiescence search: alpha-beta that goes on below its depth where a position is volatile, so that the evaluation is
asked of quiet positions only (game-playing-notes, "Quiescent Search" and "Horizon Effect").

These games have no captures and no passing, so nothing stands pat and no move is left out: a volatile position is
searched one ply deeper with all its moves, until it is quiet or as far below the depth as is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from cornered.bots.textbook.alphabeta import best_child
from cornered.bots.textbook.search import TextbookSearch, ValuedLine, utility
from cornered.engine import State

__all__ = ["IsQuiet", "few_moves", "quiescence", "swing", "swings"]

IsQuiet: TypeAlias = Callable[[State, int, TextbookSearch], bool]
"""Returns whether the evaluation of a position, so many plies below the root, can be trusted. What it looks at is
visited, and counts among the nodes."""


def few_moves(most: int) -> IsQuiet:
    """Return the test by mobility: a mover with at most `most` moves is being shut in, and the position is volatile."""

    def is_quiet(state: State, ply: int, search: TextbookSearch) -> bool:
        return len(state.moves()) > most

    return is_quiet


def swing(state: State, ply: int, search: TextbookSearch) -> float:
    """Return by how much the mover's best move changes the evaluation, in its units."""
    mover, best = state.to_move, -math.inf
    for after in map(state.play, state.moves()):
        search.visit(ply + 1)
        outcome = after.outcome
        best = max(best, search.evaluate(after, mover) if outcome is None else utility(outcome, mover, ply + 1))
    return abs(best - search.evaluate(state, mover))


def swings(most: float) -> IsQuiet:
    """Return the test by evaluation: a position is volatile where the best move changes the evaluation by more than
    `most`, as a capture does in chess."""

    def is_quiet(state: State, ply: int, search: TextbookSearch) -> bool:
        return swing(state, ply, search) <= most

    return is_quiet


def quiescence(
    state: State,
    depth: float,
    alpha: float,
    beta: float,
    ply: int,
    search: TextbookSearch,
    is_quiet: IsQuiet,
    extension: int,
) -> ValuedLine:
    """Return the value of `state`, searched at most `extension` plies below the depth: exact between `alpha` and
    `beta`, else a bound on the side where it lies."""
    search.visit(ply)
    is_over = state.outcome is not None
    if is_over or (depth <= 0 and (depth <= -extension or is_quiet(state, ply, search))):
        value = search.leaf(state, depth, ply)
        assert value is not None
        return value, ()
    moves = state.moves()

    def value_of(after: State, alpha: float, beta: float) -> ValuedLine:
        return quiescence(after, depth - 1, alpha, beta, ply + 1, search, is_quiet, extension)

    children = ((move, state.play(move)) for move in moves)
    return best_child(children, len(moves), alpha, beta, search, value_of, is_max=state.to_move == search.seat)
