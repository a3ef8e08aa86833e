"""How long to wait before trying again."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

__all__ = ["Backoff", "jittered"]

FIRST: Final = 0.25
LONGEST: Final = 15.0

Backoff: TypeAlias = Callable[[], Iterator[float]]
"""Makes the waits, in seconds, of one row of attempts."""


def jittered() -> Iterator[float]:
    """Yield waits that double up to a limit, each drawn between nothing and that much.

    Drawing from the whole range ("full jitter") keeps the clients of a restarted server from coming back in step.
    """
    ceiling = FIRST
    while True:
        yield random.uniform(0.0, ceiling)
        ceiling = min(LONGEST, ceiling * 2)
