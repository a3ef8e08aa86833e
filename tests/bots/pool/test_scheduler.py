"""The assignment of workers, without processes."""

from __future__ import annotations

import asyncio
from typing import cast
from unittest.mock import Mock

import pytest

from cornered.bots.pool.scheduler import Scheduler
from cornered.bots.pool.worker_main import WorkerSlot
from cornered.bots.pool.worker_process import Worker
from cornered.clients.sdk.worker_process import Lost


def worker(number: int) -> Worker:
    return cast(Worker, Mock(Worker, slot=WorkerSlot(number, "none")))


async def test_a_wait_for_a_worker_ends_when_the_worker_is_lost() -> None:
    scheduler, lost = Scheduler(), worker(0)
    claim = asyncio.ensure_future(scheduler.take_this(lost))
    await asyncio.sleep(0)
    scheduler.drop(lost)
    async with asyncio.timeout(60):
        assert not await claim


async def test_a_worker_that_was_never_free_yet_is_waited_for_and_one_that_was_lost_before_is_not() -> None:
    scheduler, new = Scheduler(), worker(0)
    claim = asyncio.ensure_future(scheduler.take_this(new))
    await asyncio.sleep(0)
    scheduler.give(new)
    async with asyncio.timeout(60):
        assert await claim
        scheduler.drop(new)
        assert not await scheduler.take_this(new)


@pytest.mark.parametrize("is_certain", [False, True])
async def test_who_wants_a_worker_just_as_it_goes_to_its_leisure_calls_it_away(is_certain: bool) -> None:
    scheduler, idle = Scheduler(), worker(0)
    leisure = asyncio.ensure_future(be_at_leisure(scheduler))
    await asyncio.sleep(0)
    scheduler.give(idle)
    # It has been reassigned, and its previous user is not notified yet.
    async with asyncio.timeout(60):
        assert await scheduler.take_this(idle) if is_certain else await scheduler.take() is idle
    assert await leisure is idle


async def test_an_idle_worker_is_called_away_once_and_only_for_a_request() -> None:
    scheduler, idle, calls = Scheduler(), worker(0), 0

    def call_away() -> None:
        nonlocal calls
        calls += 1

    scheduler.works_at_leisure(idle, call_away)
    assert calls == 0
    asking = [asyncio.ensure_future(scheduler.take()) for _ in range(2)]
    await asyncio.sleep(0)
    assert calls == 1
    scheduler.give(idle)
    asking[1].cancel()
    async with asyncio.timeout(60):
        assert await asking[0] is idle
    scheduler.works_at_leisure(idle, call_away)
    assert calls == 1


async def test_a_wait_fails_when_all_workers_end() -> None:
    scheduler, busy = Scheduler(), worker(0)
    scheduler.give(busy)
    await scheduler.take()
    waiting = [asyncio.ensure_future(take()) for take in (scheduler.take, scheduler.take_patiently)]
    claim = asyncio.ensure_future(scheduler.take_this(busy))
    await asyncio.sleep(0)
    scheduler.close()
    async with asyncio.timeout(60):
        for future in waiting:
            with pytest.raises(Lost, match="the pool is closed"):
                await future
        assert not await claim


async def test_who_comes_after_all_workers_have_ended_is_turned_away() -> None:
    scheduler, idle, late = Scheduler(), worker(0), worker(1)
    scheduler.give(idle)
    scheduler.close()
    scheduler.give(late)
    assert scheduler.take_spare() is None
    async with asyncio.timeout(60):
        for take in (scheduler.take, scheduler.take_patiently):
            with pytest.raises(Lost, match="the pool is closed"):
                await take()
        assert not await scheduler.take_this(idle)


async def be_at_leisure(scheduler: Scheduler) -> Worker:
    """Occupy an idle worker with work that ends when the worker is needed."""
    idle = await scheduler.take_patiently()
    scheduler.works_at_leisure(idle, lambda: scheduler.give(idle))
    return idle
