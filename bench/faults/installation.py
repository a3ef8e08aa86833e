"""Everything that a campaign runs: nodes, and the broker and database that they reach through links with faults."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from cornered.bench.faults.disk import LimitedFiles, OwnFileSystem, disk_for
from cornered.bench.faults.node_process import NodeProcess
from cornered.bench.faults.proxy_process import ProxyProcess
from cornered.bench.faults.schedule import Shape
from cornered.bench.faults.services import FaultyService
from cornered.bench.faults.wall_clock import WallClock
from cornered.protocol.events import EVENT, MatchEvent
from cornered.services.mosquitto import Mosquitto
from cornered.services.postgres import Postgres
from cornered.services.service import free_port

__all__ = ["Installation"]

LIMITS: Final = {
    "CORNERED_GUEST_RATE": "50",
    "CORNERED_MAX_SEEKS_PER_ADDRESS": "2000",
    "CORNERED_MAX_MATCHES_PER_ADDRESS": "2000",
    "CORNERED_PING_SECONDS": "5",
}
_EVENTS: Final = 'SELECT "match", body FROM events ORDER BY "match", seq'


@dataclass(slots=True)
class Installation:
    """The running parts. `addresses` are the links to each node, `balanced` one that leads to all of them in turn."""

    nodes: dict[str, NodeProcess]
    proxy: ProxyProcess
    shape: Shape
    addresses: tuple[str, ...]
    balanced: str
    broker: FaultyService | None
    database: FaultyService | None
    database_url: str
    database_clock: WallClock | None

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls, nodes: int, *, is_postgres: bool, has_broker: bool, seed: int = 0, build: str = ""
    ) -> AsyncIterator[Installation]:
        """Run `nodes` nodes inside the block, all of them ready. Several nodes need PostgreSQL and the broker.

        Raises ServiceError.
        """
        names = tuple(f"n{number}" for number in range(1, nodes + 1))
        async with contextlib.AsyncExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cornered-faults-")))
            os.chmod(folder, 0o755)
            library = WallClock.build(folder)
            clocks = {name: WallClock(library, folder, name) for name in (*names, "database")} if library else {}
            proxy = await stack.enter_async_context(ProxyProcess.open())
            broker = database = postgres = None
            url = ""
            if has_broker:
                broker = FaultyService(Mosquitto(folder / "mosquitto", acl=""))
                stack.push_async_callback(broker.kill)
                await broker.start()
            if is_postgres:
                clock = clocks.get("database")
                variables = None if clock is None else clock.environment
                # A loss of power cannot be simulated, so no commit waits for the disk.
                postgres = Postgres(folder / "postgres", is_durable=False, variables=variables)
                database = FaultyService(postgres)
                stack.push_async_callback(database.kill)
                await database.start()
                url = await asyncio.to_thread(postgres.database, "cornered")
            running: dict[str, NodeProcess] = {}
            links: list[str] = []
            for name in names:
                settings = dict(LIMITS) | {"CORNERED_NODE": name}
                if broker is not None:
                    port = await proxy.open_link(f"{name}>broker", [broker.port], "mqtt", seed)
                    settings["CORNERED_MQTT"] = f"mqtt://127.0.0.1:{port}"
                    links.append(f"{name}>broker")
                if postgres is not None:
                    port = await proxy.open_link(f"{name}>database", [postgres.port], "stream", seed)
                    settings["CORNERED_DATABASE"] = postgres.url("cornered", port=port)
                    links.append(f"{name}>database")
                data = folder / name
                data.mkdir(mode=0o700)
                disk = LimitedFiles(data) if is_postgres else disk_for(data)
                running[name] = await stack.enter_async_context(
                    NodeProcess.open(name, free_port(), disk, clocks.get(name), settings, [build] if build else [])
                )
            addresses = []
            for name, node in running.items():
                port = await proxy.open_link(f"clients>{name}", [node.port], "stream", seed)
                links.append(f"clients>{name}")
                addresses.append(f"ws://127.0.0.1:{port}")
            balanced = addresses[0]
            if nodes > 1:
                ports = [node.port for node in running.values()]
                port = await proxy.open_link("clients>all", ports, "stream", seed)
                links.append("clients>all")
                balanced = f"ws://127.0.0.1:{port}"
            shape = Shape(
                names,
                tuple(links),
                has_broker=broker is not None,
                has_database=database is not None,
                has_clocks=bool(clocks),
                has_disks=not is_postgres,
            )
            for node in running.values():
                node.start()
            for node in running.values():
                if not await node.ready():
                    raise RuntimeError(f"node {node.name} does not get ready: {node.log[-5:]}")
            yield cls(running, proxy, shape, tuple(addresses), balanced, broker, database, url, clocks.get("database"))

    async def journal(self) -> dict[str, list[MatchEvent]]:
        """Read every match's events from the store, without the server's code. The nodes must have stopped."""
        rows: Sequence[tuple[str, str]]
        if self.database_url:
            rows = await _read_postgres(self.database_url)
        else:
            (node,) = self.nodes.values()
            rows = _read_sqlite(node.data)
        found: dict[str, list[MatchEvent]] = {}
        for match, body in rows:
            found.setdefault(match, []).append(EVENT.validate_json(body))
        return found

    @property
    def disk_kind(self) -> str:
        """How a disk is made full here."""
        return (
            OwnFileSystem.name
            if any(isinstance(node.disk, OwnFileSystem) for node in self.nodes.values())
            else LimitedFiles.name
        )


def _read_sqlite(data: Path) -> Sequence[tuple[str, str]]:
    # A copy, since SQLite resolves the link by which another mount namespace is seen.
    with tempfile.TemporaryDirectory(prefix="cornered-faults-journal-") as folder:
        for file in data.glob("cornered.db*"):
            shutil.copyfile(file, Path(folder) / file.name)
        with contextlib.closing(sqlite3.connect(Path(folder) / "cornered.db")) as connection:
            return connection.execute(_EVENTS).fetchall()


async def _read_postgres(url: str) -> Sequence[tuple[str, str]]:
    engine = create_async_engine(url.replace("postgresql:", "postgresql+asyncpg:"))
    try:
        async with engine.connect() as connection:
            return [(match, body) for match, body in await connection.execute(text(_EVENTS))]
    finally:
        await engine.dispose()
