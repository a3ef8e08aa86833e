"""The log of moderation in SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Select, func, insert, select
from sqlalchemy.exc import IntegrityError

from cornered.server.adapters.database import STORE_ERRORS, Database
from cornered.server.adapters.tables import MODERATION
from cornered.server.moderation.events import MODERATION_EVENT, Entry
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

    async def append(self, entry: Entry) -> None:
        body = MODERATION_EVENT.dump_json(entry.event).decode()
        row = {"number": entry.number, "at": entry.at, "by": entry.by, "body": body, "seal": entry.seal}
        try:
            async with self._database.writing() as connection:
                query = select(func.coalesce(func.max(MODERATION.c.number), 0))
                is_next = (await connection.execute(query)).scalar_one() == entry.number - 1
                if is_next:
                    await connection.execute(insert(MODERATION), row)
        except IntegrityError:
            raise EntryTaken from None
        except STORE_ERRORS as error:
            raise ModerationUnavailable("the store cannot be written") from error
        if not is_next:
            raise EntryTaken

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
