"""The entry points of `cornered play` and `cornered watch`."""

from __future__ import annotations

import sys

from cornered.clients.ending import run_until_signal
from cornered.clients.sdk import Client, CommandRefused
from cornered.clients.sdk.address import DEFAULT_SERVER
from cornered.clients.terminal.connecting import PlayRequest, begin, connected
from cornered.clients.terminal.cornered_app import CorneredApp
from cornered.clients.terminal.errors import CannotStart
from cornered.clients.terminal.gallery_screen import GalleryScreen, LiveMatches
from cornered.clients.terminal.match_screen import MatchScreen
from cornered.clients.terminal.menu_screen import MenuScreen
from cornered.clients.terminal.online import OnlineMatch

__all__ = ["DEFAULT_SERVER", "CannotStart", "PlayRequest", "play", "watch"]


def play(
    request: PlayRequest,
    *,
    server: str = DEFAULT_SERVER,
    name: str | None = None,
    token: str | None = None,
    plain: bool = False,
) -> None:
    """Play in the terminal until the user leaves: the requested game, or from the menu. Raises CannotStart.

    `plain` prints lines and reads moves from standard input in place of drawing screens.
    """
    if not plain:
        _require_terminal()

    async def run() -> None:
        is_another = await _visit(server, name, token, request, plain=plain)
        terms = PlayRequest(request.game, request.options, request.clock)
        while is_another:
            # Who signs in or out is another player, of whom nothing that the screens hold is true.
            is_another = await _visit(server, None, None, terms, plain=plain)

    run_until_signal(run())


async def _visit(server: str, name: str | None, token: str | None, request: PlayRequest, *, plain: bool) -> bool:
    """Play as one player; return whether the user goes on as another one. Raises CannotStart."""
    app: CorneredApp | None = None
    try:
        async with connected(server, name, token) as client:
            begun = await begin(client, request)
            if plain:
                from cornered.clients.terminal.plain import play_plainly

                await play_plainly(client, begun.words, begun.match)
                return False
            menu = MenuScreen(
                client, game=request.game, options=request.options, clock=request.clock, notice=begun.words
            )
            app = CorneredApp(menu, client=client, match=begun.match)
            await app.run_async()
    except CannotStart:
        # The token of a session that has just ended is refused while the screens close.
        if app is None or not app.is_another:
            raise
    return app.is_another


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

    With `mqtt`, a URL such as mqtt://host:1883, the match comes from a broker, and `server`, if given, only supplies
    lost events. Without it the default of `server` is the local one.
    """
    if not plain:
        _require_terminal()

    async def run() -> None:
        if mqtt is not None:
            from cornered.clients.terminal.broker import watch_broadcast

            await watch_broadcast(mqtt, match, server=server, name=name, token=token, plain=plain)
            return
        async with connected(server or DEFAULT_SERVER, name, token) as client:
            if plain:
                from cornered.clients.terminal.plain import watch_plainly

                await watch_plainly(client, match)
            else:
                await watch_online(client, match)

    run_until_signal(run())


def _require_terminal() -> None:
    """Raise CannotStart where no keys can come, or no terminal shows the screens: they would be drawn for ever."""
    if not all(stream is not None and stream.isatty() for stream in (sys.__stdin__, sys.__stderr__)):
        raise CannotStart("screens need a terminal; with --plain lines are read and printed")


async def watch_online(client: Client, match: str | None) -> None:
    """Show one match, or the list of all live ones."""
    if match is None:
        await CorneredApp(GalleryScreen(LiveMatches(await client.lobby())), client=client).run_async()
        return
    try:
        view = await client.join(match)
    except CommandRefused as refusal:
        raise CannotStart(refusal.text) from None
    await CorneredApp(MatchScreen(OnlineMatch(client, view)), client=client).run_async()
