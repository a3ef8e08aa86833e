"""A deadline as a timer thread: kernels release the GIL and poll a flag that its callback sets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final

__all__ = ["deadline_timer"]

LOOK_INTERVAL_S: Final = 0.005


@contextmanager
def deadline_timer(
    remaining: float | None,
    on_expiry: Callable[[], None],
    extension: float = 0.0,
    is_unsettled: Callable[[], bool] = lambda: False,
) -> Iterator[None]:
    """Call `on_expiry` after `remaining` seconds unless the block has ended: at once for 0, never for None. While
    `is_unsettled`, which another thread asks, it is called later, by the seconds of `extension` at most."""
    if remaining is None:
        yield
        return
    if remaining <= 0:
        on_expiry()
        yield
        return
    has_ended = threading.Event()
    latest = monotonic() + remaining + extension

    def expire() -> None:
        try:
            while monotonic() < latest and is_unsettled():
                if has_ended.wait(LOOK_INTERVAL_S):
                    return
        finally:
            if not has_ended.is_set():
                on_expiry()

    timer = threading.Timer(remaining, expire)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        has_ended.set()
        timer.cancel()
        # Joined, or the callback could still run during the next search.
        timer.join()
