"""On PostgreSQL nothing is stored under an epoch that is not the newest, whatever a node believes."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text

from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.lobby_log_sql import SqlLobbyLog
from cornered.server.cluster.slots import ALL_SLOTS, LOBBY_SLOT, slot_of
from cornered.server.lobby.events import SeekClosed
from cornered.server.ports import NotOwner
from tests.server.adapters.conftest import Sample, owning
from tests.server.adapters.processes import other_process, write
from tests.waiting import until

pytestmark = pytest.mark.postgres


@pytest.fixture
def url(postgres_url: str) -> str:
    return postgres_url


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    opened = await Database.open(url)
    yield opened
    await opened.close()


async def take_over(database: Database, *slots: int) -> None:
    """Count up the epochs of slots, as a node that takes them over does."""
    async with database.writing() as connection:
        query = text(
            "UPDATE slots SET owner = 'other', epoch = epoch + 1, version = version + 1 WHERE slot = ANY(:slots)"
        )
        await connection.execute(query, {"slots": list(slots)})


def with_other_slot(match: str) -> str:
    return next(name for name in (f"{number:04}" for number in range(99)) if slot_of(name) != slot_of(match))


async def test_of_a_batch_only_what_has_a_stale_epoch_fails(url: str, database: Database, sample: Sample) -> None:
    other = with_other_slot("m")
    async with owning(url) as ownership:
        journal = SqlJournal(database, ownership)
        for name in ("m", other):
            await journal.append(name, 0, [sample.started(name)])
        await take_over(database, slot_of("m"))
        outcomes = await asyncio.gather(
            journal.append("m", 1, [sample.played(2)]),
            journal.append(other, 1, [sample.played(2)]),
            journal.append("m-2", 0, [sample.started("m-2")]),
            journal.append(f"{other}-2", 0, [sample.started(f"{other}-2"), sample.ended(2)]),
            return_exceptions=True,
        )
        stale = [slot_of(name) == slot_of("m") for name in ("m", other, "m-2", f"{other}-2")]
        assert [isinstance(outcome, NotOwner) for outcome in outcomes] == stale
        assert stale.count(True) == 1
        assert [event.seq for event in await journal.read("m")] == [1]
        assert [event.seq for event in await journal.read(other)] == [1, 2]
        assert await journal.finished(None, 9) == [f"{other}-2"]
        # The node has learned of it, and does not even ask the next time.
        await until(lambda: not ownership.owns(slot_of("m")))
        with pytest.raises(NotOwner):
            await journal.append("m", 1, [sample.played(2)])
        assert journal.obstacle == ""
        await journal.close()


async def test_an_append_that_meets_a_take_over_waits_for_its_outcome(
    url: str, database: Database, sample: Sample
) -> None:
    taker = await Database.open(url)
    async with owning(url) as ownership:
        journal = SqlJournal(database, ownership)
        await journal.append("m", 0, [sample.started("m")])
        async with taker.writing() as connection:
            query = text("UPDATE slots SET epoch = epoch + 1 WHERE slot = :slot")
            await connection.execute(query, {"slot": slot_of("m")})
            append = asyncio.create_task(journal.append("m", 1, [sample.played(2)]))
            waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
            async with asyncio.timeout(60), database.reading() as witness:
                while not (await witness.execute(waiting)).scalar():  # noqa: ASYNC110
                    await asyncio.sleep(0)
            assert not append.done()
        with pytest.raises(NotOwner):
            await append
        await journal.close()
    await taker.close()


async def test_two_nodes_write_only_for_their_own_slots(url: str, database: Database, sample: Sample) -> None:
    names = [f"{number:04}" for number in range(40)]
    other = await Database.open(url)
    async with owning(url, "a") as a, owning(url, "b") as b:
        await until(lambda: abs(len(a.owned()) - len(b.owned())) <= 1)
        one, two = SqlJournal(database, a), SqlJournal(other, b)
        for name in names:
            journals = (one, two) if a.owns(slot_of(name)) else (two, one)
            await journals[0].append(name, 0, [sample.started(name)])
            with pytest.raises(NotOwner):
                await journals[1].append(name, 1, [sample.played(2)])
        assert len(await one.live(a.owned())) + len(await one.live(b.owned())) == len(names)
        assert 0 < len(await two.live(b.owned())) < len(names)
        await one.close()
        await two.close()
    await other.close()


@pytest.mark.usefixtures("forks")
async def test_a_process_that_was_stopped_stores_nothing_when_it_goes_on(
    url: str, database: Database, sample: Sample
) -> None:
    events = [event.model_dump_json() for event in (sample.started("m"), sample.played(2))]
    async with other_process(write, url, "m", *events) as other:
        await other.says("stored")
        os.kill(other.pid, signal.SIGSTOP)
        async with owning(url) as ownership:
            await until(lambda: set(ownership.owned()) == set(ALL_SLOTS))
            journal = SqlJournal(database, ownership)
            await journal.append("m", 1, [sample.played(2)])
            other.tell("go on")
            os.kill(other.pid, signal.SIGCONT)
            await other.says("NotOwner")
            await other.ended()
            assert [event.seq for event in await journal.read("m")] == [1, 2]
            await journal.close()


async def test_only_the_owner_of_the_lobby_writes_its_log(url: str, database: Database) -> None:
    async with owning(url) as ownership:
        lobby_log = SqlLobbyLog(database, ownership)
        await lobby_log.append(0, [SeekClosed("1")])
        await take_over(database, LOBBY_SLOT)
        for is_checkpoint in (False, True):
            with pytest.raises(NotOwner):
                await lobby_log.append(1, [SeekClosed("2")], is_checkpoint=is_checkpoint)
        assert list((await lobby_log.read())[1]) == [SeekClosed("1")]
        await until(lambda: ownership.epoch_of(LOBBY_SLOT) is None)
        with pytest.raises(NotOwner):
            await lobby_log.append(1, [SeekClosed("2")])
