"""Copies of stores: complete, verified, all or nothing, and never beside a server."""

from __future__ import annotations

import asyncio
import functools
import itertools
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

import pytest
from sqlalchemy import Boolean, LargeBinary, String, Table, Text, func, insert, select, text
from sqlalchemy.exc import DBAPIError

from cornered.engine.progress import Progress
from cornered.server.accounts import NewAccount, NewSession
from cornered.server.adapters import store_copy
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import Database, address_of, open_engine
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.lease import lease
from cornered.server.adapters.lobby_log_sql import SqlLobbyLog
from cornered.server.adapters.moderation_sql import SqlModerationLog
from cornered.server.adapters.ratings_sql import SqlRatings
from cornered.server.adapters.store_copy import copy_store
from cornered.server.adapters.streams_sql import SqlStreams
from cornered.server.adapters.tables import METADATA
from cornered.server.lobby.events import SeekClosed
from cornered.server.moderation.events import Entry, Lifted
from cornered.server.rating.ratings import NEW, rate
from tests.conftest import Postgres
from tests.server.adapters.conftest import Sample, owning

MATCHES = 7
TRANSIENT = {"nodes", "slots", "probes", "archive_fill"}


class Make(Protocol):
    def __call__(self, kind: str, *, has_tables: bool = True) -> str: ...


both_ways = pytest.mark.parametrize(
    ("start", "end"),
    [
        ("sqlite", "sqlite"),
        pytest.param("sqlite", "postgres", marks=pytest.mark.postgres),
        pytest.param("postgres", "sqlite", marks=pytest.mark.postgres),
        pytest.param("postgres", "postgres", marks=pytest.mark.postgres),
    ],
)


@pytest.fixture
def make(request: pytest.FixtureRequest, tmp_path: Path, migrated_file: Path) -> Make:
    """Return a function that makes a new database of a kind and returns its address: without tables, or with the newest
    ones, which are empty."""
    numbers = itertools.count()

    def new(kind: str, *, has_tables: bool = True) -> str:
        if kind == "postgres":
            postgres: Postgres = request.getfixturevalue("postgres")
            return postgres.new_database() if has_tables else postgres.empty_database()
        file = tmp_path / f"{next(numbers)}.db"
        return f"sqlite:///{shutil.copy(migrated_file, file) if has_tables else file}"

    return new


@pytest.fixture(scope="module")
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Return a function that returns the address of a filled database of a kind, which is the module's: no test changes
    it."""

    @functools.cache
    def filled(kind: str) -> str:
        url = f"sqlite:///{tmp_path_factory.mktemp('filled') / 'cornered.db'}"
        if kind == "postgres":
            url = request.getfixturevalue("postgres").new_database()
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, fill(url)).result()
        return url

    return filled


async def fill(url: str) -> None:
    """Store matches, live and ended, players with tokens, a secret and the lobby's events."""
    database = await Database.open(url)
    try:
        accounts = SqlAccounts(database)
        for name in ("Ünal", "x" * 24):
            await accounts.create(name, "person")
        await accounts.revoke((await accounts.create("Eve", "bot"))[0].player.id)
        new = NewAccount("Anna", "anna", "hash", ("code",), 1)
        anna, _ = await accounts.register(new, None)
        await accounts.sign_in(anna.player.id, "hash", NewSession("a telephone", 2, "address"))
        await accounts.invite("invitation", 1, 1, 2)
        if database.is_sqlite:
            await store(SqlJournal(database), SqlLobbyLog(database))
        else:
            async with owning(url) as ownership:
                await store(SqlJournal(database, ownership), SqlLobbyLog(database, ownership))
        ratings = SqlRatings(database)
        pending, _ = await ratings.pending(2)
        assert pending.result is not None
        await ratings.store(0, [(pending.match, rate(pending.result, (NEW, NEW)))])
        await SqlModerationLog(database).append(Entry(1, 2, "operator", Lifted(1, "Sorry"), "seal"))
        await SqlStreams(database).append("tournament", "t1", 0, ["{}", "{}"])
        await fill_the_rest(database, anna.player.id)
    finally:
        await database.close()


async def fill_the_rest(database: Database, player: str) -> None:
    """Store one row in each table that is empty so far."""
    async with database.writing() as connection:
        for table in METADATA.sorted_tables:
            if table.name in TRANSIENT or (await connection.execute(select(func.count()).select_from(table))).scalar():
                continue
            row: dict[str, object] = {}
            for column in table.columns:
                if column.foreign_keys:
                    row[column.name] = player
                elif isinstance(column.type, LargeBinary):
                    row[column.name] = b"\x00bytes"
                elif isinstance(column.type, Boolean):
                    row[column.name] = True
                else:
                    row[column.name] = "text" if isinstance(column.type, String | Text) else 7
            await connection.execute(insert(table).values(row))


async def store(journal: SqlJournal, lobby_log: SqlLobbyLog) -> None:
    sample = Sample()
    await journal.secret()
    for number in range(MATCHES):
        match = f"m{number}abc"
        await journal.append(match, 0, [sample.started(match, private=number % 2 == 0)])
        await journal.append(match, 1, [sample.played(seq) for seq in range(2, 3 + number)])
        if number % 3:
            await journal.append(match, number + 2, [sample.ended(number + 3, rated=number % 3 == 1)])
    await lobby_log.append(0, [SeekClosed("one"), SeekClosed("two")])
    await journal.close()


