"""A deadline as a timer thread: kernels release the GIL and poll a flag that its callback sets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["deadline_timer"]


@contextmanager
def deadline_timer(remaining: float | None, on_expiry: Callable[[], None]) -> Iterator[None]:
    """Call `on_expiry` after `remaining` seconds unless the block has ended: at once for 0, never for None."""
    if remaining is None:
        yield
        return
    if remaining <= 0:
        on_expiry()
        yield
        return
    timer = threading.Timer(remaining, on_expiry)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        # Joined, or the callback could still run during the next search.
        timer.join()
