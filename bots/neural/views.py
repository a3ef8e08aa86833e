"""A network's view of a position: the stones of each side, and where each may place.

Cells are in the order of their numbers. A view is the mover's; the opponent's view of the same position differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np
import numpy.typing as npt

from cornered.bots.bamboo.cells import cubes, symmetries
from cornered.engine.games.bamboo import BambooState, whole
from cornered.engine.kernels.hexagon import placements, turned

__all__ = ["Views", "images"]


@dataclass(frozen=True, slots=True)
class Views:
    """Positions, one a row: 1 for the mover's stones, -1 for the other's, 0 for free cells; where the mover may place;
    and where the other could if it were their turn."""

    stones: npt.NDArray[np.int8]
    legal: npt.NDArray[np.bool_]
    replies: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, states: Sequence[BambooState], radius: int) -> Self:
        """Return the movers' views of positions on one board."""
        cells = len(cubes(radius))
        own, other, legal, replies = (
            np.array([row[part] for row in map(_sets, states)], np.bool_).reshape(-1, cells) for part in range(4)
        )
        return cls(own.astype(np.int8) - other.astype(np.int8), legal, replies)

    def __len__(self) -> int:
        return len(self.stones)

    def rows(self, rows: npt.NDArray[np.int64] | slice) -> Views:
        """Return some of the positions."""
        return Views(self.stones[rows], self.legal[rows], self.replies[rows])

    def moved(self, sources: npt.NDArray[np.int64]) -> Views:
        """Return each position with its cells in another order: `sources` has a row for each, one of `images`."""
        return Views(
            np.take_along_axis(self.stones, sources, axis=1),
            np.take_along_axis(self.legal, sources, axis=1),
            np.take_along_axis(self.replies, sources, axis=1),
        )


def _sets(state: BambooState) -> list[list[bool]]:
    numbers = tuple(cubes(state.game.radius))
    stones = state.stones()
    replies = whole(placements(turned(state.position)))
    sets = stones[state.to_move], stones[1 - state.to_move], state.open_cells, replies
    return [[bool(cells >> number & 1) for number in numbers] for cells in sets]


@cache
def images(radius: int) -> npt.NDArray[np.int64]:
    """Return for each of the twelve symmetries, one a row, the index of the cell that it takes to each index."""
    order = {number: i for i, number in enumerate(cubes(radius))}
    sources = np.empty((len(symmetries(radius)), len(order)), np.int64)
    for s, symmetry in enumerate(symmetries(radius)):
        for number, image in symmetry.items():
            sources[s, order[image]] = order[number]
    return sources
