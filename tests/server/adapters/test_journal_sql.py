"""The SQL journal beyond the contract: durability, group commit, concurrent writers, and failures of the store."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database, Durability
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.ports import DamagedMatch, JournalUnavailable, StaleSequence
from tests.conftest import Postgres
from tests.server.adapters.conftest import Opener, Sample
from tests.server.turns import watched_loop
from tests.waiting import until


@contextlib.asynccontextmanager
async def opened(url: str, **options: Any) -> AsyncIterator[tuple[Database, SqlJournal]]:
    database = await Database.open(url)
    journal = SqlJournal(database, **options)
    try:
        yield database, journal
    finally:
        await journal.close()
        await database.close()


async def test_everything_is_there_after_opening_again(open_database: Opener, sample: Sample) -> None:
    first = SqlJournal(await open_database())
    log = [sample.started("m"), sample.played(2)]
    await first.append("m", 0, log)
    secret = await first.secret()
    await first.close()
    second = SqlJournal(await open_database())
    assert list(await second.read("m")) == log
    assert [started.match for started in await second.live()] == ["m"]
    assert await second.secret() == secret
    await second.append("m", 2, [sample.played(3)])
    await second.close()


async def test_a_crowd_of_new_guests_keeps_no_move_waiting(sqlite_url: str, sample: Sample) -> None:
    async with opened(sqlite_url) as (database, journal):
        accounts = SqlAccounts(database)
        await journal.append("m", 0, [sample.started("m")])
        guests = [asyncio.create_task(accounts.create("Eve", "person")) for _ in range(50)]
        await asyncio.sleep(0)
        await journal.append("m", 1, [sample.played(2)])
        assert sum(guest.done() for guest in guests) <= 3
        await asyncio.gather(*guests)


async def test_two_servers_on_one_database_never_store_one_number_twice(open_database: Opener, sample: Sample) -> None:
    one, two = SqlJournal(await open_database()), SqlJournal(await open_database())
    await one.append("m", 0, [sample.started("m")])
    await one.append("quiet", 0, [sample.started("quiet")])
    await two.append("m", 1, [sample.played(2)])
    outcomes = await asyncio.gather(
        one.append("m", 1, [sample.played(2)]),
        one.append("quiet", 1, [sample.played(2)]),
        one.append("new", 0, [sample.started("new")]),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [StaleSequence, type(None), type(None)]
    await one.append("m", 2, [sample.played(3)])
    await two.append("m", 3, [sample.played(4)])
    assert [event.seq for event in await one.read("m")] == [1, 2, 3, 4]
    await one.close()
    await two.close()


async def test_appends_that_wait_together_are_committed_together(open_database: Opener, sample: Sample) -> None:
    database = await open_database()
    journal = SqlJournal(database)
    names = [f"m{number}" for number in range(100)]
    async with database.writing():
        appends = [asyncio.create_task(journal.append(name, 0, [sample.started(name)])) for name in names]
        await asyncio.sleep(0)
        assert await journal.live() == []
    await appends[0]
    assert len(await journal.live()) == 100
    await asyncio.gather(*appends)
    await journal.close()


async def test_an_append_returns_only_after_its_commit(open_database: Opener, sample: Sample) -> None:
    database, witness = await open_database(), SqlJournal(await open_database())
    journal = SqlJournal(database)
    await journal.append("m", 0, [sample.started("m")])
    for seq in range(2, 30):
        await journal.append("m", seq - 1, [sample.played(seq)])
        assert len(await witness.read("m")) == seq
    await journal.close()


async def test_a_cancelled_append_affects_no_other(open_database: Opener, sample: Sample) -> None:
    database = await open_database()
    journal = SqlJournal(database)
    async with database.writing():
        impatient = asyncio.create_task(journal.append("gone", 0, [sample.started("gone")]))
        patient = asyncio.create_task(journal.append("m", 0, [sample.started("m")]))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.sleep(0)
    await patient
    assert "m" in [started.match for started in await journal.live()]
    await journal.close()


async def test_closing_finishes_what_is_under_way_and_takes_nothing_more(open_database: Opener, sample: Sample) -> None:
    database = await open_database()
    journal = SqlJournal(database)
    appends = [asyncio.create_task(journal.append(f"m{n}", 0, [sample.started(f"m{n}")])) for n in range(20)]
    await asyncio.sleep(0)
    await journal.close()
    await asyncio.gather(*appends)
    with pytest.raises(JournalUnavailable):
        await journal.append("late", 0, [sample.started("late")])
    assert len(await journal.live()) == 20


async def test_a_queue_that_is_full_refuses(sqlite_url: str, sample: Sample) -> None:
    async with opened(sqlite_url, max_waiting=3) as (database, journal):
        await journal.append("first", 0, [sample.started("first")])
        async with database.writing():
            names = [f"m{number}" for number in range(5)]
            appends = [asyncio.create_task(journal.append(name, 0, [sample.started(name)])) for name in names]
            await asyncio.sleep(0)
        outcomes = await asyncio.gather(*appends, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [type(None)] * 3 + [JournalUnavailable] * 2


async def test_a_full_disk_makes_it_unavailable_until_there_is_room(sqlite_url: str, sample: Sample) -> None:
    async with opened(sqlite_url) as (database, journal):
        await journal.append("m", 0, [sample.started("m")])
        async with database.writing() as connection:
            await connection.exec_driver_sql("PRAGMA max_page_count = 1")
        long = [sample.started("long"), *(sample.played(seq) for seq in range(2, 500))]
        outcomes = await asyncio.gather(
            journal.append("long", 0, long), journal.append("m", 1, [sample.played(2)]), return_exceptions=True
        )
        assert [type(outcome) for outcome in outcomes] == [JournalUnavailable] * 2
        assert len(await journal.read("m")) == 1
        assert list(await journal.read("long")) == []
        await journal.append("m", 1, [sample.played(2)])
        await journal.append("long", 0, long)
        assert len(await journal.read("m")) == 2


def io_error(code: int) -> OperationalError:
    """Return SQLAlchemy's error for an SQLite error with this code."""
    cause = sqlite3.OperationalError("disk I/O error")
    cause.sqlite_errorcode = code
    return OperationalError("a statement", {}, cause)


