"""Which worker does what: questions come first, and whoever only fills the time is called away for them."""

from __future__ import annotations

import asyncio
from bisect import insort
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final, TypeAlias
from weakref import WeakSet

from cornered.bots.pool.worker_process import Lost, Worker

__all__ = ["Scheduler"]

CLOSED: Final = "the pool is closed"

_Queue: TypeAlias = deque[asyncio.Future[Worker]]


class Scheduler:
    """Who is free, who waits for a worker, and who works at leisure."""

    def __init__(self) -> None:
        self._free: list[Worker] = []
        self._waiting: _Queue = deque()
        self._patient: _Queue = deque()
        self._claims: dict[Worker, _Queue] = {}
        self._at_leisure: dict[Worker, Callable[[], None]] = {}
        self._lost: WeakSet[Worker] = WeakSet()
        self._is_closed = False

    async def take(self) -> Worker:
        """Return the first worker that is free; one that works at leisure is called away if none is.

        Raises Lost when the scheduler is closed before there is one.
        """
        if self._free:
            # The first slot is the one whose search is plain; the others' are made to differ from it.
            return self._free.pop(0)
        if self._at_leisure:
            _, call_away = self._at_leisure.popitem()
            call_away()
        return await self._wait_in(self._waiting)

    def take_spare(self) -> Worker | None:
        """Return a worker that nobody needs now, if there is one."""
        return self._free.pop() if self._free else None

    async def take_patiently(self) -> Worker:
        """Return a worker once there is one that nobody else needs. Raises Lost as `take` does."""
        return self._free.pop() if self._free else await self._wait_in(self._patient)

    async def take_this(self, worker: Worker) -> bool:
        """Take a certain worker once it is free; False when it is lost before that, or the scheduler closed."""
        if worker in self._lost:
            # Nobody would ever answer the claim.
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
        """Take note that `worker` can be had: `call_away` makes it free within milliseconds, and is called once.

        At once, where somebody has come for it since it was taken.
        """
        # Between `give` and the next step of whoever was given it, nobody could call it away.
        if any(not future.done() for future in (*self._waiting, *self._claims.get(worker, ()))):
            call_away()
        else:
            self._at_leisure[worker] = call_away

    def give(self, worker: Worker) -> None:
        """Take a worker that is free again, for whoever waits."""
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
        """Forget a worker that is lost."""
        self._lost.add(worker)
        self._at_leisure.pop(worker, None)
        _turn_away(self._claims.pop(worker, deque()), "this worker is lost")
        if worker in self._free:
            self._free.remove(worker)

    def close(self) -> None:
        """Turn away whoever waits or comes from now on: all workers end."""
        self._is_closed = True
        self._free.clear()
        self._at_leisure.clear()
        for queue in (self._waiting, self._patient, *self._claims.values()):
            _turn_away(queue, CLOSED)
        self._claims.clear()

    async def _wait_in(self, queue: _Queue) -> Worker:
        if self._is_closed:
            raise Lost(CLOSED)
        future: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        queue.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            # A worker that came in the very step in which its taker gave up belongs to the next one.
            if future.done() and not future.cancelled() and future.exception() is None:
                self.give(future.result())
            with suppress(ValueError):
                queue.remove(future)
            raise


def _turn_away(queue: _Queue, why: str) -> None:
    while queue:
        future = queue.popleft()
        if not future.done():
            future.set_exception(Lost(why))
