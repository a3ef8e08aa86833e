"""Time in which the server could not serve counts against no player: one rule for every kind of outage."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from cornered.protocol.commands import AskGames, Claim, Play
from cornered.protocol.events import Ended, MatchEvent, Resumed
from cornered.protocol.messages import Happened, SeatPresence
from cornered.protocol.values import Fischer, GameSpec
from cornered.server import app
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.net.gateway import Gateway
from cornered.server.ports import JournalUnavailable
from cornered.server.runtime import match_task, timekeeping
from cornered.server.runtime.timekeeping import Outages, Sign, last_sign
from cornered.server.settings import MEMORY_DATABASE, Settings
from tests.server.conftest import Pair, Running, Start, Stores
from tests.virtual_time import after

CLOCK = Fischer(initial=10)
GAME = GameSpec(name="quoridor", options={"size": 5})
LAG = 100
"""Maximum milliseconds that lag compensation may refund on a loopback connection."""


class FullDisk(MemoryJournal):
    """A journal whose writes fail while the disk is full, and advance the match clock while it is slow."""

    def __init__(self, now: Any) -> None:
        super().__init__()
        self.now = now
        self.is_full = False
        self.loses_answer = False
        self.takes_ms = 0

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        if self.is_full:
            raise JournalUnavailable("no space left on device")
        await super().append(match, expected_seq, events)
        self.now.at += self.takes_ms
        if self.loses_answer:
            self.loses_answer, self.is_full = False, True
            raise JournalUnavailable("the disk is full before the answer came")


@pytest.fixture
def disk(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> FullDisk:
    monkeypatch.setattr(match_task, "RETRY_MS", 1)
    monkeypatch.setattr(match_task, "LOOK_AGAIN_MS", 1)
    stores.journal = disk = FullDisk(stores.now)
    return disk


@pytest.fixture
async def watched(stores: Stores, tmp_path: Path, running: Running) -> AsyncIterator[tuple[Any, Outages]]:
    """A server on the test's clock, whose outage detection is driven by the test."""
    outages = Outages()
    settings = Settings(port=0, database=MEMORY_DATABASE, data=tmp_path, gone_seconds=30)
    async with app.running_server(settings, stores.opened(), now=stores.now, outages=outages) as address:
        yield type(running)(address), outages


async def begin(match: str, ann: Any, ben: Any, now: Any) -> None:
    """Make the first two moves, after which the first player's clock runs."""
    now.at += 1_000
    await ann.do(Play, match=match, ply=0, move="c2")
    await ben.do(Play, match=match, ply=1, move="c4")


async def resumed(client: Any) -> Resumed:
    happened = await client.hear(Happened, lambda said: any(isinstance(event, Resumed) for event in said.events))
    return next(event for event in happened.events if isinstance(event, Resumed))


async def test_a_full_disk_costs_no_player_time(
    disk: FullDisk, running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben, game=GAME, clock=CLOCK)
        await begin(match, ann, ben, stores.now)
        stores.now.at += 2_000
        disk.is_full = True
        assert await ann.refused(Play, match=match, ply=2, move="b2") == "internal"
        for _ in range(15):
            stores.now.at += 1_000
            assert await ann.refused(Play, match=match, ply=2, move="b2") == "internal"
        disk.is_full = False
        assert (await resumed(ben)).refunded == 15_000
        snapshot = await ann.join(match)
        assert (snapshot.over, snapshot.clocks.left, snapshot.clocks.running) == (False, (10_000, 10_000), 0)
        assert stores.now.at - snapshot.clocks.at == 2_000
        await ann.do(Play, match=match, ply=2, move="b2")
        assert (await ann.join(match)).clocks.left[0] == pytest.approx(8_000, abs=LAG)


async def test_no_flag_falls_while_the_store_is_away_and_a_fallen_one_stays_down(
    disk: FullDisk, running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben, game=GAME, clock=CLOCK)
        await begin(match, ann, ben, stores.now)
        disk.is_full = True
        stores.now.at += 11_000
        assert await ben.refused(Play, match=match, ply=2, move="b2") == "too_late"
        assert not (await ben.join(match)).over
        disk.is_full = False
        ended = (await ben.hear(Happened, lambda said: isinstance(said.events[-1], Ended))).events[-1]
        assert isinstance(ended, Ended)
        assert (ended.winner, ended.reason) == (1, "time")


async def test_a_turn_that_began_with_a_write_whose_answer_was_lost_is_refunded(
    disk: FullDisk, running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben, game=GAME, clock=CLOCK)
        await begin(match, ann, ben, stores.now)
        disk.loses_answer = True
        assert await ann.refused(Play, match=match, ply=2, move="b2") == "internal"
        stores.now.at += 15_000
        disk.is_full = False
        assert (await resumed(ben)).refunded == 15_000
        snapshot = await ben.join(match)
        assert (snapshot.ply, snapshot.clocks.running, stores.now.at - snapshot.clocks.at) == (3, 1, 0)


