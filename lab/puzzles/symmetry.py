"""Positions that a turned or mirrored board, or an exchange of the seats, shows alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from typing import Any, Final, TypeAlias

from cornered.engine import State
from cornered.engine.text import FILES, PositionText

__all__ = ["standard"]

Square: TypeAlias = tuple[int, int]
Cube: TypeAlias = tuple[int, int, int]

SWAPPED: Final = str.maketrans("01", "10")


def standard(state: State) -> str:
    """Return one text for all positions of two seats that play like `state`, with seat 0 to move."""
    parts = PositionText.parse(str(state))
    cells = dict(_cells(parts))
    if parts.turn == "1":
        cells = {place: content.translate(SWAPPED) for place, content in cells.items()}
    if parts.is_hexagon:
        return min(_written(image) for image in _hexagon_images(cells))
    if "walls" in parts.facts or "left" in parts.facts:
        return min(_walled_images(parts, cells))
    return min(_written(image) for image in _square_images(cells, len(parts.rows[0]), len(parts.rows)))


def _cells(parts: PositionText) -> Iterator[tuple[tuple[int, ...], str]]:
    radius = len(parts.rows) // 2
    for row, line in enumerate(parts.rows):
        for column, content in enumerate(line):
            if parts.is_hexagon:
                z = row - radius
                x = column + max(-radius, -radius - z)
                yield (x, -x - z, z), content
            else:
                yield (column, len(parts.rows) - 1 - row), content


def _written(cells: Mapping[Any, str]) -> str:
    return "".join(cells[place] for place in sorted(cells))


def _hexagon_images(cells: dict[tuple[int, ...], str]) -> Iterator[dict[tuple[int, ...], str]]:
    for first, second, third in permutations(range(3)):
        for sign in (1, -1):
            yield {
                (sign * cube[first], sign * cube[second], sign * cube[third]): content
                for cube, content in cells.items()
            }


def _square_images(cells: dict[tuple[int, ...], str], width: int, height: int) -> Iterator[dict[tuple[int, ...], str]]:
    """Yield the images of a board; those turned by a quarter come as boards of the other shape."""
    images: tuple[Callable[[int, int], Square], ...] = (
        lambda x, y: (x, y),
        lambda x, y: (width - 1 - x, y),
        lambda x, y: (x, height - 1 - y),
        lambda x, y: (width - 1 - x, height - 1 - y),
    )
    for image in images:
        yield {image(*place): content for place, content in cells.items()}
        if width == height:
            yield {image(*place)[::-1]: content for place, content in cells.items()}


def _walled_images(parts: PositionText, cells: dict[tuple[int, ...], str]) -> Iterator[str]:
    """Yield the two images of a Quoridor position in which seat 0, the mover, goes up."""
    last = len(parts.rows) - 1
    named = [wall for wall in parts.facts.get("walls", "").split(",") if wall]
    walls = [(FILES.index(wall[0]), int(wall[1]) - 1, wall[2]) for wall in named]
    left = parts.facts.get("left", "").split(",")
    contents = list(cells.items())
    if parts.turn == "1":
        contents = [((x, last - y), content) for (x, y), content in contents]
        walls = [(x, last - 1 - y, kind) for x, y, kind in walls]
        left = left[::-1]
    for is_mirrored in (False, True):
        placed = {((last - x if is_mirrored else x), y): content for (x, y), content in contents}
        stood = [((last - 1 - x if is_mirrored else x), y, kind) for x, y, kind in walls]
        yield f"{_written(placed)} {sorted(stood)} {left}"
