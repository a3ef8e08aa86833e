"""Maps cells and walls of a board to a grid of characters, and back.

A layout is made from a position text, without the game's rules: cells, the gaps for walls, and neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias

from cornered.engine.text import PositionText

__all__ = ["Direction", "Layout", "Rectangle", "Wall", "fit", "has_walls", "is_cell", "last_placed"]

Direction: TypeAlias = Literal["up", "down", "left", "right"]

LABELS: Final = 2
"""Columns left of the board, for the names of its rows."""

SQUARES: Final[tuple[tuple[int, int], ...]] = ((7, 3), (5, 2), (3, 1))
HEXAGONS: Final[tuple[tuple[int, int], ...]] = ((8, 3), (6, 3), (6, 2), (4, 2), (4, 1), (2, 1))
"""Cell sizes in characters, the largest first. The even widths let a hexagon's rows shift by half a cell."""

CELL: Final = re.compile(r"[a-z][0-9]+")
WALL_NAME: Final = re.compile(r"([a-z])([0-9]+)([hv])")


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A block of characters: left column, top row, width and height."""

    x: int
    y: int
    width: int
    height: int

    def holds(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@dataclass(frozen=True, slots=True)
class Wall:
    """A wall's name taken apart: the cell nearest a1 of the four that it touches, and the way it runs."""

    file: int
    rank: int
    way: Literal["h", "v"]

    @classmethod
    def parse(cls, name: str) -> Wall | None:
        found = WALL_NAME.fullmatch(name)
        if found is None:
            return None
        return cls(ord(found[1]) - ord("a"), int(found[2]) - 1, "h" if found[3] == "h" else "v")

    def __str__(self) -> str:
        return f"{chr(ord('a') + self.file)}{self.rank + 1}{self.way}"

    @property
    def turned(self) -> Wall:
        return Wall(self.file, self.rank, "v" if self.way == "h" else "h")


def has_walls(position: PositionText) -> bool:
    """Return whether the board has gaps for walls: the position lists walls, or counts the remaining ones."""
    return "walls" in position.facts or "left" in position.facts


def is_cell(move: str) -> bool:
    """Return whether a move is the name of a cell, and not of a wall or a word such as `pass`."""
    return CELL.fullmatch(move) is not None


def last_placed(moves: Sequence[str]) -> str | None:
    """Return the newest move on a cell or wall; rolls and passes are skipped."""
    return next((move for move in reversed(moves) if is_cell(move) or Wall.parse(move)), None)


@dataclass(frozen=True)
class Layout:
    """A board drawn with cells of `cell_width` x `cell_height` characters and gaps that are wide enough for walls."""

    position: PositionText
    cell_width: int
    cell_height: int
    gap_x: int = 0
    gap_y: int = 0

    @cached_property
    def cells(self) -> dict[str, Rectangle]:
        """Every cell's name and rectangle, row by row from the top."""
        rows = self.position.rows
        widest = max(map(len, rows))
        pitch_x, pitch_y = self.cell_width + self.gap_x, self.cell_height + self.gap_y
        drawn = self.cell_width - self.position.is_hexagon
        return {
            self.position.name(row, column): Rectangle(
                LABELS + (widest - len(text)) * pitch_x // 2 + column * pitch_x, row * pitch_y, drawn, self.cell_height
            )
            for row, text in enumerate(rows)
            for column in range(len(text))
        }

    @property
    def width(self) -> int:
        return max(cell.x + cell.width for cell in self.cells.values())

    @property
    def height(self) -> int:
        """Rows of characters, with the line of file letters that square boards have below."""
        board = max(cell.y + cell.height for cell in self.cells.values())
        return board if self.position.is_hexagon else board + 1

    def cell_at(self, x: int, y: int) -> str | None:
        """Return the cell under a character."""
        return next((name for name, cell in self.cells.items() if cell.holds(x, y)), None)

    def neighbour(self, name: str, direction: Direction) -> str:
        """Return the cell that an arrow key leads to, or `name` itself at the edge."""
        here = self.cells[name]
        middle = 2 * here.x + here.width
        if direction in ("left", "right"):
            row = [cell for cell in self.cells if self.cells[cell].y == here.y]
            place = row.index(name) + (1 if direction == "right" else -1)
            return row[min(max(place, 0), len(row) - 1)]
        pitch = self.cell_height + self.gap_y
        wanted = here.y + (pitch if direction == "down" else -pitch)
        row = [cell for cell, rectangle in self.cells.items() if rectangle.y == wanted]
        if not row:
            return name
        return min(row, key=lambda cell: abs(2 * self.cells[cell].x + self.cells[cell].width - middle))

    def wall(self, wall: Wall) -> Rectangle:
        """Return the characters that a wall covers: two cells and the gap between them."""
        corner = self.cells[self.position.name(len(self.position.rows) - 1 - wall.rank, wall.file)]
        if wall.way == "h":
            return Rectangle(corner.x, corner.y - self.gap_y, 2 * self.cell_width + self.gap_x, self.gap_y)
        top = corner.y - self.gap_y - self.cell_height
        return Rectangle(corner.x + self.cell_width, top, self.gap_x, 2 * self.cell_height + self.gap_y)

    def clamp(self, wall: Wall) -> Wall:
        """Return the nearest wall that lies on the board."""
        files, ranks = len(self.position.rows[0]), len(self.position.rows)
        return Wall(min(max(wall.file, 0), files - 2), min(max(wall.rank, 0), ranks - 2), wall.way)

    def wall_at(self, x: int, y: int, way: Literal["h", "v"]) -> Wall | None:
        """Return the wall at a character in a gap; where gaps cross, `way` decides."""
        if not self.gap_x or not self.gap_y:
            return None
        column, in_column = divmod(x - LABELS, self.cell_width + self.gap_x)
        row, in_row = divmod(y, self.cell_height + self.gap_y)
        ranks, files = len(self.position.rows), len(self.position.rows[0])
        beside, below = in_column >= self.cell_width, in_row >= self.cell_height
        if not (beside or below) or not (0 <= column < files and 0 <= row < ranks) or x < LABELS:
            return None
        if (beside and column == files - 1) or (below and row == ranks - 1):
            return None
        if not (beside and below):
            way = "v" if beside else "h"
        rank = ranks - 2 - row if below else ranks - 1 - row
        return self.clamp(Wall(column, rank, way))


def fit(position: PositionText, width: int, height: int) -> Layout:
    """Return the largest layout of `position` that fits into `width` x `height` characters, or else the smallest."""
    if position.is_hexagon:
        layouts = [Layout(position, *size) for size in HEXAGONS]
    elif has_walls(position):
        layouts = [Layout(position, *size, gap_x=1 if size[1] == 1 else 2, gap_y=1) for size in SQUARES]
    else:
        layouts = [Layout(position, *size) for size in SQUARES]
    return next((layout for layout in layouts if layout.width <= width and layout.height <= height), layouts[-1])
