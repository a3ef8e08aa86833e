"""The output of `cornered show`: a board that fits the terminal, the seats' pieces, and the position text."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

from rich.console import Console, Group
from rich.style import Style
from rich.table import Table
from rich.text import Text

from cornered.clients.terminal.drawing import (
    ANSI,
    ASCII,
    DARK_SCHEME,
    LIGHT,
    ColourScheme,
    Marks,
    draw,
    is_light_terminal,
)
from cornered.clients.terminal.layout import fit, last_placed
from cornered.engine.game import State
from cornered.engine.text import PositionText

__all__ = ["look_for", "show"]

GAP_COLUMNS: Final = 3
"""Columns between the board and the text beside it."""


def look_for(console: Console, *, is_light: bool | None = None) -> ColourScheme:
    """Return the drawing style of a terminal: letters for pipes, shapes for few colours, tiles for many. `is_light`
    chooses light or dark tiles; None detects them from the terminal."""
    if not console.is_terminal or not console.encoding.startswith("utf"):
        return ASCII
    if console.no_color or console.color_system not in ("256", "truecolor"):
        return ANSI
    return LIGHT if (is_light_terminal() if is_light is None else is_light) else DARK_SCHEME


def show(
    console: Console, state: State, moves: Sequence[str], turn: str, *, has_hints: bool, is_light: bool | None
) -> None:
    """Print a position reached by `moves`, with `turn` as the description of the seat to move."""
    text = str(state)
    position, look = PositionText.parse(text), look_for(console, is_light=is_light)
    seats = _seats(state, look)
    if look is ASCII:
        layout = fit(position, 0, 0)
    else:
        width = console.width - GAP_COLUMNS - max(line.cell_len for line in seats)
        layout = fit(position, width, console.height - ceil(len(text) / console.width) - 1)
    targets = layout.cells.keys() & set(state.moves()) if has_hints else frozenset[str]()
    board = draw(layout, Marks(targets=frozenset(targets), last=last_placed(moves)), look)
    said = Group(*seats, turn)
    if look is ASCII:
        console.print(board, "", said, sep="\n")
    else:
        board.stylize_before(Style(bgcolor=look.ground))
        beside = Table.grid(padding=(0, GAP_COLUMNS))
        beside.add_row(board, said)
        console.print(beside)
    console.print(text, soft_wrap=True, style="dim")


def _seats(state: State, look: ColourScheme) -> list[Text]:
    """Return a line for each seat: its piece and its state."""
    gauges = state.gauges()
    lines = []
    for seat in range(state.game.seats):
        line = Text.assemble((f" {look.pieces[seat]} ", look.style(f"seat{seat}", "")), f" seat {seat}")
        line.stylize_before(Style(bgcolor=look.ground), 0, 3)
        if seat < len(gauges):
            label, value = gauges[seat]
            line.append(f", {label}: {value}" if value else f", {label}")
        lines.append(line)
    return lines
