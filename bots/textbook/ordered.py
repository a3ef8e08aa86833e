"""Alpha-beta with move ordering by the evaluation of the next position: a good first move lets the others be pruned
(game-playing-notes, "Alpha-Beta Pruning": O(b^(d/2)) with perfect ordering)."""

from __future__ import annotations

from collections.abc import Iterable

from cornered.bots.textbook.alphabeta import best_child
from cornered.bots.textbook.search import TextbookSearch, ValuedLine, utility
from cornered.engine import State

__all__ = ["by_evaluation", "sorted_alpha_beta"]


def by_evaluation(state: State, moves: Iterable[str], search: TextbookSearch, ply: int) -> list[tuple[str, State]]:
    """Return `moves` and the positions after them, the best for the mover first.

    The sorting is not counted among the nodes: each of these positions is counted when the search comes to it.
    """

    def promise(entry: tuple[str, State]) -> float:
        _, after = entry
        outcome = after.outcome
        return search.evaluate(after, search.seat) if outcome is None else utility(outcome, search.seat, ply + 1)

    return sorted(((move, state.play(move)) for move in moves), key=promise, reverse=state.to_move == search.seat)


def sorted_alpha_beta(
    state: State, depth: float, alpha: float, beta: float, ply: int, search: TextbookSearch
) -> ValuedLine:
    """Return the value of `state`: exact between `alpha` and `beta`, else a bound on the side where it lies."""
    search.visit(ply)
    if (value := search.leaf(state, depth, ply)) is not None:
        return value, ()
    moves = state.moves()
    # Leaves are evaluated anyway: to sort them would evaluate everything twice.
    children = by_evaluation(state, moves, search, ply) if depth > 1 else ((move, state.play(move)) for move in moves)

    def value_of(after: State, alpha: float, beta: float) -> ValuedLine:
        return sorted_alpha_beta(after, depth - 1, alpha, beta, ply + 1, search)

    return best_child(children, len(moves), alpha, beta, search, value_of, is_max=state.to_move == search.seat)
