"""Worker processes that choose moves. One that crashes or hangs is replaced, and its move is made all the same."""

from __future__ import annotations

import asyncio
import functools
import itertools
import logging
import multiprocessing
import os
import random
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final, ParamSpec, Self, TypeVar

from bots.bot import Limit, Thought
from bots.roster import create
from bots.worker import Failed, Job, Ready, work
from clients.sdk import plainly
from engine import State

__all__ = ["Pool"]

GRACE: Final = 0.25
"""Seconds after its deadline until a worker counts as hung. `clients.sdk.limit.RESERVE` has room for it."""
LATE: Final = 50
"""Milliseconds for a job whose time went by in the queue, and for the move that stands in for a lost one."""
START_PATIENCE: Final = 600.0
"""Seconds that a worker has to start: on a new machine the first one compiles the rules."""
ATTEMPTS: Final = 2
RETRY: Final = (0.5, 2.0, 10.0)
"""Seconds before a worker that could not start is started again."""

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("cornered.pool")


class _Lost(Exception):
    """A worker died or hangs; it is of no use any more."""


@dataclass(eq=False)
class _Worker:
    """A process and the line to it. Everything here blocks, and runs in the pool's threads."""

    process: BaseProcess
    connection: Connection
    ending: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def start(cls) -> Self:
        """Return a worker that is ready. Raises _Lost."""
        # Never fork: a forked process inherits locks of threads that it does not have.
        process: BaseProcess
        here, there = multiprocessing.Pipe()
        if "forkserver" in multiprocessing.get_all_start_methods():
            server = multiprocessing.get_context("forkserver")
            server.set_forkserver_preload(["bots.preload"])
            process = server.Process(target=work, args=(there,), name="bot worker", daemon=True)
        else:
            spawn = multiprocessing.get_context("spawn")
            process = spawn.Process(target=work, args=(there,), name="bot worker", daemon=True)
        process.start()
        there.close()
        worker = cls(process, here)
        try:
            if not here.poll(START_PATIENCE) or not isinstance(here.recv(), Ready):
                raise _Lost("it did not become ready")
        except (EOFError, OSError) as error:
            worker.stop()
            raise _Lost("it died while it started") from error
        return worker

    def ask(self, job: Job, patience: float | None) -> Thought | Failed:
        """Return the answer to `job`. Raises _Lost when none comes within `patience` seconds."""
        try:
            self.connection.send(job)
            if not self.connection.poll(patience):
                raise _Lost("it hangs")
            answer: Thought | Failed = self.connection.recv()
        except (EOFError, OSError) as error:
            raise _Lost("it died") from error
        return answer

    def stop(self) -> None:
        """End the process, whatever it is doing; may be called twice, and by two threads."""
        with self.ending:
            self.process.kill()
            self.process.join()
            self.connection.close()


