"""Minimax that assumes a roll instead of averaging over the dice: the middle one, or always the one that is worst for
the searching seat. Expectiminimax is compared with it.

Utilities are expectiminimax's (see `expectiminimax.py`), so that both searches value finished and unfinished games
alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from cornered.bots.textbook.expectiminimax import leaf
from cornered.bots.textbook.search import PvMoves, TextbookSearch, ValuedLine
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
    is_max = state.to_move == search.seat
    best = -math.inf if is_max else math.inf
    line: PvMoves = ()
    moves = rolls(state.moves()) if state.to_move == CHANCE else state.moves()
    for index, move in enumerate(moves, start=1):
        value, rest = assuming(state.play(move), depth - 1, alpha, beta, ply + 1, search, rolls)
        if value > best if is_max else value < best:
            best, line = value, (move, *rest)
        if is_max:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if beta <= alpha:
            search.pruned += len(moves) - index
            break
    return best, line