async def test_a_write_that_takes_seconds_costs_no_player_time(
    disk: FullDisk, running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben, game=GAME, clock=CLOCK)
        await begin(match, ann, ben, stores.now)
        disk.takes_ms = 9_000
        await ann.do(Play, match=match, ply=2, move="b2")
        disk.takes_ms = 0
        stores.now.at += 3_000
        await ben.do(Play, match=match, ply=3, move="b4")
        assert (await resumed(ann)).refunded == 9_000
        assert (await ann.join(match)).clocks.left[1] == pytest.approx(7_000, abs=LAG)


async def test_a_server_that_stood_still_refunds_the_running_clock_once(
    watched: Any, stores: Stores, pair: Pair
) -> None:
    running, outages = watched
    async with running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben, game=GAME, clock=CLOCK)
        await begin(match, ann, ben, stores.now)
        stores.now.at += 2_000
        outages.beat(stores.now())
        stores.now.at += 20_000
        acknowledged = await ann.do(Play, match=match, ply=2, move="b2")
        happened = await ben.hear(Happened, lambda said: said.ply == 3)
        refund, played = happened.events
        assert refund.refunded == 19_750
        assert played.spent == pytest.approx(2_250, abs=LAG)
        assert happened.clocks.left[0] == 10_000 - played.spent
        assert acknowledged.seq == played.seq
        stores.now.at += 1_000
        await ben.do(Play, match=match, ply=3, move="b4")
        kinds = [event.type for event in await stores.journal.read(match)]
        assert kinds.count("resumed") == 1


async def test_a_flag_that_fell_while_the_server_stood_still_is_no_flag(
    watched: Any, stores: Stores, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_task, "LOOK_AGAIN_MS", 1)
    running, outages = watched
    async with running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben, game=GAME, clock=CLOCK)
        await begin(match, ann, ben, stores.now)
        outages.beat(stores.now())
        stores.now.at += 60_000
        assert (await resumed(ben)).refunded == 59_750
        await ann.do(Play, match=match, ply=2, move="b2")


async def test_no_player_counts_as_absent_while_the_server_was(watched: Any, stores: Stores, pair: Pair) -> None:
    running, outages = watched
    async with running.client("Ann") as ann:
        async with running.client("Ben") as ben:
            match = await pair(ann, ben, game=GAME)
            await begin(match, ann, ben, stores.now)
        away = await ann.hear(SeatPresence, lambda said: not said.connected)
        stores.now.at += 10_000
        outages.beat(stores.now())
        stores.now.at += 25_250
        assert await ann.refused(Claim, match=match) == "opponent_here"
        later = await ann.hear(SeatPresence, lambda said: not said.connected)
        assert later.claim_at == away.claim_at + 25_000
        while stores.now.at < later.claim_at:
            stores.now.at += 500
            outages.beat(stores.now())
        await ann.do(Claim, match=match)


@pytest.mark.virtual_time
async def test_the_sign_of_life_stops_while_the_store_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timekeeping, "SIGN_SECONDS", 0.001)
    outages, at = Outages(), [5_000]
    sign = tmp_path / "alive"
    signs = asyncio.create_task(timekeeping.leave_signs(sign, outages, lambda: at[0], lambda: ("m", 1)))
    with contextlib.suppress(asyncio.CancelledError):
        await after(0.01)
        assert last_sign(sign) == Sign(5_000, "m", 1)
        outages.is_store_away = True
        at[0] = 9_000
        await after(0.01)
        assert last_sign(sign) == Sign(5_000, "m", 1)
        outages.is_store_away = False
        await after(0.01)
        assert last_sign(sign) == Sign(9_000, "m", 1)
        signs.cancel()
        await signs


@pytest.mark.virtual_time
async def test_the_sign_of_life_stops_when_commands_are_refused(
    running_server: Start, stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def close_late(gateway: Gateway) -> None:
        stores.now.at += 5_000
        await after(0.02)
        await close(gateway)

    close = Gateway.close
    monkeypatch.setattr(Gateway, "close", close_late)
    monkeypatch.setattr(timekeeping, "SIGN_SECONDS", 0.001)
    newest = Sign(stores.now.at, "m", 1)
    stores.journal.newest = ("m", 1)
    async with running_server(database=""):
        await after(0.01)
        assert last_sign(tmp_path / "alive") == newest
    assert last_sign(tmp_path / "alive") == newest


async def test_the_bound_of_plies_is_a_setting_that_clients_are_told(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    game = GameSpec(name="quoridor", options={"size": 3, "walls": 0, "max_plies": None, "no_progress": None})
    async with running_server(max_plies=100) as running, running.client("Ann") as ann, running.client("Ben") as ben:
        assert (await ann.ask(AskGames)).max_plies == 100
        match = await pair(ann, ben, game=game)
        players, moves = (ann, ben), ("a1", "c3", "b1", "b3")
        for ply in range(100):
            await players[ply % 2].do(Play, match=match, ply=ply, move=moves[ply % 4])
        snapshot = await ann.join(match)
        assert (snapshot.over, snapshot.winner, snapshot.reason, snapshot.ply) == (True, None, "ply_limit", 100)
        record = await running.fetch(f"/matches/{match}.txt")
        assert '[Termination "ply_limit"]' in record.body