class FailingDisk(Database):
    """A database whose disk fails."""

    code = sqlite3.SQLITE_OK

    @contextlib.asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        self._fail()
        async with super().reading() as connection:
            yield connection

    @contextlib.asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        self._fail()
        async with super().writing() as connection:
            yield connection

    def _fail(self) -> None:
        if self.code != sqlite3.SQLITE_OK:
            raise io_error(self.code)


async def test_what_the_disk_cannot_read_is_damaged_and_what_it_cannot_write_is_an_obstacle(
    sqlite_url: str, sample: Sample
) -> None:
    database = await FailingDisk.open(sqlite_url)
    assert isinstance(database, FailingDisk)
    journal = SqlJournal(database)
    await journal.append("m", 0, [sample.started("m")])
    for code in (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ):
        database.code = code
        with pytest.raises(DamagedMatch):
            await journal.read("m")
        with pytest.raises(JournalUnavailable):
            await journal.append("m", 1, [sample.played(2)])
        assert journal.obstacle == "the store cannot be written"
    for code in (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_FULL):
        database.code = code
        with pytest.raises(JournalUnavailable):
            await journal.read("m")
    database.code = sqlite3.SQLITE_OK
    await journal.append("m", 1, [sample.played(2)])
    assert len(await journal.read("m")) == 2
    await journal.close()
    await database.close()


@pytest.mark.postgres
async def test_a_database_server_that_dies_is_unavailable_and_comes_back(
    postgres: Postgres, postgres_url: str, sample: Sample
) -> None:
    async with opened(postgres_url) as (_, journal):
        await journal.append("m", 0, [sample.started("m")])
        postgres.kill()
        try:
            for _ in range(2):
                with pytest.raises(JournalUnavailable):
                    await journal.append("m", 1, [sample.played(2)])
            with pytest.raises(JournalUnavailable):
                await journal.read("m")
        finally:
            postgres.start()
        await journal.append("m", 1, [sample.played(2)])
        assert [event.seq for event in await journal.read("m")] == [1, 2]


async def test_sqlite_writes_ahead_and_waits_for_the_disk_as_told(sqlite_url: str) -> None:
    levels: dict[Durability, int] = {"full": 2, "normal": 1}
    for durability, level in levels.items():
        database = await Database.open(sqlite_url, durability=durability)
        async with database.writing() as connection:
            assert (await connection.execute(text("PRAGMA journal_mode"))).scalar() == "wal"
            assert (await connection.execute(text("PRAGMA synchronous"))).scalar() == level
        await database.close()


