"""The menu of games and opponents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, OptionList, Static
from textual.widgets.option_list import Option

from cornered.clients.sdk import Client, ClientError, Closed, LobbyView
from cornered.clients.sdk.opponents import name_order, plays
from cornered.clients.sdk.timecontrol import clock_text
from cornered.clients.terminal.connecting import invitation_text
from cornered.clients.terminal.options_screen import OptionsScreen
from cornered.clients.terminal.preview import Preview
from cornered.clients.terminal.words import player_text, refusal_text, spec_text
from cornered.engine.game import OptionValue
from cornered.protocol.values import NO_CLOCK, Clock, Fischer, GameSpec, LobbySection, OfferedGame, Seek, SeekSettings

__all__ = ["CLOCK_CHOICES", "MenuScreen"]

CLOCK_CHOICES: Final[tuple[Clock, ...]] = (
    NO_CLOCK,
    Fischer(initial=60, increment=1),
    Fischer(initial=180, increment=2),
    Fischer(initial=300, increment=5),
    Fischer(initial=900, increment=10),
)


class MenuScreen(Screen[None]):
    """Pick a game on the left and an opponent on the right."""

    DEFAULT_CSS = """
    #hello { height: 1; padding: 0 1; color: $text-muted; }
    #choices { height: 1fr; }
    #games-side { width: 38; }
    #games { height: auto; max-height: 10; border: round $panel-lighten-2; }
    #games, #tables { border-title-color: $text-muted; border-subtitle-color: $text-muted; }
    #games:focus, #tables:focus { border: round $primary; }
    #tables { height: 1fr; border: round $panel-lighten-2; }
    #summary { height: auto; padding: 0 2; color: $text-muted; }
    #terms { height: auto; padding: 1 2 0 2; }
    #notice { height: 1; padding: 0 1; text-style: bold; }
    MenuScreen Preview { height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "app.focus_next", "Switch", show=True),
        Binding("o", "options", "Options"),
        Binding("k", "clock", "Clock"),
        Binding("r", "rated", "Rated"),
        Binding("p", "quick", "Quick"),
        Binding("l", "app.ratings", "Ratings"),
        Binding("t", "app.tournaments", "Tournaments"),
        Binding("a", "app.account", "Account"),
        Binding("delete,x", "cancel", "Close table"),
        Binding("question_mark", "app.help", "Help", key_display="?"),
        Binding("q", "app.quit", "Quit"),
    ]

    class Watch(Message):
        """The user opens this match, as its player or to watch."""

        def __init__(self, match: str) -> None:
            super().__init__()
            self.match = match

    class Quick(Message):
        """The user wants to be paired, at this game or another one."""

        def __init__(self, game: str | None) -> None:
            super().__init__()
            self.game = game

    def __init__(
        self,
        client: Client,
        *,
        game: str | None = None,
        options: Mapping[str, OptionValue] | None = None,
        clock: Clock = NO_CLOCK,
        notice: str | None = None,
    ) -> None:
        """Preselect `game` under `options`, if given, and `clock`."""
        super().__init__()
        self._wanted = game
        self._wanted_options = dict(options or {})
        self._first_notice = notice or ""
        self._client = client
        self._offered: Sequence[OfferedGame] = ()
        self._lobby: LobbyView | None = None
        self._game: OfferedGame | None = None
        self._options: dict[str, OptionValue] = {}
        self._clock = clock
        self._is_rated = False

    def compose(self) -> ComposeResult:
        yield Static(f"Cornered · {self._client.url} · you are {self._client.player.name}", id="hello", markup=False)
        with Horizontal(id="choices"):
            with Vertical(id="games-side"):
                games = OptionList(id="games")
                games.border_title = "Game"
                games.border_subtitle = "↑ ↓, then Enter"
                yield games
                yield Static(id="summary", markup=False)
                yield Static(id="terms", markup=False)
                yield Preview()
            tables = OptionList(id="tables")
            tables.border_title = "Play with"
            tables.border_subtitle = "Enter begins"
            yield tables
        yield Static(self._first_notice, id="notice", markup=False)
        yield Footer(compact=True, show_command_palette=False)

    def on_mount(self) -> None:
        self.query_one("#games").focus()
        self._load()

    @work(exclusive=True, group="lobby")
    async def _load(self) -> None:
        try:
            self._offered = await self._client.games()
            self.query_one("#games", OptionList).add_options(
                Option(Text(game.title), id=game.name) for game in self._offered
            )
            names = [game.name for game in self._offered]
            self.query_one("#games", OptionList).highlighted = names.index(self._wanted) if self._wanted in names else 0
            self._lobby = lobby = await self._client.lobby()
            while True:
                version = lobby.version
                self._list_tables()
                await lobby.changed(version)
        except Closed:
            return
        except ClientError as error:
            self._notice(refusal_text(error))

    def _notice(self, text: str) -> None:
        self.query_one("#notice", Static).update(text)

    def _my_seek(self) -> Seek | None:
        me = self._client.player.id
        seeks = self._lobby.seeks.values() if self._lobby is not None else ()
        return next((seek for seek in seeks if seek.by.id == me), None)

    def _list_tables(self) -> None:
        """List everything that Enter can start, and keep the highlighted row."""
        tables, game, lobby = self.query_one("#tables", OptionList), self._game, self._lobby
        if lobby is None or game is None:
            return
        before = tables.highlighted_option.id if tables.highlighted_option is not None else None
        rows = [
            *self._own_rows(lobby),
            *self._opponents(lobby, game),
            *self._open_tables(lobby),
            *_further(lobby, "seeks", "tables"),
            *self._live(lobby),
            *_further(lobby, "matches", "matches"),
        ]
        tables.clear_options()
        tables.add_options(rows)
        ids = [row.id for row in rows]
        tables.highlighted = ids.index(before) if before in ids else 0
        self.refresh_bindings()

    def _own_rows(self, lobby: LobbyView) -> list[Option]:
        me = self._client.player.id
        return [
            Option(Text.assemble(("Go on: ", "bold"), spec_text(match.game)), id=f"match:{match.id}")
            for match in lobby.matches.values()
            if not match.over and any(player.id == me for player in match.players)
        ]

    def _opponents(self, lobby: LobbyView, game: OfferedGame) -> list[Option]:
        bots = [
            presence
            for presence in lobby.players.values()
            if presence.player.kind == "bot" and plays(presence, game.name, self._clock)
        ]
        rows = [
            Option(
                Text.assemble(
                    presence.player.name,
                    (f" {presence.version}" if presence.version else "", "dim"),
                    (" [bot]", "dim"),
                    ("" if presence.free else "  busy", "dim"),
                ),
                id=f"bot:{presence.player.id}",
                disabled=not presence.free,
            )
            for presence in sorted(bots, key=lambda presence: name_order(presence.player.name))
        ]
        mine = self._my_seek()
        if mine is None:
            rows.append(Option("Anybody: open a table", id="seek"))
        else:
            seats = f"{len(mine.joined)} of {mine.seats}"
            rows.append(Option(f"Your table is open ({seats}); x closes it", id="mine", disabled=True))
        return rows

    def _open_tables(self, lobby: LobbyView) -> list[Option]:
        me = self._client.player.id
        return [
            Option(
                Text.assemble(
                    ("Join: ", "bold"),
                    f"{player_text(seek.by)}, {spec_text(seek.settings.game)}, {clock_text(seek.settings.clock)}",
                    (f" ({len(seek.joined)} of {seek.seats})" if seek.seats > 2 else "", "dim"),
                    (" rated" if seek.settings.rated else "", "dim"),
                ),
                id=f"join:{seek.id}",
            )
            for seek in lobby.seeks.values()
            if seek.by.id != me
        ]

    def _live(self, lobby: LobbyView) -> list[Option]:
        me = self._client.player.id
        return [
            Option(
                Text.assemble(
                    ("Watch: ", "bold"),
                    " vs ".join(player_text(player) for player in match.players),
                    (f", {spec_text(match.game)}", "dim"),
                ),
                id=f"match:{match.id}",
            )
            for match in lobby.matches.values()
            if not match.over and all(player.id != me for player in match.players)
        ]

    @on(OptionList.OptionHighlighted, "#games")
    def _on_game_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        game = next((game for game in self._offered if game.name == event.option.id), None)
        if game is not None and game is not self._game:
            self._game = game
            self._options = dict(self._wanted_options) if game.name == self._wanted else {}
            self.query_one("#summary", Static).update(game.summary)
            self.query_one(Preview).show(game.start)
            self._list_tables()
            self._show_terms()

    def _show_terms(self) -> None:
        if self._game is None:
            return
        chosen = spec_text(GameSpec(name=self._game.title, options=self._options)) if self._options else "usual options"
        rated = " · rated" if self._is_rated else ""
        self.query_one("#terms", Static).update(f"{clock_text(self._clock)} · {chosen}{rated}")

    @on(OptionList.OptionSelected, "#games")
    def _on_game_selected(self) -> None:
        self.query_one("#tables").focus()

    @on(OptionList.OptionSelected, "#tables")
    def _on_table_selected(self, event: OptionList.OptionSelected) -> None:
        kind, _, name = (event.option.id or "").partition(":")
        if kind == "match":
            self.post_message(self.Watch(name))
        elif kind == "more":
            self._list_more("seeks" if name == "seeks" else "matches")
        else:
            self._start(kind, name)

    @work(group="more")
    async def _list_more(self, section: LobbySection) -> None:
        """Load the next page of a list; the lobby's update shows it."""
        try:
            await self._client.more_of_lobby(section)
        except ClientError as error:
            self._notice(refusal_text(error))

    @work(group="start")
    async def _start(self, kind: str, name: str) -> None:
        """Request the game; the app opens its match on `Paired`."""
        assert self._game is not None
        spec = GameSpec(name=self._game.name, options=self._options)
        self._notice("")
        try:
            if kind == "bot":
                await self._client.challenge(name, spec.name, clock=self._clock, rated=self._is_rated, **spec.options)
            elif kind == "seek":
                seek = await self._client.seek(SeekSettings(game=spec, clock=self._clock, rated=self._is_rated))
                self._notice(invitation_text(seek, self._client.url))
            elif kind == "join":
                await self._client.join_seek(name)
        except ClientError as error:
            self._notice(refusal_text(error))

    def action_clock(self) -> None:
        at = CLOCK_CHOICES.index(self._clock) + 1 if self._clock in CLOCK_CHOICES else 0
        self._clock = CLOCK_CHOICES[at % len(CLOCK_CHOICES)]
        self._list_tables()
        self._show_terms()

    def action_rated(self) -> None:
        self._is_rated = not self._is_rated
        self._show_terms()

    def action_quick(self) -> None:
        self.post_message(self.Quick(self._game.name if self._game is not None else None))

    def action_options(self) -> None:
        if self._game is not None:
            self.app.push_screen(OptionsScreen(self._game, self._options), self._take_options)

    def _take_options(self, options: dict[str, OptionValue] | None) -> None:
        if options is not None:
            self._options = options
            self._show_terms()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "cancel" or self._my_seek() is not None

    @work(group="start")
    async def action_cancel(self) -> None:
        if (seek := self._my_seek()) is not None:
            try:
                await self._client.cancel_seek(seek.id)
                self._notice("Your table is closed.")
            except ClientError as error:
                self._notice(refusal_text(error))


def _further(lobby: LobbyView, section: LobbySection, what: str) -> list[Option]:
    """Return the row that loads the next page of a list, where there is one."""
    unseen = lobby.unseen(section)
    return [Option(Text(f"More {what} ({unseen:,})", "dim"), id=f"more:{section}")] if unseen else []
