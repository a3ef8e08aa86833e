"""Who gets which worker, without any process behind them."""

from __future__ import annotations

import asyncio
from typing import cast
from unittest.mock import Mock

import pytest

from cornered.bots.pool.scheduler import Rota
from cornered.bots.pool.worker_main import Desk
from cornered.bots.pool.worker_process import Lost, Worker


def worker(number: int) -> Worker:
    return cast(Worker, Mock(Worker, desk=Desk(number, "none")))


async def test_a_worker_that_is_lost_while_somebody_waits_for_it_is_waited_for_no_longer() -> None:
    rota, lost = Rota(), worker(0)
    claim = asyncio.ensure_future(rota.take_this(lost))
    await asyncio.sleep(0)
    rota.drop(lost)
    async with asyncio.timeout(60):
        assert not await claim


async def test_a_worker_that_was_lost_before_is_not_waited_for() -> None:
    rota, lost = Rota(), worker(0)
    rota.give(lost)
    assert await rota.take() is lost
    rota.drop(lost)
    async with asyncio.timeout(60):
        assert not await rota.take_this(lost)


async def test_a_worker_that_was_never_free_yet_is_waited_for() -> None:
    rota, new = Rota(), worker(0)
    claim = asyncio.ensure_future(rota.take_this(new))
    await asyncio.sleep(0)
    rota.give(new)
    async with asyncio.timeout(60):
        assert await claim


async def test_a_question_that_comes_just_as_a_worker_goes_to_its_leisure_calls_it_away() -> None:
    rota, idle = Rota(), worker(0)
    leisure = asyncio.ensure_future(be_at_leisure(rota))
    await asyncio.sleep(0)
    rota.give(idle)
    # It has been given away, but whoever has it does not know yet.
    async with asyncio.timeout(60):
        assert await rota.take() is idle
    assert await leisure is idle


async def test_who_wants_a_certain_worker_just_as_it_goes_to_its_leisure_calls_it_away() -> None:
    rota, idle = Rota(), worker(0)
    leisure = asyncio.ensure_future(be_at_leisure(rota))
    await asyncio.sleep(0)
    rota.give(idle)
    async with asyncio.timeout(60):
        assert await rota.take_this(idle)
    assert await leisure is idle


async def test_a_worker_at_leisure_is_called_away_once_and_only_for_somebody() -> None:
    rota, idle, calls = Rota(), worker(0), 0

    def call_away() -> None:
        nonlocal calls
        calls += 1

    rota.works_at_leisure(idle, call_away)
    assert calls == 0
    asking = [asyncio.ensure_future(rota.take()) for _ in range(2)]
    await asyncio.sleep(0)
    assert calls == 1
    rota.give(idle)
    asking[1].cancel()
    async with asyncio.timeout(60):
        assert await asking[0] is idle
    rota.works_at_leisure(idle, call_away)
    assert calls == 1


async def test_who_waits_when_all_workers_end_hears_that_none_will_come() -> None:
    rota, busy = Rota(), worker(0)
    rota.give(busy)
    await rota.take()
    waiting = [asyncio.ensure_future(take()) for take in (rota.take, rota.take_patiently)]
    claim = asyncio.ensure_future(rota.take_this(busy))
    await asyncio.sleep(0)
    rota.close()
    async with asyncio.timeout(60):
        for future in waiting:
            with pytest.raises(Lost, match="the pool is closed"):
                await future
        assert not await claim


async def test_who_comes_after_all_workers_have_ended_is_turned_away() -> None:
    rota, idle, late = Rota(), worker(0), worker(1)
    rota.give(idle)
    rota.close()
    rota.give(late)
    assert rota.take_spare() is None
    async with asyncio.timeout(60):
        for take in (rota.take, rota.take_patiently):
            with pytest.raises(Lost, match="the pool is closed"):
                await take()
        assert not await rota.take_this(idle)


async def be_at_leisure(rota: Rota) -> Worker:
    """Have a worker fill its time until it is called away, which frees it at once."""
    idle = await rota.take_patiently()
    rota.works_at_leisure(idle, lambda: rota.give(idle))
    return idle
