"""One SQL database, SQLite or PostgreSQL, behind the adapters that end in `_sql`."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import aiosqlite
from sqlalchemy import Connection, Insert, Table, Update, event, insert, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.sql.compiler import SQLCompiler

from cornered.server.adapters.archive_fill import fill_archive
from cornered.server.adapters.private_files import create_private

__all__ = [
    "STORE_ERRORS",
    "Batch",
    "Database",
    "Durability",
    "Statement",
    "address_of",
    "decoded",
    "is_away",
    "is_damage",
    "open_engine",
    "open_postgres",
    "reason_of",
    "require_store",
]

Durability: TypeAlias = Literal["full", "normal"]
"""Whether a commit survives a loss of power, or only the end of the process."""

STORE_ERRORS: Final = (SQLAlchemyError, OSError, TimeoutError)
"""Every error of a driver whose store is unavailable."""

NEWEST_MIGRATION: Final = "0015"
"""The newest migration. Known here so that a start with nothing to migrate need not import Alembic."""

BUSY_SECONDS: Final = 5.0
"""How long a connection waits while another one has an SQLite file for itself."""
BUSY_POLL_SECONDS: Final = 0.02
CONNECT_SECONDS: Final = 5
ROWS_PER_STEP: Final = 64
"""Rows that one INSERT of SQLite takes at most. Its thread asks for the interpreter's lock after every statement, so
a statement for each row would wait for the event loop as often as it has rows.
"""

_DRIVERS: Final = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}
_MIGRATION_LOCK: Final = 0x_C0_12_5E_1D
_DAMAGE_CODES: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_UNREADABLE_CODES: Final = (
    sqlite3.SQLITE_IOERR_READ,
    sqlite3.SQLITE_IOERR_SHORT_READ,
    sqlite3.SQLITE_IOERR_DATA,
    sqlite3.SQLITE_IOERR_CORRUPTFS,
)
"""The disk does not give a page back. Other I/O errors, as of a full disk, pass."""
_DAMAGE_STATES: Final = ("XX001", "XX002")
"""PostgreSQL's `data_corrupted` and `index_corrupted`."""


_CONNECTION_CLASS: Final = "08"
_AWAY_STATES: Final = ("57P01", "57P02", "57P03", "53300")
"""PostgreSQL's `admin_shutdown`, `crash_shutdown`, `cannot_connect_now` and `too_many_connections`."""


class Statement(NamedTuple):
    """A statement in the driver's SQL, with tuples of parameters; `values` is the part of an INSERT that is one row."""

    sql: str
    values: str = ""


Batch: TypeAlias = Sequence[tuple[Statement, Sequence[tuple[Any, ...]]]]
"""Statements, each with its rows of parameters."""


def reason_of(error: BaseException) -> str:
    """Return the first line of the driver's message, which has neither the statement nor the address."""
    return str(getattr(error, "orig", None) or error).partition("\n")[0] or type(error).__name__


def is_damage(error: BaseException, *, is_reading: bool = False) -> bool:
    """Return whether a part of the store is damaged, which no retry mends.

    A page that the disk cannot read is damage to a reader alone: what a writer could not store, it tries again.
    """
    cause = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(cause, "sqlite_errorcode", None)
    if is_reading and code in _UNREADABLE_CODES:
        return True
    # The low byte of an extended result code is the primary one.
    return (code is not None and code & 0xFF in _DAMAGE_CODES) or getattr(cause, "sqlstate", None) in _DAMAGE_STATES


def is_away(error: BaseException) -> bool:
    """Return whether a PostgreSQL server cannot be reached just now, or lets nobody in: it starts, stops or is full.

    What is wrong with the address, such as a password or a certificate, is another error, which no wait mends.
    """
    if isinstance(error, OSError):
        return not isinstance(error, ssl.SSLError | PermissionError)
    state = str(getattr(getattr(error, "orig", None) or error, "sqlstate", None) or "")
    return state.startswith(_CONNECTION_CLASS) or state in _AWAY_STATES


def decoded(stored: bytes) -> str:
    """Return SQLite's text; a byte that is not UTF-8 becomes a backslash escape that no JSON allows.

    By default sqlite3 refuses the whole query instead, with all other rows, and in an error without a code.
    """
    return stored.decode(errors="backslashreplace")


