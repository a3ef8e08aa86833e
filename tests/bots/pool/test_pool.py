"""The pool when all is well, and when its workers die, hang or fail."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import threading
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

from cornered import engine
from cornered.bots.bot import Bot
from cornered.bots.pool.pool import HANG_GRACE_S, LATE_JOB_TIME_MS, Pool
from cornered.bots.pool.scheduler import Scheduler
from cornered.bots.pool.supervisor import Supervisor
from cornered.bots.pool.warming import Preparation
from cornered.bots.pool.worker_main import ThinkJob, think
from cornered.bots.pool.worker_process import Worker
from cornered.bots.search.memory import SearchMemory
from cornered.clients.sdk import Limit
from cornered.clients.sdk.worker_process import Lost
from cornered.engine.warming import warm
from tests.waiting import until

pytestmark = pytest.mark.asyncio(loop_scope="module")

START = engine.load("quoridor").start()
OPENING = ["e2", "e8", "a3h", "h6v", "e3", "d8", "b7v", "e7h", "d3"]
MIDDLE = functools.reduce(lambda state, move: state.play(move), OPENING, START)
"""A position that no book holds and no solver proves within a test."""


@pytest.fixture(scope="module", autouse=True)
def rules_are_loaded() -> None:
    """Load the rules into this process, as they are by the time a running server needs a move."""
    warm()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[Pool]:
    async with AsyncExitStack() as stack:
        async with asyncio.timeout(60):
            pool = await stack.enter_async_context(Pool.open(1))
        yield pool


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give workers a busy machine's time to stop before they count as hung."""
    for module in ("pool", "supervisor"):
        monkeypatch.setattr(f"cornered.bots.pool.{module}.HANG_GRACE_S", 15.0)


async def busy(pool: Pool) -> int:
    """Return the pid of the first worker that is busy."""
    await until(lambda: pool.thinking)
    return pool.thinking[0]


async def test_a_worker_that_dies_is_replaced_and_the_move_is_searched_again(pool: Pool) -> None:
    limit = Limit(time=60_000, depth=3)
    thinking = asyncio.ensure_future(pool.choose("minimax", START, replace(limit)))
    os.kill(first := await busy(pool), signal.SIGKILL)
    assert (await thinking).depth == 3
    again = asyncio.ensure_future(pool.choose("minimax", START, replace(limit, started=time.monotonic())))
    assert await busy(pool) != first
    assert (await again).depth == 3


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
async def test_a_worker_that_hangs_is_given_up_and_a_quick_move_stands_in(pool: Pool) -> None:
    await pool.choose("minimax", START, Limit(depth=1))
    limit = Limit(time=150)
    thinking = asyncio.ensure_future(pool.choose("minimax", START, limit))
    os.kill(hung := await busy(pool), signal.SIGSTOP)
    async with asyncio.timeout(60):
        assert START.is_legal((await thinking).move)
    next_one = asyncio.ensure_future(pool.choose("random", START, Limit(time=60_000)))
    assert await busy(pool) != hung
    await next_one


async def test_an_unsettled_search_has_its_longest_time_and_keeps_its_worker(pool: Pool, tmp_path: Path) -> None:
    patient = tmp_path / "patient.py"
    patient.write_text(
        "import time\n\n\n"
        "def choose(state, limit):\n"
        "    time.sleep(limit.remaining + limit.extension)\n"
        "    return 'e8'\n"
    )
    state = START.play("e2")
    await pool.choose(str(patient), state, Limit(time=1))
    workers = pool.processes
    limit = Limit(time=100, longest=100 + 2 * round(1000 * HANG_GRACE_S), grace=20_000)
    assert (await pool.choose(str(patient), state, limit)).move == "e8"
    assert time.monotonic() > limit.started + limit.extension
    assert pool.processes == workers


async def test_no_search_is_extended_while_others_wait_for_its_worker(pool: Pool, tmp_path: Path) -> None:
    telling = tmp_path / "telling.py"
    telling.write_text("def choose(state, limit):\n    return 'd9' if limit.extension > 0 else 'e8'\n")
    state = START.play("e2")
    await pool.choose(str(telling), state, Limit(time=1))
    limit = Limit(time=1000, longest=20_000, grace=20_000)
    thoughts = await asyncio.gather(*(pool.choose(str(telling), state, replace(limit)) for _ in range(3)))
    assert [thought.move for thought in thoughts[1:]] == ["e8", "d9"], "the second while the third waits"


