"""Arrivals come when they are due, whatever the server does, and its stalls show in the percentiles."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Callable, Iterator

import pytest

from cornered.bench.workload.arrivals import OpenLoop, poisson
from cornered.bench.workload.histogram import Histogram
from cornered.bench.workload.timer import LoopTimer, monotonic_timer

SERVICE_S = 0.001
STALL = (2.0, 3.0)


def steady(rate: float) -> Iterator[float]:
    """Yield the times of arrivals in seconds from now, every 1 / `rate`, without end."""
    return (number / rate for number in itertools.count(1))


class StallingServer:
    """Answers after SERVICE_S, but nothing within the stall."""

    def __init__(self, done: Callable[[int, float], None], stall: tuple[float, float] = STALL) -> None:
        self._done = done
        self._stall = stall

    def send(self, unit: int, due: float) -> None:
        loop = asyncio.get_running_loop()
        answer = loop.time() + SERVICE_S
        begin, end = self._stall
        if begin <= answer < end:
            answer = end
        loop.call_at(answer, self._done, unit, due)


async def latencies(rate: float, units: int, seconds: float, stall: tuple[float, float] = STALL) -> Histogram:
    """Return the latencies of an open loop against a server that stalls."""
    found = Histogram()
    loop = asyncio.get_running_loop()

    def done(unit: int, due: float) -> None:
        found.record(loop.time() - due)
        arrivals.release(unit)

    arrivals: OpenLoop[int] = OpenLoop(StallingServer(done, stall).send)
    for unit in range(units):
        arrivals.release(unit)
    await arrivals.drive(steady(rate), LoopTimer(), 0.0, seconds, lambda due, late: None)
    await LoopTimer().until(seconds + 2 * SERVICE_S)
    return found


@pytest.mark.virtual_time
async def test_a_stalled_server_shows_in_the_percentiles_although_few_moves_were_under_way() -> None:
    found = await latencies(rate=100, units=5, seconds=10)
    # A tenth of the time is a stall: a move that was due in it waited half of it on average. Five were under way: a
    # closed loop would have seen half a percent of slow answers.
    assert found.count == pytest.approx(1_000, abs=2)
    assert found.percentile(89) < 0.01
    assert found.percentile(95) == pytest.approx(0.5, abs=0.05)
    assert found.percentile(99) == pytest.approx(0.9, abs=0.05)
    assert found.max == pytest.approx(1.0, abs=0.05)


@pytest.mark.virtual_time
async def test_without_a_stall_all_are_quick() -> None:
    found = await latencies(rate=100, units=5, seconds=10, stall=(0.0, 0.0))
    assert found.max < 10 * SERVICE_S


@pytest.mark.virtual_time
async def test_an_overloaded_server_shows_a_wait_that_grows() -> None:
    # One unit of 1 ms service can answer 1,000 a second: at 2,000 half of the arrivals wait when 1 s is over.
    found = Histogram()
    loop = asyncio.get_running_loop()

    def done(unit: int, due: float) -> None:
        found.record(loop.time() - due)
        arrivals.release(unit)

    arrivals: OpenLoop[int] = OpenLoop(StallingServer(done, (0.0, 0.0)).send)
    arrivals.release(1)
    await arrivals.drive(steady(2_000), LoopTimer(), 0.0, 1.0, lambda due, late: None)
    assert arrivals.waiting == pytest.approx(1_000, abs=50)
    assert found.max == pytest.approx(0.5, abs=0.05)
    waiting = arrivals.drop_waiting()
    assert waiting == sorted(waiting)
    assert arrivals.waiting == 0


@pytest.mark.virtual_time
async def test_a_blocked_generator_tells_its_own_delay() -> None:
    late = Histogram()
    loop = asyncio.get_running_loop()

    class Busy(LoopTimer):
        async def until(self, time: float) -> None:
            await super().until(time + (0.2 if 0.5 <= time < 0.6 else 0.0))

    def send(unit: int, due: float) -> None:
        loop.call_soon(arrivals.release, unit)

    arrivals: OpenLoop[int] = OpenLoop(send)
    arrivals.release(1)
    await arrivals.drive(steady(10), Busy(), 0.0, 2.0, lambda due, delay: late.record(delay))
    assert late.max == pytest.approx(0.2, abs=0.01)
    assert late.percentile(50) < 0.01


def test_arrivals_are_a_poisson_process_that_a_seed_repeats() -> None:
    times = list(itertools.islice(poisson(50, random.Random(7)), 20_000))
    assert times == list(itertools.islice(poisson(50, random.Random(7)), 20_000))
    gaps = [after - before for before, after in itertools.pairwise(times)]
    mean = sum(gaps) / len(gaps)
    assert mean == pytest.approx(1 / 50, rel=0.03)
    # The standard deviation of exponential gaps is their mean.
    assert (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5 == pytest.approx(mean, rel=0.03)


def test_the_unit_that_is_free_for_longest_is_next() -> None:
    sent: list[tuple[str, float]] = []
    arrivals: OpenLoop[str] = OpenLoop(lambda unit, due: sent.append((unit, due)))
    arrivals.release("a")
    arrivals.release("b")
    for due in (1.0, 2.0, 3.0, 4.0):
        arrivals.arrive(due)
    arrivals.release("b")
    assert sent == [("a", 1.0), ("b", 2.0), ("b", 3.0)]
    assert arrivals.drop_waiting() == [4.0]


async def test_the_precise_timer_never_fires_early() -> None:
    with monotonic_timer() as timer:
        for delay in (0.0, 0.0003, 0.002, 0.01):
            due = time.monotonic() + delay
            await timer.until(due)
            assert timer.now() >= due
            await timer.until(due)
