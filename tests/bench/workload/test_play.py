"""Simulated players on a real server: every move that becomes due is made, observed and counted once."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from functools import partial

import pytest
import pytest_asyncio

from cornered.bench.server import Target, target
from cornered.bench.workload.crowd import DRAIN_EVERY_S, Watching
from cornered.bench.workload.generator import Generator
from cornered.bench.workload.plan import Crowd, Table, Trial, TrialResult
from cornered.bench.workload.play import Play
from cornered.bench.workload.player import LoadFailed
from cornered.bench.workload.timer import monotonic_timer
from tests.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

SECONDS = 0.5


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server() -> AsyncIterator[Target]:
    """A server with its store in memory, in a process of its own."""
    async with target("memory") as running:
        yield running


def trial(rate: float, seconds: float = SECONDS) -> Trial:
    return Trial(rate=rate, warm_up=0.2, seconds=seconds, start=time.monotonic() + 0.05)


def has_made(play: Play, moves: int) -> bool:
    """Whether all players are connected and have made more moves than this."""
    return play.made > moves and not play.returning


async def played(table: Table, one: Trial) -> tuple[TrialResult, Play]:
    play = Play(table)
    try:
        await play.open()
        with monotonic_timer() as timer:
            return await play.run(one, timer, asyncio.Event()), play
    finally:
        play.close()


async def test_every_move_that_is_due_is_acknowledged_and_delivered_once(server: Target) -> None:
    result, play = await played(Table((server.address,), pairs=6, matches=9, bot_pairs=2), trial(300))
    assert result.due > 75
    assert result.acknowledged.count == result.delivered.count == result.due
    assert result.made > result.due
    assert result.late.count == result.due
    assert sum(one.count for one in result.by_second.values()) == result.due
    assert (result.unanswered, result.connections_lost, dict(result.refused), play.faults) == (0, 0, {}, [])
    assert len(set(play.names)) == 9


async def test_players_go_on_with_a_rematch(server: Target) -> None:
    result, play = await played(Table((server.address,), pairs=1, matches=1), trial(300, seconds=0.8))
    assert result.matches >= 1
    assert result.acknowledged.count == result.due
    assert play.faults == []


async def test_every_game_without_dice_can_be_played(server: Target) -> None:
    games = ("trapgrid", "isolation", "bamboo", "quoridor")
    result, play = await played(Table((server.address,), pairs=4, matches=4, games=games), trial(200))
    assert result.acknowledged.count == result.due
    assert play.faults == []


async def test_a_bare_echo_is_measured_in_the_same_way() -> None:
    async with target("echo") as bare:
        result, _ = await played(Table((bare.address,), pairs=3, matches=3, is_bare=True), trial(300))
    assert result.due > 75
    assert result.acknowledged.count == result.delivered.count == result.due


async def test_moves_under_way_survive_lost_connections(server: Target) -> None:
    play = Play(Table((server.address,), pairs=4, matches=4))
    try:
        await play.open()
        with monotonic_timer() as timer:
            running = asyncio.create_task(play.run(trial(200, seconds=1.0), timer, asyncio.Event()))
            for _ in range(3):
                await until(partial(has_made, play, play.made + 5))
                play.break_connections()
            result = await running
    finally:
        play.close()
    assert result.connections_lost == 24
    assert result.unanswered == 0
    assert result.acknowledged.count == result.due
    assert play.faults == []


async def test_watchers_get_every_move_whether_they_are_timed_or_counted(server: Target) -> None:
    play = Play(Table((server.address,), pairs=1, matches=1, is_endless=True))
    try:
        await play.open()
        watching = Watching(Crowd((server.address,), 40, tuple(play.names), timed=5))
        await watching.open()
        one = trial(100)
        watching.begin(one)
        with monotonic_timer() as timer:
            result = await play.run(one, timer, asyncio.Event())
            await timer.until(timer.now() + 2 * DRAIN_EVERY_S)
        seen = watching.end()
        watching.close()
    finally:
        play.close()
    assert seen.updates == 40 * result.made
    assert seen.watched.count == 5 * result.due
    assert (seen.snapshots, seen.connections_lost) == (0, 0)
    assert seen.received_bytes > 40 * result.made * 100


async def test_watchers_of_a_bare_server_are_timed_as_well() -> None:
    async with target("fanout") as bare:
        with monotonic_timer() as timer:
            generator = Generator(timer, lambda _: None)
            crowd = {"servers": [bare.address], "count": 10, "timed": 4, "is_bare": True}
            await generator.obey({"do": "crowd", "crowd": crowd})
            one = trial(100)
            fields = {"rate": one.rate, "warm_up": one.warm_up, "seconds": one.seconds, "start": one.start}
            answer = await generator.obey({"do": "trial", "trial": fields})
            generator.close()
    result = TrialResult.from_json(answer["result"])
    assert result.updates == 10 * result.made
    assert result.watched.count == 4 * result.due > 0


async def test_idle_connections_that_the_server_closes_are_counted() -> None:
    async with target("echo") as bare:
        watching = Watching(Crowd((bare.address,), 5, is_bare=True))
        await watching.open()
        watching.begin(trial(0))
    await until(lambda: watching.lost == 5)
    assert watching.end().connections_lost == 5
    watching.close()


async def test_what_the_server_refuses_ends_the_load_with_its_reason(server: Target) -> None:
    play = Play(Table((server.address,), pairs=1, matches=1, bot_pairs=1, games=("nosuch",), is_endless=True))
    with pytest.raises(ExceptionGroup) as caught:
        await play.open()
    play.close()
    assert caught.group_contains(LoadFailed, match="nosuch")
