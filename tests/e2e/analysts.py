"""An analyst in a process of its own."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from cornered.cli.house_process import ANALYST_KEY
from tests.e2e.servers import OPERATORS_KEY

__all__ = ["STARTING", "Analyst", "running_analyst"]

STARTING = 180_000
"""Milliseconds until an analyst has started, compiled the rules and found a first result."""
STOPPING_S = 60
PROGRAM = """
import asyncio, os, pathlib, sys
from cornered.bots.online.analyst import run_analyst
from cornered.clients.sdk import TokenStore
address, tokens, bot, jobs = sys.argv[1:]
store = TokenStore(pathlib.Path(tokens))
asyncio.run(run_analyst(address, bot=bot, jobs=int(jobs), key=os.environ["CORNERED_ANALYST_KEY"], store=store))
"""


class Analyst:
    """A process that can be killed and restarted."""

    def __init__(self, address: str, tokens: Path, bot: str, jobs: int) -> None:
        server = address.replace("http", "ws", 1)
        self._command = [sys.executable, "-c", PROGRAM, server, str(tokens), bot, str(jobs)]
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self._command, env=os.environ | {ANALYST_KEY: OPERATORS_KEY})

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """End it as an operator does."""
        self.process.terminate()
        try:
            self.process.wait(STOPPING_S)
        finally:
            self.kill()


@contextlib.contextmanager
def running_analyst(address: str, folder: Path, bot: str = "champion", jobs: int = 1) -> Iterator[Analyst]:
    """Run an analyst of the server that keeps its token in `folder`."""
    analyst = Analyst(address, folder / "tokens", bot, jobs)
    try:
        yield analyst
    finally:
        analyst.stop()
