"""Draws any position text with characters: on the terminal client's screens, for `cornered show`, and as plain text.

No information is in colour alone: every piece has its own shape, and focus, last move and legal targets are marked by
characters as well as tints.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from rich.style import Style
from rich.text import Text

from cornered.clients.terminal.layout import Layout, Rectangle, Wall
from cornered.engine.text import FILES, PositionText

__all__ = ["ANSI", "ASCII", "DARK_SCHEME", "LIGHT", "PIECES", "ColourScheme", "Marks", "draw", "is_light_terminal"]

WallKind: TypeAlias = Literal["standing", "last", "ghost"]

PIECES: Final = "●◆▲■"
"""The shape of each seat's piece."""

LARGE: Final[Mapping[int, tuple[tuple[str, ...], ...]]] = {
    2: (("▟█▙", "▜█▛"), ("▗█▖", "▝█▘"), ("▗▄▖", "███"), ("█▀█", "█▄█")),
    3: (
        ("▄███▄", "█████", "▀███▀"),
        (" ▗█▖ ", "▐███▌", " ▝█▘ "),
        ("  ▄  ", " ▟█▙ ", "▟███▙"),
        ("█▀▀▀█", "█   █", "█▄▄▄█"),
    ),
}
"""Pieces for cells of 2 and 3 rows: a disc, a diamond, a triangle and a ring."""


MAX_SHARP_TARGETS: Final = 16
"""With more legal targets than this their dots are drawn softer."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks over a position: legal targets, the last move, the focus, the preview of a wall."""

    targets: Set[str] = frozenset()
    last: str | None = None
    focus: str | None = None
    ghost: str | None = None
    is_ghost_legal: bool = True


@dataclass(frozen=True)
class ColourScheme:
    """A theme: foreground (ink) and background (paper) colours by meaning, and characters."""

    inks: Mapping[str, str]
    papers: Mapping[str, str]
    pieces: str = PIECES
    free: str = " "
    target: str = "•"
    blocked: str = "\u2573"
    wall_h: str = "━"
    wall_v: str = "┃"
    ghost_h: str = "╍"
    ghost_v: str = "╏"
    last_h: str = "═"
    last_v: str = "║"
    thick: str = "█"
    thick_last: str = "▓"
    thick_ghost: str = "▒"
    """Walls in gaps of two columns, which are as wide as a line is high."""
    ground: str | None = None
    """Background of the board where the terminal's own may not contrast with the inks."""
    is_large: bool = True

    def style(self, ink: str, paper: str) -> Style:
        bold = ink in ("wall", "ghost", "focus", "target") or ink.startswith("seat")
        return Style(color=self.inks.get(ink), bgcolor=self.papers.get(paper), bold=bold and bool(self.inks))


DARK_SCHEME: Final = ColourScheme(
    inks={
        "seat0": "#ff9d5c",
        "seat1": "#6cc4ff",
        "seat2": "#63d9a4",
        "seat3": "#f2a5d3",
        "label": "#8b95a1",
        "target": "#d7c77a",
        "soft": "#6d7683",
        "blocked": "#4d5661",
        "wall": "#f4e3b2",
        "ghost": "#ffd75e",
        "bad": "#ff6b6b",
        "focus": "#ffffff",
        "last": "#f4e3b2",
    },
    papers={
        "tone0": "#2b333d",
        "tone1": "#313a45",
        "tone2": "#37414d",
        "last": "#4b472f",
        "focus": "#4a5a70",
    },
    ground="#1c2128",
)
LIGHT: Final = ColourScheme(
    inks={
        "seat0": "#b8430c",
        "seat1": "#0b5fa5",
        "seat2": "#0b7a4b",
        "seat3": "#a02c73",
        "label": "#5c6670",
        "target": "#7a5c00",
        "soft": "#9aa5b1",
        "blocked": "#9aa2aa",
        "wall": "#3b2a14",
        "ghost": "#8a6100",
        "bad": "#c1121f",
        "focus": "#000000",
        "last": "#6b5a1e",
    },
    papers={
        "tone0": "#fbfcfd",
        "tone1": "#f1f4f7",
        "tone2": "#e9edf2",
        "last": "#efe2b0",
        "focus": "#b5cdea",
    },
    ground="#dde2e8",
)
ANSI: Final = ColourScheme(
    inks={
        "seat0": "red",
        "seat1": "blue",
        "seat2": "green",
        "seat3": "magenta",
        "label": "bright_black",
        "free": "bright_black",
        "blocked": "bright_black",
        "target": "yellow",
        "soft": "bright_black",
        "wall": "yellow",
    },
    papers={},
    free="·",
    target="○",
)
"""The terminal's 16 colours on its own background."""
ASCII: Final = ColourScheme(
    inks={},
    papers={},
    pieces="ABCD",
    free=".",
    target="+",
    blocked="#",
    wall_h="-",
    wall_v="|",
    ghost_h="~",
    ghost_v="!",
    last_h="=",
    last_v='"',
    is_large=False,
)
"""Letters and punctuation only, for pipes and screen readers: `A` is the first seat's piece."""


