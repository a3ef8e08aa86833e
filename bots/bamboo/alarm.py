"""An alarm that rings in another thread: kernels let go of the interpreter, and look at a number that it sets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bots.bot import Limit

__all__ = ["alarm"]


@contextmanager
def alarm(limit: Limit, ring: Callable[[], None]) -> Iterator[None]:
    """Call `ring` when the limit's time is over, at once if it is, unless the block has ended by then."""
    remaining = limit.remaining
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
