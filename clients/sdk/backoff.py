"""How long to wait before trying again."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator
from typing import Final, TypeAlias, TypeVar

from cornered.clients.sdk.errors import Refused

__all__ = ["Backoff", "insist", "jittered"]

FIRST: Final = 0.25
LONGEST: Final = 15.0

Backoff: TypeAlias = Callable[[], Iterator[float]]
"""Makes the waits, in seconds, of one row of attempts."""

T = TypeVar("T")


def jittered() -> Iterator[float]:
    """Yield waits that double up to a limit, each drawn between nothing and that much.

    Drawing from the whole range ("full jitter") keeps the clients of a restarted server from coming back in step.
    """
    ceiling = FIRST
    while True:
        yield random.uniform(0.0, ceiling)
        ceiling = min(LONGEST, ceiling * 2)


async def insist(ask: Callable[[], Awaitable[T]]) -> T:
    """Return what `ask` does, called again after every refusal that passes. Raises Refused for any other."""
    while True:
        try:
            return await ask()
        except Refused as refusal:
            if refusal.pause is None:
                raise
            pause = refusal.pause
        await asyncio.sleep(pause)
