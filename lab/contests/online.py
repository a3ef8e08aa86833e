"""The same fixtures through a running server: two bots as ordinary clients, with the server's rules, dice and clocks.

A game is played in one process, which thinks for both bots in turn. The players on the server are called like the bots;
their tokens are kept, so that a contest makes a few guests and not two for each game.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import platformdirs
from filelock import FileLock, Timeout

from cornered import engine
from cornered.bots.bot import Bot
from cornered.bots.online.host import player_name
from cornered.clients.sdk import (
    Client,
    ClientError,
    CommandRefused,
    TokenStore,
    Unreachable,
    read_clock,
    stay_as,
    unwrapped_errors,
)
from cornered.clients.sdk.backoff import retry
from cornered.engine import CHANCE
from cornered.lab.contests.arena import create_bots, play
from cornered.lab.contests.board import DAY_MS, ServerGame
from cornered.lab.contests.preparing import ensure_prepared
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.protocol.commands import AcceptChallenge
from cornered.protocol.messages import Acknowledged
from cornered.protocol.values import Accepts, Clock, NoClock

__all__ = ["PlayFixture", "play_online", "player_of"]

PlayFixture: TypeAlias = Callable[[ContestTerms, Fixture], PlayedGame]
"""Plays a fixture to its end."""

SERVER_TIMEOUT_S: Final = 30.0
"""Seconds without any sign of life after which a server is gone."""


def player_of(terms: ContestTerms) -> PlayFixture:
    """Return the function that plays games under these terms: in this process, or through a server."""
    return play if terms.server is None else play_online


def play_online(terms: ContestTerms, fixture: Fixture) -> PlayedGame:
    """Play a fixture to its end on the server of the terms.

    A game that does not end there is not played at all: raises a ClientError when the server goes away or calls it off,
    and a ValueError for what cannot be played there.
    """
    if terms.server is None:
        raise ValueError("these terms name no server")
    clock = read_clock(terms.clock or "none")
    _check_opening(terms, fixture)
    # Bots are tried out where a clock will run.
    ensure_prepared(terms if isinstance(clock, NoClock) else replace(terms, time=terms.time or DAY_MS), fixture)
    bots = create_bots(terms, fixture)
    if isinstance(bots, PlayedGame):
        return bots
    with contextlib.ExitStack() as held, unwrapped_errors():
        stores = [held.enter_context(_place(terms.server, player_name(bot))) for bot in bots]
        try:
            return asyncio.run(_meet(terms, fixture, clock, bots, stores))
        except CommandRefused as refusal:
            refused = str(refusal)
        # Neither its own kind of error nor what hangs on it survives the way from one process to another.
        raise ClientError(f"the server at {terms.server} refuses game {fixture.number}: {refused}")


def _check_opening(terms: ContestTerms, fixture: Fixture) -> None:
    state = terms.load().start()
    for move in fixture.opening:
        if state.to_move == CHANCE:
            raise ValueError("a server rolls its own dice: begin games with dice at the start, with --plies 0")
        state = engine.apply(state, move)


@contextlib.contextmanager
def _place(server: str, name: str) -> Iterator[TokenStore]:
    """Yield the token store of a player of this name that no other process of this machine uses meanwhile."""
    key = hashlib.sha256(f"{server} {name}".encode()).hexdigest()[:16]
    folder = platformdirs.user_data_path("cornered") / "lab" / key
    folder.mkdir(parents=True, exist_ok=True)
    for number in itertools.count():
        try:
            lock = FileLock(folder / f"{number}.lock", blocking=False, fallback_to_soft=False).acquire()
        except Timeout:
            continue
        with lock:
            yield TokenStore(folder / f"{number}.json")
        return


async def _meet(
    terms: ContestTerms, fixture: Fixture, clock: Clock, bots: Sequence[Bot], stores: Sequence[TokenStore]
) -> PlayedGame:
    """Connect both players and let them play."""
    server = terms.server
    assert server is not None
    played: list[PlayedGame] = []

    async def at_server(first: Client, second: Client) -> None:
        played[:] = [await _watched(_game(terms, fixture, clock, bots, (first, second)), (first, second))]

    async def with_first(first: Client) -> None:
        async def with_second(second: Client) -> None:
            await at_server(first, second)

        await stay_as(player_name(bots[1]), with_second, server=server, store=stores[1], patience=SERVER_TIMEOUT_S)

    await stay_as(player_name(bots[0]), with_first, server=server, store=stores[0], patience=SERVER_TIMEOUT_S)
    return played[0]


async def _watched(game: Awaitable[PlayedGame], clients: Sequence[Client]) -> PlayedGame:
    """Return what comes of a game. Raises Unreachable when the server is gone meanwhile."""
    with unwrapped_errors():
        async with asyncio.TaskGroup() as tasks:
            watch = tasks.create_task(_watch(clients), name="watch")
            played = await game
            watch.cancel()
    return played


async def _watch(clients: Sequence[Client]) -> None:
    while True:
        await asyncio.sleep(SERVER_TIMEOUT_S / 3)
        try:
            async with asyncio.timeout(SERVER_TIMEOUT_S):
                await asyncio.gather(*(client.ping() for client in clients))
        except TimeoutError:
            raise Unreachable(
                f"the server at {clients[0].url} went away in the middle of a game; "
                "when it is back, repeat the command to go on"
            ) from None


async def _game(
    terms: ContestTerms, fixture: Fixture, clock: Clock, bots: Sequence[Bot], clients: tuple[Client, Client]
) -> PlayedGame:
    for client in clients:
        await _clear(client)
    first, second = clients
    await retry(lambda: second.declare([Accepts(game=terms.game)], 1))
    challenge = await retry(lambda: first.challenge(second.player.id, terms.game, clock=clock, seat=0, **terms.options))
    accepted = AcceptChallenge(id=second.new_id(), challenge=challenge)
    match = (await retry(lambda: second.ask(accepted, Acknowledged))).ref
    assert match is not None
    views = [await retry(lambda client=client: client.join(match)) for client in clients]  # type: ignore[misc]
    spec = views[0].snapshot.game
    if engine.load(spec.name, **spec.options).options != terms.load().options:
        raise ValueError(f"the server plays {spec.name} with other options than {terms.load()!r}")
    return await ServerGame(terms, fixture, bots, clients, views).play()


async def _clear(client: Client) -> None:
    """Give up what a process has left behind that was ended in the middle of a game."""
    for match in client.live_matches:
        with contextlib.suppress(CommandRefused):
            view = await client.join(match)
            await view.resign()
