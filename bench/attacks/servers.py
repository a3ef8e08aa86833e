"""The servers under attack: one on SQLite, or several nodes that share a database server and a broker."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cornered.bench.attacks.server_process import ServerProcess
from cornered.server.settings import Settings
from cornered.services.running import Services

__all__ = ["Installation", "Servers"]

SHARE_TIMEOUT_S: Final = 30.0
LOOK_AGAIN_S: Final = 0.05
_CLUSTERS: Final = itertools.count(1)
"""Numbers in the names of nodes, which are topics: several clusters use one broker."""


@dataclass(frozen=True, slots=True)
class Servers:
    """Running nodes, one or several. `settings` lead to their store."""

    nodes: tuple[ServerProcess, ...]
    settings: Settings
    services: Services | None

    @property
    def addresses(self) -> tuple[str, ...]:
        return tuple(node.address for node in self.nodes)

    @property
    def are_alive(self) -> bool:
        return all(node.is_alive for node in self.nodes)

    def named(self) -> Iterator[tuple[str, ServerProcess]]:
        """Yield each node with a suffix that tells it apart, empty for the only one."""
        for number, node in enumerate(self.nodes, 1):
            yield f" of node {number}" if len(self.nodes) > 1 else "", node

    async def share(self) -> None:
        """Return when every node has its share of the slots."""
        async with asyncio.timeout(SHARE_TIMEOUT_S):
            while True:
                slots = [(await node.gauges())["slots"] for node in self.nodes]
                if max(slots) - min(slots) <= 1:
                    return
                await asyncio.sleep(LOOK_AGAIN_S)


@dataclass(frozen=True, slots=True)
class Installation:
    """How servers are started: one on SQLite, or with `services` as many nodes as `count`."""

    count: int
    services: Services | None

    def database_url(self, folder: Path) -> str:
        """Return the address of an empty store for servers in `folder`."""
        return Settings(data=folder).database_url if self.services is None else self.services.new_database()

    @contextlib.asynccontextmanager
    async def start(self, folder: Path, *, database: str = "", **settings: str) -> AsyncIterator[Servers]:
        """Run servers inside the block, on a store of their own where none is given.

        `settings` are environment variables of every node.
        """
        if self.services is None:
            store = Settings(data=folder, database=database)
            async with ServerProcess.start(folder, **settings, CORNERED_DATABASE=database) as server:
                yield Servers((server,), store, None)
            return
        shared = {"CORNERED_DATABASE": database or self.services.new_database(), "CORNERED_MQTT": self.services.mqtt}
        cluster = next(_CLUSTERS)
        async with contextlib.AsyncExitStack() as stack:
            nodes = []
            for number in range(1, self.count + 1):
                own = {"CORNERED_NODE": f"attacked-{cluster}-{number}"}
                starting = ServerProcess.start(folder / f"node-{number}", **settings, **shared, **own)
                nodes.append(await stack.enter_async_context(starting))
            store = Settings(data=folder / "node-1", database=shared["CORNERED_DATABASE"])
            servers = Servers(tuple(nodes), store, self.services)
            await servers.share()
            yield servers
