"""Which worker does what: questions come first, and whoever only fills the time is called away for them."""

from __future__ import annotations

import asyncio
from bisect import insort
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TypeAlias

from bots.process import Worker

__all__ = ["Rota"]

_Queue: TypeAlias = deque[asyncio.Future[Worker]]


class Rota:
    """Who is free, who waits for a worker, and who works at leisure."""

    def __init__(self) -> None:
        self._free: list[Worker] = []
        self._waiting: _Queue = deque()
        self._patient: _Queue = deque()
        self._claims: dict[Worker, _Queue] = {}
        self._at_leisure: dict[Worker, Callable[[], None]] = {}

    async def take(self) -> Worker:
        """Return the first worker that is free; one that works at leisure is called away if none is."""
        if self._free:
            # The first desk is the one whose search is plain; the others' are made to differ from it.
            return self._free.pop(0)
        if self._at_leisure:
            _, call_away = self._at_leisure.popitem()
            call_away()
        return await self._wait_in(self._waiting)

    def take_spare(self) -> Worker | None:
        """Return a worker that nobody needs now, if there is one."""
        return self._free.pop() if self._free else None

    async def take_patiently(self) -> Worker:
        """Return a worker once there is one that nobody else needs."""
        return self._free.pop() if self._free else await self._wait_in(self._patient)

    async def take_this(self, worker: Worker) -> bool:
        """Take a certain worker once it is free; False when it was lost before."""
        if worker in self._free:
            self._free.remove(worker)
            return True
        if call_away := self._at_leisure.pop(worker, None):
            call_away()
        try:
            await self._wait_in(self._claims.setdefault(worker, deque()))
        except LookupError:
            return False
        return True

    def works_at_leisure(self, worker: Worker, call_away: Callable[[], None]) -> None:
        """Take note that `worker` can be had: `call_away` makes it free within milliseconds, and is called once."""
        self._at_leisure[worker] = call_away

    def give(self, worker: Worker) -> None:
        """Take a worker that is free again, for whoever waits."""
        self._at_leisure.pop(worker, None)
        for queue in (self._waiting, self._claims.get(worker, deque()), self._patient):
            while queue:
                future = queue.popleft()
                if not future.done():
                    future.set_result(worker)
                    return
        self._claims.pop(worker, None)
        insort(self._free, worker, key=lambda other: other.desk.number)

    def drop(self, worker: Worker) -> None:
        """Forget a worker that is lost."""
        self._at_leisure.pop(worker, None)
        for future in self._claims.pop(worker, ()):
            if not future.done():
                future.set_exception(LookupError("this worker is lost"))
        if worker in self._free:
            self._free.remove(worker)

    async def _wait_in(self, queue: _Queue) -> Worker:
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
