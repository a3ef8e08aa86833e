"""`cornered play` and `cornered watch`: the terminal client from connecting to the last screen."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import ClassVar, Final, TypeAlias

from textual import on, work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from clients.sdk import Client, ClientError, LobbyView, Refused, TokenStore, Unreachable
from clients.tui.asked_screen import AskedScreen
from clients.tui.errors import CannotStart
from clients.tui.gallery_screen import GalleryScreen
from clients.tui.help_screen import HelpScreen
from clients.tui.match_screen import MatchScreen
from clients.tui.menu_screen import MenuScreen
from clients.tui.online import OnlineTable
from clients.tui.table import Table
from clients.tui.words import spec_text
from engine.game import OptionValue
from protocol.messages import ChallengeClosed, Challenged, Notice, Paired
from protocol.values import NO_CLOCK, Clock, GameSpec, MatchSummary, SeekSettings

__all__ = ["SERVER", "CannotStart", "CorneredApp", "play", "watch"]

SERVER: Final = "ws://127.0.0.1:8420"
Opener: TypeAlias = Callable[[str], Awaitable[Table]]
BOT_PATIENCE: Final = 5.0
"""Seconds to wait for a bot that is not there yet: house bots connect a moment after their server starts."""


class CorneredApp(App[None]):
    """The screens, and what the server says that concerns none of them alone."""

    TITLE = "Cornered"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - textual declares it like this
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("b", "light", "Light/dark", show=False),
        Binding("ctrl+q", "quit", "Quit", show=False),
    ]

    def __init__(self, first: Screen[None], *, client: Client | None = None, opener: Opener | None = None) -> None:
        """Show `first`, to which leaving a match leads back; `opener` makes tables where no client does."""
        super().__init__()
        self._first = first
        self._client = client
        self._opener = opener or self._open_online
        self._open: str | None = None
        self.theme = "textual-light" if _is_light_terminal() else "textual-dark"

    async def on_mount(self) -> None:
        await self.push_screen(self._first)
        if self._client is not None:
            self._hear(self._client)

    @work(exclusive=True, group="news")
    async def _hear(self, client: Client) -> None:
        async for news in client.news():
            match news:
                case Paired():
                    await self._enter(news.match)
                case Challenged() if news.to.id == client.player.id:
                    self.push_screen(AskedScreen(news, client))
                case ChallengeClosed(how="declined"):
                    self.notify(news.reason or "They would rather not.", title="Declined", markup=False)
                case ChallengeClosed(how="expired"):
                    self.notify("Nobody answered.", title="Your challenge", markup=False)
                case Notice():
                    self.notify(news.text, title="The server", markup=False)
                case _:
                    pass

    @on(MenuScreen.Watch)
    async def _on_watch(self, message: MenuScreen.Watch) -> None:
        await self._enter(message.match)

    @on(MatchScreen.Moved)
    async def _on_moved(self, message: MatchScreen.Moved) -> None:
        await self._enter(message.match)

    async def _enter(self, match: str) -> None:
        """Open a match, in place of the one that is open."""
        if self._open == match:
            return
        self._open = match
        try:
            table = await self._opener(match)
        except ClientError as error:
            self._open = None
            self.notify(str(error), title="This match cannot be opened", severity="error", markup=False)
            return
        await self._show(table)

    async def _open_online(self, match: str) -> Table:
        assert self._client is not None, "without a client there is an opener"
        return OnlineTable(self._client, await self._client.join(match))

    async def _show(self, table: Table) -> None:
        """Put the screen of a match on top; a match that is open already makes room."""
        screen = MatchScreen(table)
        if isinstance(self.screen, MatchScreen) and self.screen is not self._first:
            await self.switch_screen(screen)
        else:
            await self.push_screen(screen)

    @on(MatchScreen.Left)
    async def _on_left(self, message: MatchScreen.Left) -> None:
        self._open = None
        if self._first is self.screen:
            self.exit()
        else:
            await self.pop_screen()

    def action_light(self) -> None:
        self.theme = "textual-light" if self.current_theme.dark else "textual-dark"

    def action_help(self) -> None:
        self.push_screen(HelpScreen())


def _is_light_terminal() -> bool:
    """Say whether the terminal has told that its background is light; many tell nothing, and most of those are dark."""
    background = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15")


class LiveMatches:
    """The lobby's live matches, for the gallery."""

    def __init__(self, lobby: LobbyView) -> None:
        self._lobby = lobby

    def live(self) -> list[MatchSummary]:
        matches = (match for match in self._lobby.matches.values() if not match.over)
        return sorted(matches, key=lambda match: match.started)

    async def changed(self) -> None:
        await self._lobby.changed(self._lobby.version)


