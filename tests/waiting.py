"""Waiting for what is to come, with a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

__all__ = ["TIMEOUT_S", "until"]

TIMEOUT_S: Final = 60.0
"""Seconds after which a test that waits has failed."""


async def until(is_so: Callable[[], object], *, every: float = 0.0) -> None:
    """Let the other tasks of the loop go on until `is_so()` holds; it is an assertion that it ever does.

    What other processes do is looked at `every` so many seconds, since they need the processor meanwhile.
    """
    now = asyncio.get_running_loop().time
    deadline = now() + TIMEOUT_S
    while not is_so():
        assert now() < deadline, "it never came to that"
        await asyncio.sleep(every)
