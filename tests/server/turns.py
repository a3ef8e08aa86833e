"""The length of event loop iterations: no client's work may block the others."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import AsyncIterator

__all__ = ["watched_loop"]


@contextlib.asynccontextmanager
async def watched_loop() -> AsyncIterator[list[float]]:
    """Collect the CPU seconds of every iteration of the event loop inside the block, without garbage collection."""
    turns: list[float] = []

    async def observe() -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            turns.append(now - before)
            before = now

    # After thousands of tests one collection takes longer than everything measured here.
    was_enabled = gc.isenabled()
    gc.disable()
    observing = asyncio.create_task(observe())
    try:
        await asyncio.sleep(0)
        yield turns
        await asyncio.sleep(0)
    finally:
        observing.cancel()
        if was_enabled:
            gc.enable()