async def contents(url: str) -> dict[str, list[tuple[object, ...]]]:
    """Return the rows of all tables that last."""
    engine = open_engine(address_of(url), "full", is_for_reading=True)
    try:
        async with engine.connect() as connection:
            return {
                table.name: sorted(map(tuple, (await connection.execute(select(table))).all()))
                for table in METADATA.sorted_tables
                if table.name not in TRANSIENT
            }
    finally:
        await engine.dispose()


@both_ways
async def test_a_copy_has_every_row_or_none_and_is_refused_where_there_are_rows(
    make: Make, filled: Callable[[str], str], start: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_copy, "BATCH_ROWS", 4)
    source, target = filled(start), make(end, has_tables=False)

    def interrupt(progress: Progress) -> None:
        if progress.step == "verify events":
            raise KeyError("interrupted")

    with pytest.raises(KeyError):
        await copy_store(source, target, interrupt)
    assert not any((await contents(target)).values())

    reports: list[Progress] = []
    copied = await copy_store(source, target, reports.append)
    rows = await contents(source)
    assert await contents(target) == rows
    assert all(rows.values())
    assert copied.rows == {name: len(found) for name, found in rows.items()}
    done = {one.step: (one.done, one.total) for one in reports}
    assert done["copy events"] == done["verify events"] == (len(rows["events"]), len(rows["events"]))
    assert len([one for one in reports if one.step == "copy events"]) > 5

    with pytest.raises(ValueError, match=r"the target is not empty: its table [a-z_]+ has rows"):
        await copy_store(source, target)
    assert await contents(target) == rows

    # The way back gives the same checksum, and a server plays on with what was copied.
    third = make(start)
    assert await copy_store(target, third) == copied
    database = await Database.open(third)
    assert [one.match for one in await SqlJournal(database).live()] == ["m0abc", "m3abc", "m6abc"]
    await database.close()


@pytest.mark.parametrize("table", [table for table in METADATA.sorted_tables if table.name in ("events", "tokens")])
async def test_a_copy_that_differs_is_not_kept(make: Make, filled: Callable[[str], str], table: Table) -> None:
    source, target = filled("sqlite"), make("sqlite")
    engine = open_engine(address_of(target), "full")
    column = list(table.columns)[-1].name
    async with engine.begin() as connection:
        changed = f"CREATE TRIGGER wrong AFTER INSERT ON {table.name} WHEN new.rowid = 2 BEGIN"
        broken = "DELETE FROM tokens WHERE rowid = new.rowid" if table.name == "tokens" else ""
        broken = broken or f"UPDATE {table.name} SET {column} = {column} || ' ' WHERE rowid = new.rowid"
        await connection.exec_driver_sql(f"{changed} {broken}; END")
    await engine.dispose()
    with pytest.raises(ValueError, match=f"the copy of {table.name} differs from its source"):
        await copy_store(source, target)
    assert not any((await contents(target)).values())


async def test_a_file_that_a_server_uses_is_not_copied(make: Make, filled: Callable[[str], str]) -> None:
    source, target = filled("sqlite"), make("sqlite")
    for used in (source, target):
        with lease(used), pytest.raises(ValueError, match="a server uses one of the two databases"):
            await copy_store(source, target)
    await copy_store(source, target)


@pytest.mark.postgres
async def test_a_database_with_living_nodes_is_not_copied_and_none_joins_during_a_copy(
    make: Make, filled: Callable[[str], str]
) -> None:
    urls = {"source": filled("postgres"), "target": make("postgres")}
    for name, url in urls.items():
        async with owning(url, "node-1"):
            with pytest.raises(ValueError, match=f"the {name} is used by node-1"):
                await copy_store(urls["source"], urls["target"])
    other = {"source": filled("sqlite"), "target": make("sqlite")}
    refused: list[str] = []

    async def join(used: str) -> None:
        engine = open_engine(address_of(urls[used]), "full")
        try:
            async with engine.connect() as connection:
                await connection.execute(text("SET lock_timeout = '50ms'"))
                await connection.execute(text("INSERT INTO nodes VALUES ('late', 'x', 'x', 1, 1, 1)"))
        except DBAPIError as error:
            refused.append(str(error.orig))
        finally:
            await engine.dispose()

    async def copy_again(used: str) -> None:
        try:
            both = other | {used: urls[used]}
            await copy_store(both["source"], both["target"])
        except ValueError as error:
            refused.append(str(error))

    def disturb(progress: Progress) -> None:
        # In another thread, while this one holds still in the middle of the copy.
        if progress.step == "copy events" and not refused:
            with ThreadPoolExecutor() as threads:
                for used, work in itertools.product(urls, (join, copy_again)):
                    threads.submit(asyncio.run, work(used)).result()

    await copy_store(urls["source"], urls["target"], disturb)
    assert len(refused) == 4
    for number, text_ in enumerate(("lock timeout", "a server uses one of the two databases") * 2):
        assert text_ in refused[number]


async def test_what_cannot_be_copied_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.db").touch()
    file = f"sqlite:///{tmp_path}/a.db"
    for source, reason in (
        (f"sqlite:///{tmp_path}/missing.db", r"there is no database .*missing\.db"),
        ("sqlite://", "in memory cannot be copied"),
        (file, "the same database"),
        ("mysql://a/b", "not mysql"),
    ):
        with pytest.raises(ValueError, match=reason):
            await copy_store(source, file)
    assert not (tmp_path / "missing.db").exists()
