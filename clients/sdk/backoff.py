"""Exponential backoff with full jitter, and retries after transient refusals."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import Final, TypeAlias, TypeVar

from cornered.clients.sdk.errors import CommandRefused

__all__ = ["Backoff", "full_jitter", "retry"]

FIRST_CEILING_S: Final = 0.25
MAX_CEILING_S: Final = 15.0

Backoff: TypeAlias = Callable[[], Iterator[float]]
"""Returns a new sequence of waits between attempts, in seconds."""

T = TypeVar("T")


def full_jitter() -> Iterator[float]:
    """Yield waits drawn uniformly from 0 up to a ceiling that doubles up to `MAX_CEILING_S`.

    The full range spreads the reconnections of many clients of a restarted server.
    """
    ceiling = FIRST_CEILING_S
    while True:
        yield random.uniform(0.0, ceiling)
        ceiling = min(MAX_CEILING_S, ceiling * 2)


async def retry(ask: Callable[[], Awaitable[T]]) -> T:
    """Return the result of `ask`, called again after each transient refusal. Raises CommandRefused for any other."""
    while True:
        try:
            return await ask()
        except CommandRefused as refusal:
            if refusal.pause is None:
                raise
            pause = refusal.pause
        await asyncio.sleep(pause)
