"""An event loop whose clock jumps to its next timer instead of waiting for it.

A test marked `virtual_time` runs on this loop: every delay in it is exact and costs a millisecond. Time passes only
while nothing happens in the loop, so its sockets have both ends there. While a thread of the loop's executor works, the
clock is the system's.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar, TypeVarTuple

__all__ = ["VirtualTimeLoop", "after"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

TURN_S: Final = 1e-5
"""What one turn of the loop takes, so that a task that only yields comes to its deadline too."""
DELIVERY_S: Final = 0.001
"""Real seconds that the operating system is given to deliver what was written to a socket, before the clock jumps."""


class _Selector(selectors.DefaultSelector):
    """Moves the loop's clock on where the loop would wait for a timer."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.threads_at_work = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.now += TURN_S
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        began = time.monotonic()
        ready = super().select(timeout if self.threads_at_work else DELIVERY_S)
        if self.threads_at_work:
            self.now += time.monotonic() - began
        elif not ready:
            self.now += timeout
        return ready


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Begins at 0 s."""

    def __init__(self) -> None:
        self._clock = _Selector()
        super().__init__(self._clock)

    def time(self) -> float:
        return self._clock.now

    def run_in_executor(self, executor: Any, func: Callable[[*Ts], T], *args: *Ts) -> asyncio.Future[T]:
        future = super().run_in_executor(executor, func, *args)
        self._clock.threads_at_work += 1
        future.add_done_callback(self._thread_is_done)
        return future

    def _thread_is_done(self, future: object) -> None:
        self._clock.threads_at_work -= 1


async def after(seconds: float) -> None:
    """Return when nothing has happened in the loop for so long, or so much later than now."""
    assert isinstance(asyncio.get_running_loop(), VirtualTimeLoop), "the test is not marked virtual_time"
    await asyncio.sleep(seconds)
