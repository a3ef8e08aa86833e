"""Worker processes that choose moves. One that crashes or hangs is replaced, and its move is made all the same.

Every question has one worker's answer. Where its bot gains from it, workers that nobody else needs help, and think
ahead while opponents do; another question calls them away within milliseconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import random
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from time import monotonic
from typing import Final

from cornered import engine
from cornered.bots.bot import Limit, Thought
from cornered.bots.pool.supervisor import GRACE, Supervisor
from cornered.bots.pool.warming import Preparation, compiled, is_warm
from cornered.bots.pool.worker_main import Failed, Job
from cornered.bots.pool.worker_process import Lost, Worker, start_fork_server
from cornered.bots.roster import create
from cornered.bots.search.memory import Memory
from cornered.clients.sdk import unwrapped_errors
from cornered.engine import State

__all__ = ["GRACE", "Pool"]

LATE_JOB_TIME_MS: Final = 50
"""Milliseconds for a job whose time went by in the queue, and for the move that stands in for a lost one."""
WAITING: Final = 0.1
"""Seconds before it is too late at which nobody waits for a free worker any more."""
GREEDY_TIME_MIN_S: Final = 0.03
"""Seconds before it is too late within which only a move without any thought is quick enough."""
ATTEMPTS: Final = 3
COMPILERS: Final = 2
"""Processes that compile at the same time: each waits for the other half of the time."""

log = logging.getLogger("cornered.pool")


class Pool:
    """Some worker processes and the jobs that wait for them. Get it from `Pool.open`."""

    def __init__(self, size: int, supervisor: Supervisor) -> None:
        self._size = size
        self._supervisor = supervisor
        self._prepared: set[Preparation] = set()
        self._preparing = asyncio.Lock()
        self._compilers = asyncio.Semaphore(COMPILERS)
        self._stands_in: set[str] = set()
        self._in_flight = 0
        self._thinking: set[Worker] = set()
        self._at_leisure: set[Worker] = set()

    @classmethod
    @asynccontextmanager
    async def open(
        cls, size: int | None = None, bots: Sequence[str] = (), *, all_workers: bool = False
    ) -> AsyncIterator[Pool]:
        """Start `size` workers, by default one a core but one, and end them with the `async with` block.

        Enters the block when the first worker has started, or all of them with `all_workers`: then no search spends its
        time on the start of its worker. Workers come with what `bots` need, as far as that has been compiled before;
        for what has not, see `prepare`.
        """
        count = size or max(1, (os.cpu_count() or 1) - 1)
        threads = ThreadPoolExecutor(3 * count + 4, thread_name_prefix="pool")
        memory = Memory.create(workers=count)
        try:
            with unwrapped_errors():
                async with asyncio.TaskGroup() as tasks:
                    supervisor = Supervisor(memory, tasks, threads)
                    try:
                        await supervisor.run(start_fork_server, bots)
                        await supervisor.hire(0)
                        hiring = [supervisor.chore(supervisor.hire(slot), "hire") for slot in range(1, count)]
                        if all_workers:
                            await asyncio.gather(*filter(None, hiring))
                        yield cls(count, supervisor)
                    finally:
                        await supervisor.close()
        finally:
            memory.unlink()
            memory.close()
            threads.shutdown(wait=False)

    @property
    def memory(self) -> str:
        """The name of the memory that the workers share."""
        assert self._supervisor.memory.name is not None
        return self._supervisor.memory.name

    @property
    def processes(self) -> tuple[int, ...]:
        """The process ids of all workers that have started."""
        return tuple(worker.process.pid or 0 for worker in self._supervisor.workers)

    @property
    def thinking(self) -> tuple[int, ...]:
        """The process ids of the workers that are answering questions now."""
        return tuple(worker.process.pid or 0 for worker in self._thinking)

    @property
    def at_leisure(self) -> tuple[int, ...]:
        """The process ids of the workers that help others or think ahead now."""
        return tuple(worker.process.pid or 0 for worker in self._at_leisure)

    async def choose(self, bot: str, state: State, limit: Limit, *, seed: int | None = None) -> Thought:
        """Return what `bot` plays in `state`, within `limit` and a moment more, whatever happens to the workers.

        A worker that dies is replaced by another while there is time; after that, a quick move stands in. With a
        `seed` one worker answers on its own, so that with a limit of depth or nodes the answer is always the same.
        What was never prepared is prepared first, and the time runs from then on. Raises Lost when the pool is closed.
        """
        wanted = Preparation(bot, state.game.name)
        if wanted not in self._prepared:
            await self._ready(wanted)
            limit = replace(limit, started=monotonic())
        self._in_flight += 1
        try:
            job = _job(bot, state, limit, seed)
            for _ in range(ATTEMPTS):
                if (left := _until_too_late(limit)) is not None and left < WAITING:
                    break
                if (answer := await self._try(job)) is not None:
                    return answer
            log.info("a quick move stands in for %s", bot)
            return await self._supervisor.run(_stand_in, state, limit)
        finally:
            self._in_flight -= 1

    async def study(self, bot: str, state: State, limit: Limit) -> Thought:
        """Return what `bot` thinks of `state` when nobody waits for it: after all questions, and interrupted by them.

        The time runs from when a worker begins; one that is called away tells what it has found until then. Raises
        Lost when the pool is closed.
        """
        await self._ready(Preparation(bot, state.game.name))
        for _ in range(ATTEMPTS):
            worker = await self._supervisor.scheduler.take_patiently()
            job = _job(bot, state, replace(limit, started=monotonic()))
            away = asyncio.Event()
            thinking = self._spend_leisure(worker, job, away)
            try:
                if thinking is not None and isinstance(answer := await asyncio.shield(thinking), Thought):
                    return answer
            finally:
                away.set()
        raise ValueError(f"{bot} cannot study {state}")

    async def ponder(self, bot: str, state: State, seconds: float) -> None:
        """Let `bot` think about `state` for as long as a worker has nothing else to do, so that it knows more later.

        Returns when it has thought to the end or the time is over; to end it earlier, cancel it.
        """
        job = _job(bot, state, Limit(max(1, round(1000 * seconds))))
        with contextlib.suppress(TimeoutError, Lost):
            async with asyncio.timeout(seconds):
                while not self._supervisor.is_closed and not await self._think_ahead(
                    await self._supervisor.scheduler.take_patiently(), job
                ):
                    pass

    async def prepare(self, game: str, bots: Sequence[str]) -> AsyncGenerator[str]:
        """Yield each of `bots` when all workers can play `game` as it, without compiling anything any more.

        On a new machine a process of its own compiles first, which takes some seconds a game.
        """
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
        """Return when it makes sense to ask workers for what was perhaps never prepared; they load it when asked."""
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
        """Let new workers come with what `wanted` needs, and load it here too, where stand-ins must come at once."""
        if wanted not in self._supervisor.preparations:
            self._supervisor.preparations.append(wanted)
        if wanted.game not in self._stands_in:
            self._stands_in.add(wanted.game)
            await self._supervisor.run(_stand_in, engine.load(wanted.game).start(), Limit())

    async def _prepare(self, wanted: Preparation) -> bool:
        """Have all workers that there are, and all that follow, load what `wanted` needs; say whether the bot can."""
        await self._expect(wanted)
        for worker in tuple(self._supervisor.workers):
            if wanted not in worker.prepared and await self._supervisor.scheduler.take_this(worker):
                await self._supervisor.load(worker, [wanted])
        self._prepared.add(wanted)
        if self._supervisor.is_closed:
            return False
        return not any(worker.prepared.get(wanted) is False for worker in self._supervisor.workers)

    async def _try(self, job: Job) -> Thought | None:
        """Return the answer of whatever worker is free first; None when it is lost, and the log says how."""
        try:
            answer = await self._ask_somebody(job)
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

    async def _ask_somebody(self, job: Job) -> Thought | Failed:
        # Without a clock bots share nothing, so that they give the same answer every time.
        gains_from_help = job.seed is None and job.limit.time is not None and _gains_from_help(job.bot)
        left = _until_too_late(job.limit)
        async with asyncio.timeout(None if left is None else max(0.0, left - WAITING)):
            worker = await self._supervisor.scheduler.take()
        helpers: list[asyncio.Event] = []
        asking: asyncio.Future[Thought | Failed] | None = None
        self._thinking.add(worker)
        try:
            job = await self._loaded(worker, job)
            limit, patience = self._fair(job.limit)
            job = replace(job, limit=limit)
            asking = self._supervisor.ask(worker, job, patience)
            if gains_from_help:
                for helper in self._spare_workers(job):
                    helpers.append(asyncio.Event())
                    self._spend_leisure(helper, job, helpers[-1])
            answer = await asyncio.shield(asking)
        except BaseException as error:
            # What it still thinks about would answer the next question.
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

    async def _loaded(self, worker: Worker, job: Job) -> Job:
        """Return `job` when the worker has loaded what it needs; if there was anything to load its time begins then."""
        wanted = Preparation(job.bot, job.game)
        if wanted in worker.prepared:
            return job
        await self._supervisor.run(worker.prepare, wanted)
        return replace(job, limit=replace(job.limit, started=monotonic()))

    def _spare_workers(self, job: Job) -> Iterator[Worker]:
        """Yield the workers that nobody needs; those that would have to load something first do that instead."""
        while (worker := self._supervisor.scheduler.take_spare()) is not None:
            wanted = Preparation(job.bot, job.game)
            if wanted in worker.prepared:
                yield worker
            else:
                self._supervisor.chore(self._supervisor.load(worker, [wanted]), "load")

    def _fair(self, limit: Limit) -> tuple[Limit, float | None]:
        """Return the limit of a search that begins now, and for how many seconds to wait for it.

        When more jobs run than workers, each gets its share of the time, so that none comes too late.
        """
        if limit.time is None or limit.remaining is None:
            return limit, None
        share = min(1.0, self._size / self._in_flight)
        fair = limit.time / 1000 * share
        seconds = max(min(fair, limit.remaining), min(fair, LATE_JOB_TIME_MS / 1000))
        patience = seconds + GRACE
        if limit.grace is not None:
            patience = min(patience, _until_too_late(limit) or 0.0)
        return replace(limit, time=max(1, round(1000 * seconds)), started=monotonic()), patience

    async def _think_ahead(self, worker: Worker, job: Job) -> bool:
        """Have a worker think about `job` at leisure; say whether it came to an end, or was called away."""
        away = asyncio.Event()
        thinking = self._spend_leisure(worker, job, away)
        try:
            if thinking is not None:
                await asyncio.shield(thinking)
            return not away.is_set()
        finally:
            away.set()

    def _spend_leisure(
        self, worker: Worker, job: Job, away: asyncio.Event
    ) -> asyncio.Task[Thought | Failed | None] | None:
        """Have a worker think about `job` until `away` is set, or somebody else needs it; the task has its answer."""
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


def _job(bot: str, state: State, limit: Limit, seed: int | None = None) -> Job:
    return Job(bot, state.game.name, dict(state.game.options), str(state), limit, seed)


def _until_too_late(limit: Limit) -> float | None:
    """Return the seconds until an answer is of no use any more; None when there is always time."""
    if limit.deadline is None:
        return None
    grace = GRACE if limit.grace is None else limit.grace / 1000
    return max(0.0, limit.deadline + grace - monotonic())


@functools.cache
def _gains_from_help(bot: str) -> bool:
    try:
        return create(bot).helps
    except ValueError:
        return False


def _stand_in(state: State, limit: Limit) -> Thought:
    """Return a quick move that needs no worker: the greedy one, or any if there is no time or even that fails."""
    left = _until_too_late(limit)
    try:
        if left is None or left > GREEDY_TIME_MIN_S:
            return create("greedy").choose(
                state, Limit(LATE_JOB_TIME_MS if left is None else min(LATE_JOB_TIME_MS, round(500 * left)))
            )
    except Exception:
        log.exception("the stand-in failed in %s", state)
    return Thought(random.choice(state.moves()))
