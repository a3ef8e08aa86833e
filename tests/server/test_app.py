"""The start of a server: alone on its data, with the port before everything else."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Collection, Sequence
from typing import Any

import pytest
from sqlalchemy import text
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from cornered.cli.errors import first_error
from cornered.protocol.codec import JSON
from cornered.protocol.commands import Play
from cornered.protocol.events import Started
from cornered.protocol.values import Fischer
from cornered.server.adapters import journal_sql
from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.cluster.ports import NodeTaken
from cornered.server.ports import JournalUnavailable
from cornered.server.settings import SettingsError
from tests.conftest import Postgres
from tests.server.conftest import Pair, Running, Start, Stores


async def test_a_second_server_on_the_same_data_is_refused_and_the_next_one_is_not(start: Start, tmp_path: Any) -> None:
    async with start(database="") as first:
        with pytest.raises(SettingsError, match="another server uses this data directory"):
            async with start(database=""):
                pass
        async with start(database="", data=tmp_path / "elsewhere"):
            with pytest.raises(SettingsError, match="another server uses this database"):
                async with start(database=f"sqlite:///{tmp_path / 'cornered.db'}"):
                    pass
        assert (await first.fetch("/ready")).status == 200
    async with start(database="") as again:
        assert (await again.fetch("/ready")).status == 200


async def test_a_port_that_is_taken_stops_the_start_before_anything_is_written(
    running_server: Start, stores: Stores, pair: Pair
) -> None:
    async with running_server() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben, clock=Fischer(initial=60))
        token = ann.welcome.token
        await ann.do(Play, match=match, ply=0, move="a2")
        await ben.do(Play, match=match, ply=1, move="c2")
    stores.now.at += 30_000
    before = await stores.journal.read(match)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="address already in use"):
        async with running_server(port=taken.getsockname()[1]):
            pass
    assert await stores.journal.read(match) == before
    async with running_server() as running, running.client("Ann", token=token) as ann:
        await ann.join(match)
    assert len(await stores.journal.read(match)) == len(before) + 1


class Hesitant(MemoryJournal):
    """A journal that lists its live matches late."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.may_answer, self.has_answered = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def live(self, slots: Collection[int] | None = None) -> Sequence[Started]:
        self.asked.set()
        await self.may_answer.wait()
        self.has_answered.set()
        return await super().live(slots)


async def test_until_the_matches_are_back_the_server_is_not_ready_and_takes_no_sockets(
    running_server: Start, stores: Stores, running: Running
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    stores.journal = journal = Hesitant()
    starting = type(running)(f"http://127.0.0.1:{port}")
    async with asyncio.timeout(60), asyncio.TaskGroup() as tasks:
        done = asyncio.Event()

        async def serve() -> None:
            async with running_server(port=port):
                await done.wait()

        tasks.create_task(serve())
        await journal.asked.wait()
        assert (await starting.fetch("/ready")).status == 503
        assert (await starting.fetch("/health")).status == 200
        with pytest.raises(InvalidStatus):
            await connect(starting.url, subprotocols=[Subprotocol(JSON.subprotocol)])
        journal.may_answer.set()
        await journal.has_answered.wait()
        assert (await starting.fetch("/ready")).status == 200
        async with starting.client("Ann"):
            done.set()


class Full(MemoryJournal):
    """A journal whose store can be full."""

    is_full = False

    @property
    def obstacle(self) -> str:
        return "the store cannot be written" if self.is_full else ""


async def test_a_server_that_cannot_store_is_not_ready_until_it_can(running_server: Start, stores: Stores) -> None:
    stores.journal = journal = Full()
    async with running_server() as running:
        assert (await running.fetch("/ready")).status == 200
        journal.is_full = True
        told = await running.fetch("/ready")
        assert (told.status, told.body) == (503, "the store cannot be written\n")
        assert (await running.fetch("/health")).status == 200
        journal.is_full = False
        assert (await running.fetch("/ready")).status == 200


@pytest.mark.postgres
async def test_a_server_whose_database_another_one_took_ends_and_stores_nothing_more(
    start: Start, postgres: Postgres, pair: Pair
) -> None:
    url = postgres.new_database()
    ended: BaseException | None = None
    try:
        async with asyncio.timeout(60), start(database=url) as server:
            async with server.client("Ann") as ann, server.client("Ben") as ben:
                match = await pair(ann, ben)
                await become_the_node(url)
                assert await ann.refused(Play, match=match, ply=0, move="a2") == "store_unavailable"
            await asyncio.Event().wait()
    except BaseExceptionGroup as group:
        ended = first_error(group)
    assert isinstance(ended, NodeTaken)


async def become_the_node(url: str) -> None:
    """Take the node's name and slots, as another process of that name does once the first one is taken for dead."""
    database = await Database.open(url)
    async with database.writing() as connection:
        await connection.execute(text("UPDATE nodes SET incarnation = 'another'"))
        await connection.execute(text("UPDATE slots SET epoch = epoch + 1, version = version + 1"))
    await database.close()


@pytest.mark.postgres
async def test_an_idle_node_is_not_ready_while_its_database_is_away(
    start: Start, postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_sql, "IDLE_SECONDS", 1e6)
    async with start(database=postgres.new_database()) as node, asyncio.timeout(60):
        assert (await node.fetch("/ready")).status == 200
        postgres.kill()
        try:
            while (told := await node.fetch("/ready")).status == 200:
                pass
            assert (told.status, told.body) == (503, "the database does not answer\n")
        finally:
            postgres.start()
        while (await node.fetch("/ready")).status != 200:
            pass


@pytest.mark.postgres
async def test_a_second_server_on_a_database_is_refused_until_the_first_one_has_left(
    start: Start, postgres: Postgres
) -> None:
    url = postgres.new_database()
    async with start(database=url, node="one"):
        for name, setting in (("one", "CORNERED_NODE"), ("two", "CORNERED_MQTT")):
            with pytest.raises(SettingsError, match=rf"^{setting}: another server has this database .*node one"):
                async with start(database=url, node=name):
                    pass
    async with start(database=url, node="two") as next_one:
        assert (await next_one.fetch("/ready")).status == 200


class Away(MemoryJournal):
    """A journal whose store is unreachable."""

    async def live(self, slots: Collection[int] | None = None) -> Sequence[Started]:
        raise JournalUnavailable("the store cannot be read")


async def test_a_store_that_is_away_at_the_start_is_one_clear_line(running_server: Start, stores: Stores) -> None:
    stores.journal = Away()
    with pytest.raises(SettingsError, match=r"^CORNERED_DATABASE: .* the store cannot be read$"):
        async with running_server():
            pass
