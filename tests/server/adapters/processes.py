"""Other processes, forked from one that has loaded the adapters: starting Python and importing them takes ten times as
long."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
from collections.abc import AsyncIterator, Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Final

from cornered.protocol.events import EVENT
from cornered.server.adapters.broker import Broker
from cornered.server.adapters.bus_mqtt import MqttBus
from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.lease import lease
from cornered.server.adapters.ownership_sql import SqlOwnership
from cornered.server.cluster.ports import Node
from tests.server.adapters.observer import Recorder

__all__ = ["Other", "hold_a_lease", "hold_slots", "load", "other_process", "publish", "write"]

TIMEOUT_S: Final = 60.0
SERVER: Final = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["pytest", __name__])


class Other:
    """Another process, with the texts that it sends and is sent."""

    def __init__(self, process: BaseProcess, line: Connection) -> None:
        self.process = process
        self._line = line

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    async def says(self, text: str) -> None:
        """Return when it has sent this text next."""
        assert await asyncio.to_thread(self._line.poll, TIMEOUT_S), "it sends nothing"
        assert self._line.recv() == text

    def tell(self, text: str) -> None:
        self._line.send(text)

    async def kill(self) -> None:
        self.process.kill()
        await self.ended()

    async def ended(self) -> int:
        """Wait for its end; return its exit status."""
        await asyncio.to_thread(self.process.join, TIMEOUT_S)
        assert self.process.exitcode is not None, "it does not end"
        return self.process.exitcode


def load() -> None:
    """Start the process that the others are forked from, and wait until it has loaded the adapters."""
    process = SERVER.Process(target=int)
    process.start()
    process.join()


@contextlib.asynccontextmanager
async def other_process(work: Callable[..., None], *given: str) -> AsyncIterator[Other]:
    """Run `work(line, *given)` in another process, which is killed at the end of the block."""
    here, there = SERVER.Pipe()
    process = SERVER.Process(target=work, args=(there, *given))
    process.start()
    there.close()
    try:
        yield Other(process, here)
    finally:
        process.kill()
        await asyncio.to_thread(process.join)
        here.close()


def hold_a_lease(line: Connection, url: str) -> None:
    with lease(url):
        line.send("held")
        line.recv()


def hold_slots(line: Connection, url: str, name: str) -> None:
    """Be a node on PostgreSQL."""

    async def hold() -> None:
        ownership = SqlOwnership(url, Node(name, "of the other process", "host:1"))
        await ownership.join(Recorder())
        line.send("held")
        await ownership.keep()

    asyncio.run(hold())


def write(line: Connection, url: str, match: str, *events: str) -> None:
    """Be a node on PostgreSQL that stores one event of a match, and another when told to; send its error's name."""

    async def append() -> None:
        database = await Database.open(url)
        ownership = SqlOwnership(url, Node("stopped", "1", "stopped:8420"))
        await ownership.join(Recorder())
        keeping = asyncio.create_task(ownership.keep())
        journal = SqlJournal(database, ownership)
        first, second = map(EVENT.validate_json, events)
        await journal.append(match, 0, [first])
        line.send("stored")
        await asyncio.to_thread(line.recv)
        try:
            await journal.append(match, 1, [second])
        except Exception as error:
            line.send(type(error).__name__)
        keeping.cancel()

    asyncio.run(append())


def publish(line: Connection, url: str, node: str) -> None:
    asyncio.run(MqttBus(Broker.parse(url), node).run())
