"""A timer that is more precise than those of event loops, whose whole milliseconds would be added to each latency."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["LoopTimer", "monotonic_timer"]

_TFD_FLAGS: Final = os.O_NONBLOCK | getattr(os, "O_CLOEXEC", 0) if sys.platform == "linux" else 0
_TFD_TIMER_ABSTIME: Final = 1


class LoopTimer:
    """Waits by the event loop's own clock."""

    def now(self) -> float:
        return asyncio.get_running_loop().time()

    async def until(self, time: float) -> None:
        await asyncio.sleep(max(0.0, time - self.now()))


class _MonotonicTimer:
    """Waits by the system's monotonic clock, in whole milliseconds of the event loop."""

    def now(self) -> float:
        return time.monotonic()

    async def until(self, time: float) -> None:
        await asyncio.sleep(max(0.0, time - self.now()))


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Itimerspec(ctypes.Structure):
    _fields_ = (("interval", _Timespec), ("value", _Timespec))


class _KernelTimer(_MonotonicTimer):
    """Waits by a timerfd of Linux, which fires within 0.1 ms. One task waits at a time."""

    def __init__(self, descriptor: int, library: ctypes.CDLL) -> None:
        self._descriptor = descriptor
        self._library = library
        self._fired: asyncio.Future[None] | None = None

    async def until(self, time: float) -> None:
        if time <= self.now():
            return
        fired = self._fired = asyncio.get_running_loop().create_future()
        seconds = int(time)
        # An absolute time of 0 would switch the timer off.
        spec = _Itimerspec(_Timespec(0, 0), _Timespec(seconds, max(1, int((time - seconds) * 1e9))))
        if self._library.timerfd_settime(self._descriptor, _TFD_TIMER_ABSTIME, ctypes.byref(spec), None) != 0:
            raise OSError(ctypes.get_errno(), "timerfd_settime failed")
        try:
            await fired
        finally:
            self._fired = None

    def fire(self) -> None:
        """The timer's time has come."""
        with contextlib.suppress(BlockingIOError):
            os.read(self._descriptor, 8)
        if self._fired is not None and not self._fired.done():
            self._fired.set_result(None)


@contextmanager
def monotonic_timer() -> Iterator[_MonotonicTimer]:
    """Lend the most precise timer of this system by `time.monotonic()`, which all processes of a machine share."""
    if sys.platform != "linux":
        yield _MonotonicTimer()
        return
    library = ctypes.CDLL(None, use_errno=True)
    descriptor = library.timerfd_create(time.CLOCK_MONOTONIC, _TFD_FLAGS)
    if descriptor < 0:
        yield _MonotonicTimer()
        return
    loop = asyncio.get_running_loop()
    timer = _KernelTimer(descriptor, library)
    loop.add_reader(descriptor, timer.fire)
    try:
        yield timer
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
