"""The workers of a pool and the memory that they share: started, loaded, asked, recalled, replaced."""

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
from cornered.bots.pool.worker_main import Failed, ThinkJob, WorkerSlot
from cornered.bots.pool.worker_process import Worker
from cornered.bots.search.memory import SearchMemory
from cornered.clients.sdk.worker_process import Lost

__all__ = ["HANG_GRACE_S", "Supervisor"]

HANG_GRACE_S: Final = 0.25
"""Seconds after its deadline, or after its stop flag was set, until a worker counts as hung."""
CLOSE_TIMEOUT_S: Final = 10.0
"""Seconds for which `close` waits for a worker that is just starting."""
RESTART_WAITS_S: Final = (0.5, 2.0, 10.0)
"""Seconds before a worker that could not start is started again; the last one repeats."""

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("cornered.pool")


class Supervisor:
    """The worker processes, one a slot. Blocking calls run in threads."""

    def __init__(self, memory: SearchMemory, tasks: asyncio.TaskGroup, threads: ThreadPoolExecutor) -> None:
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
        """Start a worker for a slot, again and again until it succeeds."""
        for wait in itertools.chain(RESTART_WAITS_S, itertools.repeat(RESTART_WAITS_S[-1])):
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
                    # Added while it started.
                    await self.load(worker, missing)
                else:
                    self.scheduler.give(worker)
                return

    def _slot(self, number: int) -> WorkerSlot:
        assert self.memory.name is not None
        return WorkerSlot(number, self.memory.name)

    async def load(self, worker: Worker, wanted: Sequence[Preparation]) -> None:
        """Have a worker, which the caller has taken, load something, and return it to the scheduler."""
        try:
            for one in wanted:
                await self.run(worker.prepare, one)
        except Lost as lost:
            log.warning("a worker was lost while it prepared: %s", lost)
            self.replace(worker)
        except BaseException:
            # It may still be loading, and would answer the next request with that.
            self.replace(worker)
            raise
        else:
            self.scheduler.give(worker)

    def ask(
        self, worker: Worker, job: ThinkJob, timeout_s: float | None, patience_s: float = 0.0
    ) -> asyncio.Future[Thought | Failed]:
        """Ask a worker, which the caller has taken; the future raises Lost when no answer comes in `timeout_s`, of CPU
        time for at most `patience_s`."""
        self.memory.resume(worker.slot.number)
        asking = asyncio.get_running_loop().run_in_executor(self._threads, worker.ask, job, timeout_s, patience_s)
        # The exception of a worker that is given up is not awaited.
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())
        return asking

    async def recall(self, worker: Worker, asking: asyncio.Future[Thought | Failed]) -> Thought | Failed | None:
        """Stop a worker's search and return its answer; where none comes within the grace, replace the worker."""
        self.memory.stop(worker.slot.number)
        await asyncio.wait((asking,), timeout=HANG_GRACE_S)
        if asking.done() and asking.exception() is None:
            self.scheduler.give(worker)
            return asking.result()
        self.replace(worker)
        return None

    def replace(self, worker: Worker) -> None:
        """End a worker that is lost, and start another in its slot."""
        self.scheduler.drop(worker)
        if self.is_closed:
            # `close` ends it.
            return
        self.workers.discard(worker)
        # Not in the chore, which does nothing when it is cancelled before it begins.
        ending = self._leave(self._threads.submit(worker.end))
        self.chore(self._succeed(worker.slot.number, ending), "replace worker")

    async def _succeed(self, slot: int, ending: Future[None]) -> None:
        await asyncio.shield(asyncio.wrap_future(ending))
        await self.hire(slot)

    def _leave(self, ending: Future[T]) -> Future[T]:
        """Have `close` wait for a future."""
        self._leaving.add(ending)
        ending.add_done_callback(self._leaving.discard)
        return ending

    async def close(self) -> None:
        """End all workers; what waits for one fails with Lost."""
        self.is_closed = True
        self.scheduler.close()
        for chore in self._chores:
            chore.cancel()
        # The cancelled chores register what they leave behind.
        await asyncio.sleep(0)
        endings = {*self._leaving, *(self._threads.submit(worker.end) for worker in self.workers)}
        if endings:
            await asyncio.wait([asyncio.wrap_future(ending) for ending in endings], timeout=CLOSE_TIMEOUT_S)

    def chore(self, work: Coroutine[None, None, T], name: str) -> asyncio.Task[T] | None:
        """Run a coroutine as a task that ends with the supervisor; return None when that is closed."""
        if self.is_closed:
            work.close()
            return None
        try:
            task = self._tasks.create_task(work, name=name)
        except RuntimeError:
            # An error is ending the task group, and the supervisor with it; it must not be hidden by this one.
            work.close()
            return None
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)
        return task

    async def run(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Call a blocking function in a thread."""
        call = functools.partial(function, *arguments, **named)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)


def _end_started(starting: Future[Worker]) -> None:
    """End a worker whose start was cancelled, once it has started."""
    with contextlib.suppress(Lost, CancelledError):
        starting.result().end()
