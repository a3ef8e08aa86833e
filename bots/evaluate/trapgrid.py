"""TrapGrid: who gets where first, and how many steps are open now."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from bots.evaluate.mixing import mixed
from engine.bits import popcount
from engine.compiled import kernel
from engine.games.trapgrid import Position, neighbours

__all__ = ["SCRATCH", "key", "known", "narrow", "quiet", "rank", "worth"]

SCRATCH: Final = np.dtype([("unused", np.int64)])


@kernel
def worth(position: Position) -> int:
    """Return the cells that the mover reaches before the other does, less the other's, and a little for open steps."""
    free, own, other = position.free, position.mover, position.other
    score = 50 * (popcount(neighbours(own) & free) - popcount(neighbours(other) & free))
    while own | other:
        own = neighbours(own) & free
        free &= ~own
        other = neighbours(other) & free
        free &= ~other
        score += 100 * (popcount(own) - popcount(other))
    return score


@kernel
def key(position: Position) -> int:
    seed = mixed(position.turn, np.int64(position.free))
    return mixed(mixed(seed, np.int64(position.mover)), np.int64(position.other))


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
