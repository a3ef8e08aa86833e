"""One server at a time writes to a store, and the lease of one that dies is free."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import create_async_engine

from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database, WriteForbidden, address_of
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.lease import KEY, AdvisoryLease, Lease, StoreTaken, lease
from cornered.server.ports import AccountsUnavailable, JournalUnavailable
from tests.conftest import Postgres
from tests.server.adapters.conftest import Sample
from tests.waiting import until

DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]

HOLDER = """
import asyncio, sys
from cornered.server.adapters.lease import lease

async def hold():
    async with lease(sys.argv[1]):
        print("held", flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgres":
        new: str = request.getfixturevalue("postgres").new_database()
        return new
    return f"sqlite:///{tmp_path / 'new' / 'cornered.db'}"


@contextlib.asynccontextmanager
async def another_server(url: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that holds the lease."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLDER, url), stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    try:
        assert process.stdout is not None
        assert await process.stdout.readline() == b"held\n"
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_a_lease_has_one_holder_and_ends_with_a_killed_process(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with another_server(url) as other:
        with monkeypatch.context() as patch:
            patch.setattr("cornered.server.adapters.lease.LEASE_ATTEMPTS", 1)
            with pytest.raises(StoreTaken):
                async with lease(url):
                    pass
        other.send_signal(signal.SIGKILL)
        await other.wait()
        async with lease(url):
            pass


async def test_a_lease_that_was_let_go_is_free(url: str) -> None:
    for _ in range(2):
        async with lease(url) as held:
            assert held.is_held


async def test_a_store_without_a_file_needs_no_lease() -> None:
    async with lease("sqlite://") as one, lease("sqlite://") as other:
        assert one.is_held
        assert other.is_held


async def test_a_file_system_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOSYS, "flock is not implemented")

    monkeypatch.setattr("fcntl.flock", flock)
    with pytest.raises(OSError, match="not implemented"):
        async with lease(f"sqlite:///{tmp_path / 'cornered.db'}"):
            pass


@contextlib.asynccontextmanager
async def kept(held: Lease) -> AsyncIterator[asyncio.Task[None]]:
    keeping = asyncio.create_task(held.keep())
    yield keeping
    keeping.cancel()
    await asyncio.wait((keeping,))


async def holders(url: str) -> list[int]:
    """Return the database's process ids that hold a lease of this database."""
    engine = create_async_engine(address_of(url))
    async with engine.connect() as connection:
        held = "SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND granted"
        rows = (await connection.execute(text(f"{held} AND datname = current_database()"))).all()
    await engine.dispose()
    return [pid for (pid,) in rows]


async def end_the_holder(url: str) -> None:
    """Terminate the database's side of the connection that holds the lease, as a failing network or an operator
    does."""
    engine = create_async_engine(address_of(url))
    for pid in await holders(url):
        async with engine.connect() as connection:
            await connection.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
    await engine.dispose()


@contextlib.asynccontextmanager
async def next_in_line(url: str) -> AsyncIterator[None]:
    """Wait for the lease like another server's connection, which acquires it the moment it is free."""
    engine = create_async_engine(address_of(url), isolation_level="AUTOCOMMIT")
    try:
        async with engine.connect() as connection:
            taking = asyncio.create_task(connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": KEY}))
            try:
                async with asyncio.timeout(60), engine.connect() as other:
                    while not (await other.execute(text("SELECT count(*) FROM pg_locks WHERE NOT granted"))).scalar():  # noqa: ASYNC110
                        await asyncio.sleep(0)
                yield
            finally:
                # If it did not acquire the lease, it waits for the release only after this.
                await asyncio.wait((taking,), timeout=5)
                taking.cancel()
                await asyncio.wait((taking,), timeout=5)
    finally:
        await engine.dispose()


@pytest.fixture
def postgres_url(postgres: Postgres) -> str:
    new: str = postgres.new_database()
    return new


@pytest.mark.postgres
async def test_a_lease_comes_back_with_its_database(
    postgres: Postgres, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.adapters.lease.KEEP_SECONDS", 0.01)
    async with lease(postgres_url) as held, kept(held):
        postgres.kill()
        try:
            await until(lambda: not held.is_held)
        finally:
            postgres.start()
        await until(lambda: held.is_held)
        monkeypatch.setattr("cornered.server.adapters.lease.LEASE_ATTEMPTS", 1)
        with pytest.raises(StoreTaken):
            async with lease(postgres_url):
                pass


@pytest.mark.postgres
async def test_a_lost_lease_is_noticed_at_once_and_stops_every_write_until_it_is_back(
    postgres_url: str, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.adapters.lease.KEEP_SECONDS", 60)
    async with lease(postgres_url) as held:
        database = await Database.open(postgres_url, may_write=lambda: held.is_held)
        journal, accounts = SqlJournal(database), SqlAccounts(database)
        await journal.append("m", 0, [sample.started("m")])
        await end_the_holder(postgres_url)
        await until(lambda: not held.is_held)
        assert journal.obstacle == "the lease of the database is lost"
        with pytest.raises(JournalUnavailable):
            await journal.append("m", 1, [sample.played(2)])
        with pytest.raises(AccountsUnavailable):
            await accounts.create("Anna", "person")
        async with kept(held):
            await until(lambda: held.is_held)
            await journal.append("m", 1, [sample.played(2)])
            assert journal.obstacle == ""
        await journal.close()
        await database.close()


@pytest.mark.postgres
async def test_a_write_is_not_committed_when_the_lease_goes_before_the_commit(postgres_url: str) -> None:
    may_write = True
    database = await Database.open(postgres_url, may_write=lambda: may_write)

    async def lose_it_half_way() -> None:
        nonlocal may_write
        async with database.writing() as connection:
            await connection.execute(text("INSERT INTO players (id, name, kind) VALUES ('p', 'Anna', 'person')"))
            may_write = False

    with pytest.raises(WriteForbidden):
        await lose_it_half_way()
    async with database.reading() as connection:
        assert (await connection.execute(text("SELECT count(*) FROM players"))).scalar() == 0
    await database.close()


@pytest.mark.postgres
async def test_a_server_whose_lease_another_one_took_stops(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.server.adapters.lease.KEEP_SECONDS", 0.01)
    async with lease(postgres_url) as held, next_in_line(postgres_url), kept(held) as keeping:
        await end_the_holder(postgres_url)
        with pytest.raises(StoreTaken):
            await asyncio.wait_for(keeping, 30)
        assert not held.is_held


@pytest.mark.postgres
async def test_a_server_is_not_stopped_by_its_own_lost_connection(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.adapters.lease.KEEP_SECONDS", 0.01)
    monkeypatch.setattr("cornered.server.adapters.lease.ANSWER_SECONDS", 0.2)
    async with lease(postgres_url) as held:
        (holder,) = await holders(postgres_url)
        assert isinstance(held, AdvisoryLease)
        take, has_failed = held.take, asyncio.Event()

        async def try_to_take(*, attempts: int) -> None:
            try:
                await take(attempts=attempts)
            except TimeoutError:
                has_failed.set()
                raise

        monkeypatch.setattr(held, "take", try_to_take)
        async with kept(held) as keeping:
            # Frozen, the database's process answers nothing and keeps its lock, even when it is told to terminate.
            os.kill(holder, signal.SIGSTOP)
            try:
                async with asyncio.timeout(60):
                    await has_failed.wait()
                assert not keeping.done()
                assert not held.is_held
            finally:
                os.kill(holder, signal.SIGCONT)
            await until(lambda: held.is_held)
        assert await holders(postgres_url) != [holder]