class Pool:
    """Some worker processes and the jobs that wait for them. Get it from `Pool.open`."""

    def __init__(self, size: int, tasks: asyncio.TaskGroup, threads: ThreadPoolExecutor) -> None:
        self._size = size
        self._tasks = tasks
        self._threads = threads
        self._idle: asyncio.Queue[_Worker] = asyncio.Queue(size)
        self._workers: set[_Worker] = set()
        self._in_flight = 0
        self._thinking: set[_Worker] = set()
        self._chores: set[asyncio.Task[None]] = set()
        self._closed = False

    @classmethod
    @asynccontextmanager
    async def open(cls, size: int | None = None) -> AsyncIterator[Pool]:
        """Start `size` workers, by default one a core but one, and end them with the `async with` block.

        Waits until the first is ready, which takes a minute on a machine that has to compile the rules first.
        """
        count = size or max(1, (os.cpu_count() or 1) - 1)
        threads = ThreadPoolExecutor(2 * count + 2, thread_name_prefix="pool")
        try:
            with plainly():
                async with asyncio.TaskGroup() as tasks:
                    pool = cls(count, tasks, threads)
                    try:
                        # Alone, so that a cold machine compiles once and the others load what it made.
                        await pool._add()
                        for _ in range(count - 1):
                            pool._chore(pool._add(), "start worker")
                        yield pool
                    finally:
                        await pool._close()
        finally:
            threads.shutdown(wait=False)

    @property
    def thinking(self) -> tuple[int, ...]:
        """The process ids of the workers that are at work now."""
        return tuple(worker.process.pid or 0 for worker in self._thinking)

    async def choose(self, bot: str, state: State, limit: Limit) -> Thought:
        """Return what `bot` plays in `state`, within `limit` and a moment more, whatever happens to the workers.

        A worker that dies is replaced by another while there is time; after that, a quick move stands in.
        """
        self._in_flight += 1
        try:
            # When more jobs run than workers, each gets its share of the time, so that none comes too late.
            share = min(1.0, self._size / self._in_flight)
            if limit.time is not None and share < 1.0:
                limit = replace(limit, time=max(1, round(limit.time * share)))
            job = Job(bot, state.game.name, dict(state.game.options), str(state), limit)
            for _ in range(ATTEMPTS):
                if (answer := await self._try(job)) is not None:
                    return answer
                if limit.remaining is not None and limit.remaining * 1000 < LATE:
                    break
            return await self._run(_stand_in, state)
        finally:
            self._in_flight -= 1

    async def _try(self, job: Job) -> Thought | None:
        """Return the answer of whatever worker is free first; None when it is lost, and the log says how."""
        try:
            answer = await self._ask_somebody(job)
        except TimeoutError:
            log.warning("no worker was free while %s had time", job.bot)
            return None
        except _Lost as lost:
            log.warning("a worker was lost while %s thought: %s", job.bot, lost)
            return None
        if isinstance(answer, Failed):
            log.error("%s failed in %s: %s", job.bot, job.position, answer.error)
            return None
        return answer

    async def _ask_somebody(self, job: Job) -> Thought | Failed:
        async with asyncio.timeout(job.limit.remaining):
            worker = await self._idle.get()
        remaining = job.limit.remaining
        if remaining is not None and remaining * 1000 < LATE:
            job = replace(job, limit=Limit(LATE, job.limit.depth, job.limit.nodes, job.limit.lines))
            remaining = LATE / 1000
        patience = None if remaining is None else remaining + GRACE
        self._thinking.add(worker)
        try:
            answer = await self._run(worker.ask, job, patience)
        except (_Lost, asyncio.CancelledError):
            # Also when nobody waits any more: what it still thinks about would answer the next question.
            self._chore(self._replace(worker), "replace worker")
            raise
        finally:
            self._thinking.discard(worker)
        self._idle.put_nowait(worker)
        return answer

    async def _add(self) -> None:
        """Start one more worker, as often as it takes."""
        for wait in itertools.chain(RETRY, itertools.repeat(RETRY[-1])):
            starting = self._threads.submit(_Worker.start)
            try:
                worker = await asyncio.wrap_future(starting)
            except _Lost as lost:
                log.error("a worker cannot start: %s", lost)
                await asyncio.sleep(wait)
            except asyncio.CancelledError:
                starting.add_done_callback(_stop_started)
                raise
            else:
                self._workers.add(worker)
                self._idle.put_nowait(worker)
                return

    async def _replace(self, worker: _Worker) -> None:
        await self._run(worker.stop)
        self._workers.discard(worker)
        await self._add()

    async def _close(self) -> None:
        self._closed = True
        for chore in self._chores:
            chore.cancel()
        for worker in self._workers:
            await self._run(worker.stop)

    def _chore(self, work: Coroutine[None, None, None], name: str) -> None:
        if self._closed:
            work.close()
            return
        task = self._tasks.create_task(work, name=name)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)

    async def _run(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        call = functools.partial(function, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)


def _stop_started(starting: Future[_Worker]) -> None:
    """End a worker that nobody waits for any more."""
    if not starting.cancelled() and starting.exception() is None:
        starting.result().stop()


def _stand_in(state: State) -> Thought:
    """Return a quick move that needs no worker: the greedy one, or any if even that fails."""
    try:
        return create("greedy").choose(state, Limit(LATE))
    except Exception:
        log.exception("the stand-in failed in %s", state)
        return Thought(random.choice(state.moves()))
