"""The token bucket behind every limit, and the fair queue."""

from __future__ import annotations

import asyncio
import gc
import heapq
import itertools
import weakref
from collections.abc import Callable, Hashable
from contextvars import Context
from typing import Any

import pytest

from cornered.server.runtime.token_bucket import FairQueue, TokenBucket


class Timeline(asyncio.AbstractEventLoop):
    """The part of an event loop that a queue uses, on a clock that the test advances."""

    def __init__(self) -> None:
        self.now = 0.0
        self.due: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._numbers = itertools.count()

    def get_debug(self) -> bool:
        return False

    def time(self) -> float:
        return self.now

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().create_future()

    def call_later(  # type: ignore[override]  # without the type variables of the arguments
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        # Real time advances between two turns, whatever is rounded.
        at = self.now + max(delay, 1e-9)
        handle = asyncio.TimerHandle(at, callback, args, self, context)
        heapq.heappush(self.due, (at, next(self._numbers), handle))
        return handle

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Skip cancelled timers when they are due."""

    async def until(self, *tasks: asyncio.Task[None]) -> float:
        """Advance the clock until all these tasks are done; return its time."""
        while not all(task.done() for task in tasks):
            for _ in range(3):
                await asyncio.sleep(0)
            if not all(task.done() for task in tasks):
                self.fire()
        return self.now

    def fire(self) -> float:
        """Turn the clock to the next timer and call it; return the time."""
        at, _, handle = heapq.heappop(self.due)
        self.now = max(self.now, at)
        if not handle.cancelled():
            handle._run()
        return self.now


class Key:
    """Whoever asks, told apart from others by identity alone."""


async def asked(queue: FairQueue, key: Hashable, cost: float) -> asyncio.Task[None]:
    """Return a request that is queued."""
    task = asyncio.create_task(queue.take(key, cost))
    await asyncio.sleep(0)
    return task


def test_a_burst_is_there_at_once_then_the_rate_and_a_bucket_never_holds_more() -> None:
    bucket = TokenBucket(rate=2, burst=3, now=0.0)
    assert [bucket.spend(0.0) for _ in range(4)] == [True, True, True, False]
    assert [bucket.spend(1.0), bucket.spend(1.0)] == [True, False]
    assert all(bucket.spend(2.0 + step) for step in range(100))
    bucket = TokenBucket(rate=1, burst=2, now=0.0)
    assert [bucket.spend(1000.0) for _ in range(3)] == [True, True, False]


def test_debt_grows_to_hostility_and_no_further() -> None:
    bucket = TokenBucket(rate=1, burst=2, now=0.0)
    for _ in range(4):
        bucket.spend(0.0)
    assert not bucket.is_hostile
    for _ in range(1000):
        bucket.spend(0.0)
    assert bucket.is_hostile
    assert not bucket.spend(2.0)
    assert bucket.spend(10.0)
    assert not bucket.is_hostile


def test_a_refused_request_owes_one_token_and_a_cost_above_the_burst_a_full_bucket() -> None:
    bucket = TokenBucket(rate=1, burst=10, now=0.0)
    assert bucket.spend(0.0, 8)
    assert not bucket.spend(0.0, 8)
    assert bucket.wait(0.0, 8) == 7.0
    assert bucket.spend(7.0, 8)
    bucket = TokenBucket(rate=1, burst=10, now=0.0)
    assert bucket.take(0.0, 25)
    assert not bucket.take(9.0, 25)
    assert bucket.take(10.0, 10)
    bucket.drain(15.0, 25)
    assert not bucket.is_hostile
    assert bucket.wait(15.0) == 1.0


async def test_requests_pass_at_once_while_tokens_last_and_a_cost_above_the_burst_is_paid_in_full() -> None:
    queue = FairQueue(1.0, 3.0, asyncio.get_running_loop())
    assert [queue.take_now() for _ in range(4)] == [True, True, True, False]
    timeline = Timeline()
    queue = FairQueue(12_000.0, 200.0, timeline)
    readings = [await asked(queue, number, 1_667) for number in range(10)]
    assert await timeline.until(*readings) == pytest.approx((16_670 - 200) / 12_000, abs=0.002)


@pytest.mark.virtual_time
async def test_a_quiet_key_is_served_before_the_backlog_of_a_busy_one() -> None:
    queue = FairQueue(500.0, 1.0, asyncio.get_running_loop())
    assert queue.take_now()
    order: list[str] = []

    async def ask(key: str) -> None:
        await queue.take(key)
        order.append(key)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(20):
            tasks.create_task(ask("busy"))
        await asyncio.sleep(0)
        tasks.create_task(ask("quiet"))
    assert len(order) == 21
    assert order.index("quiet") <= 2
    assert queue.delay("quiet") < 1


@pytest.mark.virtual_time
async def test_a_request_that_is_cancelled_takes_no_token() -> None:
    queue = FairQueue(200.0, 1.0, asyncio.get_running_loop())
    assert queue.take_now()
    given_up = asyncio.create_task(queue.take("a"))
    waiting = asyncio.create_task(queue.take("b"))
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.wait_for(waiting, 1)
    assert len(queue) == 0


@pytest.mark.virtual_time
async def test_a_key_is_forgotten_with_its_last_request_however_long_the_queue_stays_busy() -> None:
    queue = FairQueue(2_000.0, 1.0, asyncio.get_running_loop())
    assert queue.take_now()
    stays = asyncio.create_task(queue.take("stays", 100))
    keys: list[weakref.ref[Key]] = []
    for _ in range(50):
        fresh = Key(), Key()
        keys += map(weakref.ref, fresh)
        waiting = [asyncio.create_task(queue.take(key)) for key in fresh]
        del fresh
        await asyncio.wait(waiting)
        del waiting
        assert len(queue) == 1
    gc.collect()
    assert not stays.done()
    assert not any(key() for key in keys)
    stays.cancel()


@pytest.mark.parametrize("share_a_key", [False, True])
async def test_a_cheap_request_waits_for_a_small_part_of_every_expensive_one(share_a_key: bool) -> None:
    timeline = Timeline()
    queue = FairQueue(1_000.0, 2_000.0, timeline)
    assert queue.take_now(2_000)
    downloads = [await asked(queue, "all" if share_a_key else number, 400) for number in range(60)]
    for _ in range(20):
        begun = timeline.now
        assert await timeline.until(await asked(queue, "all" if share_a_key else "player", 3)) - begun < 0.4
    assert not any(download.done() for download in downloads)
    assert await timeline.until(*downloads) == pytest.approx((60 * 400 + 20 * 3) / 1_000, rel=0.01)


async def test_a_cheap_request_waits_neither_for_an_expensive_one_nor_for_more_than_its_own_tokens() -> None:
    timeline = Timeline()
    queue = FairQueue(1_000.0, 10_000.0, timeline)
    assert queue.take_now(10_000)
    await asked(queue, "reader", 2_868)
    assert await timeline.until(await asked(queue, "player", 3)) < 0.02
    timeline = Timeline()
    queue = FairQueue(1.0, 10.0, timeline)
    assert queue.take_now(10)
    await asked(queue, "dear", 5)
    assert await timeline.until(await asked(queue, "cheap", 1)) == pytest.approx(1.0)


async def test_busy_keys_get_equal_shares_however_large_their_requests_are() -> None:
    timeline = Timeline()
    queue = FairQueue(1_000.0, 1.0, timeline)
    served = dict.fromkeys((1, 10, 100), 0)

    async def go_on(cost: int) -> None:
        while True:
            await queue.take(cost, cost)
            served[cost] += cost

    # Two requests of each key, so that one is always waiting.
    tasks = [asyncio.create_task(go_on(cost)) for cost in served for _ in range(2)]
    await timeline.until(await asked(queue, "end", 1_000))
    assert all(900 <= tokens <= 1_100 for tokens in served.values()), served
    for task in tasks:
        task.cancel()


async def test_requests_that_are_given_up_leave_at_once_and_give_nothing_back() -> None:
    timeline = Timeline()
    queue = FairQueue(10.0, 100.0, timeline)
    assert queue.take_now(100)
    given_up = [await asked(queue, number % 3, 80) for number in range(9)]
    # A part of the first requests is served, and stays spent.
    await timeline.until(await asked(queue, "other", 10))
    spent = timeline.now * 10.0
    for task in given_up:
        task.cancel()
    await asyncio.wait(given_up)
    assert (len(queue), queue.delay("new", 0.0)) == (0, 0.0)
    begun = timeline.now
    assert spent > 10
    assert await timeline.until(await asked(queue, "new", 50)) - begun == pytest.approx(5.0, abs=0.5)
    assert not queue.take_now(1)


async def test_a_request_that_is_cancelled_when_it_is_granted_has_paid_once() -> None:
    timeline = Timeline()
    queue = FairQueue(1.0, 10.0, timeline)
    assert queue.take_now(10)
    task, waiting = await asked(queue, "a", 2), await asked(queue, "b", 2)
    assert timeline.fire() == pytest.approx(2.0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert len(queue) == 1
    assert await timeline.until(waiting) == pytest.approx(4.0)


async def test_a_quiet_key_need_not_fear_the_backlog_of_a_busy_one() -> None:
    timeline = Timeline()
    queue = FairQueue(10.0, 10.0, timeline)
    assert queue.take_now(10)
    for number in range(3):
        await asked(queue, number, 1_000)
    assert queue.delay("quiet", 5) == pytest.approx((5 + 3 * 5) / 10)
    # Requests of one key are served in turn too.
    assert queue.delay(0, 5) == pytest.approx((5 + 5 + 2 * 10) / 10)
