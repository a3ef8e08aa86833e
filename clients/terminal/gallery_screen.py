"""The list of live matches, to watch one."""

from __future__ import annotations

from typing import ClassVar, Protocol

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from cornered.clients.sdk import Closed, LobbyView
from cornered.clients.sdk.timecontrol import clock_text
from cornered.clients.terminal.menu_screen import MenuScreen
from cornered.clients.terminal.preview import Preview
from cornered.clients.terminal.words import player_text, spec_text
from cornered.protocol.values import MatchSummary

__all__ = ["GalleryScreen", "Live", "LiveMatches"]


class Live(Protocol):
    """A source of the list of live matches."""

    def live(self) -> list[MatchSummary]:
        """Return the live matches, oldest first."""

    async def changed(self) -> None:
        """Return when the list may have changed. Raises Closed when the source is closed."""


class LiveMatches:
    """The lobby's live matches."""

    def __init__(self, lobby: LobbyView) -> None:
        self._lobby = lobby

    def live(self) -> list[MatchSummary]:
        matches = (match for match in self._lobby.matches.values() if not match.over)
        return sorted(matches, key=lambda match: match.started)

    async def changed(self) -> None:
        await self._lobby.changed(self._lobby.version)


class GalleryScreen(Screen[None]):
    """The list on the left, the live board of the highlighted match on the right."""

    DEFAULT_CSS = """
    #shown { height: 1fr; }
    #live { width: 40; height: 1fr; border: round $primary; }
    #about { height: 1; padding: 0 1; color: $text-muted; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "app.help", "Help", key_display="?"),
        Binding("q,escape", "app.quit", "Quit"),
    ]

    def __init__(self, source: Live) -> None:
        super().__init__()
        self._source = source

    def compose(self) -> ComposeResult:
        with Horizontal(id="shown"):
            matches = OptionList(id="live")
            matches.border_title = "Live matches"
            matches.border_subtitle = "Enter watches"
            yield matches
            yield Preview()
        yield Static("No match is under way. One will appear here as soon as it begins.", id="about", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#live").focus()
        self._keep_up()

    @work(exclusive=True)
    async def _keep_up(self) -> None:
        try:
            while True:
                self._list(self._source.live())
                await self._source.changed()
        except Closed:
            return

    def _list(self, live: list[MatchSummary]) -> None:
        matches = self.query_one("#live", OptionList)
        before = matches.highlighted_option.id if matches.highlighted_option is not None else None
        ids = [match.id for match in live]
        matches.clear_options()
        matches.add_options(Option(_row(match), id=match.id) for match in live)
        if ids:
            matches.highlighted = ids.index(before) if before in ids else 0
            self._show(live[matches.highlighted])

    def _show(self, match: MatchSummary) -> None:
        self.query_one(Preview).show(match.position)
        self.query_one("#about", Static).update(
            f"{spec_text(match.game)} · {clock_text(match.clock)} · move {match.ply} · {match.watchers} watching"
        )

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        for match in self._source.live():
            if match.id == event.option.id:
                self._show(match)

    @on(OptionList.OptionSelected)
    def _on_selected(self, event: OptionList.OptionSelected) -> None:
        self.post_message(MenuScreen.Watch(event.option.id or ""))


def _row(match: MatchSummary) -> Text:
    names = " vs ".join(player_text(player) for player in match.players)
    return Text.assemble(names, (f"\n  {spec_text(match.game)}", "dim"))