@asynccontextmanager
async def connected(server: str, name: str | None, token: str | None) -> AsyncIterator[Client]:
    """Connect as the same player as last time, by the token that this machine keeps. Raises CannotStart."""
    called = (name or getpass.getuser())[:24]
    store = TokenStore()
    known = token or store.get(server, called)
    try:
        try:
            async with Client.connect(server, name=called, token=known, program="cornered-tui") as client:
                if token is None and client.token != known:
                    store.put(server, called, client.token)
                yield client
                return
        except Refused as refusal:
            if refusal.code != "bad_token" or token is not None or known is None:
                raise
            store.forget(server, called)
        async with Client.connect(server, name=called, program="cornered-tui") as client:
            store.put(server, called, client.token)
            yield client
    except Unreachable:
        raise CannotStart(f"no server answers at {server}; start one with: cornered serve") from None
    except (Refused, ValueError) as error:
        raise CannotStart(str(error)) from None


async def begin(
    client: Client,
    game: str | None,
    options: Mapping[str, OptionValue],
    clock: Clock,
    *,
    bot: str | None,
    seek: bool,
    join: str | None,
) -> str | None:
    """Ask for the game that the command line names; return words about what is waited for. Raises CannotStart."""
    spec = GameSpec(name=game or "trapgrid", options=dict(options))
    try:
        if bot is not None:
            await client.challenge(await _find_bot(client, bot), spec.name, clock=clock, **spec.options)
            return f"Asking {bot} for {spec_text(spec)}."
        if seek:
            invite = await client.seek(SeekSettings(game=spec, clock=clock))
            return f"Your table is open. Others join with: cornered play --join {invite}"
        if join is not None:
            await client.join_seek(join)
            return "You sit at the table; the match begins when it is full."
    except Refused as refusal:
        raise CannotStart(refusal.text) from None
    return None


async def _find_bot(client: Client, name: str) -> str:
    lobby = await client.lobby()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(BOT_PATIENCE):
            while True:
                version = lobby.version
                for presence in lobby.players.values():
                    if presence.player.kind == "bot" and presence.player.name == name:
                        return presence.player.id
                await lobby.changed(version)
    bots = sorted(presence.player.name for presence in lobby.players.values() if presence.player.kind == "bot")
    raise CannotStart(f"there is no bot {name!r} here; there are {', '.join(bots) or 'none'}")


def play(
    game: str | None = None,
    *,
    options: Mapping[str, OptionValue] | None = None,
    bot: str | None = None,
    seek: bool = False,
    join: str | None = None,
    clock: Clock = NO_CLOCK,
    server: str = SERVER,
    name: str | None = None,
    token: str | None = None,
    plain: bool = False,
) -> None:
    """Play in the terminal until the user leaves: the named game, or from the menu. Raises CannotStart.

    `plain` prints lines and reads moves from standard input in place of drawing screens.
    """

    async def run() -> None:
        async with connected(server, name, token) as client:
            words = await begin(client, game, options or {}, clock, bot=bot, seek=seek, join=join)
            if plain:
                from clients.tui.plain import play_plainly

                await play_plainly(client, words)
            else:
                await CorneredApp(MenuScreen(client, game=game, notice=words), client=client).run_async()

    _run(run())


def watch(
    match: str | None = None,
    *,
    server: str | None = None,
    mqtt: str | None = None,
    name: str | None = None,
    token: str | None = None,
    plain: bool = False,
) -> None:
    """Watch a match, or pick one of the live ones, until the user leaves. Raises CannotStart.

    With `mqtt`, an address such as mqtt://host:1883, the match comes from a broker, and `server`, if there is one, only
    fills gaps in what the broker told. Without, no `server` means the usual one.
    """

    async def run() -> None:
        if mqtt is not None:
            from clients.tui.broker import watch_broadcast

            await watch_broadcast(mqtt, match, server=server, name=name, token=token, plain=plain)
            return
        async with connected(server or SERVER, name, token) as client:
            if plain:
                from clients.tui.plain import watch_plainly

                await watch_plainly(client, match)
            else:
                await watch_online(client, match)

    _run(run())


async def watch_online(client: Client, match: str | None) -> None:
    """Show one match, or the gallery of all live ones."""
    if match is None:
        await CorneredApp(GalleryScreen(LiveMatches(await client.lobby())), client=client).run_async()
        return
    try:
        view = await client.join(match)
    except Refused as refusal:
        raise CannotStart(refusal.text) from None
    await CorneredApp(MatchScreen(OnlineTable(client, view)), client=client).run_async()


def _run(main: Coroutine[None, None, None]) -> None:
    """Run until done or interrupted."""
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main)
