"""Indexes the finished matches of an older version, in batches, each of which is a transaction of its own.

What is indexed stays indexed when a start is interrupted: the next one goes on behind it. No server serves before all
are indexed, so no match can end that this would miss or count twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import structlog
from pydantic import ValidationError
from sqlalchemy import Insert, Table, delete, insert, select, text, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.protocol.events import EVENT
from cornered.server.adapters.archive_rows import ARCHIVE_TABLES, ArchiveRows
from cornered.server.adapters.archive_tables import ARCHIVE_FILL
from cornered.server.adapters.tables import EVENTS, MATCHES_TABLE
from cornered.server.archive.index import index_of

__all__ = ["fill_archive"]

BATCH_MATCHES: Final = 200
"""Matches of one transaction, which is also what a kill can lose."""
_COUNTERS: Final = ("wins", "losses", "draws")
_AFTER: Final = select(ARCHIVE_FILL.c.after)

log = structlog.get_logger("archive")


async def fill_archive(connection: AsyncConnection, lock: int, *, most: int | None = None) -> None:
    """Index what is not indexed yet, at most `most` batches; `lock` is PostgreSQL's key under which servers take turns.

    The events of one match are in memory at a time. A damaged match is left out.
    """
    indexed = 0
    while most is None or indexed < most:
        # Asked before the lock, since every start asks, and only the first has anything to do.
        waiting = (await connection.execute(_AFTER)).scalar_one_or_none()
        await connection.rollback()
        if waiting is None:
            return
        if connection.dialect.name == "sqlite":
            await connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lock})
        await _fill_batch(connection)
        await connection.commit()
        indexed += 1


async def _fill_batch(connection: AsyncConnection) -> None:
    after = (await connection.execute(_AFTER)).scalar_one_or_none()
    if after is None:
        # Another server did the rest meanwhile.
        return
    query = select(MATCHES_TABLE.c.id).where(MATCHES_TABLE.c.ended.is_not(None), MATCHES_TABLE.c.id > after)
    ids = (await connection.execute(query.order_by(MATCHES_TABLE.c.id).limit(BATCH_MATCHES))).scalars().all()
    rows = ArchiveRows()
    for match in ids:
        bodies = await connection.execute(select(EVENTS.c.body).where(EVENTS.c.match == match).order_by(EVENTS.c.seq))
        try:
            found = index_of(map(EVENT.validate_json, bodies.scalars()))
        except (ValidationError, IndexError) as error:
            log.error("a match is damaged and not in the archive", match=match, reason=type(error).__name__)
            continue
        if found is not None and found.match == match:
            rows.add(found)
    for table, some in zip(ARCHIVE_TABLES, rows.tables(), strict=True):
        if some:
            names = [column.name for column in table.columns]
            await connection.execute(_insertion(table, connection.dialect.name), _named(names, some))
    if ids:
        log.info("matches are indexed", matches=len(ids), last=ids[-1])
        await connection.execute(update(ARCHIVE_FILL).values(after=ids[-1]))
    else:
        await connection.execute(delete(ARCHIVE_FILL))


def _insertion(table: Table, dialect: str) -> Insert:
    if "wins" not in table.columns:
        return insert(table)
    keys = list(table.primary_key)
    adding = sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)
    sums = {name: table.columns[name] + adding.excluded[name] for name in _COUNTERS}
    return adding.on_conflict_do_update(index_elements=keys, set_=sums)


def _named(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in rows]
