"""The pool when all is well, and when its workers die, hang or fail."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

import engine
from bots.pool import GRACE, Pool
from bots.worker import Job, think
from clients.sdk import Limit
from engine.warming import warm

START = engine.load("quoridor").start()


@pytest.fixture(scope="module", autouse=True)
def rules_are_loaded() -> None:
    """Load the rules into this process, as playing has long done when a move is needed from it."""
    warm()


@pytest.fixture
async def pool() -> AsyncIterator[Pool]:
    async with Pool.open(1) as pool:
        yield pool


async def busy(pool: Pool) -> int:
    """Return the process that is thinking, as soon as there is one."""
    for _ in range(1_000_000):
        if pool.thinking:
            return pool.thinking[0]
        await asyncio.sleep(0)
    pytest.fail("no worker ever thinks")


async def test_a_worker_thinks_as_long_as_it_may(pool: Pool) -> None:
    limit = Limit(time=300)
    thought = await pool.choose("minimax", START, limit)
    assert START.is_legal(thought.move)
    assert thought.depth >= 1
    assert thought.nodes > 10


async def test_the_loop_goes_on_while_workers_think(pool: Pool) -> None:
    thinking = asyncio.ensure_future(pool.choose("minimax", START, Limit(time=200)))
    await busy(pool)
    turns = 0
    while not thinking.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 100


async def test_a_worker_that_dies_is_replaced_and_the_move_is_searched_again(pool: Pool) -> None:
    limit = Limit(time=3000, depth=3)
    thinking = asyncio.ensure_future(pool.choose("minimax", START, replace(limit, depth=None, time=1500)))
    os.kill(first := await busy(pool), signal.SIGKILL)
    thought = await thinking
    assert START.is_legal(thought.move)
    assert thought.depth >= 2
    again = asyncio.ensure_future(pool.choose("minimax", START, limit))
    assert await busy(pool) != first
    assert (await again).depth == 3


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
async def test_a_worker_that_hangs_is_given_up_and_a_quick_move_stands_in(pool: Pool) -> None:
    limit = Limit(time=150)
    thinking = asyncio.ensure_future(pool.choose("minimax", START, limit))
    os.kill(hung := await busy(pool), signal.SIGSTOP)
    thought = await thinking
    assert limit.deadline is not None
    assert time.monotonic() < limit.deadline + GRACE + 1.0
    assert START.is_legal(thought.move)
    next_one = asyncio.ensure_future(pool.choose("random", START, Limit(time=5000)))
    assert await busy(pool) != hung
    await next_one


async def test_a_bot_that_fails_does_not_cost_the_worker(pool: Pool) -> None:
    before = asyncio.ensure_future(pool.choose("minimax", START, Limit(depth=1)))
    worker = await busy(pool)
    await before
    assert START.is_legal((await pool.choose("no-such-bot", START, Limit(time=500))).move)
    after = asyncio.ensure_future(pool.choose("minimax", START, Limit(depth=1)))
    assert await busy(pool) == worker
    await after


async def test_more_jobs_than_workers_all_get_a_move_in_time(pool: Pool) -> None:
    limits = [Limit(time=200) for _ in range(6)]
    thoughts = await asyncio.gather(*(pool.choose("minimax", START, limit) for limit in limits))
    assert all(START.is_legal(thought.move) for thought in thoughts)
    assert limits[-1].deadline is not None
    assert time.monotonic() < limits[-1].deadline + GRACE + 1.0


async def test_nobody_gets_the_answer_to_a_question_that_was_given_up(pool: Pool) -> None:
    abandoned = asyncio.ensure_future(pool.choose("minimax", START, Limit(time=5000)))
    await busy(pool)
    abandoned.cancel()
    with pytest.raises(asyncio.CancelledError):
        await abandoned
    other = engine.load("trapgrid").start()
    thought = await pool.choose("greedy", other, Limit(time=3000))
    assert other.is_legal(thought.move)
    assert thought.nodes > 0


async def test_no_worker_outlives_its_pool() -> None:
    async with Pool.open(2) as pool:
        thinking = [asyncio.ensure_future(pool.choose("minimax", START, Limit(time=5000))) for _ in range(2)]
        await busy(pool)
        processes = pool.thinking
        for task in thinking:
            task.cancel()
        await asyncio.gather(*thinking, return_exceptions=True)
    assert processes
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


async def test_an_error_inside_the_block_comes_out_as_it_is() -> None:
    with pytest.raises(KeyError, match="mine"):
        async with Pool.open(1):
            raise KeyError("mine")


def test_a_worker_keeps_its_bots_between_jobs() -> None:
    known = {}
    job = Job("random", "trapgrid", {"size": 3}, str(engine.load("trapgrid", size=3).start()), Limit(time=100))
    think(job, known)
    bot = known["random"]
    think(job, known)
    assert known == {"random": bot}
