"""A game of random moves, written once. `cornered.bots.playout` executes this file once a game, with the game's
kernels as globals in place of the declarations below, and compiles it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from cornered.bots.playout.choice import chosen

if TYPE_CHECKING:
    HAS_DRAWS = False
    """Whether games can be drawn; without draws the mover without a move has lost."""
    MAX_MOVES = 0

    def gen(position: Any, buffer: Any) -> int: ...
    def advance(position: Any, move: int) -> Any: ...
    def lost(position: Any) -> bool: ...
    def drawn(position: Any) -> bool: ...


__all__ = ["CUT_CODE", "DRAWN_CODE", "playout"]

DRAWN_CODE: Final = 2
CUT_CODE: Final = 3


def playout(position: Any, first: int, second: int, opening: int, longest: int, moves: Any) -> int:
    """Play the first `opening` of `moves` and then random ones, whose numbers are written behind them, until the game
    is over or has `longest` plies.

    `first` and `second` are the seeds of the seats. Returns four times the number of plies, plus the winner's seat,
    DRAWN_CODE or CUT_CODE.
    """
    buffer = np.empty(MAX_MOVES, np.int64)
    choices_of_first = choices_of_second = 0
    for ply in range(opening):
        position = advance(position, int(moves[ply]))
    for ply in range(opening, longest):
        if HAS_DRAWS:
            if lost(position):
                return 4 * ply + 1 - int(position.turn)
            if drawn(position):
                return 4 * ply + DRAWN_CODE
        count = gen(position, buffer)
        if count == 0:
            return 4 * ply + 1 - int(position.turn)
        if position.turn == 0:
            choices_of_first += 1
            at = chosen(first, choices_of_first, count)
        else:
            choices_of_second += 1
            at = chosen(second, choices_of_second, count)
        move = int(buffer[at])
        moves[ply] = move
        position = advance(position, move)
    if lost(position):
        return 4 * longest + 1 - int(position.turn)
    if HAS_DRAWS and drawn(position):
        return 4 * longest + DRAWN_CODE
    return 4 * longest + CUT_CODE
