"""The proxy's process, as the campaign controls it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from cornered.bench.faults.proxy import Direction, LinkKind
from cornered.bench.helper_process import helper

__all__ = ["ProxyProcess"]

ANSWER_SECONDS = 30.0


class ProxyProcess:
    """All links of a campaign, in one process beside it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._turn = asyncio.Lock()

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls) -> AsyncIterator[ProxyProcess]:
        """Run the proxy inside the block."""
        async with helper("cornered.bench.faults.proxy") as process:
            yield cls(process)

    async def open_link(self, name: str, targets: Sequence[int], kind: LinkKind = "stream", seed: int = 0) -> int:
        """Open a link to these ports of the loopback address; return its own."""
        port: int = await self._order(do="open", link=name, targets=list(targets), kind=kind, seed=seed)
        return port

    async def impair(self, name: str, direction: Direction, **changes: object) -> None:
        """Change the impairments of one direction."""
        await self._order(do="impair", link=name, direction=direction, changes=changes)

    async def reset(self, name: str) -> None:
        """Reset the link's connections."""
        await self._order(do="reset", link=name)

    async def half_close(self, name: str, direction: Direction) -> None:
        """End one direction of the link's connections."""
        await self._order(do="half_close", link=name, direction=direction)

    async def garble(self, name: str, direction: Direction) -> None:
        """Make garbage of the next piece of each of the link's connections."""
        await self._order(do="garble", link=name, direction=direction)

    async def _order(self, **order: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        async with self._turn, asyncio.timeout(ANSWER_SECONDS):
            self._process.stdin.write(f"{json.dumps(order)}\n".encode())
            line = await self._process.stdout.readline()
        if not line:
            raise RuntimeError("the proxy has ended")
        return json.loads(line)
