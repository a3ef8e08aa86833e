"""Keeps one node of a cluster on this machine: a process of `cornered serve`, started again when it dies."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import structlog

from cornered.cli.house_process import next_start
from cornered.services.bound_process import bound
from cornered.services.service import ServiceError

__all__ = ["NodeProcess"]

STOP_MARGIN_S: Final = 5.0
"""Seconds beyond the server's own limit after which a node that does not stop is killed."""

log = structlog.get_logger("cluster")


class NodeProcess:
    """One node. It gets its settings in its environment, and writes its log into its data directory."""

    def __init__(self, name: str, port: int, data: Path, settings: Mapping[str, str], *, stop_seconds: float) -> None:
        self.name = name
        self.port = port
        self.log = data / "log"
        self.has_been_ready = False
        """Set by the owner: until then the death of the process is an error of its settings, and ends `keep`."""
        self._settings = {
            **settings,
            "CORNERED_NODE": name,
            "CORNERED_HOST": "127.0.0.1",
            "CORNERED_PORT": str(port),
            "CORNERED_DATA": str(data),
        }
        self._stop_seconds = stop_seconds
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """The node's process; None while there is none."""
        process = self._process
        return None if process is None or process.returncode is not None else process.pid

    async def keep(self) -> None:
        """Run the node until cancelled, and stop it in order then. Raises ServiceError where its first start fails."""
        clock = asyncio.get_running_loop().time
        self.log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        deaths = 0
        while True:
            born = clock()
            with self.log.open("ab" if deaths else "wb") as output:
                process = self._process = await asyncio.create_subprocess_exec(
                    *bound([sys.executable, "-m", "cornered", "serve", "--no-bots"], signal.SIGTERM),
                    env={**os.environ, **self._settings},
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=output,
                    # Ctrl-C reaches the cluster alone, which stops its nodes in order.
                    start_new_session=True,
                )
            try:
                code = await process.wait()
            finally:
                await self._end(process)
            if not self.has_been_ready:
                lines = self.log.read_text("utf-8", "replace").strip().splitlines() or ["it printed nothing"]
                raise ServiceError(f"{self.name} does not start: {lines[-1]}; its log is {self.log}")
            wait, deaths = next_start(deaths, clock() - born)
            log.warning("a node ended; it starts again", node=self.name, exit_code=code, seconds=wait)
            await asyncio.sleep(wait)

    async def _end(self, process: asyncio.subprocess.Process) -> None:
        if process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(self._stop_seconds + STOP_MARGIN_S):
                await process.wait()
        except TimeoutError:
            log.error("a node did not stop in time and is killed", node=self.name)
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
