"""The attackers as the arena sees them: a process that forks one attacker after the other, and ends each."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from cornered.bench.helper_process import helper

__all__ = ["Attackers"]

PREPARE_SECONDS: Final = 60.0


class Attackers:
    """Attackers, one at a time. Each has the imports of the process that forks it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._attacker = 0
        """The pid of the attacker; 0 while there is none."""

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, module: str) -> AsyncIterator[Attackers]:
        """Run the process inside the block; `module` is the one that it runs as a program."""
        async with helper(module) as process:
            yield cls(process)

    @contextlib.asynccontextmanager
    async def attack(self, stage: Mapping[str, object]) -> AsyncIterator[None]:
        """Have an attack prepared, and end its attacker, which closes its sockets, with the block at the latest.

        Raises RuntimeError where it cannot be prepared.
        """
        self._write(json.dumps(stage))
        try:
            async with asyncio.timeout(PREPARE_SECONDS):
                self._attacker = (await self._told())["pid"]
                if "ready" not in await self._told():
                    raise RuntimeError("the attack could not be prepared")
            yield
        finally:
            await self.end()

    async def result(self) -> dict[str, Any]:
        """Begin the attack, and return what it did and the faults that it found."""
        self._write("begin")
        told = await self._told()
        return told if "did" in told else {"did": "", "faults": ["the attacker's process failed"]}

    async def end(self) -> None:
        """End the attacker, if there is one, which closes its sockets."""
        if self._attacker:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._attacker, signal.SIGKILL)
        while self._attacker:
            await self._told()

    def _write(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    async def _told(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = await self._process.stdout.readline()
        if not line:
            self._attacker = 0
            raise RuntimeError("the process of the attackers has ended")
        told: dict[str, Any] = json.loads(line)
        if "exit" in told:
            self._attacker = 0
        return told
