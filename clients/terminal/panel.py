"""The panel beside the board: players with clocks, list of moves, chat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, RichLog, Static

from cornered.clients.terminal.drawing import DARK_SCHEME, LIGHT, PIECES
from cornered.clients.terminal.rating_words import rating_text
from cornered.clients.terminal.words import gauge_text, ordinal, time_left, time_text
from cornered.protocol.messages import Snapshot

__all__ = ["MoveList", "Players", "SidePanel"]

URGENT_MS: Final = 10_000
"""Remaining time below which a running clock is highlighted."""


class Players(Static):
    """Every player on two lines: name and clock, then status."""

    DEFAULT_CSS = "Players { height: auto; padding: 0 1; }"

    def show(self, match: Snapshot, now: int, gauges: Sequence[tuple[str, int]]) -> None:
        look = DARK_SCHEME if self.app.current_theme.dark else LIGHT
        width = max(10, self.content_size.width or 24)
        lines = []
        for seat in range(len(match.seats)):
            ink = Style(color=look.inks[f"seat{seat}"], bold=True)
            lines.append(self._who(match, seat, now, width, ink))
            lines.append(self._how(match, seat, gauges))
        self.update(Text("\n").join(lines))

    def _who(self, match: Snapshot, seat: int, now: int, width: int, ink: Style) -> Text:
        player = match.seats[seat].player
        is_running = seat == match.to_move and not match.over
        left = time_left(match, seat, now)
        clock = "" if left is None else time_text(left)
        info = match.seats[seat]
        rating = "" if info.rating is None else f" {rating_text(info.rating, provisional=info.provisional)}"
        mark = rating + (" [bot]" if player.kind == "bot" else "")
        you = " (you)" if seat == match.seat else ""
        room = width - 4 - cell_len(mark + you) - cell_len(clock) - 1
        name = player.name if cell_len(player.name) <= room else player.name[: max(1, room - 1)] + "…"
        line = Text(no_wrap=True)
        line.append("▶ " if is_running else "  ", ink)
        line.append(f"{PIECES[seat]} ", ink)
        line.append(name, Style(bold=is_running))
        line.append(mark + you, Style(dim=True))
        line.append(" " * max(1, width - line.cell_len - cell_len(clock)))
        is_urgent = left is not None and left < URGENT_MS and is_running
        line.append(clock, Style(bold=is_running, reverse=is_urgent))
        return line

    def _how(self, match: Snapshot, seat: int, gauges: Sequence[tuple[str, int]]) -> Text:
        words = []
        info = match.seats[seat]
        if info.version is not None:
            words.append(f"version {info.version}")
        place = info.place
        if place is not None:
            words.append(ordinal(place))
        if seat < len(gauges):
            words.append(gauge_text(*gauges[seat]))
        if seat < len(match.connected) and not match.connected[seat] and not match.over:
            words.append("away")
        if match.draw_offer == seat:
            words.append("offers a draw")
        if match.takeback == seat:
            words.append("asks to take back")
        if seat in match.rematch:
            words.append("wants a rematch")
        return Text("    " + " · ".join(words), Style(dim=True), no_wrap=True)


class MoveList(VerticalScroll, can_focus=False):
    """All moves, one round on a line, scrolled to the newest."""

    DEFAULT_CSS = """
    MoveList { height: 1fr; border-top: solid $panel-lighten-2; border-title-color: $text-muted; padding: 0 1;
               scrollbar-size-vertical: 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.border_title = "Moves"

    def compose(self) -> ComposeResult:
        yield Static(id="moves")

    def show(self, moves: Sequence[str], seats: int) -> None:
        look = DARK_SCHEME if self.app.current_theme.dark else LIGHT
        text = Text(no_wrap=True)
        for start in range(0, len(moves), seats):
            text.append(f"{start // seats + 1:>3} ", Style(color=look.inks["label"]))
            for offset, move in enumerate(moves[start : start + seats]):
                is_last = start + offset == len(moves) - 1
                text.append(f"{move:<5}", Style(bold=is_last))
                text.append(" ")
            text.append("\n")
        self.query_one("#moves", Static).update(text)
        self.scroll_end(animate=False)


class Talk(Vertical):
    """Events and chat, with an input line."""

    DEFAULT_CSS = """
    Talk { height: 1fr; border-top: solid $panel-lighten-2; border-title-color: $text-muted; }
    Talk RichLog { height: 1fr; padding: 0 1; background: transparent; overflow-y: auto; }
    Talk Input { height: 1; border: none; padding: 0 1; background: $boost; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.border_title = "Chat"

    def compose(self) -> ComposeResult:
        log = RichLog(wrap=True, min_width=10, max_lines=200, id="log")
        log.can_focus = False
        yield log
        yield Input(placeholder="say something", max_length=300, id="chat")

    def add(self, text: str | Text) -> None:
        self.query_one("#log", RichLog).write(text if isinstance(text, Text) else Text(text))


class SidePanel(Widget):
    """Players above, moves in the middle, chat below."""

    DEFAULT_CSS = """
    SidePanel { width: 28; height: 1fr; layout: vertical; border-left: solid $panel-lighten-2; }
    """

    def compose(self) -> ComposeResult:
        yield Players(id="players")
        yield MoveList()
        yield Talk()
