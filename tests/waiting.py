"""Waiting for what is to come, with a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

__all__ = ["TIMEOUT_S", "found", "until"]

T = TypeVar("T")

TIMEOUT_S: Final = 60.0
"""Seconds after which a test that waits has failed."""


async def until(is_so: Callable[[], object], *, every: float = 0.0) -> None:
    """Let the other tasks of the loop go on until `is_so()` holds; it is an assertion that it ever does.

    What other processes do is looked at `every` so many seconds, since they need the processor meanwhile.
    """

    async def look() -> object:
        return is_so()

    await found(look, bool, every=every)


async def found(look: Callable[[], Awaitable[T]], is_so: Callable[[T], object], *, every: float = 0.05) -> T:
    """Return what `look()` returns as soon as it is so; a server refuses questions that are asked without a pause."""
    now = asyncio.get_running_loop().time
    deadline = now() + TIMEOUT_S
    while not is_so(seen := await look()):
        assert now() < deadline, "it never came to that"
        await asyncio.sleep(every)
    return seen
