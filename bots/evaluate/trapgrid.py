"""TrapGrid's evaluation: Voronoi zones, open steps, and the longest paths of separated pawns."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cornered.bots.evaluate.pockets import DARK_CELLS, POCKETS, alternating, pocket_of, separated_value
from cornered.engine.compile.kernel import kernel
from cornered.engine.games.trapgrid import Position, neighbours
from cornered.engine.hashing import mixed
from cornered.engine.kernels.bits import lowest, popcount

__all__ = ["SCRATCH", "candidate_moves", "evaluate", "exact_value", "key", "order_score", "quiet", "voronoi_lead"]

SCRATCH: Final = POCKETS
LONGEST_PATH_NODES_MAX: Final = 300
"""Nodes of a longest path after which `exact_value` returns 0."""


@kernel
def voronoi_lead(free: np.uint64, first: np.uint64, second: np.uint64) -> int:
    """Return how many more cells the one reaches before the other does (Voronoi zones); the first moves first."""
    score = 0
    while first | second:
        first = neighbours(first) & free
        free &= ~first
        second = neighbours(second) & free
        free &= ~second
        score += popcount(first) - popcount(second)
    return score


@kernel
def zone_steps(zone: np.uint64, pawn: np.uint64) -> int:
    """Return how many steps a zone has room for by its colours: a step always goes to the other colour."""
    alike = DARK_CELLS if pawn & DARK_CELLS else ~DARK_CELLS
    return alternating(popcount(zone & ~alike), popcount(zone & alike))


@kernel
def evaluate(position: Position) -> int:
    """Return the room in the cells that the mover reaches first, less the other's, and a little for open steps."""
    free, own, other = position.free, position.mover, position.other
    steps = popcount(neighbours(own) & free) - popcount(neighbours(other) & free)
    mine = theirs = np.uint64(0)
    while own | other:
        own = neighbours(own) & free
        free &= ~own
        other = neighbours(other) & free
        free &= ~other
        mine |= own
        theirs |= other
    return 100 * (zone_steps(mine, position.mover) - zone_steps(theirs, position.other)) + 50 * steps


@kernel
def key(position: Position) -> int:
    # The turn is not part of the key: values are the mover's. `mixed` takes 63 bits, so the corner of the largest
    # board goes with the pawns.
    free = position.free
    pawns = lowest(position.mover) | lowest(position.other) << 6 | int(np.int64(free >> np.uint64(63))) << 12
    return mixed(mixed(1, pawns), np.int64(free & np.uint64(0x7FFF_FFFF_FFFF_FFFF)))


@kernel
def quiet(position: Position) -> bool:
    """Return whether the mover has a choice: a forced step extends the search."""
    targets = neighbours(position.mover) & position.free
    return popcount(targets) != 1


@kernel
def order_score(position: Position, move: int) -> int:
    """Prefer cells with few ways on, which are gone when they are left for later, but not dead ends.

    Zones by `voronoi_lead` order no better here and cost a quarter more time.
    """
    ways = popcount(neighbours(np.uint64(1) << np.uint64(move)) & position.free)
    return 4 - ways if ways else 0


@kernel
def candidate_moves(position: Position, buffer: npt.NDArray[np.int64], count: int) -> int:
    return count


@kernel
def exact_value(position: Position, scratch: Any) -> int:
    """Return the result for a pawn that is shut in, and for separated pawns whose longest paths are quick to find."""
    free, mover, other = position.free, position.mover, position.other
    theirs = neighbours(other) & free
    if not theirs:
        return 1
    pocket = edge = neighbours(mover) & free
    while edge:
        if edge & theirs:
            return 0
        edge = neighbours(edge) & free & ~pocket
        pocket |= edge
    scratch["nodes"] = 0
    scratch["most"] = LONGEST_PATH_NODES_MAX
    scratch["stop"] = 0
    return separated_value(scratch, pocket, mover, pocket_of(free, other), other)
