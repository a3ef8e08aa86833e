"""Symmetries as permutations: where each action and each number of an observation goes when the board is turned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Symmetry", "of_cells", "of_rectangle"]

Square: TypeAlias = tuple[int, int]
"""Row and column, from the bottom left."""
Image: TypeAlias = Callable[[int, int], Square]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """One way to turn or mirror the board that the rules cannot tell.

    `actions[i]` is the action that action `i` becomes. `planes[i]` is the place to which number `i` of a flat
    observation goes: `turned[planes] = flat` in numpy.
    """

    name: str
    actions: tuple[int, ...]
    planes: tuple[int, ...]


def of_cells(name: str, cells: Sequence[int], actions: Sequence[int], planes: int) -> Symmetry:
    """Return the symmetry that takes the cells of each of so many planes to `cells`."""
    return Symmetry(name, tuple(actions), tuple(plane * len(cells) + cell for plane in range(planes) for cell in cells))


def images(rows: int, columns: int) -> Iterable[tuple[str, Image]]:
    """Yield the images of a rectangle, the identity first: four, and eight of a square."""
    bottom, right = rows - 1, columns - 1
    yield "identity", lambda row, column: (row, column)
    yield "left and right exchanged", lambda row, column: (row, right - column)
    yield "top and bottom exchanged", lambda row, column: (bottom - row, column)
    yield "half a turn", lambda row, column: (bottom - row, right - column)
    if rows == columns:
        yield "mirrored at the diagonal from a1", lambda row, column: (column, row)
        yield "a quarter turn clockwise", lambda row, column: (right - column, row)
        yield "a quarter turn anticlockwise", lambda row, column: (column, bottom - row)
        yield "mirrored at the other diagonal", lambda row, column: (right - column, bottom - row)


def of_rectangle(rows: int, columns: int, planes: int, others: int = 0) -> tuple[Symmetry, ...]:
    """Return the symmetries of a game whose first actions are the board's cells; `others` more stay as they are."""
    size = rows * columns
    rest = range(size, size + others)
    found = []
    for name, image in images(rows, columns):
        places = [image(row, column) for row in range(rows) for column in range(columns)]
        cells = [row * columns + column for row, column in places]
        found.append(of_cells(name, cells, [*cells, *rest], planes))
    return tuple(found)
