"""TrapGrid: who gets where first, and how many steps are open now."""

from __future__ import annotations

from typing import Final

from engine import State
from engine.games.trapgrid import TrapGridState

__all__ = ["evaluate"]

NOT_FILE_A: Final = 0xFEFE_FEFE_FEFE_FEFE
NOT_FILE_H: Final = 0x7F7F_7F7F_7F7F_7F7F


def evaluate(state: State, seat: int) -> float:
    """Return the cells that the seat reaches before the other does, less the other's, and a little for open steps."""
    assert isinstance(state, TrapGridState)
    free, pawns, mover = int(state.position.free), state.pawns(), state.position.turn
    territory = [0, 0]
    fronts = list(pawns)
    turn = mover
    while fronts[0] or fronts[1]:
        front = _around(fronts[turn]) & free
        free &= ~front
        territory[turn] += front.bit_count()
        fronts[turn] = front
        turn = 1 - turn
    steps = [(_around(pawn) & int(state.position.free)).bit_count() for pawn in pawns]
    return float(territory[seat] - territory[1 - seat]) + 0.5 * (steps[seat] - steps[1 - seat])


def _around(cells: int) -> int:
    """Return the cells one step from any of `cells`; those beside the board are never free."""
    return cells << 8 | cells >> 8 | (cells & NOT_FILE_H) << 1 | (cells & NOT_FILE_A) >> 1
