"""Connects the player of the command line, and requests the game that it names."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from cornered.clients.sdk import Client, CommandRefused, TokenStore, Unavailable, Unreachable
from cornered.clients.sdk.address import DEFAULT_SERVER, normalised
from cornered.clients.sdk.errors import NoOpponent
from cornered.clients.sdk.opponents import find_opponent
from cornered.clients.sdk.timecontrol import clock_text
from cornered.clients.terminal.errors import CannotStart
from cornered.clients.terminal.identity import LAST_PLAYER_KEY, keep_token
from cornered.clients.terminal.words import spec_text
from cornered.engine.game import OptionValue
from cornered.protocol.values import NO_CLOCK, Clock, GameSpec, SeekSettings

__all__ = ["Begun", "PlayRequest", "begin", "connected", "invitation_text"]

PROGRAM: Final = "cornered-tui"
FIRST_ANSWER_TIMEOUT_S: Final = 5.0
"""Time limit of the first connection."""


@asynccontextmanager
async def connected(
    server: str, name: str | None, token: str | None, *, patience: float = FIRST_ANSWER_TIMEOUT_S
) -> AsyncIterator[Client]:
    """Connect with the stored token of the player called `name`. Raises CannotStart.

    Without a name it is the last player's, or, where there is none, a guest's with a name from the server.
    """
    store = TokenStore()
    known = token or store.get(server, name or LAST_PLAYER_KEY)
    is_known = False
    try:
        try:
            async with Client.connect(server, name=name, token=known, program=PROGRAM, patience=patience) as client:
                if token is None:
                    keep_token(store, server, name, client.token)
                is_known = True
                yield client
                return
        except CommandRefused as refusal:
            # A session that has ended meanwhile is refused when the client comes back.
            if is_known or refusal.code != "bad_token" or token is not None or known is None:
                raise
            store.forget(server, name or LAST_PLAYER_KEY)
        async with Client.connect(server, name=name, program=PROGRAM, patience=patience) as client:
            keep_token(store, server, name, client.token)
            yield client
    except Unavailable as error:
        raise CannotStart(str(error)) from None
    except Unreachable:
        raise CannotStart(f"no server answers at {server}; start one with: cornered serve") from None
    except CommandRefused as refusal:
        if refusal.code == "no_guests":
            raise CannotStart(f"{refusal.text}: cornered sign-in NAME --server {server}") from None
        raise CannotStart(str(refusal)) from None
    except ValueError as error:
        raise CannotStart(str(error)) from None


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """What to play: a match with `bot`, an open seek, a pool, or the seek or match `join`; by default the menu."""

    game: str | None = None
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    clock: Clock = NO_CLOCK
    bot: str | None = None
    with_help: bool = False
    """Hints and takebacks in the match with `bot`."""
    rated: bool = False
    """Whether the match with `bot`, or that of the seek, changes the ratings."""
    seek: bool = False
    quick: bool = False
    """Wait in the pool of this game and clock."""
    join: str | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """Result of the command line's request: a text about it, and the match where it has already begun."""

    words: str | None = None
    match: str | None = None


def invitation_text(seek: str, server: str) -> str:
    """Return the sentence with the command that joins a table, as it is typed where this client was started."""
    started = Path(sys.argv[0])
    # `./run` of a checkout starts the package's `__main__.py`; the command `cornered` may not be installed then.
    is_checkout = started.name == "__main__.py" and (started.parent.parent / "run").is_file()
    command = "./run cornered" if is_checkout else "cornered"
    where = "" if normalised(server) == normalised(DEFAULT_SERVER) else f" --server {server}"
    return f"Your table is open. Others join with: {command} play --join {seek}{where}"


async def begin(client: Client, request: PlayRequest) -> Begun:
    """Request the game of the command line. Raises CannotStart."""
    spec = GameSpec(name=request.game or "trapgrid", options=dict(request.options))
    try:
        if request.bot is not None:
            opponent, _ = await find_opponent(client, request.bot, [spec.name], request.clock)
            await client.challenge(
                opponent.player.id,
                spec.name,
                clock=request.clock,
                with_help=request.with_help,
                rated=request.rated,
                **spec.options,
            )
            return Begun(f"Asking {request.bot} for {spec_text(spec)}.")
        if request.seek:
            invite = await client.seek(SeekSettings(game=spec, clock=request.clock, rated=request.rated))
            return Begun(invitation_text(invite, client.url))
        if request.quick:
            return await _enter_pool(client, spec.name, request.clock)
        if request.join is not None:
            return await _join(client, request.join)
    except CommandRefused as refusal:
        raise CannotStart(refusal.text) from None
    except NoOpponent as error:
        raise CannotStart(str(error)) from None
    return Begun()


async def _enter_pool(client: Client, game: str, clock: Clock) -> Begun:
    """Wait in the pool of a game and a clock; without a clock in the game's second one. Raises CannotStart."""
    pools = [pool for pool in await client.pools() if pool.game.name == game]
    wanted = pools[1:2] if clock == NO_CLOCK else [pool for pool in pools if pool.clock == clock]
    if not wanted:
        clocks = ", ".join(clock_text(pool.clock) for pool in pools)
        raise CannotStart(f"there is no pool of {game} with this clock; there are {clocks or 'none'}")
    await client.enter_pool(wanted[0].id)
    return Begun(f"Waiting for an opponent at {spec_text(wanted[0].game)}, {clock_text(wanted[0].clock)}.")


async def _join(client: Client, name: str) -> Begun:
    """Join a table or a match, whichever has this id."""
    try:
        await client.join_seek(name)
    except CommandRefused as refusal:
        if refusal.code != "unknown_seek":
            raise
        await client.join(name)
        return Begun("You are back.", match=name)
    return Begun("You sit at the table; the match begins when it is full.")
