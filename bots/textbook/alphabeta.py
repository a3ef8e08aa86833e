"""Alpha-beta pruning: minimax's value from far fewer positions (game-playing-notes, "Alpha-Beta Pruning"; Knuth and
Moore, "An Analysis of Alpha-Beta Pruning", 1975)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeVar

from cornered.bots.textbook.search import PvMoves, TextbookSearch, ValuedLine
from cornered.engine import State

__all__ = ["alpha_beta", "best_child"]

AnyState = TypeVar("AnyState", bound=State)


def alpha_beta(state: State, depth: float, alpha: float, beta: float, ply: int, search: TextbookSearch) -> ValuedLine:
    """Return the value of `state`: exact between `alpha` and `beta`, else a bound on the side where it lies.

    MAX has `alpha` elsewhere and MIN `beta`: once they meet, one of the two avoids this position, and the rest is
    pruned.
    """
    search.visit(ply)
    if (value := search.leaf(state, depth, ply)) is not None:
        return value, ()
    moves = state.moves()

    def value_of(after: State, alpha: float, beta: float) -> ValuedLine:
        return alpha_beta(after, depth - 1, alpha, beta, ply + 1, search)

    children = ((move, state.play(move)) for move in moves)
    return best_child(children, len(moves), alpha, beta, search, value_of, is_max=state.to_move == search.seat)


def best_child(
    children: Iterable[tuple[str, AnyState]],
    count: int,
    alpha: float,
    beta: float,
    search: TextbookSearch,
    value_of: Callable[[AnyState, float, float], ValuedLine],
    *,
    is_max: bool,
) -> ValuedLine:
    """Return the best of `count` children for MAX or MIN by `value_of` within the window, and the line through it; once
    the window is closed, the rest is pruned. `children` are moves and the positions after them."""
    best = -math.inf if is_max else math.inf
    line: PvMoves = ()
    for index, (move, after) in enumerate(children, start=1):
        search.trace.enter(move, after, alpha, beta)
        value, rest = value_of(after, alpha, beta)
        if value > best if is_max else value < best:
            best, line = value, (move, *rest)
        if is_max:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        search.trace.leave(value, best, alpha, beta)
        if beta <= alpha:
            search.pruned += count - index
            search.trace.cut(count - index)
            break
    return best, line
