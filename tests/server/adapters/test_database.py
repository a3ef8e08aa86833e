"""Opening and migrating a database."""

from __future__ import annotations

import asyncio
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from cornered.server.accounts import PLAIN_SCOPES, NewAccount, Revocation
from cornered.server.adapters import database as module
from cornered.server.adapters.accounts_sql import SqlAccounts
from cornered.server.adapters.database import STORE_ERRORS, Database, address_of, open_engine
from cornered.server.adapters.tables import EVENTS, METADATA
from cornered.server.adapters.tokens import digest_of
from tests.server.adapters.conftest import DATABASES, Opener

MIGRATIONS = Path(module.__file__).parents[1] / "migrations"


@pytest.fixture(params=DATABASES)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database of each kind without tables."""
    if request.param == "postgres":
        made: str = request.getfixturevalue("postgres").empty_database()
        return made
    return f"sqlite:///{tmp_path / 'empty.db'}"


async def test_the_migrations_lead_to_the_tables_that_the_code_knows(open_database: Opener) -> None:
    def differences(connection: Connection) -> Any:
        return compare_metadata(MigrationContext.configure(connection), METADATA)

    database = await open_database()
    async with database.reading() as connection:
        assert await connection.run_sync(differences) == []


def test_the_newest_migration_is_the_one_that_the_code_asks_for() -> None:
    assert ScriptDirectory(str(MIGRATIONS)).get_current_head() == module.NEWEST_MIGRATION


async def test_servers_that_start_together_take_turns_to_migrate(empty_url: str) -> None:
    first, *others = await asyncio.gather(*(Database.open(empty_url) for _ in range(4)))
    async with first.reading() as connection:
        assert (await connection.execute(text("SELECT count(*) FROM alembic_version"))).scalar() == 1
    for database in (first, *others):
        await database.close()


async def test_a_database_of_a_newer_version_is_left_alone(open_database: Opener) -> None:
    database = await open_database()
    async with database.writing() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(ValueError, match="newer version"):
        await open_database()


async def test_another_process_may_read_the_file_and_nothing_is_lost(tmp_path: Path) -> None:
    """SQLite lets the last process that closes a file delete its log: it has to see that this one still has it open."""
    path = tmp_path / "cornered.db"
    database = await Database.open(f"sqlite:///{path}")
    for number in range(3):
        async with database.writing() as connection:
            await connection.execute(text("UPDATE alembic_version SET version_num = :number"), {"number": str(number)})
        assert _read_elsewhere(path) == str(number)
        assert path.with_name("cornered.db-wal").exists()
    await database.close()


def _read_elsewhere(path: Path) -> str:
    program = (
        "import sqlite3, sys; connection = sqlite3.connect(sys.argv[1]); "
        "print(connection.execute('SELECT version_num FROM alembic_version').fetchone()[0]); connection.close()"
    )
    done = subprocess.run([sys.executable, "-c", program, path], check=True, capture_output=True, text=True)
    return done.stdout.strip()


async def test_an_address_of_something_else_is_refused_and_a_missing_folder_is_made(tmp_path: Path) -> None:
    for url in ("mysql://host/name", "nonsense", ""):
        with pytest.raises(ValueError, match="a database is"):
            await Database.open(url)
    path = tmp_path / "deep" / "down" / "cornered.db"
    await (await Database.open(f"sqlite:///{path}")).close()
    assert path.exists()


async def test_a_failed_transaction_leaves_nothing_and_the_next_one_works(open_database: Opener) -> None:
    database = await open_database()
    insert = text("INSERT INTO players (id, name, kind) VALUES ('p', 'Anna', 'person')")

    async def fail_half_way() -> None:
        async with database.writing() as connection:
            await connection.execute(insert)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail_half_way()
    async with database.writing() as connection:
        await connection.execute(insert)
    async with database.reading() as connection:
        assert (await connection.execute(text("SELECT count(*) FROM players"))).scalar() == 1


async def test_a_batch_that_conflicts_halfway_stores_nothing_and_the_next_one_works(sqlite_url: str) -> None:
    database = await Database.open(sqlite_url)
    insert = database.insertion(EVENTS)
    await database.write([(insert, [("a", 1, "{}")])])
    with pytest.raises(IntegrityError):
        await database.write([(insert, [("b", seq, "{}") for seq in range(1, 100)]), (insert, [("a", 1, "{}")])])
    assert await _stored_events(database) == 1
    await database.write([(insert, [("b", 1, "{}")])])
    assert await _stored_events(database) == 2
    await database.close()


async def test_a_batch_on_a_locked_file_fails_or_is_cancelled_and_the_next_one_works(
    sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.05)
    database = await Database.open(sqlite_url)
    insert = database.insertion(EVENTS)
    with closing(sqlite3.connect(tmp_path / "cornered.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(STORE_ERRORS, match="locked"):
            await database.write([(insert, [("a", 1, "{}")])])
        cancelled = asyncio.create_task(database.write([(insert, [("a", 1, "{}")])]))
        await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        other.execute("ROLLBACK")
    assert await _stored_events(database) == 0
    await database.write([(insert, [("a", 1, "{}")])])
    assert await _stored_events(database) == 1
    await database.close()


async def _stored_events(database: Database) -> int:
    async with database.reading() as connection:
        return int((await connection.execute(text("SELECT count(*) FROM events"))).scalar_one())


async def test_the_tokens_of_the_version_before_accounts_stay_valid(empty_url: str) -> None:
    engine = open_engine(address_of(empty_url), "full")

    def make_old(connection: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, "0004")
        connection.execute(text("INSERT INTO players (id, name, kind) VALUES ('p', 'Anna', 'person')"))
        row = {"digest": digest_of("a token of the version before")}
        connection.execute(text("INSERT INTO tokens (digest, player) VALUES (:digest, 'p')"), row)
        connection.execute(text("INSERT INTO revocations (number, player) VALUES (7, 'p')"))

    async with engine.begin() as connection:
        await connection.run_sync(make_old)
    await engine.dispose()
    database = await Database.open(empty_url)
    accounts = SqlAccounts(database)
    known = await accounts.by_token("a token of the version before", 2**50)
    assert known is not None
    assert (known.player.name, known.scopes, known.is_session, known.has_account) == ("Anna", PLAIN_SCOPES, True, False)
    (only,) = await accounts.tokens("p")
    assert only.created > 0
    assert await accounts.revoked(0) == [Revocation(7, "p")]
    new = NewAccount("Anna", "anna", "hash", ("code",), 1)
    assert (await accounts.register(new, "p", known.session))[0].player.id == "p"
    await database.close()
