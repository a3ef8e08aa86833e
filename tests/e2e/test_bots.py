"""Every bot plays every game that it claims, as a client of a real server, while its workers are killed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from cornered import engine
from cornered.bench.clocks import Arrivals
from cornered.bots.online.host import BotHost, HostConfig, HostedBot
from cornered.bots.pool.pool import Pool
from cornered.bots.roster import names
from cornered.clients.sdk import BotPlayer, Client, Closed, MatchView, Tempo, TokenStore
from cornered.engine import Game
from cornered.protocol.messages import ChallengeClosed
from cornered.protocol.values import Accepts, Fischer
from tests.e2e.servers import OPERATORS_KEY, running
from tests.waiting import until

SMALL = {
    "trapgrid": {"size": 4},
    "isolation": {"width": 4, "height": 4},
    "bamboo": {"radius": 2},
    "quoridor": {"size": 5, "walls": 3, "max_plies": 60},
}
CLOCK = Fischer(initial=20, increment=0.05)
QUICK = Tempo(longest=30)
KILLED_AFTER = (5, 15, 25)
"""A worker in mid-search is killed when so many games have ended."""
AT_ONCE = 6
TEST_TIMEOUT_S = 280
"""Less than `faulthandler_timeout`, which ends all tests of the process."""


@pytest.fixture
async def address(tmp_path: Path, compiled: None) -> AsyncIterator[str]:
    async with running(tmp_path) as address:
        yield address


def pairs(able: Sequence[str]) -> list[tuple[str, str]]:
    """Return a pairing of all bots: the last of an odd number plays the first, which plays twice."""
    rest = list(able)
    return list(zip(rest[::2], [*rest[1::2], *rest[: len(rest) % 2]], strict=True))


def board(name: str, bots: Sequence[HostedBot]) -> Game:
    """Return the small board of a game, or the default one where not all of `bots` play it."""
    small = engine.load(name, **SMALL[name])
    return small if all(guest.bot.plays(small) for guest in bots if guest.bot.plays(name)) else engine.load(name)


async def play(running_server: BotHost, arrivals: Arrivals, game: Game, pair: tuple[str, str]) -> MatchView:
    first, second = (running_server.clients[name] for name in pair)
    arriving = arrivals.expect(pair)
    await first.challenge(second.player.id, game.name, clock=CLOCK, **game.options)
    match = await arriving
    with contextlib.suppress(Closed):
        await match.ended()
    return match


async def test_every_bot_plays_every_game_that_it_claims_though_workers_are_killed(
    address: str, tmp_path: Path
) -> None:
    guests = HostedBot.all_of(names())
    arrivals, killed, ended = Arrivals(), list[int](), asyncio.Condition()
    async with asyncio.timeout(TEST_TIMEOUT_S), Pool.open(2, names()) as pool:
        config = HostConfig(concurrency=AT_ONCE, tempo=QUICK, analyst_key=OPERATORS_KEY)
        running_server = BotHost(guests, pool, config, began=arrivals.hear)
        running = asyncio.ensure_future(running_server.run(address, store=TokenStore(tmp_path / "tokens.json")))
        games = [game.name for game in engine.games()]
        while not all(running_server.is_ready(guest.name, games) for guest in guests):
            await running_server.changed()
        work = iter(
            [
                (game, pair)
                for name in games
                for game in [board(name, guests)]
                for pair in pairs([guest.name for guest in guests if guest.bot.plays(game)])
            ]
        )
        ends: list[tuple[Game, tuple[str, str], str | None]] = []

        async def play_on() -> None:
            for game, pair in work:
                match = await play(running_server, arrivals, game, pair)
                async with ended:
                    ends.append((game, pair, match.snapshot.reason))
                    ended.notify_all()

        async def kill() -> None:
            for count in KILLED_AFTER:
                async with ended:
                    await ended.wait_for(lambda count=count: len(ends) >= count)  # type: ignore[misc]
                await until(lambda: pool.thinking)
                killed.append(random.choice(pool.thinking))
                os.kill(killed[-1], signal.SIGKILL)

        killing = asyncio.ensure_future(kill())
        await asyncio.gather(*(play_on() for _ in range(AT_ONCE)))
        for task in (killing, running):
            task.cancel()
        await asyncio.gather(killing, running, return_exceptions=True)
    assert [end for end in ends if end[2] != "rules"] == []
    assert {name for _, pair, _ in ends for name in pair} == {guest.name for guest in guests}
    assert len(killed) == len(KILLED_AFTER)


async def test_a_bot_declines_what_it_does_not_play_and_says_why(address: str) -> None:
    async def choose(match: MatchView, limit: object) -> str:
        return random.choice(match.state.moves())

    async with (
        asyncio.timeout(60),
        Client.connect(address, name="Picky", kind="bot") as picky,
        Client.connect(address, name="Ann") as ann,
    ):
        player = BotPlayer(
            picky,
            choose,
            accepts=[Accepts(game="trapgrid")],
            refuses=lambda spec: "only small boards" if spec.options["size"] != 4 else None,
        )
        await player.declare()
        playing = asyncio.ensure_future(player.run())
        for size, how in ((5, "declined"), (4, "accepted")):
            await ann.challenge(picky.player.id, "trapgrid", size=size)
            closed = [news async for news in _until_closed(ann)][-1]
            assert closed.how == how
            assert closed.reason == ("only small boards" if size == 5 else "")
        playing.cancel()


async def _until_closed(client: Client) -> AsyncIterator[ChallengeClosed]:
    async for news in client.news():
        if isinstance(news, ChallengeClosed):
            yield news
            return
