"""Expectiminimax with bounds: Star1 (Ballard, "The *-minimax search procedure for trees containing chance nodes",
Artificial Intelligence 21, 1983).

Alpha-beta works through chance nodes because utilities are bounded: the remaining rolls are pruned when even the best
of them cannot bring the mean above alpha, or the worst below beta. Without any bound only the last roll has a window:
all others are known by then.
"""

from __future__ import annotations

from cornered.bots.textbook.alphabeta import best_child
from cornered.bots.textbook.expectiminimax import farthest, leaf
from cornered.bots.textbook.search import TextbookSearch, ValuedLine
from cornered.engine import CHANCE, State

__all__ = ["star1"]


def star1(
    state: State, depth: float, alpha: float, beta: float, ply: int, search: TextbookSearch, looseness: float = 1.0
) -> ValuedLine:
    """Return the value of `state`: exact between `alpha` and `beta`, else a bound on the side where it lies.

    The bounds that the search relies on are `looseness` times as wide as utilities are: 1 or more, infinite for none.
    """
    search.visit(ply)
    if (value := leaf(state, depth, ply, search)) is not None:
        return value, ()
    if state.to_move == CHANCE:
        return _mean(state, depth, alpha, beta, ply, search, looseness), ()
    moves = state.moves()

    def value_of(after: State, alpha: float, beta: float) -> ValuedLine:
        return star1(after, depth - 1, alpha, beta, ply + 1, search, looseness)

    children = ((move, state.play(move)) for move in moves)
    return best_child(children, len(moves), alpha, beta, search, value_of, is_max=state.to_move == search.seat)


def _mean(
    state: State, depth: float, alpha: float, beta: float, ply: int, search: TextbookSearch, looseness: float
) -> float:
    rolls = state.moves()
    most = looseness * farthest(ply + 1)
    if beta <= -most or alpha >= most:
        # The window lies beyond any utility that a game can still have here.
        search.pruned += len(rolls)
        search.trace.cut(len(rolls))
        return -most if beta <= -most else most
    total = 0.0
    for left, roll in zip(reversed(range(len(rolls))), rolls, strict=True):
        # The roll's own window: the values at which the mean can still reach alpha or beta.
        open_range = left * most if left else 0.0
        low = len(rolls) * alpha - total - open_range
        high = len(rolls) * beta - total + open_range
        low_within, high_within = max(low, -most), min(high, most)
        after = state.play(roll)
        search.trace.enter(roll, after, low_within, high_within, rolls=len(rolls))
        value, _ = star1(after, depth - 1, low_within, high_within, ply + 1, search, looseness)
        total += value
        search.trace.leave(value)
        if left and value <= low:
            search.pruned += left
            search.trace.cut(left)
            return min(alpha, (total + left * most) / len(rolls))
        if left and value >= high:
            search.pruned += left
            search.trace.cut(left)
            return max(beta, (total - left * most) / len(rolls))
    return total / len(rolls)