class Database:
    """Many readers and one writer, whose transactions are serialised: SQLite permits one writer."""

    def __init__(self, engine: AsyncEngine, reading: AsyncEngine) -> None:
        self._engine = engine
        self._reading = reading
        self._writing = asyncio.Lock()
        self._writer: AsyncConnection | None = None
        # The driver's connection of `_writer`, once it was asked for.
        self._driver: aiosqlite.Connection | None = None

    @classmethod
    async def open(cls, url: str, *, durability: Durability = "full") -> Database:
        """Connect to `sqlite:///path` or `postgresql://...` and bring the tables up to date.

        Raises a ValueError for any other address, and one of STORE_ERRORS when the store cannot be reached.
        """
        address = address_of(url)
        engine = open_engine(address, durability)
        try:
            connection = await _first_connection(engine)
            try:
                await _migrate(connection)
                await fill_archive(connection, _MIGRATION_LOCK)
            finally:
                await connection.close()
        except BaseException:
            await engine.dispose()
            raise
        # Connections that only read stay in AUTOCOMMIT: to switch on every loan costs three calls of the driver.
        in_memory = engine.dialect.name == "sqlite" and not address.database
        reading = engine if in_memory else open_engine(address, durability, is_for_reading=True)
        return cls(engine, reading.execution_options(isolation_level="AUTOCOMMIT") if in_memory else reading)

    @property
    def is_sqlite(self) -> bool:
        return self._engine.dialect.name == "sqlite"

    def insertion(self, table: Table) -> Statement:
        """Return the INSERT of whole rows for `write`."""
        sql = self._compiled(insert(table), list(table.columns.keys()))
        return Statement(sql, sql.partition(" VALUES ")[2])

    def updating(self, update: Update, parameters: Sequence[str]) -> Statement:
        """Return an UPDATE for `write` whose bound parameters come in the order of `parameters`."""
        return Statement(self._compiled(update, list(parameters)))

    def _compiled(self, statement: Insert | Update, parameters: list[str]) -> str:
        compiled = statement.compile(dialect=self._engine.dialect)
        assert isinstance(compiled, SQLCompiler)
        assert compiled.positiontup == parameters
        return str(compiled)

    async def write(self, batch: Batch) -> None:
        """Execute statements of SQLite, each with its rows of parameters, in one durable transaction.

        All of it is one call of the driver's thread: with a call for each statement and the commit, and
        SQLAlchemy around them, a transaction took several times the CPU. Raises what STORE_ERRORS holds; an
        IntegrityError rolls the transaction back and leaves the writer usable.
        """
        async with self.writing() as connection:
            driver = await self._driver_of(connection)
            try:
                # The one way to have the driver's thread run a function; SQLAlchemy's dialect uses its queue directly.
                await driver._execute(self._transact, driver._conn, batch)  # type: ignore[no-untyped-call]
            except sqlite3.IntegrityError as error:
                raise IntegrityError(None, None, error) from error
            except sqlite3.Error as error:
                raise DBAPIError(None, None, error) from error

    async def write_alone(self, sql: str, *arguments: object) -> Sequence[int]:
        """Execute one statement of PostgreSQL as a durable transaction of its own, and return its only row.

        It goes to the driver as it is, with lists as arrays, in one round trip. Raises what `write` raises.
        """
        async with self.writing() as connection:
            from cornered.server.adapters.postgres import fetch_row

            driver = (await connection.get_raw_connection()).driver_connection
            return await fetch_row(driver, sql, *arguments)

    def _transact(self, connection: sqlite3.Connection, batch: Batch) -> None:
        """Run one transaction on SQLite, in the driver's thread."""
        try:
            for statement, rows in batch:
                _execute(connection, statement, rows)
            connection.commit()
        except BaseException:
            connection.rollback()
            raise

    async def _driver_of(self, writer: AsyncConnection) -> aiosqlite.Connection:
        if self._driver is None:
            driver = (await writer.get_raw_connection()).driver_connection
            assert isinstance(driver, aiosqlite.Connection)
            self._driver = driver
        return self._driver

    @contextlib.asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """Lend a connection on which every statement sees what is committed."""
        async with self._reading.connect() as connection:
            yield connection

    @contextlib.asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """Lend the writer for one transaction, committed at the end of the block and rolled back by an exception."""
        async with self._writing:
            if self._writer is None:
                self._writer = await self._engine.connect()
            writer = self._writer
            try:
                yield writer
                if writer.in_transaction():
                    await writer.commit()
            except IntegrityError:
                if writer.in_transaction():
                    await writer.rollback()
                raise
            except BaseException:
                # After any other failure the state of the connection is unknown, and connecting is cheap.
                self._writer = self._driver = None
                await _abandon(writer)
                raise

    async def close(self) -> None:
        async with self._writing:
            if self._writer is not None:
                await self._writer.close()
                self._writer = self._driver = None
            await self._engine.dispose()
            await self._reading.dispose()


def _execute(connection: sqlite3.Connection, statement: Statement, rows: Sequence[tuple[Any, ...]]) -> None:
    if not statement.values:
        connection.executemany(statement.sql, rows)
        return
    done = 0
    while done < len(rows):
        # A power of two, so that few statements are ever prepared: the connection keeps those.
        count = min(ROWS_PER_STEP, 1 << (len(rows) - done).bit_length() - 1)
        sql = statement.sql + f", {statement.values}" * (count - 1)
        connection.execute(sql, tuple(chain.from_iterable(rows[done : done + count])))
        done += count


async def _abandon(connection: AsyncConnection) -> None:
    with contextlib.suppress(*STORE_ERRORS):
        await connection.rollback()
    with contextlib.suppress(*STORE_ERRORS):
        await connection.invalidate()
    with contextlib.suppress(*STORE_ERRORS):
        await connection.close()


def address_of(url: str) -> URL:
    """Parse the address of a database, and choose its driver. Raises ValueError."""
    try:
        address = make_url(url)
    except SQLAlchemyError as error:
        raise ValueError("a database is sqlite:///file or postgresql://user@host/name") from error
    driver = _DRIVERS.get(address.drivername)
    if driver is None:
        raise ValueError(f"a database is sqlite:///... or postgresql://..., not {address.drivername}://...")
    return address.set(drivername=driver)


def require_store(address: URL) -> None:
    """Raise a ValueError for an SQLite file that is missing, which opening it would make."""
    if address.get_backend_name() == "sqlite" and not Path(address.database or "").is_file():
        raise ValueError(f"there is no store at {address.database}: no server has run there yet")


def open_engine(address: URL, durability: Durability, *, is_for_reading: bool = False) -> AsyncEngine:
    """Return an engine for the store. A missing SQLite file is made, for this user alone."""
    options: dict[str, Any] = {"isolation_level": "AUTOCOMMIT", "pool_reset_on_return": None} if is_for_reading else {}
    if address.get_backend_name() == "postgresql":
        commit = "on" if durability == "full" else "off"
        settings = {"server_settings": {"synchronous_commit": commit}}
        return open_postgres(address, {"command_timeout": 30, **settings}, pool_pre_ping=True, **options)
    if address.database:
        create_private(Path(address.database))
    engine = create_async_engine(address, connect_args={"timeout": BUSY_SECONDS}, **options)

    def prepare(connection: Any, _record: object) -> None:
        connection.driver_connection.text_factory = decoded
        cursor = connection.cursor()
        for pragma in ("journal_mode = WAL", f"synchronous = {durability.upper()}", "foreign_keys = ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    event.listen(engine.sync_engine, "connect", prepare)
    return engine


def open_postgres(address: URL, arguments: Mapping[str, Any], **options: Any) -> AsyncEngine:
    """Return an engine for PostgreSQL with the driver's arguments, and those for TLS of the address."""
    from cornered.server.adapters.postgres import with_tls

    plain, tls = with_tls(address)
    return create_async_engine(plain, connect_args={"timeout": CONNECT_SECONDS, **arguments, **tls}, **options)


async def _first_connection(engine: AsyncEngine) -> AsyncConnection:
    """Connect; wait while another process switches a new SQLite file to write-ahead logging: SQLite itself does not.

    Raises one of STORE_ERRORS.
    """
    until = asyncio.get_running_loop().time() + BUSY_SECONDS
    while True:
        try:
            return await engine.connect()
        except OperationalError as error:
            code = getattr(error.orig, "sqlite_errorcode", None)
            if code != sqlite3.SQLITE_BUSY or asyncio.get_running_loop().time() > until:
                raise
        await asyncio.sleep(BUSY_POLL_SECONDS)


async def _migrate(connection: AsyncConnection) -> None:
    revision = await connection.run_sync(_revision)
    if revision == NEWEST_MIGRATION:
        return
    if revision is not None and revision > NEWEST_MIGRATION:
        raise ValueError(
            f"the database belongs to a newer version: it is at step {revision}, this one knows {NEWEST_MIGRATION}"
        )
    await connection.rollback()
    # Python's sqlite3 opens no transaction for CREATE TABLE by itself, and a start that is killed half way must leave
    # nothing behind. The lock lets servers that start together take turns.
    if connection.dialect.name == "sqlite":
        await connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
    await connection.run_sync(_upgrade)
    await connection.commit()


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    revision: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return revision


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