@pytest.mark.postgres
async def test_postgres_waits_for_the_disk_as_told(postgres_url: str) -> None:
    levels: dict[Durability, str] = {"full": "on", "normal": "off"}
    for durability, level in levels.items():
        database = await Database.open(postgres_url, durability=durability)
        async with database.writing() as connection:
            assert (await connection.execute(text("SHOW synchronous_commit"))).scalar() == level
        await database.close()


async def test_the_death_of_the_committer_fails_who_waits_and_the_next_append_starts_another(
    open_database: Opener, sample: Sample
) -> None:
    database = await open_database()
    journal = SqlJournal(database)
    async with database.writing():
        appends = [asyncio.create_task(journal.append("m", 0, [sample.started("m")]))]
        for _ in range(50):
            await asyncio.sleep(0)
        appends.append(asyncio.create_task(journal.append("later", 0, [sample.started("later")])))
        await asyncio.sleep(0)
        (committer,) = (task for task in asyncio.all_tasks() if task.get_name() == "journal")
        committer.cancel()
        async with asyncio.timeout(60):
            outcomes = await asyncio.gather(*appends, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [JournalUnavailable] * 2
    await journal.append("m", 0, [sample.started("m")])
    assert [started.match for started in await journal.live()] == ["m"]
    await journal.close()


@contextlib.asynccontextmanager
async def watched(journal: SqlJournal) -> AsyncIterator[None]:
    watching = asyncio.create_task(journal.watch())
    yield
    watching.cancel()
    await asyncio.wait((watching,))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PROBE_SECONDS", "IDLE_SECONDS"):
        monkeypatch.setattr(f"cornered.server.adapters.journal_sql.{name}", 0.02)


@pytest.mark.usefixtures("impatient")
async def test_a_full_disk_is_an_obstacle_until_there_is_room_without_a_write(sqlite_url: str, sample: Sample) -> None:
    async with opened(sqlite_url) as (database, journal), watched(journal):
        await journal.append("m", 0, [sample.started("m")])
        # A trigger stands for SQLite's refusal to grow the file on a full disk, on every new connection.
        async with database.writing() as connection:
            await connection.exec_driver_sql(
                "CREATE TRIGGER full BEFORE INSERT ON probes BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"
            )
        await until(lambda: journal.obstacle == "the store cannot be written")
        async with database.writing() as connection:
            await connection.exec_driver_sql("DROP TRIGGER full")
        await until(lambda: journal.obstacle == "")


async def test_a_failed_append_is_an_obstacle_at_once_and_the_next_stored_one_ends_it(
    sqlite_url: str, sample: Sample
) -> None:
    async with opened(sqlite_url) as (database, journal):
        async with database.writing() as connection:
            await connection.exec_driver_sql("PRAGMA max_page_count = 1")
        long = [sample.started("long"), *(sample.played(seq) for seq in range(2, 500))]
        with pytest.raises(JournalUnavailable):
            await journal.append("long", 0, long)
        assert journal.obstacle == "the store cannot be written"
        await journal.append("long", 0, long)
        assert journal.obstacle == ""


@pytest.mark.postgres
@pytest.mark.usefixtures("impatient")
async def test_a_database_server_that_is_away_is_an_obstacle_without_matches(
    postgres: Postgres, postgres_url: str
) -> None:
    async with opened(postgres_url) as (_, journal), watched(journal):
        postgres.kill()
        try:
            await until(lambda: journal.obstacle != "")
        finally:
            postgres.start()
        await until(lambda: journal.obstacle == "")


async def test_a_commit_that_hangs_is_an_obstacle(
    sqlite_url: str, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.adapters.journal_sql.COMMIT_STALL_S", 0.01)
    async with opened(sqlite_url) as (database, journal):
        async with database.writing():
            append = asyncio.create_task(journal.append("m", 0, [sample.started("m")]))
            await until(lambda: journal.obstacle == "the store does not answer")
        await append
        assert journal.obstacle == ""


async def test_a_long_match_is_read_in_slices(sqlite_url: str, sample: Sample) -> None:
    async with opened(sqlite_url) as (_, journal):
        log = [sample.started("m"), *(sample.played(seq) for seq in range(2, 3_000))]
        await journal.append("m", 0, log)
        async with watched_loop() as turns:
            assert list(await journal.read("m")) == log
        assert max(turns) < sum(turns) / 2
