"""The workers of a pool and the memory that they share: hired, loaded, asked, recalled, replaced."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import logging
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from typing import Any, Final, ParamSpec, TypeVar

from cornered.bots.bot import Thought
from cornered.bots.pool.scheduler import Scheduler
from cornered.bots.pool.warming import Preparation
from cornered.bots.pool.worker_main import Failed, Job, WorkerSlot
from cornered.bots.pool.worker_process import Lost, Worker
from cornered.bots.search.memory import Memory

__all__ = ["GRACE", "Supervisor"]

GRACE: Final = 0.25
"""Seconds after its deadline, or after it was told to stop, until a worker counts as hung."""
CLOSE_TIMEOUT_S: Final = 10.0
"""Seconds for which the end waits for a worker that is just starting."""
RETRY: Final = (0.5, 2.0, 10.0)
"""Seconds before a worker that could not start is started again."""

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("cornered.pool")


class Supervisor:
    """Some worker processes, each in a slot of its own. What blocks runs in threads."""

    def __init__(self, memory: Memory, tasks: asyncio.TaskGroup, threads: ThreadPoolExecutor) -> None:
        self.memory = memory
        self.scheduler = Scheduler()
        self.workers: set[Worker] = set()
        self.preparations: list[Preparation] = []
        """What every new worker loads first."""
        self.is_closed = False
        self._tasks = tasks
        self._threads = threads
        self._chores: set[asyncio.Task[Any]] = set()
        self._leaving: set[Future[Any]] = set()

    async def hire(self, slot: int) -> None:
        """Start a worker for a slot, as often as it takes."""
        for wait in itertools.chain(RETRY, itertools.repeat(RETRY[-1])):
            starting = self._threads.submit(Worker.start, self._slot(slot), tuple(self.preparations))
            try:
                worker = await asyncio.wrap_future(starting)
            except Lost as lost:
                log.error("a worker cannot start: %s", lost)
                await asyncio.sleep(wait)
            except asyncio.CancelledError:
                self._leave(self._threads.submit(_end_started, starting))
                raise
            else:
                self.workers.add(worker)
                if missing := [wanted for wanted in self.preparations if wanted not in worker.prepared]:
                    # Asked for while it started.
                    await self.load(worker, missing)
                else:
                    self.scheduler.give(worker)
                return

    def _slot(self, number: int) -> WorkerSlot:
        assert self.memory.name is not None
        return WorkerSlot(number, self.memory.name)

    async def load(self, worker: Worker, wanted: Sequence[Preparation]) -> None:
        """Have a worker that is nobody's now load something, and then be free."""
        try:
            for one in wanted:
                await self.run(worker.prepare, one)
        except Lost as lost:
            log.warning("a worker was lost while it prepared: %s", lost)
            self.replace(worker)
        except BaseException:
            # It may still be at it, and would answer the next question with that.
            self.replace(worker)
            raise
        else:
            self.scheduler.give(worker)

    def ask(self, worker: Worker, job: Job, patience: float | None) -> asyncio.Future[Thought | Failed]:
        """Ask a worker that is nobody else's; the future raises Lost when no answer comes in `patience` seconds."""
        self.memory.resume(worker.slot.number)
        asking = asyncio.get_running_loop().run_in_executor(self._threads, worker.ask, job, patience)
        # Of a worker that is given up nobody wants to hear why it is lost.
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())
        return asking

    async def recall(self, worker: Worker, asking: asyncio.Future[Thought | Failed]) -> Thought | Failed | None:
        """Make a worker free, whatever it still thinks about, and return its answer; without one it is replaced."""
        self.memory.stop(worker.slot.number)
        await asyncio.wait((asking,), timeout=GRACE)
        if asking.done() and asking.exception() is None:
            self.scheduler.give(worker)
            return asking.result()
        self.replace(worker)
        return None

    def replace(self, worker: Worker) -> None:
        """End a worker that is lost, and put a new one in its place as soon as it can be started."""
        self.scheduler.drop(worker)
        if self.is_closed:
            # It ends with all others.
            return
        self.workers.discard(worker)
        # At once, not as part of the chore: one that is cancelled before it begins would do nothing.
        ending = self._leave(self._threads.submit(worker.end))
        self.chore(self._succeed(worker.slot.number, ending), "replace worker")

    async def _succeed(self, slot: int, ending: Future[None]) -> None:
        await asyncio.shield(asyncio.wrap_future(ending))
        await self.hire(slot)

    def _leave(self, ending: Future[T]) -> Future[T]:
        """Remember what must be over before the supervisor has gone."""
        self._leaving.add(ending)
        ending.add_done_callback(self._leaving.discard)
        return ending

    async def close(self) -> None:
        """End all workers; whoever waits for one hears that none will come."""
        self.is_closed = True
        self.scheduler.close()
        for chore in self._chores:
            chore.cancel()
        # What was cancelled says now what it leaves behind.
        await asyncio.sleep(0)
        endings = {*self._leaving, *(self._threads.submit(worker.end) for worker in self.workers)}
        if endings:
            await asyncio.wait([asyncio.wrap_future(ending) for ending in endings], timeout=CLOSE_TIMEOUT_S)

    def chore(self, work: Coroutine[None, None, T], name: str) -> asyncio.Task[T] | None:
        """Have something done for as long as the supervisor is there; None when it has gone."""
        if self.is_closed:
            work.close()
            return None
        try:
            task = self._tasks.create_task(work, name=name)
        except RuntimeError:
            # An error is ending the group, and the supervisor with it; it is the one that is to be heard of.
            work.close()
            return None
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)
        return task

    async def run(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Call a function that blocks."""
        call = functools.partial(function, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)


def _end_started(starting: Future[Worker]) -> None:
    """End a worker that nobody waits for any more."""
    with contextlib.suppress(Lost, CancelledError):
        starting.result().end()
