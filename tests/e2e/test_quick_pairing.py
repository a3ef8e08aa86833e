"""Quick pairing against the real server: over the client kit, across a restart, and in the terminal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cornered.clients.sdk import BotPlayer, Client
from cornered.clients.terminal.connecting import PlayRequest, begin
from cornered.clients.terminal.errors import CannotStart
from cornered.protocol.messages import Paired, Waiting, Welcome
from cornered.protocol.values import Accepts, Fischer
from cornered.server.app import run
from cornered.server.lobby.pools import offered_pools
from cornered.server.runtime.pairing_rounds import BOT_AFTER_MS
from cornered.server.settings import Settings
from tests.e2e.servers import running

POOL = next(pool for pool in offered_pools() if pool.game.name == "trapgrid")
TIMEOUT_S = 30.0


async def news_of(client: Client, kind: type[Waiting] | type[Paired]) -> Waiting | Paired:
    """Return the next message of this kind."""
    async for new in client.news():
        if isinstance(new, kind):
            return new
        assert isinstance(new, Welcome | Waiting)
    raise AssertionError("the client closed")


async def test_two_people_meet_and_play(tmp_path: Path, compiled: None) -> None:
    async with (
        asyncio.timeout(TIMEOUT_S),
        running(tmp_path) as address,
        Client.connect(address, name="Ann") as ann,
        Client.connect(address, name="Ben") as ben,
    ):
        assert POOL in await ann.pools()
        watching = await ben.lobby()
        await ann.enter_pool(POOL.id)
        waiting = await news_of(ann, Waiting)
        assert isinstance(waiting, Waiting)
        assert waiting.pool == POOL.id
        while watching.waiting.get(POOL.id) != 1:
            await watching.changed(watching.version)
        await ben.enter_pool(POOL.id)
        first, second = await news_of(ann, Paired), await news_of(ben, Paired)
        assert isinstance(first, Paired)
        assert isinstance(second, Paired)
        assert first.match == second.match
        match = await ann.join(first.match)
        assert (match.snapshot.game, match.snapshot.clock) == (POOL.game, POOL.clock)


async def test_the_wait_survives_a_restart_of_the_server(tmp_path: Path, compiled: None) -> None:
    settings = Settings(port=0, database=f"sqlite:///{tmp_path / 'kept.db'}", data=tmp_path, log_level="error")
    async with asyncio.timeout(2 * TIMEOUT_S):
        async with run(settings) as address, Client.connect(address, name="Ann") as ann:
            await ann.enter_pool(POOL.id)
            before, token = await news_of(ann, Waiting), ann.token
        async with run(settings) as address, Client.connect(address, token=token) as again:
            assert await news_of(again, Waiting) == before
            await again.leave_pool()
            after = await news_of(again, Waiting)
            assert isinstance(after, Waiting)
            assert after.pool is None


async def test_a_bot_is_named_to_who_waits_alone_and_plays_the_pools_game(tmp_path: Path, compiled: None) -> None:
    async with (
        asyncio.timeout(BOT_AFTER_MS / 1000 + TIMEOUT_S),
        running(tmp_path) as address,
        Client.connect(address, name="Ann") as ann,
        Client.connect(address, name="Bot", kind="bot") as bot,
        asyncio.TaskGroup() as tasks,
    ):
        player = BotPlayer(bot, lambda match, _: match.state.moves()[0], accepts=[Accepts(game="trapgrid")])
        await player.declare()
        playing = tasks.create_task(player.run())
        await ann.enter_pool(POOL.id)
        waiting = await news_of(ann, Waiting)
        while isinstance(waiting, Waiting) and waiting.bot is None:
            waiting = await news_of(ann, Waiting)
        assert isinstance(waiting, Waiting)
        assert waiting.bot == bot.player
        await ann.challenge(bot.player.id, POOL.game.name, clock=POOL.clock, **POOL.game.options)
        async for new in ann.news():
            if isinstance(new, Paired):
                break
        again = await ann.lobby()
        assert not again.waiting.get(POOL.id)
        playing.cancel()


async def test_the_command_line_waits_in_the_pool_of_its_game_and_clock(tmp_path: Path, compiled: None) -> None:
    async with (
        asyncio.timeout(TIMEOUT_S),
        running(tmp_path) as address,
        Client.connect(address, name="Ann") as ann,
        Client.connect(address, name="Ben") as ben,
    ):
        begun = await begin(ann, PlayRequest("trapgrid", clock=POOL.clock, quick=True))
        assert begun.words is not None
        assert begun.words.startswith("Waiting for an opponent at ")
        await begin(ben, PlayRequest("trapgrid", clock=POOL.clock, quick=True))
        assert isinstance(await news_of(ben, Paired), Paired)
        with pytest.raises(CannotStart, match="there is no pool of trapgrid with this clock; there are 1 min"):
            await begin(ann, PlayRequest("trapgrid", clock=Fischer(initial=77, increment=0), quick=True))
