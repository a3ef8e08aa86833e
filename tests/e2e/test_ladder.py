"""A bot climbs the ladder: it declares for it, is paired by itself, and is first among the bots of the leaderboard."""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cornered.bots.roster import create
from cornered.clients.sdk import BotPlayer, Client
from cornered.clients.sdk.backoff import retry
from cornered.protocol.ratings import Leaderboard, PoolRating
from cornered.protocol.values import Accepts
from cornered.server.lobby import ladder, pool_pairing
from cornered.server.lobby.pools import offered_pools
from cornered.server.runtime import pairing_rounds
from tests.conftest import Mosquitto, Postgres
from tests.e2e.test_tui import until
from tests.server.conftest import Running, Start, start
from tests.server.test_two_nodes import two_nodes

__all__ = ["start", "two_nodes"]

DEADLINE_S = 90.0


@pytest.fixture(autouse=True)
def quick_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have rounds of one pool at once, in which all bots meet, and again: a ladder of hours takes seconds."""
    pool = next(pool for pool in offered_pools() if pool.game.name == "trapgrid")
    monkeypatch.setattr(pairing_rounds, "offered_pools", lambda: (pool,))
    monkeypatch.setattr(pairing_rounds, "ROUND_S", 0.05)
    monkeypatch.setattr(pairing_rounds, "LADDER_EVERY_S", 0.05)
    monkeypatch.setattr(ladder, "OPPONENTS_REMEMBERED", 0)
    monkeypatch.setattr(pool_pairing, "FIRST_WINDOW", math.inf)
    # Of three bots the one far from the others would wait for most of a minute before each game.
    monkeypatch.setattr(pool_pairing, "WAIT_BONUS", 1e6)


@pytest.fixture
async def one_node(start: Start, tmp_path: Path) -> AsyncIterator[Running]:
    async with start(database="", data=tmp_path) as server:
        yield server


def greedily() -> Any:
    bot = create("greedy", seed=1)
    return lambda match, limit: bot.choose(match.state, limit).move


def at_random(seed: int) -> Any:
    chance = random.Random(seed)
    return lambda match, _: chance.choice(match.state.moves())


@contextlib.asynccontextmanager
async def climber(url: str, name: str, choose: Any, version: str | None = None) -> AsyncIterator[Client]:
    """Run a bot of the ladder, which plays two of its games at once."""
    async with Client.connect(url, name=name, kind="bot") as client, asyncio.TaskGroup() as tasks:
        accepts = [Accepts(game="trapgrid")]
        player = BotPlayer(client, choose, accepts=accepts, concurrency=5, ladder=2, version=version)
        await player.declare()
        playing = tasks.create_task(player.run())
        yield client
        playing.cancel()


async def first_place(client: Client, bot: str) -> tuple[PoolRating, Leaderboard]:
    """Return the rating with which a bot is the first of a leaderboard of three bots or more, and the leaderboard."""
    while True:
        for rating in (await retry(partial(client.profile, bot))).ratings:
            board = await retry(partial(client.leaderboard, rating.pool, "bot"))
            if len(board.entries) >= 3 and board.entries[0].player.id == bot:
                ratings = (await retry(partial(client.profile, bot))).ratings
                return next(one for one in ratings if one.pool == rating.pool), board
        await asyncio.sleep(0.2)


async def climbs(here: str, there: str) -> None:
    """Have a better bot climb past two that play at random, which are connected to the second address."""
    async with (
        climber(here, "Greedy", greedily(), "1.4") as greedy,
        climber(there, "First", at_random(1)),
        climber(there, "Second", at_random(2)),
        Client.connect(there, name="Ann") as ann,
        asyncio.timeout(DEADLINE_S),
    ):
        lobby = await ann.lobby()
        await until(lambda: greedy.player.id in lobby.players)
        assert lobby.players[greedy.player.id].version == "1.4"
        assert (await ann.profile(greedy.player.id)).ratings == ()
        rating, board = await first_place(ann, greedy.player.id)
        assert rating.rating > 1_500 > board.entries[-1].rating
        assert (rating.provisional, rating.rank) == (False, 1)
        assert {one.version for one in rating.versions} == {"1.4"}
        assert sum(one.games for one in rating.versions) == rating.games
        # The people's leaderboard has none of them, and a person may still challenge the bot.
        assert (await retry(partial(ann.leaderboard, rating.pool))).entries == ()
        match = await retry(partial(ann.challenge, greedy.player.id, "trapgrid", rated=True))
        assert match


async def test_a_bot_climbs_the_ladder_on_one_node_with_sqlite(one_node: Running) -> None:
    await climbs(one_node.address, one_node.address)


@pytest.mark.mqtt
@pytest.mark.postgres
async def test_a_bot_climbs_the_ladder_on_two_nodes_with_postgresql(
    two_nodes: tuple[Running, Running], postgres: Postgres, mosquitto: Mosquitto
) -> None:
    one, two = two_nodes
    await climbs(one.address, two.address)
