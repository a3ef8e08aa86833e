"""Compiling beside the bots: a process of its own, so that nobody who waits for a move waits for a compiler."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import AsyncGenerator, Sequence

__all__ = ["compiled"]

log = logging.getLogger("cornered.pool")


async def compiled(game: str, bots: Sequence[str], turns: asyncio.Semaphore) -> AsyncGenerator[str]:
    """Yield each of `bots` when what it needs in `game` is on disk; `turns` bounds how many compile at once."""
    if not bots:
        return
    async with turns:
        log.info("compiling what bots need to play %s, once on this machine", game)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cornered.bots.pool.warming", game, *bots),
            stdout=asyncio.subprocess.PIPE,
            # Ctrl-C in the terminal is for the bots, which then end their compiler in good order.
            start_new_session=True,
        )
        assert process.stdout is not None
        try:
            async for line in process.stdout:
                yield line.decode().strip()
            if await process.wait():
                log.error("not everything for %s could be compiled", game)
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
