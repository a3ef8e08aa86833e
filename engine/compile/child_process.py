"""Waiting for a child process to end, whatever else the waiting task is told."""

from __future__ import annotations

import asyncio
import contextlib

__all__ = ["reap"]


async def reap(process: asyncio.subprocess.Process, *, patience: float | None = None) -> None:
    """Return when a process that was told to end has ended, after reading what its pipes still hold.

    It is killed after `patience` seconds; None waits for ever.

    A cancellation meanwhile counts afterwards: a cancelled task may be cancelled again as its task group ends, and a
    process that outlives its event loop has a transport whose finalizer raises "Event loop is closed".
    """
    ending = asyncio.ensure_future(process.communicate())
    cancellation: asyncio.CancelledError | None = None
    while not ending.done():
        try:
            _, late = await asyncio.wait({ending}, timeout=patience)
            if late:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation
