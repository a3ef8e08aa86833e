"""Boards for the terminal, drawn from a position text alone: any game, also one that was never seen before."""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from rich.text import Text

from engine.text import FILES, PositionText

__all__ = ["SEAT_STYLES", "draw"]

SEAT_STYLES: Final = ("bold red", "bold blue", "bold green", "bold magenta")
"""The colour of each seat. Pieces are drawn as the seat's digit too, for those who cannot tell the colours apart."""

_WALL: Final = "bold yellow"
_LABEL: Final = "dim"


def draw(text: PositionText, marked: Set[str] = frozenset()) -> Text:
    """Return the board of a position, with the free cells of `marked` shown as ones to move to."""
    if text.is_hexagon:
        return _hexagon(text, marked)
    return _walled(text, marked) if "walls" in text.facts else _square(text, marked)


def _cell(text: PositionText, row: int, column: int, marked: Set[str]) -> tuple[str, str]:
    character = text.rows[row][column]
    if character.isdigit():
        return character, SEAT_STYLES[int(character) % len(SEAT_STYLES)]
    if character == "x":
        return "█", "dim"
    return ("o", "green") if text.name(row, column) in marked else ("·", "")


def _square(text: PositionText, marked: Set[str]) -> Text:
    drawn = Text()
    height, width = len(text.rows), len(text.rows[0])
    for row in range(height):
        drawn.append(f"{height - row:2} ", _LABEL)
        for column in range(width):
            drawn.append(*_cell(text, row, column, marked))
            drawn.append(" ")
        drawn.append("\n")
    drawn.append("   " + " ".join(FILES[:width]), _LABEL)
    return drawn


def _hexagon(text: PositionText, marked: Set[str]) -> Text:
    """Rows are shifted by half a cell for each cell that they are shorter; the number at the end is the last cell's."""
    drawn = Text()
    widest = max(map(len, text.rows))
    for row, line in enumerate(text.rows):
        drawn.append(" " * (widest - len(line)) + FILES[len(text.rows) - 1 - row] + " ", _LABEL)
        for column in range(len(line)):
            drawn.append(*_cell(text, row, column, marked))
            drawn.append(" ")
        drawn.append(f"{len(line)}\n", _LABEL)
    drawn.rstrip()
    return drawn


def _walled(text: PositionText, marked: Set[str]) -> Text:
    """Cells stand apart, three columns and two lines each, so that walls fit between them."""
    drawn = Text()
    height, width = len(text.rows), len(text.rows[0])
    walls = {(wall[-1], FILES.index(wall[0]), int(wall[1:-1]) - 1) for wall in text.facts["walls"].split(",")}
    for row in range(height):
        rank = height - 1 - row
        drawn.append(f"{rank + 1:2}  ", _LABEL)
        for file in range(width):
            drawn.append(*_cell(text, row, file, marked))
            stands = ("v", file, rank) in walls or ("v", file, rank - 1) in walls
            drawn.append(" ┃ " if stands else "   ", _WALL)
        drawn.append("\n")
        if rank:
            drawn.append("    ")
            drawn.append(_seam(walls, rank - 1, width), _WALL)
            drawn.append("\n")
    drawn.append("    " + "   ".join(FILES[:width]), _LABEL)
    return drawn


def _seam(walls: Set[tuple[str, int, int]], rank: int, width: int) -> str:
    """Return the line between `rank` and the next: a level wall covers two cells and the gap between them."""
    seam = ""
    for file in range(width):
        starts, ends = ("h", file, rank) in walls, ("h", file - 1, rank) in walls
        seam += "━" if starts or ends else " "
        seam += "━━━" if starts else " ┃ " if ("v", file, rank) in walls else "   "
    return seam
