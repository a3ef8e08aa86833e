"""All keys on one page, and in a match the rules of its game."""

from __future__ import annotations

from typing import ClassVar, Final

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from cornered.clients.terminal.words import rules_text
from cornered.protocol.values import GameSpec

__all__ = ["HelpScreen"]

KEYS: Final = (
    ("arrows", "move the focus over the board"),
    ("Enter, click", "play the focused cell or wall"),
    ("w", "switch between cells and walls"),
    ("r, h, v", "turn the wall, lay it, stand it up"),
    ("m", "type a move: e2, a wall e3h, pass"),
    ("c", "chat; Esc goes back to the board"),
    ("d", "offer a draw, or accept one"),
    ("t", "ask to take back, or allow it"),
    ("n", "decline what is offered"),
    ("x x", "resign (call off before the second move)"),
    ("y", "claim victory when the opponent is gone"),
    ("g", "play again, after the end"),
    ("p", "in the menu: quick pairing by rating"),
    ("r", "in the menu: rated games, or casual ones"),
    ("l", "in the menu: ratings and leaderboards"),
    ("t", "in the menu: tournaments"),
    ("a", "in the menu: sign in, register, sign out"),
    ("b", "switch between light and dark"),
    ("Esc", "leave the match; it goes on"),
    ("Ctrl+C", "quit"),
)


class HelpScreen(ModalScreen[None]):
    """The list of keys with the rules of `game` below it; any of Esc, Enter and ? closes it."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; }
    HelpScreen VerticalScroll { width: 60; height: auto; max-height: 90%; border: round $primary; padding: 0 2;
                                background: $surface; }
    HelpScreen #rules { margin-top: 1; border-top: solid $panel-lighten-2; border-title-color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,question_mark,space", "dismiss", "Close")]

    def __init__(self, game: GameSpec | None = None) -> None:
        super().__init__()
        self._game = game

    def compose(self) -> ComposeResult:
        table = Table.grid(padding=(0, 2))
        for key, what in KEYS:
            table.add_row(Text(key, "bold"), Text(what))
        with VerticalScroll() as box:
            box.border_title = "Keys"
            yield Static(table)
            if self._game is not None:
                rules = Static(rules_text(self._game), id="rules", markup=False)
                rules.border_title = "Rules"
                yield rules
