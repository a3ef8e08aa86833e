"""Runs the house bots of a server in one child process, restarted when it dies and ended with the server."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from cornered.engine.compile.child_process import reap

__all__ = ["ANALYST_KEY", "DEFAULT_ANALYST", "HOUSE_BOTS", "keep_house_bots", "next_start", "until_stdin_ends"]

DEFAULT_ANALYST: Final = "champion"
HOUSE_BOTS: Final = (DEFAULT_ANALYST, *(f"level:level={level}" for level in range(1, 11)))
ANALYST_KEY: Final = "CORNERED_ANALYST_KEY"
"""Environment variable with the operator's key, which allows bots to offer analysis."""
GOODBYE_TIMEOUT_S: Final = 12.0
"""Seconds that the bots have to close their connections, and their pool to await a worker that is just starting."""
RESTART_DELAYS_S: Final = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Seconds before the first, second, ... restart of bots that died."""
HEALTHY_AFTER_S: Final = 300.0
"""Lifetime in seconds after which the count of consecutive deaths restarts."""


async def keep_house_bots(
    names: Sequence[str],
    server: str,
    identities: Path,
    *,
    analyse: str | None = None,
    analyst_key: str = "",
    options: Sequence[str] = ("--exhibition", "--ladder", "1"),
) -> None:
    """Keep a process with the bots `names` connected to `server`, until cancelled; `identities` is the file of their
    tokens.

    `options` are those of `cornered bot`. The bot `analyse` serves analysis. `analyst_key` is passed in the
    environment, since other users can read arguments. The child's standard input is a pipe from this process: it
    closes even when this process is killed, and the bots end.
    """
    import structlog  # The bots' own process uses this module too, possibly without the extra `server` installed.

    log = structlog.get_logger("house")
    clock = asyncio.get_running_loop().time
    deaths = 0
    while True:
        born = clock()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cornered", "bot", *names),
            *("--server", server, "--identities", str(identities), *options, "--house"),
            *(("--analyse", analyse) if analyse else ()),
            env={**os.environ, ANALYST_KEY: analyst_key},
            stdin=asyncio.subprocess.PIPE,
            # A session of its own: Ctrl-C reaches only the server, which then stops its bots in order.
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
    """Return the delay before the next start, in seconds, and the number of consecutive deaths, after bots that `lived`
    seconds died after `deaths` earlier ones."""
    before = 0 if lived >= HEALTHY_AFTER_S else deaths
    return RESTART_DELAYS_S[min(before, len(RESTART_DELAYS_S) - 1)], before + 1


async def _end(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    assert process.stdin is not None
    process.stdin.close()
    await reap(process, patience=GOODBYE_TIMEOUT_S)


async def until_stdin_ends() -> None:
    """Wait until standard input closes, which means that the parent process has ended."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while await reader.read(1024):
        pass