def is_light_terminal() -> bool:
    """Return whether `COLORFGBG` has a light background; where it is not set, the background is taken as dark."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15")


class _Canvas:
    """A grid of characters, each with an ink and a paper by meaning."""

    def __init__(self, width: int, height: int) -> None:
        self.rows: list[list[tuple[str, str, str]]] = [[(" ", "", "")] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, ink: str, paper: str = "") -> None:
        row = self.rows[y]
        for offset, character in enumerate(text):
            row[x + offset] = (character, ink, paper)

    def fill(self, area: Rectangle, character: str, ink: str, paper: str = "") -> None:
        for y in range(area.y, area.y + area.height):
            self.put(area.x, y, character * area.width, ink, paper)

    def text(self, look: ColourScheme) -> Text:
        text = Text(no_wrap=True)
        for number, row in enumerate(self.rows):
            if number:
                text.append("\n")
            for character, ink, paper in row:
                text.append(character, look.style(ink, paper))
        return text


def _tone(position: PositionText, row: int, column: int) -> str:
    """Return a cell's shade: two on squares, three on hexagons, so that neighbours differ."""
    if not position.is_hexagon:
        return f"tone{(row + column) % 2}"
    # Axial coordinates: q grows along a row, and starts half a cell further left in every row than in the one above.
    q = max(0, len(position.rows) // 2 - row) + column
    return f"tone{(q - row) % 3}"


def _draw_cell(canvas: _Canvas, area: Rectangle, content: str, look: ColourScheme, paper: str, dot: str | None) -> None:
    middle_x, middle_y = area.x + area.width // 2, area.y + area.height // 2
    if content == "x":
        canvas.put(middle_x, middle_y, look.blocked, "blocked", paper)
    elif content.isdigit():
        seat = int(content)
        picture = LARGE.get(area.height, ())
        if look.is_large and picture and area.width >= len(picture[seat][0]):
            left = area.x + (area.width - len(picture[seat][0])) // 2
            for offset, line in enumerate(picture[seat]):
                canvas.put(left, area.y + offset, line, f"seat{seat}", paper)
        else:
            canvas.put(middle_x, middle_y, look.pieces[seat], f"seat{seat}", paper)
    elif dot is not None:
        canvas.put(middle_x, middle_y, look.target, dot, paper)
    else:
        canvas.put(middle_x, middle_y, look.free, "free", paper)


def _frame(canvas: _Canvas, area: Rectangle, corners: str, ink: str, paper: str) -> None:
    """Mark a cell at its corners, or between two brackets when it is one line high."""
    left, right = area.x, area.x + area.width - 1
    if area.width < 3:
        return
    if area.height == 1:
        canvas.put(left, area.y, corners[4], ink, paper)
        canvas.put(right, area.y, corners[5], ink, paper)
        return
    bottom = area.y + area.height - 1
    for x, y, corner in zip((left, right, left, right), (area.y, area.y, bottom, bottom), corners, strict=False):
        canvas.put(x, y, corner, ink, paper)


def _draw_wall(canvas: _Canvas, layout: Layout, name: str, look: ColourScheme, kind: WallKind, ink: str) -> None:
    wall = Wall.parse(name)
    if wall is None:
        return
    lines = {
        "standing": (look.wall_h, look.wall_v, look.thick),
        "last": (look.last_h, look.last_v, look.thick_last),
        "ghost": (look.ghost_h, look.ghost_v, look.thick_ghost),
    }
    horizontal, vertical, thick = lines[kind]
    character = thick if layout.gap_x > 1 and look.is_large else (horizontal if wall.way == "h" else vertical)
    canvas.fill(layout.wall(wall), character, ink)


def _draw_labels(canvas: _Canvas, layout: Layout) -> None:
    rows = layout.position.rows
    for row in range(len(rows)):
        first = layout.cells[layout.position.name(row, 0)]
        from_bottom = len(rows) - 1 - row
        label = FILES[from_bottom] if layout.position.is_hexagon else str(from_bottom + 1)
        canvas.put(first.x - 2, first.y + first.height // 2, label, "label")
    if not layout.position.is_hexagon:
        for column in range(len(rows[-1])):
            cell = layout.cells[layout.position.name(len(rows) - 1, column)]
            canvas.put(cell.x + cell.width // 2, layout.height - 1, FILES[column], "label")


def _draw_goals(canvas: _Canvas, layout: Layout, look: ColourScheme) -> None:
    """Mark beside the labels of a board with walls which side each piece goes to: the one across from its start."""
    rows = layout.position.rows
    seats = 4 if any(seat in row for row in rows for seat in "23") else 2
    # Players start in the south and north, or clockwise from the south.
    sides = "NS" if seats == 2 else "NESW"
    for seat, side in enumerate(sides):
        ink, piece = f"seat{seat}", look.pieces[seat]
        if side in "NS":
            first = layout.cells[layout.position.name(0 if side == "N" else len(rows) - 1, 0)]
            canvas.put(first.x - 1, first.y + first.height // 2, piece, ink)
        else:
            cell = layout.cells[layout.position.name(len(rows) - 1, 0 if side == "W" else len(rows[-1]) - 1)]
            canvas.put(cell.x + cell.width // 2 + 1, layout.height - 1, piece, ink)


def draw(layout: Layout, marks: Marks, look: ColourScheme) -> Text:
    """Return the board of `layout` as text of exactly its width and height."""
    position = layout.position
    canvas = _Canvas(layout.width, layout.height)
    _draw_labels(canvas, layout)
    if layout.gap_x:
        _draw_goals(canvas, layout, look)
    dot = "target" if len(marks.targets) <= MAX_SHARP_TARGETS else "soft"
    for row, contents in enumerate(position.rows):
        for column, content in enumerate(contents):
            name = position.name(row, column)
            area = layout.cells[name]
            paper = "blocked" if content == "x" else _tone(position, row, column)
            if name == marks.last:
                paper = "last"
            if name == marks.focus:
                paper = "focus"
            canvas.fill(area, " ", "", paper)
            _draw_cell(canvas, area, content, look, paper, dot if name in marks.targets else None)
            if name == marks.focus:
                _frame(canvas, area, "┌┐└┘[]", "focus", paper)
            elif name == marks.last:
                _frame(canvas, area, "╭╮╰╯()", "last", paper)
    if layout.gap_x:
        for name in filter(None, position.facts.get("walls", "").split(",")):
            is_last = name == marks.last
            _draw_wall(canvas, layout, name, look, "last" if is_last else "standing", "last" if is_last else "wall")
        if marks.ghost is not None:
            _draw_wall(canvas, layout, marks.ghost, look, "ghost", "ghost" if marks.is_ghost_legal else "bad")
    return canvas.text(look)
