"""Minimal evaluations, identical to those in search.c, for measuring the search itself. `cornered.bots.evaluate`
documents a game's kernels. Here every position is quiet, none is solved, and no move is pruned or preferred."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cornered.engine.compile.kernel import kernel
from cornered.engine.games import trapgrid
from cornered.engine.hashing import mixed
from cornered.engine.kernels.bits import popcount
from cornered.engine.kernels.hexagon import Position as Hexagon
from cornered.engine.kernels.hexagon import placements, size_of
from cornered.engine.kernels.maze import Four, bit, down, passages, up
from cornered.engine.kernels.slides import Position as Slides
from cornered.engine.kernels.slides import slides
from cornered.engine.kernels.walls import Position as Maze
from cornered.engine.kernels.walls import goal, pawn, walls_of

__all__ = ["PLAIN_KERNELS"]

MAX_SLIDE: Final = 7


@kernel
def trapgrid_evaluate(position: trapgrid.Position) -> int:
    """Return the mover's number of steps minus the opponent's."""
    own, other = trapgrid.neighbours(position.mover), trapgrid.neighbours(position.other)
    return 100 * (popcount(own & position.free) - popcount(other & position.free))


@kernel
def trapgrid_key(position: trapgrid.Position) -> int:
    seed = mixed(position.turn, np.int64(position.free))
    return mixed(mixed(seed, np.int64(position.mover)), np.int64(position.other))


@kernel
def reach(free: np.uint64, from_cell: np.uint64) -> int:
    return popcount(slides(free, from_cell, MAX_SLIDE)) if from_cell else popcount(free)


@kernel
def isolation_evaluate(position: Slides) -> int:
    """Return the mover's number of reachable cells in one slide minus the opponent's."""
    return 100 * (reach(position.free, position.mover) - reach(position.free, position.second))


@kernel
def isolation_key(position: Slides) -> int:
    seed = mixed(position.turn, np.int64(position.free))
    return mixed(mixed(seed, np.int64(position.mover)), np.int64(position.second))


@kernel
def bamboo_evaluate(position: Hexagon) -> int:
    """Return the mover's number of legal cells minus the opponent's."""
    own_a, own_b, own_c, other_a, other_b, other_c, free_a, free_b, free_c, turn = position
    turned = Hexagon(other_a, other_b, other_c, own_a, own_b, own_c, free_a, free_b, free_c, 1 - turn)
    return 100 * (size_of(placements(position)) - size_of(placements(turned)))


@kernel
def bamboo_key(position: Hexagon) -> int:
    seed = mixed(mixed(mixed(position.turn, position.own_a), position.own_b), position.own_c)
    return mixed(mixed(mixed(seed, position.other_a), position.other_b), position.other_c)


@kernel
def steps(doors: Four, cell: int, goal_lo: int, goal_hi: int) -> int:
    """Return the length of the shortest path from `cell` to the goal."""
    north_lo, north_hi, east_lo, east_hi = doors
    lo, hi = bit(cell)
    count = 0
    while lo & goal_lo == 0 and hi & goal_hi == 0:
        up_lo, up_hi = up(lo & north_lo, hi & north_hi)
        down_lo, down_hi = down(lo, hi)
        lo |= up_lo | down_lo & north_lo | (lo & east_lo) << 1 | (lo >> 1) & east_lo
        hi |= up_hi | down_hi & north_hi | (hi & east_hi) << 1 | (hi >> 1) & east_hi
        count += 1
    return count


@kernel
def quoridor_evaluate(position: Maze) -> int:
    """Return the difference of the shortest paths, positive for the mover's lead."""
    doors = passages(walls_of(position), position.size)
    own_lo, own_hi = goal(position, position.turn)
    other_lo, other_hi = goal(position, 1 - position.turn)
    ahead = steps(doors, pawn(position, 1 - position.turn), other_lo, other_hi)
    return 100 * (ahead - steps(doors, pawn(position, position.turn), own_lo, own_hi))


@kernel
def quoridor_key(position: Maze) -> int:
    seed = mixed(mixed(position.turn, position.h_lo), position.h_hi)
    seed = mixed(mixed(seed, position.v_lo), position.v_hi)
    return mixed(seed, position.pawns << 16 | position.left)


@kernel
def quiet(position: Any) -> bool:
    return True


@kernel
def order_score(position: Any, move: int) -> int:
    return 0


@kernel
def candidate_moves(position: Any, buffer: npt.NDArray[np.int64], count: int) -> int:
    return count


@kernel
def exact_value(position: Any, scratch: Any) -> int:
    return 0


_SHARED_KERNELS: Final[Mapping[str, Callable[..., Any]]] = {
    "quiet": quiet,
    "order_score": order_score,
    "candidate_moves": candidate_moves,
    "exact_value": exact_value,
}

PLAIN_KERNELS: Final[Mapping[str, Mapping[str, Callable[..., Any]]]] = {
    "trapgrid": {**_SHARED_KERNELS, "evaluate": trapgrid_evaluate, "key": trapgrid_key},
    "isolation": {**_SHARED_KERNELS, "evaluate": isolation_evaluate, "key": isolation_key},
    "bamboo": {**_SHARED_KERNELS, "evaluate": bamboo_evaluate, "key": bamboo_key},
    "quoridor": {**_SHARED_KERNELS, "evaluate": quoridor_evaluate, "key": quoridor_key},
}
"""The kernels of each game, by the names that the search expects."""
