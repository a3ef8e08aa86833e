"""Event streams in SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Select, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.server.adapters.database import STORE_ERRORS, Database
from cornered.server.adapters.tables import STREAM_EVENTS, STREAMS
from cornered.server.streams.ports import StaleStream, StreamEvent, StreamHead, StreamsUnavailable

__all__ = ["SqlStreams"]

ATTEMPTS: Final = 16
"""How often an append is repeated because events of other streams of its kind took its numbers."""


class SqlStreams:
    """Implements `EventStreams`. The database is shared with other adapters, and its owner closes it.

    Unique keys refuse a second event with the same `seq` or number, so a number is visible only after those before it.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(
        self, kind: str, stream: str, expected: int, bodies: Sequence[str], *, is_closed: bool = False
    ) -> int:
        if not bodies:
            raise ValueError("nothing to append")
        try:
            for _ in range(ATTEMPTS):
                try:
                    async with self._database.writing() as connection:
                        last = await _append(connection, kind, stream, expected, bodies, is_closed=is_closed)
                except IntegrityError:
                    continue
                # Outside the block: the writer is the journal's too, and an error in it would have it connect anew.
                if last is None:
                    raise StaleStream(stream)
                return last
        except STORE_ERRORS as error:
            raise StreamsUnavailable("the store cannot be written") from error
        raise StreamsUnavailable("others write at the same time")

    async def read(self, kind: str, stream: str, since: int, limit: int) -> Sequence[StreamEvent]:
        columns = STREAM_EVENTS.c
        query = select(STREAM_EVENTS).where(columns.kind == kind, columns.stream == stream, columns.seq > since)
        return await self._events(query.order_by(columns.seq).limit(limit))

    async def follow(self, kind: str, since: int, limit: int) -> Sequence[StreamEvent]:
        columns = STREAM_EVENTS.c
        query = select(STREAM_EVENTS).where(columns.kind == kind, columns.number > since)
        return await self._events(query.order_by(columns.number).limit(limit))

    async def newest(self, kind: str) -> int:
        (row,) = await self._rows(_newest(kind))
        number: int = row[0]
        return number

    async def heads(self, kind: str, *, is_closed: bool, before: int | None, limit: int) -> Sequence[StreamHead]:
        query = select(STREAMS).where(STREAMS.c.kind == kind, STREAMS.c.is_closed == is_closed)
        if before is not None:
            query = query.where(STREAMS.c.number < before)
        rows = await self._rows(query.order_by(STREAMS.c.number.desc()).limit(limit))
        return [StreamHead(row.stream, row.seq, row.number, row.is_closed) for row in rows]

    async def _events(self, query: Select[Any]) -> list[StreamEvent]:
        return [StreamEvent(row.stream, row.seq, row.number, row.body) for row in await self._rows(query)]

    async def _rows(self, query: Select[Any]) -> Sequence[Any]:
        try:
            async with self._database.reading() as connection:
                rows: Sequence[Any] = (await connection.execute(query)).all()
            return rows
        except STORE_ERRORS as error:
            raise StreamsUnavailable("the store cannot be read") from error


def _newest(kind: str) -> Select[Any]:
    return select(func.coalesce(func.max(STREAM_EVENTS.c.number), 0)).where(STREAM_EVENTS.c.kind == kind)


async def _append(
    connection: AsyncConnection, kind: str, stream: str, expected: int, bodies: Sequence[str], *, is_closed: bool
) -> int | None:
    """Return the number of the last event, or None where the stream's newest `seq` is not `expected`."""
    is_this = (STREAMS.c.kind == kind, STREAMS.c.stream == stream)
    seq = (await connection.execute(select(STREAMS.c.seq).where(*is_this))).scalar()
    if (seq or 0) != expected:
        return None
    number: int = (await connection.execute(_newest(kind))).scalar_one()
    rows = [
        {"kind": kind, "stream": stream, "seq": expected + place, "number": number + place, "body": body}
        for place, body in enumerate(bodies, 1)
    ]
    head = {"seq": expected + len(rows), "number": number + len(rows), "is_closed": is_closed}
    if seq is None:
        await connection.execute(insert(STREAMS).values(kind=kind, stream=stream, **head))
    else:
        await connection.execute(update(STREAMS).where(*is_this).values(**head))
    await connection.execute(insert(STREAM_EVENTS), rows)
    return number + len(rows)
