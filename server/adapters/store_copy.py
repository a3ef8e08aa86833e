"""Copies a whole store into an empty one, from SQLite to PostgreSQL or back, while no server uses either.

The source is read in one snapshot and the target is written in one transaction, which is verified before it commits: a
copy that is interrupted leaves the target empty, and starts from the beginning.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Table, func, insert, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.engine.progress import Progress, Report, no_report
from cornered.server.adapters.archive_tables import ARCHIVE_FILL
from cornered.server.adapters.database import STORE_ERRORS, Database, address_of, is_damage, open_engine
from cornered.server.adapters.lease import StoreTaken, lease
from cornered.server.adapters.tables import METADATA, NODES_TABLE, NOW_MS, PROBES, SLOTS_TABLE
from cornered.server.cluster.assignment import is_living

__all__ = ["Copied", "copy_store"]

BATCH_ROWS: Final = 2_000
_LEFT_OUT: Final = {PROBES, NODES_TABLE, SLOTS_TABLE, ARCHIVE_FILL}
"""What belongs to a server that runs, or to where it ran. Both stores are indexed by the time they are copied."""
_TABLES: Final = tuple(table for table in METADATA.sorted_tables if table not in _LEFT_OUT)
"""All others, each behind those that it refers to."""
_LOCK_NODES: Final = text("LOCK TABLE nodes, slots IN EXCLUSIVE MODE NOWAIT")
"""No node joins, renews its lease or appends until the transaction ends."""
_NOW_MS: Final = text(f"SELECT {NOW_MS}")
_LOCK_NOT_AVAILABLE: Final = "55P03"
_MODULUS: Final = 1 << 256


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied: the rows of each table, and a checksum over the rows of all events."""

    rows: Mapping[str, int]
    checksum: str


class _Sum:
    """A checksum over rows that does not depend on their order, which collations determine."""

    def __init__(self) -> None:
        self.rows = 0
        self._sum = 0

    def add(self, row: Sequence[object]) -> None:
        self.rows += 1
        self._sum += int.from_bytes(hashlib.sha256(repr(tuple(row)).encode()).digest(), "big")

    @property
    def value(self) -> str:
        return f"{self._sum % _MODULUS:064x}"


async def copy_store(source: str, target: str, report: Report = no_report) -> Copied:
    """Copy all rows of the store at `source` to the one at `target`, whose tables are made where they are missing.

    Raises a ValueError for stores that may not be copied, with the reason, and one of STORE_ERRORS.
    """
    start, end = address_of(source), address_of(target)
    _check(start, end)
    # Both are brought up to date, so that their tables are the same.
    for url in (source, target):
        await (await Database.open(url)).close()
    try:
        async with AsyncExitStack() as stack:
            reader = await stack.enter_async_context(_used_alone(source, "source"))
            writer = await stack.enter_async_context(_used_alone(target, "target"))
            await _check_empty(writer)
            sums = {}
            for table in _TABLES:
                sums[table.name] = await _copy(table, reader, writer, report)
            for table in _TABLES:
                await _verify(table, writer, sums[table.name], report)
            await writer.commit()
    except StoreTaken:
        raise ValueError("a server uses one of the two databases: stop it first") from None
    except IntegrityError:
        raise ValueError("the target is not empty any more: another program writes to it") from None
    except STORE_ERRORS as error:
        if is_damage(error, is_reading=True):
            raise ValueError("the source is damaged: run `cornered admin check`, and restore a backup") from error
        raise
    return Copied({name: one.rows for name, one in sums.items()}, sums["events"].value)


def _check(start: URL, end: URL) -> None:
    for address in (start, end):
        if address.get_backend_name() == "sqlite" and not address.database:
            raise ValueError("a store in memory cannot be copied")
    if start.get_backend_name() == "sqlite" and not Path(str(start.database)).is_file():
        raise ValueError(f"there is no database {start.database}")
    if (start.host, start.port, start.database) == (end.host, end.port, end.database):
        raise ValueError("source and target are the same database")


@asynccontextmanager
async def _used_alone(url: str, role: str) -> AsyncIterator[AsyncConnection]:
    """Lend a connection in a transaction during which no server runs on the database. Rolls back what is not committed.

    Raises StoreTaken, or a ValueError where nodes live.
    """
    address = address_of(url)
    with lease(url):
        engine = open_engine(address, "full")
        try:
            async with engine.connect() as connection:
                if engine.dialect.name == "sqlite":
                    # Python's driver begins no transaction for reading.
                    await connection.exec_driver_sql("BEGIN" if role == "source" else "BEGIN IMMEDIATE")
                else:
                    await connection.execution_options(isolation_level="REPEATABLE READ")
                    await _exclude_nodes(connection, role)
                yield connection
                await connection.rollback()
        finally:
            await engine.dispose()


async def _exclude_nodes(connection: AsyncConnection, role: str) -> None:
    try:
        await connection.execute(_LOCK_NODES)
    except STORE_ERRORS as error:
        if getattr(getattr(error, "orig", None), "sqlstate", None) == _LOCK_NOT_AVAILABLE:
            raise StoreTaken(role) from None
        raise
    now = (await connection.execute(_NOW_MS)).scalar_one()
    rows = await connection.execute(select(NODES_TABLE.c.name, NODES_TABLE.c.seen_ms))
    living = [name for name, seen_ms in rows if is_living(seen_ms, now)]
    if living:
        raise ValueError(f"the {role} is used by {', '.join(living)}: stop every server of it first")


async def _check_empty(writer: AsyncConnection) -> None:
    for table in _TABLES:
        if (await writer.execute(select(func.count()).select_from(table))).scalar_one():
            raise ValueError(f"the target is not empty: its table {table.name} has rows; name an empty database")


async def _copy(table: Table, reader: AsyncConnection, writer: AsyncConnection, report: Report) -> _Sum:
    total = (await reader.execute(select(func.count()).select_from(table))).scalar_one()
    copied = _Sum()
    async for rows in _batches(table, reader):
        for row in rows:
            copied.add(row)
        await writer.execute(insert(table), [dict(row._mapping) for row in rows])
        report(Progress(f"copy {table.name}", copied.rows, total))
    if copied.rows != total:
        raise ValueError(f"{copied.rows} of {total} rows of {table.name} could be read")
    return copied


async def _verify(table: Table, writer: AsyncConnection, copied: _Sum, report: Report) -> None:
    """Read a table of the target again. Raises a ValueError where it is not what was read from the source."""
    found = _Sum()
    async for rows in _batches(table, writer):
        for row in rows:
            found.add(row)
        report(Progress(f"verify {table.name}", found.rows, copied.rows))
    if (found.rows, found.value) != (copied.rows, copied.value):
        raise ValueError(f"the copy of {table.name} differs from its source: nothing is kept of it")


async def _batches(table: Table, connection: AsyncConnection) -> AsyncIterator[Sequence[Any]]:
    result = await connection.stream(select(table), execution_options={"yield_per": BATCH_ROWS})
    async for rows in result.partitions():
        yield rows
