"""How a server starts: alone on its data, with the port before everything else; and what time it tells."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from protocol.codec import JSON
from protocol.commands import Play
from protocol.values import Fischer
from server.adapters.journal_memory import MemoryJournal
from server.app import SteadyClock
from server.ports import JournalUnavailable
from server.settings import SettingsError


async def test_a_second_server_on_the_same_data_is_refused_and_the_next_one_is_not(start: Any, tmp_path: Any) -> None:
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
    house: Any, stores: Any, pair: Any
) -> None:
    async with house() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben, clock=Fischer(initial=60))
        await ann.do(Play, match=match, ply=0, move="a2")
        await ben.do(Play, match=match, ply=1, move="c2")
    stores.now.at += 30_000
    before = await stores.journal.read(match)
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="address already in use"):
        async with house(port=taken.getsockname()[1]):
            pass
    assert await stores.journal.read(match) == before
    async with house():
        assert len(await stores.journal.read(match)) == len(before) + 1


class Hesitant(MemoryJournal):
    """A journal that takes its time to tell what goes on."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.may_answer, self.has_answered = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def live(self) -> Sequence[str]:
        self.asked.set()
        await self.may_answer.wait()
        self.has_answered.set()
        return await super().live()


async def test_until_the_matches_are_back_the_server_is_not_ready_and_takes_no_sockets(
    house: Any, stores: Any, running: Any
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    stores.journal = journal = Hesitant()
    starting = type(running)(f"http://127.0.0.1:{port}")
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        done = asyncio.Event()

        async def serve() -> None:
            async with house(port=port):
                await done.wait()

        tasks.create_task(serve())
        await journal.asked.wait()
        assert (await starting.fetch("/ready")).status == 503
        assert (await starting.fetch("/health")).status == 200
        with pytest.raises(InvalidStatus):
            await connect(starting.url, subprotocols=[JSON.subprotocol])
        journal.may_answer.set()
        await journal.has_answered.wait()
        assert (await starting.fetch("/ready")).status == 200
        async with starting.client("Ann"):
            done.set()


class Away(MemoryJournal):
    """A journal whose store is not there."""

    async def live(self) -> Sequence[str]:
        raise JournalUnavailable("the store cannot be read")


async def test_a_store_that_is_away_at_the_start_is_one_clear_line(house: Any, stores: Any) -> None:
    stores.journal = Away()
    with pytest.raises(SettingsError, match=r"^CORNERED_DATABASE: .* the store cannot be read$"):
        async with house():
            pass


def test_the_clock_follows_the_systems_clock_forward_and_never_goes_back() -> None:
    real, steady = 1_000.0, 50.0
    clock = SteadyClock(lambda: real, lambda: steady)
    assert clock() == 1_000_000
    real, steady = 1_001.0, 51.0
    assert clock() == 1_001_000
    # The machine slept for two hours: only the system's clock noticed.
    real, steady = real + 7_201, steady + 1
    assert clock() == 8_202_000
    # The system's clock is set back: time goes on.
    real, steady = real - 4, steady + 1
    assert clock() == 8_203_000
    real, steady = real + 1, steady + 1
    assert clock() == 8_204_000
    real, steady = real + 10, steady + 1
    assert clock() == 8_209_000
