"""A module that runs as a program beside a benchmark, with pipes to its standard input and output."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator

__all__ = ["helper"]


@contextlib.asynccontextmanager
async def helper(module: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run `module` inside the block, and kill it at its end; a Ctrl-C in the terminal does not reach it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
