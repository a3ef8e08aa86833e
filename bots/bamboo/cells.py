"""The cells of Bamboo's hexagon as cube vectors (Bamboo paper, section II.A): distances and the twelve symmetries.

A cell's number is `14 * (radius - z) + x + radius`; see `cornered.engine.kernels.hexagon`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final, TypeAlias

from cornered.engine import State
from cornered.engine.games.bamboo import BambooState, cell_numbers
from cornered.engine.kernels.hexagon import STRIDE

__all__ = [
    "Cube",
    "bamboo",
    "cubes",
    "distance",
    "distances",
    "each",
    "number_of",
    "outerness",
    "squares",
    "symmetries",
]

Cube: TypeAlias = tuple[int, int, int]

AXIS_ORDERS: Final = ((0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1), (2, 1, 0), (1, 0, 2))


def bamboo(state: State) -> BambooState:
    """Return `state` typed as Bamboo's. Raises TypeError for another game's."""
    if not isinstance(state, BambooState):
        raise TypeError(f"this plays bamboo, not {state.game.name}")
    return state


def number_of(cube: Cube, radius: int) -> int:
    """Return the number of the cell at a cube vector."""
    x, _, z = cube
    return STRIDE * (radius - z) + x + radius


@cache
def cubes(radius: int) -> dict[int, Cube]:
    """Return each cell's cube vector by its number, in rising order of numbers."""
    found = {}
    for number in cell_numbers(radius).values():
        x, z = number % STRIDE - radius, radius - number // STRIDE
        found[number] = x, -x - z, z
    return found


def distance(here: Cube, there: Cube) -> int:
    """Return how many steps apart two cells are."""
    return max(abs(i - j) for i, j in zip(here, there, strict=True))


@cache
def distances(radius: int) -> dict[int, dict[int, int]]:
    """Return the distance of every two cells by their numbers."""
    at = cubes(radius)
    return {here: {there: distance(at[here], at[there]) for there in at} for here in at}


def outerness(cube: Cube) -> int:
    """Return the distance from the centre: max(|x|, |y|, |z|), where the paper's section III.A.1 prints max(v)."""
    return max(map(abs, cube))


def squares(cube: Cube) -> int:
    """Return the sum of a vector's squares, by which the sorted minimax orders cells (section IV.B.2)."""
    return sum(i * i for i in cube)


def each(cells: int) -> Iterator[int]:
    """Iterate over the numbers of a set of cells."""
    while cells:
        yield (cells & -cells).bit_length() - 1
        cells &= cells - 1


@cache
def symmetries(radius: int) -> tuple[dict[int, int], ...]:
    """Return where each of the hexagon's twelve rotations and reflections takes each cell; the first leaves all."""
    return tuple(
        {
            number: number_of((sign * cube[i], sign * cube[j], sign * cube[k]), radius)
            for number, cube in cubes(radius).items()
        }
        for sign in (1, -1)
        for i, j, k in AXIS_ORDERS
    )
