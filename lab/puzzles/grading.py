"""How hard a puzzle is: how deep a plain search has to look before it finds the move and keeps it."""

from __future__ import annotations

import math
from typing import Final

from cornered.bots.evaluate import evaluator
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.search import OutOfLimit, TextbookSearch
from cornered.engine import State

__all__ = ["depth_to_find"]

MOST_NODES: Final = 100_000
"""Positions of one search, some tens of seconds."""


def depth_to_find(state: State, move: str, plies: int) -> int | None:
    """Return the least depth from which on alpha-beta with the game's evaluation chooses `move`, up to `plies`; None
    where that takes too many positions.

    `plies` is the length of the forced win, at which a search sees all of it.
    """
    evaluate = evaluator(state.game.name).evaluate
    depth = plies
    while depth > 1:
        search = TextbookSearch(state.to_move, evaluate, most_nodes=MOST_NODES)
        try:
            _, line = alpha_beta(state, depth - 1, -math.inf, math.inf, 0, search)
        except OutOfLimit:
            return None
        if line[:1] != (move,):
            break
        depth -= 1
    return depth
