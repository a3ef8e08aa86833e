"""Open-loop load: moves become due by a Poisson process whatever the server answers, and latency counts from when a
move was due. So a server that stalls shows the wait of every move that was due meanwhile (no coordinated omission)."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import deque
from collections.abc import Callable, Iterator
from typing import Final, Generic, Protocol, TypeVar

__all__ = ["MAX_BURST", "OpenLoop", "Timer", "poisson"]

MAX_BURST: Final = 200
"""Arrivals that are sent in one step of the event loop when it is late."""

Unit = TypeVar("Unit")


class Timer(Protocol):
    """A clock, and waiting by it."""

    def now(self) -> float:
        """Return the present time in seconds."""

    async def until(self, time: float) -> None:
        """Return at `time`, at once when it has passed."""


def poisson(rate: float, chance: random.Random) -> Iterator[float]:
    """Yield the times of arrivals in seconds from now, `rate` a second on average, without end."""
    return itertools.accumulate(chance.expovariate(rate) for _ in itertools.repeat(None))


class OpenLoop(Generic[Unit]):
    """Gives every arrival to the unit that is free for longest; while none is, arrivals wait with their due times."""

    def __init__(self, send: Callable[[Unit, float], None]) -> None:
        self._send = send
        self._free: deque[Unit] = deque()
        self._due: deque[float] = deque()

    @property
    def waiting(self) -> int:
        """Number of arrivals that wait for a free unit."""
        return len(self._due)

    def release(self, unit: Unit) -> None:
        """Take back a unit whose answer came; it serves the arrival that waits for longest at once."""
        if self._due:
            self._send(unit, self._due.popleft())
        else:
            self._free.append(unit)

    def arrive(self, due: float) -> None:
        """Send one arrival that was due at `due`, now or when a unit is free."""
        if self._free:
            self._send(self._free.popleft(), due)
        else:
            self._due.append(due)

    def drop_waiting(self) -> list[float]:
        """Forget the arrivals that still wait, and return their due times."""
        dropped = list(self._due)
        self._due.clear()
        return dropped

    async def drive(
        self, times: Iterator[float], timer: Timer, start: float, end: float, late: Callable[[float, float], None]
    ) -> None:
        """Send arrivals at `start` plus each of `times` until `end`. `late` gets each due time and how many seconds
        later it was sent: the generator's own delay."""
        in_burst = 0
        for time in times:
            due = start + time
            if due >= end:
                await timer.until(end)
                return
            if timer.now() < due:
                in_burst = 0
                await timer.until(due)
            elif in_burst >= MAX_BURST:
                # Answers are received between bursts: a late generator must not become deaf as well.
                in_burst = 0
                await asyncio.sleep(0)
            in_burst += 1
            late(due, timer.now() - due)
            self.arrive(due)
