"""Tournaments: which there are, how they stand, joining and leaving. A game begins by itself when one is paired."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from cornered.clients.sdk import Client, ClientError, Closed
from cornered.clients.terminal.tournament_words import format_text, pairing_text, standings_lines, state_text
from cornered.clients.terminal.words import refusal_text
from cornered.protocol.tournaments import PairingInfo, Standing, TournamentInfo

__all__ = ["TournamentsScreen"]

MAX_LISTED: Final = 50
"""Tournaments of the list, those with the newest changes."""
TICK_S: Final = 1.0
"""Interval at which the time to the next round is shown."""


class TournamentsScreen(Screen[None]):
    """The list on the left, the standings of the highlighted tournament and its newest round on the right."""

    DEFAULT_CSS = """
    TournamentsScreen Horizontal { height: 1fr; }
    TournamentsScreen #tournaments { width: 31; height: 1fr; border: round $primary; border-title-color: $text-muted; }
    TournamentsScreen VerticalScroll { height: 1fr; border: round $panel-lighten-2; border-title-color: $text-muted; }
    TournamentsScreen VerticalScroll Static { padding: 0 1; height: auto; }
    TournamentsScreen #state { text-style: bold; }
    TournamentsScreen #standings, TournamentsScreen #round { text-wrap: nowrap; text-overflow: ellipsis; }
    TournamentsScreen #notice { height: 1; padding: 0 1; text-style: bold; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "join", "Join"),
        Binding("w", "withdraw", "Withdraw"),
        Binding("o", "over", "Over/current"),
        Binding("escape,t", "app.pop_screen", "Back", key_display="esc"),
    ]

    def __init__(self, client: Client) -> None:
        super().__init__()
        self._client = client
        self._is_over = False
        self._listed: Sequence[TournamentInfo] = ()
        self._shown: TournamentInfo | None = None

    def compose(self) -> ComposeResult:
        with Horizontal():
            tournaments = OptionList(id="tournaments")
            tournaments.border_title = "Tournaments"
            tournaments.border_subtitle = "Enter joins"
            yield tournaments
            with VerticalScroll():
                yield Static(id="state", markup=False)
                yield Static(id="standings", markup=False)
                yield Static(id="round", markup=False)
        yield Static(id="notice", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#tournaments").focus()
        self.set_interval(TICK_S, self._tick)
        self._load()

    @work(exclusive=True, group="list")
    async def _load(self) -> None:
        found: list[TournamentInfo] = []
        try:
            async for one in self._client.tournaments.list(over=self._is_over):
                found.append(one)
                if len(found) == MAX_LISTED:
                    break
        except ClientError as error:
            self._notice(refusal_text(error))
            return
        self._listed = found
        choices = self.query_one("#tournaments", OptionList)
        choices.clear_options()
        choices.add_options(
            Option(Text.assemble((one.settings.name, "bold"), (f"\n{format_text(one)}", "dim")), id=one.id)
            for one in found
        )
        if found:
            choices.highlighted = 0
        else:
            self._shown = None
            for name in ("#state", "#standings", "#round"):
                self.query_one(name, Static).update("")
            self._notice("No tournament has ended yet." if self._is_over else "No tournament is open or under way.")

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if event.option.id is not None:
            self._notice("")
            self._watch(event.option.id)

    @work(exclusive=True, group="watch")
    async def _watch(self, tournament: str) -> None:
        try:
            view = await self._client.tournaments.watch(tournament)
            while True:
                version = view.version
                self._show(view.info, view.standings, view.pairings)
                await view.changed(version)
        except Closed:
            return
        except ClientError as error:
            self._notice(refusal_text(error))

    def _show(self, info: TournamentInfo, standings: Sequence[Standing], pairings: Sequence[PairingInfo]) -> None:
        self._shown = info
        self.query_one(VerticalScroll).border_title = info.settings.name
        self._tick()
        header, *rows = standings_lines(info, standings)
        me = self._client.player.id
        lines = [Text(header, "dim")]
        lines += [
            Text(row, "bold" if standing.player.id == me else "") for row, standing in zip(rows, standings, strict=True)
        ]
        self.query_one("#standings", Static).update(Text("\n").join(lines))
        texts = [f"\nRound {info.round}", *map(pairing_text, pairings)] if pairings else []
        self.query_one("#round", Static).update("\n".join(texts))
        self.refresh_bindings()

    def _tick(self) -> None:
        if self._shown is not None:
            self.query_one("#state", Static).update(state_text(self._shown, self._client.server_now()))

    def _notice(self, text: str) -> None:
        self.query_one("#notice", Static).update(text)

    @on(OptionList.OptionSelected)
    def _on_selected(self) -> None:
        self.action_join()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        is_open = self._shown is not None and self._shown.status in ("open", "running")
        return action not in ("join", "withdraw") or is_open

    @work(group="do")
    async def action_join(self) -> None:
        if self._shown is not None:
            try:
                await self._client.tournaments.join(self._shown.id)
                self._notice("You take part. Your games begin by themselves; stay connected.")
            except ClientError as error:
                self._notice(refusal_text(error))

    @work(group="do")
    async def action_withdraw(self) -> None:
        if self._shown is not None:
            try:
                await self._client.tournaments.withdraw(self._shown.id)
                self._notice("You take part no more.")
            except ClientError as error:
                self._notice(refusal_text(error))

    def action_over(self) -> None:
        self._is_over = not self._is_over
        self._load()
