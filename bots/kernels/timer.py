"""An alarm that rings in another thread: kernels let go of the interpreter, and look at a number that it sets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["deadline_timer"]


@contextmanager
def deadline_timer(remaining: float | None, ring: Callable[[], None]) -> Iterator[None]:
    """Call `ring` in so many seconds unless the block has ended by then: at once if none remain, never for None."""
    if remaining is None:
        yield
        return
    if remaining <= 0:
        ring()
        yield
        return
    timer = threading.Timer(remaining, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        # Joined, or it could still ring during the next search.
        timer.join()
