"""Worker processes that choose moves. One that crashes or hangs is replaced, and its move is searched again.

One worker answers each question. Where the bot gains from it, idle workers help, and ponder on the opponents' time;
another question interrupts them within milliseconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import random
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from time import monotonic
from typing import Final

from cornered import engine
from cornered.bots.bot import Limit, Thought
from cornered.bots.pool.supervisor import HANG_GRACE_S, Supervisor
from cornered.bots.pool.warming import Preparation, compiled, is_warm
from cornered.bots.pool.worker_main import Failed, ThinkJob
from cornered.bots.pool.worker_process import Worker, start_fork_server
from cornered.bots.roster import create
from cornered.bots.search.memory import SearchMemory
from cornered.clients.sdk import unwrapped_errors
from cornered.clients.sdk.worker_process import Lost
from cornered.engine import Game, State

__all__ = ["HANG_GRACE_S", "Pool"]

LATE_JOB_TIME_MS: Final = 50
"""Milliseconds for a job whose time has passed in the queue, and for the move that stands in for a lost one."""
WORKER_WAIT_MARGIN_S: Final = 0.1
"""Seconds before an answer is too late at which the wait for a free worker ends."""
GREEDY_TIME_MIN_S: Final = 0.03
"""Seconds before an answer is too late within which only a random move is quick enough."""
JOB_ATTEMPTS: Final = 3
START_ALL_TIMEOUT_S: Final = 30.0
COMPILERS: Final = 2
"""Processes that compile at the same time."""

STARVED_FACTOR: Final = 10
"""How much longer than its limit a worker may take that other processes keep from running."""
STAND_IN_S: Final = 0.5
"""Seconds before an answer is too late that are left for a quick move."""

log = logging.getLogger("cornered.pool")


class Pool:
    """The worker processes and the jobs that wait for them. Get it from `Pool.open`."""

    def __init__(self, size: int, supervisor: Supervisor) -> None:
        self._size = size
        self._supervisor = supervisor
        self._prepared: set[Preparation] = set()
        self._preparing = asyncio.Lock()
        self._compilers = asyncio.Semaphore(COMPILERS)
        self._stands_in: set[str] = set()
        self._has_started = asyncio.Event()
        self._hiring: list[asyncio.Task[None]] = []
        self._in_flight = 0
        self._thinking: set[Worker] = set()
        self._at_leisure: set[Worker] = set()

    @classmethod
    @asynccontextmanager
    async def open(
        cls, size: int | None = None, bots: Sequence[str] = (), *, all_workers: bool = False, at_once: bool = False
    ) -> AsyncIterator[Pool]:
        """Start `size` workers, by default one fewer than cores, and end them with the `async with` block.

        Enters the block when the first worker has started, or with `all_workers` when all have, within half a minute:
        then no search spends its time on the start of its worker, or `at_once`: then `prepare` waits for the first.
        Workers start with what `bots` need loaded, as far as it is compiled; see `prepare`.
        """
        count = size or max(1, (os.cpu_count() or 1) - 1)
        threads = ThreadPoolExecutor(3 * count + 4, thread_name_prefix="pool")
        memory = SearchMemory.create(workers=count)
        try:
            with unwrapped_errors():
                async with asyncio.TaskGroup() as tasks:
                    supervisor = Supervisor(memory, tasks, threads)
                    pool = cls(count, supervisor)
                    try:
                        if at_once:
                            supervisor.chore(pool._start(bots), "start")
                        else:
                            await pool._start(bots)
                        if all_workers and pool._hiring:
                            await asyncio.wait(pool._hiring, timeout=START_ALL_TIMEOUT_S)
                        yield pool
                    finally:
                        await supervisor.close()
        finally:
            memory.unlink()
            memory.close()
            threads.shutdown(wait=False)

    async def _start(self, bots: Sequence[str]) -> None:
        """Start the first worker, and begin to start the others."""
        await self._supervisor.run(start_fork_server, bots)
        await self._supervisor.hire(0)
        hiring = [self._supervisor.chore(self._supervisor.hire(slot), "hire") for slot in range(1, self._size)]
        self._hiring = [one for one in hiring if one is not None]
        self._has_started.set()

    @property
    def memory(self) -> str:
        """The name of the workers' shared memory."""
        assert self._supervisor.memory.name is not None
        return self._supervisor.memory.name

    @property
    def processes(self) -> tuple[int, ...]:
        """The process ids of all workers that have started."""
        return _pids(self._supervisor.workers)

    @property
    def thinking(self) -> tuple[int, ...]:
        """The process ids of the workers that are answering questions now."""
        return _pids(self._thinking)

    @property
    def at_leisure(self) -> tuple[int, ...]:
        """The process ids of the workers that help others, study or ponder now."""
        return _pids(self._at_leisure)

    async def choose(self, bot: str, state: State, limit: Limit, *, seed: int | None = None) -> Thought:
        """Return what `bot` plays in `state` within the grace of `limit`, whatever happens to the workers.

        When a worker dies, another one answers while there is time; after that, a quick move stands in. With a `seed`
        one worker answers without help, so that with a limit of depth or nodes the answer is reproducible. What was
        never prepared is prepared first, and the time runs from then on. Raises Lost when the pool is closed.
        """
        wanted = Preparation(bot, state.game.name)
        if wanted not in self._prepared:
            await self._ready(wanted)
            limit = replace(limit, started=monotonic())
        self._in_flight += 1
        try:
            job = _job(bot, state, limit, seed)
            for _ in range(JOB_ATTEMPTS):
                if (left := _until_too_late(limit)) is not None and left < WORKER_WAIT_MARGIN_S:
                    break
                if (answer := await self._try(job)) is not None:
                    return answer
            log.info("a quick move stands in for %s", bot)
            return await self._supervisor.run(_stand_in, state, limit)
        finally:
            self._in_flight -= 1

    async def study(self, bot: str, state: State, limit: Limit) -> Thought:
        """Return what `bot` thinks of `state`, at lower priority than all questions, and interrupted by them.

        The time runs from when a worker begins; one that is interrupted answers with what it has found until then.
        Raises Lost when the pool is closed.
        """
        await self._ready(Preparation(bot, state.game.name))
        for _ in range(JOB_ATTEMPTS):
            worker = await self._supervisor.scheduler.take_patiently()
            answer, _ = await self._think_at_leisure(worker, _job(bot, state, replace(limit, started=monotonic())))
            if isinstance(answer, Thought):
                return answer
        raise ValueError(f"{bot} cannot study {state}")

    async def ponder(self, bot: str, state: State, seconds: float) -> None:
        """Let `bot` search `state` while workers are idle, so that the shared table knows more later.

        Returns when the search is complete or the time is over; cancel it to end it earlier.
        """
        job = _job(bot, state, Limit(max(1, round(1000 * seconds))))
        with contextlib.suppress(TimeoutError, Lost):
            async with asyncio.timeout(seconds):
                is_complete = False
                while not is_complete and not self._supervisor.is_closed:
                    worker = await self._supervisor.scheduler.take_patiently()
                    _, is_complete = await self._think_at_leisure(worker, job)

    async def prepare(self, game: str, bots: Sequence[str]) -> AsyncGenerator[str]:
        """Yield each of `bots` when all workers can play `game` as it, without compiling anything any more.

        On a new machine a process of its own compiles first, which takes some seconds a game.
        """
        await self._has_started.wait()
        wanted = [Preparation(bot, game) for bot in bots]
        warm = [one for one in wanted if is_warm(one)]
        for one in warm:
            if await self._prepare(one):
                yield one.bot
        cold = [one.bot for one in wanted if one not in warm]
        async with contextlib.aclosing(self._compile(game, cold)) as done:
            async for bot in done:
                if bot in cold and await self._prepare(Preparation(bot, game)):
                    yield bot

    async def _compile(self, game: str, bots: Sequence[str]) -> AsyncGenerator[str]:
        """Yield each of `bots`, and the one that stands in, when a process of its own has compiled it."""
        if not bots:
            return
        async with self._compilers:
            log.info("compiling what bots need to play %s, once on this machine", game)
            missing = {"greedy", *bots}
            async with contextlib.aclosing(compiled(game, ("greedy", *bots))) as done:
                async for bot in done:
                    missing.remove(bot)
                    yield bot
            if missing:
                log.error("not everything for %s could be compiled", game)

    async def _ready(self, wanted: Preparation) -> None:
        """Return when workers can be asked for what was perhaps never prepared; they load it when asked."""
        if wanted in self._prepared:
            return
        async with self._preparing:
            if self._size > 1 and not is_warm(wanted):
                # Several workers would compile the same at once, which takes longer than one process of its own.
                async for _ in self._compile(wanted.game, [wanted.bot]):
                    pass
            await self._expect(wanted)
            self._prepared.add(wanted)

    async def _expect(self, wanted: Preparation) -> None:
        """Have new workers load what `wanted` needs, and load the game here too, for quick moves that stand in."""
        if wanted not in self._supervisor.preparations:
            self._supervisor.preparations.append(wanted)
        if wanted.game not in self._stands_in:
            self._stands_in.add(wanted.game)
            await self._supervisor.run(_stand_in, engine.load(wanted.game).start(), Limit())

    async def _prepare(self, wanted: Preparation) -> bool:
        """Have all workers, and those started later, load what `wanted` needs; say whether the bot can play."""
        await self._expect(wanted)
        for worker in tuple(self._supervisor.workers):
            if wanted not in worker.prepared and await self._supervisor.scheduler.take_this(worker):
                await self._supervisor.load(worker, [wanted])
        self._prepared.add(wanted)
        if self._supervisor.is_closed:
            return False
        return not any(worker.prepared.get(wanted) is False for worker in self._supervisor.workers)

    async def _try(self, job: ThinkJob) -> Thought | None:
        """Return the answer of the first worker that is free; None, with a line in the log, when it is lost."""
        try:
            answer = await self._ask_first_free(job)
        except TimeoutError:
            log.warning("no worker was free while %s had time", job.bot)
            return None
        except Lost as lost:
            if self._supervisor.is_closed:
                raise
            log.warning("a worker was lost while %s thought: %s in %s", job.bot, lost, job.position)
            return None
        if isinstance(answer, Failed):
            log.error("%s failed in %s: %s", job.bot, job.position, answer.error)
            return None
        return answer

    async def _ask_first_free(self, job: ThinkJob) -> Thought | Failed:
        # Without a clock bots share nothing, so that answers are reproducible.
        gains_from_help = job.seed is None and job.limit.time is not None and _gains_from_help(job)
        left = _until_too_late(job.limit)
        async with asyncio.timeout(None if left is None else max(0.0, left - WORKER_WAIT_MARGIN_S)):
            worker = await self._supervisor.scheduler.take()
        helpers: list[asyncio.Event] = []
        asking: asyncio.Future[Thought | Failed] | None = None
        self._thinking.add(worker)
        try:
            job = await self._loaded(worker, job)
            limit, timeout_s, patience_s = self._fair(job.limit)
            job = replace(job, limit=limit)
            asking = self._supervisor.ask(worker, job, timeout_s, patience_s)
            if gains_from_help:
                for helper in self._spare_workers(job):
                    helpers.append(asyncio.Event())
                    self._start_at_leisure(helper, job, helpers[-1])
            answer = await asyncio.shield(asking)
        except BaseException as error:
            # Its answer to this job would be taken for that to the next one.
            if asking is not None and isinstance(error, asyncio.CancelledError):
                self._supervisor.chore(self._supervisor.recall(worker, asking), "recall worker")
            else:
                self._supervisor.replace(worker)
            raise
        finally:
            self._thinking.discard(worker)
            for called_away in helpers:
                called_away.set()
        self._supervisor.scheduler.give(worker)
        return answer

    async def _loaded(self, worker: Worker, job: ThinkJob) -> ThinkJob:
        """Return `job` when the worker has loaded what it needs; after loading, its time begins anew."""
        wanted = Preparation(job.bot, job.game)
        if wanted in worker.prepared:
            return job
        await self._supervisor.run(worker.prepare, wanted)
        return replace(job, limit=replace(job.limit, started=monotonic()))

    def _spare_workers(self, job: ThinkJob) -> Iterator[Worker]:
        """Yield the free workers that have loaded what the job needs; have the others load it."""
        while (worker := self._supervisor.scheduler.take_spare()) is not None:
            wanted = Preparation(job.bot, job.game)
            if wanted in worker.prepared:
                yield worker
            else:
                self._supervisor.chore(self._supervisor.load(worker, [wanted]), "load")

    def _fair(self, limit: Limit) -> tuple[Limit, float | None, float]:
        """Return the limit of a search that begins now, and for how many seconds of CPU time, and at most, to wait.

        When more jobs run than workers, each gets its share of the time and nothing beyond, so that none is late.
        """
        if limit.time is None or limit.remaining is None:
            return limit, None, 0.0
        share = min(1.0, self._size / self._in_flight)
        fair = limit.time / 1000 * share
        seconds = max(min(fair, limit.remaining), min(fair, LATE_JOB_TIME_MS / 1000))
        # What the job waited for a worker is gone.
        left = limit.longest / 1000 - (monotonic() - limit.started) - seconds if limit.longest is not None else 0.0
        extension = max(0.0, left) if share == 1.0 else 0.0
        timeout_s = seconds + extension + HANG_GRACE_S
        patience_s = STARVED_FACTOR * timeout_s
        if limit.grace is not None:
            left_s = _until_too_late(limit) or 0.0
            timeout_s, patience_s = min(timeout_s, left_s), min(patience_s, left_s - STAND_IN_S)
        time, longest = (max(1, round(1000 * most)) for most in (seconds, seconds + extension))
        return replace(limit, time=time, longest=longest, started=monotonic()), timeout_s, patience_s

    async def _think_at_leisure(self, worker: Worker, job: ThinkJob) -> tuple[Thought | Failed | None, bool]:
        """Have a worker answer `job` at leisure; return the answer, if any, and whether it was not interrupted."""
        away = asyncio.Event()
        thinking = self._start_at_leisure(worker, job, away)
        try:
            answer = None if thinking is None else await asyncio.shield(thinking)
            return answer, not away.is_set()
        finally:
            away.set()

    def _start_at_leisure(
        self, worker: Worker, job: ThinkJob, away: asyncio.Event
    ) -> asyncio.Task[Thought | Failed | None] | None:
        """Have a worker answer `job` until `away` is set, here or by the scheduler; the task has the answer."""
        self._supervisor.scheduler.works_at_leisure(worker, away.set)
        self._at_leisure.add(worker)
        asking = self._supervisor.ask(worker, job, None)

        async def watch() -> Thought | Failed | None:
            leaving = asyncio.ensure_future(away.wait())
            try:
                await asyncio.wait((asking, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                leaving.cancel()
                self._at_leisure.discard(worker)
            return await self._supervisor.recall(worker, asking)

        return self._supervisor.chore(watch(), "leisure")


def _pids(workers: Iterable[Worker]) -> tuple[int, ...]:
    return tuple(worker.process.pid or 0 for worker in workers)


def _job(bot: str, state: State, limit: Limit, seed: int | None = None) -> ThinkJob:
    return ThinkJob(bot, state.game.name, dict(state.game.options), str(state), limit, seed)


def _until_too_late(limit: Limit) -> float | None:
    """Return the seconds until an answer is too late; None without a deadline."""
    if limit.deadline is None:
        return None
    grace = HANG_GRACE_S if limit.grace is None else limit.grace / 1000
    return max(0.0, limit.deadline + grace - monotonic())


def _gains_from_help(job: ThinkJob) -> bool:
    return _known_gain(job.bot, engine.load(job.game, **job.options))


@functools.lru_cache(maxsize=256)
def _known_gain(bot: str, game: Game) -> bool:
    try:
        return create(bot).gains_from_help(game)
    except ValueError:
        return False


def _stand_in(state: State, limit: Limit) -> Thought:
    """Return a quick move without a worker: the greedy one, or a random one if there is no time or that fails."""
    left = _until_too_late(limit)
    try:
        if left is None or left > GREEDY_TIME_MIN_S:
            return create("greedy").choose(
                state, Limit(LATE_JOB_TIME_MS if left is None else min(LATE_JOB_TIME_MS, round(500 * left)))
            )
    except Exception:
        log.exception("the stand-in failed in %s", state)
    return Thought(random.choice(state.moves()))
