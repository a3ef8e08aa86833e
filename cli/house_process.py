"""The house bots beside a server: one process of ordinary clients, restarted when it dies, ended with its server."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

__all__ = ["ANALYST_KEY", "keep_house_bots", "next_start", "until_stdin_ends"]

ANALYST_KEY: Final = "CORNERED_ANALYST_KEY"
"""The environment variable with the key of the server's operator for bots that study positions."""
GOODBYE_TIMEOUT_S: Final = 5.0
"""Seconds that the bots have to say goodbye."""
BACKOFF: Final = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Seconds before the first, second, ... restart of bots that died."""
WELL: Final = 300.0
"""Seconds after which bots that lived so long were well: what happens then is a first death again."""


async def keep_house_bots(
    names: Sequence[str], server: str, identities: Path, *, analyse: str | None = None, analyst_key: str = ""
) -> None:
    """Keep a process with the bots `names` connected to `server`, until cancelled; `identities` is who they are.

    The bot `analyse` studies positions for the server's players. The process gets `analyst_key` in its environment,
    since other users can read arguments.
    Its standard input is a pipe from here: even when this process is killed, the pipe closes and the bots go.
    """
    import structlog  # the bots' own process uses this module too, and may have no server installed

    log = structlog.get_logger("house")
    clock = asyncio.get_running_loop().time
    deaths = 0
    while True:
        born = clock()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cornered", "bot", *names),
            *("--server", server, "--identities", str(identities), "--exhibition", "--house"),
            *(("--analyse", analyse) if analyse else ()),
            env={**os.environ, ANALYST_KEY: analyst_key},
            stdin=asyncio.subprocess.PIPE,
            # Ctrl-C in the terminal is for the server, which then ends its bots in good order.
            start_new_session=True,
        )
        try:
            code = await process.wait()
        finally:
            await _end(process)
        wait, deaths = next_start(deaths, clock() - born)
        log.warning("house bots ended; they start again", exit_code=code, seconds=wait)
        await asyncio.sleep(wait)


def next_start(deaths: int, lived: float) -> tuple[float, int]:
    """Return how long to wait after bots that `lived` so many seconds died, after `deaths` in a row, and how many
    deaths in a row that makes."""
    before = 0 if lived >= WELL else deaths
    return BACKOFF[min(before, len(BACKOFF) - 1)], before + 1


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(GOODBYE_TIMEOUT_S):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def until_stdin_ends() -> None:
    """Return when whoever started this process is gone."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass
