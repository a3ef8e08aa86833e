"""One SQL database, SQLite or PostgreSQL, behind the adapters that end in `_sql`."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import Connection, event, inspect, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

__all__ = ["STORE_ERRORS", "Database", "Durability", "address_of"]

Durability: TypeAlias = Literal["full", "normal"]
"""Whether a commit survives a loss of power, or only the end of the process."""

STORE_ERRORS: Final = (SQLAlchemyError, OSError, TimeoutError)
"""Everything that a store which went away makes its driver raise."""

HEAD: Final = "0001"
"""The newest migration. Known here so that a start with nothing to migrate need not import Alembic."""

_DRIVERS: Final = {
    "sqlite": "sqlite+aiosqlite",
    "sqlite+aiosqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
    "postgresql+asyncpg": "postgresql+asyncpg",
}
_MIGRATION_LOCK: Final = 0x_C0_12_5E_1D


class Database:
    """Many readers and one writer, whose transactions follow each other: SQLite could not do more, and need not."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._reading = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._writing = asyncio.Lock()
        self._writer: AsyncConnection | None = None

    @classmethod
    async def open(cls, url: str, *, durability: Durability = "full") -> Database:
        """Connect to `sqlite:///path` or `postgresql://...` and bring the tables up to date.

        Raises a ValueError for any other address, and one of STORE_ERRORS when the store cannot be reached.
        """
        engine = _engine(address_of(url), durability)
        try:
            async with engine.connect() as connection:
                await _migrate(connection)
        except BaseException:
            await engine.dispose()
            raise
        return cls(engine)

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
                await writer.commit()
            except IntegrityError:
                await writer.rollback()
                raise
            except BaseException:
                # After any other failure nobody knows what state the connection is in, and connecting is cheap.
                self._writer = None
                await _abandon(writer)
                raise

    async def close(self) -> None:
        async with self._writing:
            if self._writer is not None:
                await self._writer.close()
                self._writer = None
            await self._engine.dispose()


async def _abandon(connection: AsyncConnection) -> None:
    with contextlib.suppress(*STORE_ERRORS):
        await connection.rollback()
    with contextlib.suppress(*STORE_ERRORS):
        await connection.invalidate()
    with contextlib.suppress(*STORE_ERRORS):
        await connection.close()


def address_of(url: str) -> URL:
    """Return where `url` leads, with the driver that leads there. Raises ValueError."""
    try:
        address = make_url(url)
    except SQLAlchemyError as error:
        raise ValueError("a database is sqlite:///file or postgresql://user@host/name") from error
    driver = _DRIVERS.get(address.drivername)
    if driver is None:
        raise ValueError(f"a database is sqlite:///... or postgresql://..., not {address.drivername}://...")
    return address.set(drivername=driver)


def _engine(address: URL, durability: Durability) -> AsyncEngine:
    if address.get_backend_name() == "postgresql":
        commit = "on" if durability == "full" else "off"
        arguments = {"timeout": 5, "command_timeout": 30, "server_settings": {"synchronous_commit": commit}}
        return create_async_engine(address, connect_args=arguments, pool_pre_ping=True)
    if address.database:
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_async_engine(address, connect_args={"timeout": 5})

    def prepare(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        for pragma in ("journal_mode = WAL", f"synchronous = {durability.upper()}", "foreign_keys = ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    event.listen(engine.sync_engine, "connect", prepare)
    return engine


async def _migrate(connection: AsyncConnection) -> None:
    revision = await connection.run_sync(_revision)
    if revision == HEAD:
        return
    if revision is not None and revision > HEAD:
        raise ValueError(f"the database belongs to a newer version: it is at step {revision}, this one knows {HEAD}")
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
