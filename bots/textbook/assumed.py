"""Minimax that assumes a roll instead of averaging over the dice: the middle one, or always the one that is worst for
the searching seat. Expectiminimax is compared with it.

Utilities are expectiminimax's (see `expectiminimax.py`), so that both searches value finished and unfinished games
alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from cornered.bots.textbook.alphabeta import best_child
from cornered.bots.textbook.expectiminimax import leaf
from cornered.bots.textbook.search import TextbookSearch, ValuedLine
from cornered.engine import CHANCE, State

__all__ = ["ASSUMED_BY_NAME", "AssumedRolls", "assuming", "middle", "worst"]

AssumedRolls: TypeAlias = Callable[[Sequence[str]], Sequence[str]]
"""Returns those of the possible rolls that are searched; the one with the least value counts."""


def middle(rolls: Sequence[str]) -> Sequence[str]:
    """Return the middle roll: the mean of dice with an odd number of sides."""
    return rolls[len(rolls) // 2 : len(rolls) // 2 + 1]


def worst(rolls: Sequence[str]) -> Sequence[str]:
    """Return all rolls: the dice play against the searching seat."""
    return rolls


ASSUMED_BY_NAME: Final = {"middle": middle, "worst": worst}


def assuming(
    state: State, depth: float, alpha: float, beta: float, ply: int, search: TextbookSearch, rolls: AssumedRolls
) -> ValuedLine:
    """Return the value of `state` by alpha-beta with the assumed `rolls`: exact between `alpha` and `beta`, else a
    bound on the side where it lies."""
    search.visit(ply)
    if (value := leaf(state, depth, ply, search)) is not None:
        return value, ()
    moves = rolls(state.moves()) if state.to_move == CHANCE else state.moves()

    def value_of(after: State, alpha: float, beta: float) -> ValuedLine:
        return assuming(after, depth - 1, alpha, beta, ply + 1, search, rolls)

    children = ((move, state.play(move)) for move in moves)
    return best_child(children, len(moves), alpha, beta, search, value_of, is_max=state.to_move == search.seat)
