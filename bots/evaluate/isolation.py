"""Isolation: how many cells the own pawn can slide to, against the best of the others."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bots.evaluate.mixing import mixed
from engine import State
from engine.bits import popcount
from engine.compiled import kernel
from engine.games.isolation import IsolationState
from engine.slides import LONGEST, Position, slides

__all__ = ["SCRATCH", "evaluate", "key", "known", "narrow", "quiet", "rank", "worth"]

SCRATCH: Final = np.dtype([("unused", np.int64)])
OUT = 900.0
"""What it is worth to be out of a game for three or four that the others still play."""


def evaluate(state: State, seat: int) -> float:
    """Return the seat's number of moves less that of the opponent who has most, for any number of players."""
    assert isinstance(state, IsolationState)
    reach = [moves for _, moves in state.gauges()]
    still_in = [other for other in range(len(reach)) if not state.position.places >> 3 * other & 7]
    if seat not in still_in:
        return -OUT
    others = [reach[other] for other in still_in if other != seat]
    return float(reach[seat] - max(others, default=0))


@kernel
def reach(free: np.uint64, pawn: np.uint64) -> int:
    return popcount(slides(free, pawn, LONGEST)) if pawn else popcount(free)


@kernel
def worth(position: Position) -> int:
    """Return the mover's number of moves less the other's."""
    return 100 * (reach(position.free, position.mover) - reach(position.free, position.second))


@kernel
def key(position: Position) -> int:
    seed = mixed(position.turn, np.int64(position.free))
    return mixed(mixed(seed, np.int64(position.mover)), np.int64(position.second))


@kernel
def quiet(position: Position) -> bool:
    return True


@kernel
def rank(position: Position, move: int) -> int:
    return 0


@kernel
def narrow(position: Position, buffer: npt.NDArray[np.int64], count: int) -> int:
    return count


@kernel
def known(position: Position, scratch: Any) -> int:
    return 0
