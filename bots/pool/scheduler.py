"""Which job gets which worker: questions come first, and interrupt jobs that only use idle workers."""

from __future__ import annotations

import asyncio
from bisect import insort
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias
from weakref import WeakSet

from cornered.bots.pool.worker_process import Worker
from cornered.clients.sdk.worker_process import Lost

__all__ = ["Scheduler"]

POOL_CLOSED: Final = "the pool is closed"

_Queue: TypeAlias = deque[asyncio.Future[Worker]]


class Scheduler:
    """The workers that are free, the jobs that wait for one, and the workers at leisure: at jobs that give way."""

    def __init__(self) -> None:
        self._free: list[Worker] = []
        self._waiting: _Queue = deque()
        self._patient: _Queue = deque()
        self._claims: dict[Worker, _Queue] = {}
        self._at_leisure: dict[Worker, Callable[[], None]] = {}
        self._lost: WeakSet[Worker] = WeakSet()
        self._is_closed = False

    async def take(self) -> Worker:
        """Return the first worker that is free; if none is, interrupt one at leisure and wait.

        Raises Lost when the scheduler is closed first.
        """
        if self._free:
            # The first slot searches plainly; the searches of the others are made to differ from it.
            return self._free.pop(0)
        if self._at_leisure:
            _, call_away = self._at_leisure.popitem()
            call_away()
        return await self._wait_in(self._waiting)

    def take_spare(self) -> Worker | None:
        """Return a free worker without waiting, if there is one."""
        return self._free.pop() if self._free else None

    async def take_patiently(self) -> Worker:
        """Return a worker once one is free and no other kind of job waits for it. Raises Lost as `take` does."""
        return self._free.pop() if self._free else await self._wait_in(self._patient)

    async def take_this(self, worker: Worker) -> bool:
        """Take a certain worker once it is free; False when it is lost or the scheduler closed before that."""
        if worker in self._lost:
            # Its claim would never be answered.
            return False
        if worker in self._free:
            self._free.remove(worker)
            return True
        if call_away := self._at_leisure.pop(worker, None):
            call_away()
        try:
            await self._wait_in(self._claims.setdefault(worker, deque()))
        except Lost:
            return False
        return True

    def works_at_leisure(self, worker: Worker, call_away: Callable[[], None]) -> None:
        """Register that `worker` gives way: `call_away` frees it within milliseconds, and is called at most once.

        It is called at once where a job has begun to wait for the worker since it was taken.
        """
        # Between `give` and the next step of the task that takes the worker, it cannot be called away.
        if any(not future.done() for future in (*self._waiting, *self._claims.get(worker, ()))):
            call_away()
        else:
            self._at_leisure[worker] = call_away

    def give(self, worker: Worker) -> None:
        """Return a worker that is free again; the next job that waits gets it."""
        self._at_leisure.pop(worker, None)
        if self._is_closed:
            return
        for queue in (self._waiting, self._claims.get(worker, deque()), self._patient):
            while queue:
                future = queue.popleft()
                if not future.done():
                    future.set_result(worker)
                    return
        self._claims.pop(worker, None)
        insort(self._free, worker, key=lambda other: other.slot.number)

    def drop(self, worker: Worker) -> None:
        """Remove a worker that is lost."""
        self._lost.add(worker)
        self._at_leisure.pop(worker, None)
        _fail_all(self._claims.pop(worker, deque()), "this worker is lost")
        if worker in self._free:
            self._free.remove(worker)

    def close(self) -> None:
        """Fail all jobs that wait, and those that come later, with Lost."""
        self._is_closed = True
        self._free.clear()
        self._at_leisure.clear()
        for queue in (self._waiting, self._patient, *self._claims.values()):
            _fail_all(queue, POOL_CLOSED)
        self._claims.clear()

    async def _wait_in(self, queue: _Queue) -> Worker:
        if self._is_closed:
            raise Lost(POOL_CLOSED)
        future: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        queue.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            # A worker that was given in the step in which its taker was cancelled goes to the next one.
            if future.done() and not future.cancelled() and future.exception() is None:
                self.give(future.result())
            with suppress(ValueError):
                queue.remove(future)
            raise


def _fail_all(queue: _Queue, why: str) -> None:
    while queue:
        future = queue.popleft()
        if not future.done():
            future.set_exception(Lost(why))
