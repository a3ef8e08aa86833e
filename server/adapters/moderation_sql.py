"""The log of moderation in SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Select, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.server.adapters.database import STORE_ERRORS, Database
from cornered.server.adapters.tables import MODERATION, REPORT_TEXTS
from cornered.server.moderation.events import MODERATION_EVENT, Entry, ReportClosed
from cornered.server.moderation.evidence import ReportText, chat_json, chat_of
from cornered.server.moderation.ports import EntryTaken, ModerationUnavailable

__all__ = ["SqlModerationLog"]


class SqlModerationLog:
    """Implements `ModerationLog`. The database is shared with other adapters, and its owner closes it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, since: int, limit: int) -> Sequence[Entry]:
        query = select(MODERATION).where(MODERATION.c.number > since).order_by(MODERATION.c.number)
        return await self._entries(query.limit(limit))

    async def before(self, number: int | None, limit: int) -> Sequence[Entry]:
        query = select(MODERATION) if number is None else select(MODERATION).where(MODERATION.c.number < number)
        return await self._entries(query.order_by(MODERATION.c.number.desc()).limit(limit))

    async def made_by(self, player: str) -> Sequence[Entry]:
        return await self._entries(select(MODERATION).where(MODERATION.c.by == player).order_by(MODERATION.c.number))

    async def append(self, entry: Entry, text: ReportText | None = None) -> None:
        body = MODERATION_EVENT.dump_json(entry.event).decode()
        row = {"number": entry.number, "at": entry.at, "by": entry.by, "body": body, "seal": entry.seal}
        try:
            async with self._database.writing() as connection:
                query = select(func.coalesce(func.max(MODERATION.c.number), 0))
                is_next = (await connection.execute(query)).scalar_one() == entry.number - 1
                if is_next:
                    await connection.execute(insert(MODERATION), row)
                    await _keep_text(connection, entry, text)
        except IntegrityError:
            raise EntryTaken from None
        except STORE_ERRORS as error:
            raise ModerationUnavailable("the store cannot be written") from error
        if not is_next:
            raise EntryTaken

    async def texts(self, reports: Collection[int]) -> Mapping[int, ReportText]:
        query = select(REPORT_TEXTS).where(REPORT_TEXTS.c.number.in_(reports))
        try:
            async with self._database.reading() as connection:
                rows = (await connection.execute(query)).all()
        except STORE_ERRORS as error:
            raise ModerationUnavailable("the store cannot be read") from error
        return {row.number: ReportText(row.grounds, chat_of(row.chat), row.salt) for row in rows}

    async def mark_told(self, report: int) -> bool:
        untold = update(REPORT_TEXTS).where(
            REPORT_TEXTS.c.number == report, REPORT_TEXTS.c.closed > 0, REPORT_TEXTS.c.told.is_(False)
        )
        try:
            async with self._database.writing() as connection:
                return bool((await connection.execute(untold.values(told=True))).rowcount)
        except STORE_ERRORS as error:
            raise ModerationUnavailable("the store cannot be written") from error

    async def _entries(self, query: Select[Any]) -> list[Entry]:
        try:
            async with self._database.reading() as connection:
                rows = (await connection.execute(query)).all()
            return [
                Entry(row.number, row.at, row.by, MODERATION_EVENT.validate_json(row.body), row.seal) for row in rows
            ]
        except STORE_ERRORS as error:
            raise ModerationUnavailable("the store cannot be read") from error
        except ValidationError as error:
            raise ModerationUnavailable(f"an entry of the log cannot be read: {error}") from error


async def _keep_text(connection: AsyncConnection, entry: Entry, text: ReportText | None) -> None:
    """Store a report's text, or date that of the report which an entry closes."""
    if text is not None:
        row = {"number": entry.number, "grounds": text.grounds, "chat": chat_json(text.chat), "salt": text.salt}
        await connection.execute(insert(REPORT_TEXTS).values(**row, closed=0, told=False))
    if isinstance(entry.event, ReportClosed):
        closed = update(REPORT_TEXTS).where(REPORT_TEXTS.c.number == entry.event.report)
        await connection.execute(closed.values(closed=entry.at))