async def test_a_bot_that_fails_does_not_cost_the_worker(pool: Pool) -> None:
    before = asyncio.ensure_future(pool.choose("minimax", START, Limit(depth=1)))
    worker = await busy(pool)
    await before
    assert START.is_legal((await pool.choose("no-such-bot", START, Limit(time=500))).move)
    after = asyncio.ensure_future(pool.choose("minimax", START, Limit(depth=1)))
    assert await busy(pool) == worker
    await after


async def test_more_jobs_than_workers_share_the_time(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, ask = list[float](), Supervisor.ask

    def noted(
        self: Supervisor, worker: Worker, job: ThinkJob, timeout_s: float | None, patience_s: float
    ) -> asyncio.Future[Any]:
        assert job.limit.time is not None
        assert timeout_s == pytest.approx(job.limit.time / 1000 + HANG_GRACE_S, abs=0.01)
        asked.append(job.limit.time)
        return ask(self, worker, job, timeout_s, patience_s)

    await pool.choose("minimax", START, Limit(depth=1))
    monkeypatch.setattr(Supervisor, "ask", noted)
    thoughts = await asyncio.gather(*(pool.choose("minimax", START, Limit(time=200)) for _ in range(6)))
    assert all(START.is_legal(thought.move) for thought in thoughts)
    assert 0 < sum(asked) <= 200 + len(asked) * LATE_JOB_TIME_MS
    assert max(asked[1:], default=0) <= LATE_JOB_TIME_MS


async def test_the_answer_to_a_cancelled_request_is_dropped(pool: Pool) -> None:
    abandoned = asyncio.ensure_future(pool.choose("minimax", START, Limit(time=5000)))
    await busy(pool)
    abandoned.cancel()
    with pytest.raises(asyncio.CancelledError):
        await abandoned
    other = engine.load("trapgrid").start()
    thought = await pool.choose("greedy", other, Limit(time=60_000))
    assert other.is_legal(thought.move)
    assert thought.nodes > 0


async def test_all_workers_start_where_that_is_asked_for_and_none_outlives_its_pool() -> None:
    async with asyncio.timeout(60), Pool.open(2, all_workers=True) as pool:
        assert len(pool.processes) == 2
        name = pool.memory
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
    with pytest.raises(FileNotFoundError):
        SearchMemory.attach(name, 0)


async def test_a_wait_fails_when_the_pool_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    is_claimed, take_this = asyncio.Event(), Scheduler.take_this

    async def claim(scheduler: Scheduler, worker: Worker) -> bool:
        is_claimed.set()
        return await take_this(scheduler, worker)

    monkeypatch.setattr(Scheduler, "take_this", claim)
    async with Pool.open(1) as pool:
        await pool.choose("champion", MIDDLE, Limit(time=50))
        thinking = asyncio.ensure_future(pool.choose("champion", MIDDLE, Limit()))
        await busy(pool)
        waiting = [asyncio.ensure_future(pool.choose("champion", MIDDLE, Limit()))]
        waiting += [asyncio.ensure_future(pool.study("champion", MIDDLE, Limit()))]
        pondering = asyncio.ensure_future(pool.ponder("champion", MIDDLE, 600))
        preparing = asyncio.ensure_future(ready(pool, "quoridor", "greedy"))
        # All of them wait for the worker, the last one in a thread for a moment first.
        async with asyncio.timeout(60):
            await is_claimed.wait()
    async with asyncio.timeout(60):
        for future in (thinking, *waiting):
            with pytest.raises(Lost):
                await future
        await pondering
        assert await preparing == set()


async def test_an_error_inside_the_block_comes_out_as_it_is() -> None:
    with pytest.raises(KeyError, match="mine"):
        async with Pool.open(1):
            raise KeyError("mine")


async def at_leisure(pool: Pool) -> int:
    """Return the pid of the first worker that helps or ponders."""
    await until(lambda: pool.at_leisure)
    return pool.at_leisure[0]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool_of_two() -> AsyncIterator[Pool]:
    async with Pool.open(2) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def two(pool_of_two: Pool) -> Pool:
    """A pool whose two workers are there, also after a test that killed one, and free."""
    await until(lambda: len(pool_of_two.processes) == 2)
    # Where nothing is compiled yet, each game takes its time.
    async with asyncio.timeout(240):
        assert len([bot async for bot in pool_of_two.prepare("quoridor", ["champion", "minimax", "random"])]) == 3
    return pool_of_two


@pytest.mark.usefixtures("patient")
async def test_who_is_free_helps_and_is_free_again_when_the_answer_is_there(two: Pool) -> None:
    thinking = asyncio.ensure_future(two.choose("champion", MIDDLE, Limit(time=300)))
    main, helper = await busy(two), await at_leisure(two)
    assert helper != main
    assert MIDDLE.is_legal((await thinking).move)
    both = [asyncio.ensure_future(two.choose("champion", MIDDLE, Limit(time=100))) for _ in range(2)]
    await busy(two)
    assert set(two.thinking) <= {main, helper}
    await asyncio.gather(*both)


async def test_a_bot_that_gains_nothing_from_help_gets_none(two: Pool) -> None:
    thinking = asyncio.ensure_future(two.choose("minimax", MIDDLE, Limit(time=200)))
    await busy(two)
    while not thinking.done():
        assert not two.at_leisure
        await asyncio.sleep(0)


async def test_a_helper_that_dies_affects_no_search(two: Pool) -> None:
    thinking = asyncio.ensure_future(two.choose("champion", MIDDLE, Limit(time=800)))
    os.kill(await at_leisure(two), signal.SIGKILL)
    thought = await thinking
    assert MIDDLE.is_legal(thought.move)
    assert thought.depth > 1
    again = [two.choose("champion", MIDDLE, Limit(time=60_000, depth=3)) for _ in range(2)]
    assert [thought.depth for thought in await asyncio.gather(*again)] == [3, 3]


@pytest.mark.usefixtures("patient")
async def test_a_question_calls_a_helper_away(two: Pool) -> None:
    long = asyncio.ensure_future(two.choose("champion", MIDDLE, Limit(time=90_000)))
    helper = await at_leisure(two)
    assert MIDDLE.is_legal((await two.choose("random", MIDDLE, Limit(time=60_000))).move)
    assert not long.done()
    assert helper not in two.at_leisure
    long.cancel()
    await asyncio.gather(long, return_exceptions=True)


@pytest.mark.usefixtures("patient")
async def test_a_bot_that_polls_for_a_stop_keeps_its_worker_after_a_cancelled_request(pool: Pool) -> None:
    await pool.choose("champion", MIDDLE, Limit(time=50))
    abandoned = asyncio.ensure_future(pool.choose("champion", MIDDLE, Limit(time=60_000)))
    worker = await busy(pool)
    abandoned.cancel()
    with pytest.raises(asyncio.CancelledError):
        await abandoned
    after = asyncio.ensure_future(pool.choose("champion", MIDDLE, Limit(time=60_000, depth=3)))
    assert await busy(pool) == worker
    assert (await after).depth == 3


async def test_what_was_thought_ahead_is_known_later_even_to_another_worker(pool: Pool) -> None:
    # No other test thinks about this position.
    state = MIDDLE.play("f8").play("d4")
    limit = Limit(time=60_000, nodes=2_000)
    before = await pool.choose("champion", state, limit)
    await pool.ponder("champion", state, 1.5)
    os.kill(thinker := pool.processes[0], signal.SIGKILL)
    # The first to ask finds the worker dead, and its replacement starting.
    await pool.choose("random", state, Limit(time=60_000))
    after = await pool.choose("champion", state, replace(limit, started=time.monotonic()))
    assert pool.processes[0] != thinker
    assert (after.depth, after.hits) > (before.depth, before.hits)


@pytest.mark.usefixtures("patient")
async def test_thinking_ahead_gives_way_to_questions_and_goes_on_after_them(pool: Pool) -> None:
    await pool.choose("champion", MIDDLE, Limit(time=50))
    ahead = asyncio.ensure_future(pool.ponder("champion", MIDDLE, 60))
    worker = await at_leisure(pool)
    thought = await pool.choose("random", MIDDLE, Limit(time=60_000))
    assert MIDDLE.is_legal(thought.move)
    assert await at_leisure(pool) == worker
    ahead.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ahead
    asked = asyncio.ensure_future(pool.choose("champion", MIDDLE, Limit(time=100)))
    assert await busy(pool) == worker
    await asked


@pytest.mark.usefixtures("patient")
async def test_a_study_gives_way_to_questions_and_tells_what_it_has_found(pool: Pool) -> None:
    await pool.choose("champion", MIDDLE, Limit(time=50))
    study = asyncio.ensure_future(pool.study("champion", MIDDLE, Limit(time=60_000)))
    process = psutil.Process(await at_leisure(pool))
    began = process.cpu_times().user
    await until(lambda: process.cpu_times().user - began > 0.1)
    await pool.choose("random", MIDDLE, Limit(time=60_000))
    async with asyncio.timeout(60):
        assert MIDDLE.is_legal((await study).move)


async def test_with_a_seed_the_answer_can_be_had_again(two: Pool) -> None:
    thoughts = [await two.choose("champion", MIDDLE, Limit(nodes=20_000), seed=1) for _ in range(2)]
    assert thoughts[0] == thoughts[1]


async def test_a_bot_is_ready_for_a_game_or_left_out(pool: Pool) -> None:
    ready = {bot async for bot in pool.prepare("trapgrid", ["random", "no-such-bot", "greedy"])}
    assert ready == {"random", "greedy"}
    thought = await pool.choose("random", engine.load("trapgrid").start(), Limit(time=2000))
    assert thought.nodes == 1


class Slowly:
    """Makes the loading of workers wait for the test."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._begun = asyncio.Event()
        self.go = threading.Event()

    def prepare(self, worker: Worker, wanted: Preparation) -> bool:
        self._loop.call_soon_threadsafe(self._begun.set)
        return self.go.wait(30)

    async def begins(self) -> None:
        async with asyncio.timeout(60):
            await self._begun.wait()


@pytest_asyncio.fixture(loop_scope="module")
async def slowly(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Slowly]:
    slowly = Slowly()
    monkeypatch.setattr(Worker, "prepare", lambda worker, wanted: slowly.prepare(worker, wanted))
    yield slowly
    slowly.go.set()


async def ready(pool: Pool, game: str, *bots: str) -> set[str]:
    return {bot async for bot in pool.prepare(game, bots)}


async def test_a_cancelled_preparation_costs_no_worker(pool: Pool, slowly: Slowly) -> None:
    preparing = asyncio.ensure_future(ready(pool, "isolation", "random"))
    await slowly.begins()
    preparing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await preparing
    slowly.go.set()
    async with asyncio.timeout(60):
        assert START.is_legal((await pool.choose("random", START, Limit())).move)


@pytest.mark.parametrize(("what", "bot"), [("prepare", "greedy"), ("ask", "random")])
async def test_an_error_between_the_pool_and_a_worker_costs_no_worker(
    pool: Pool, monkeypatch: pytest.MonkeyPatch, what: str, bot: str
) -> None:
    # No worker has loaded this game before.
    state = engine.load("bamboo", radius=2).start()
    well = getattr(Worker, what)
    errors = iter([TypeError("cannot be sent")])

    def fail_once(*arguments: Any) -> Any:
        for error in errors:
            raise error
        return well(*arguments)

    monkeypatch.setattr(Worker, what, fail_once)
    with pytest.raises(TypeError, match="cannot be sent"):
        await pool.choose(bot, state, Limit())
    async with asyncio.timeout(60):
        assert state.is_legal((await pool.choose(bot, state, Limit())).move)


async def test_an_error_of_the_pool_comes_out_alone_whatever_workers_are_doing(
    slowly: Slowly, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyError, match="mine"):
        await fail_while_a_worker_loads(slowly, monkeypatch)


async def fail_while_a_worker_loads(slowly: Slowly, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail() -> None:
        raise KeyError("mine")

    supervisors: list[Supervisor] = []

    def supervise(*arguments: Any) -> Supervisor:
        supervisors.append(Supervisor(*arguments))
        return supervisors[0]

    monkeypatch.setattr("cornered.bots.pool.pool.Supervisor", supervise)
    async with asyncio.timeout(60), Pool.open(1):
        worker = await supervisors[0].scheduler.take()
        supervisors[0].chore(supervisors[0].load(worker, [Preparation("random", "quoridor")]), "load")
        await slowly.begins()
        supervisors[0].chore(fail(), "fail")
        await asyncio.Event().wait()


async def test_a_worker_keeps_its_bots_between_jobs() -> None:
    known: dict[str, Bot] = {}
    job = ThinkJob("random", "trapgrid", {"size": 3}, str(engine.load("trapgrid", size=3).start()), Limit(time=100))
    think(job, known)
    bot = known["random"]
    think(job, known)
    assert known == {"random": bot}
