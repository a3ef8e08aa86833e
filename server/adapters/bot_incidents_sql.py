"""The incidents of bots in SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.protocol.bot_reports import BotIncident
from cornered.server.adapters.bot_tables import BOT_INCIDENTS
from cornered.server.adapters.database import STORE_ERRORS, Database
from cornered.server.bot.incidents import KEPT_INCIDENTS, KEPT_OF_MATCH, Incident, IncidentsUnavailable

__all__ = ["SqlBotIncidents", "forget_incidents"]


async def forget_incidents(connection: AsyncConnection, player: str) -> None:
    """Delete the incidents of a player."""
    await connection.execute(delete(BOT_INCIDENTS).where(BOT_INCIDENTS.c.player == player))


class SqlBotIncidents:
    """Implements `BotIncidents`. The database is shared with other adapters, and its owner closes it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, incidents: Sequence[Incident]) -> None:
        try:
            await self._add(incidents)
        except IntegrityError:
            # Another node has stored one of them at this moment; it is known now.
            await self._add(incidents)

    async def _add(self, incidents: Sequence[Incident]) -> None:
        by_id = {incident.id: incident for incident in incidents}
        try:
            async with self._database.writing() as connection:
                known = select(BOT_INCIDENTS.c.id).where(BOT_INCIDENTS.c.id.in_(tuple(by_id)))
                for id in (await connection.execute(known)).scalars():
                    del by_id[id]
                if by_id:
                    await connection.execute(insert(BOT_INCIDENTS), [_row(one) for one in by_id.values()])
                    for player, match in sorted({(one.player, one.what.match or "") for one in by_id.values()}):
                        if match:
                            await _trim(connection, player, match)
                    for player in sorted({one.player for one in by_id.values()}):
                        await _trim(connection, player)
        except IntegrityError:
            raise
        except STORE_ERRORS as error:
            raise IncidentsUnavailable("the store cannot be written") from error

    async def newest(self, player: str) -> Sequence[BotIncident]:
        query = select(BOT_INCIDENTS).where(BOT_INCIDENTS.c.player == player)
        query = query.order_by(BOT_INCIDENTS.c.at.desc(), BOT_INCIDENTS.c.id).limit(KEPT_INCIDENTS)
        try:
            async with self._database.reading() as connection:
                rows = (await connection.execute(query)).all()
        except STORE_ERRORS as error:
            raise IncidentsUnavailable("the store cannot be read") from error
        return [
            BotIncident(
                at=row.at,
                kind=row.kind,
                text=row.text,
                match=row.match,
                ply=row.ply,
                limit=row.limit_ms,
                code=row.code,
                closed_by=row.closed_by,
            )
            for row in rows
        ]


async def _trim(connection: AsyncConnection, player: str, match: str | None = None) -> None:
    """Delete what is beyond the newest incidents of a player, in one match or in all."""
    newest = select(BOT_INCIDENTS.c.id).where(BOT_INCIDENTS.c.player == player)
    if match is not None:
        newest = newest.where(BOT_INCIDENTS.c.match == match)
    newest = newest.order_by(BOT_INCIDENTS.c.at.desc(), BOT_INCIDENTS.c.id)
    kept = KEPT_INCIDENTS if match is None else KEPT_OF_MATCH
    old = (await connection.execute(newest.offset(kept))).scalars().all()
    if old:
        await connection.execute(delete(BOT_INCIDENTS).where(BOT_INCIDENTS.c.id.in_(old)))


def _row(incident: Incident) -> dict[str, object]:
    what = incident.what
    return {
        "id": incident.id,
        "player": incident.player,
        "at": what.at,
        "kind": what.kind,
        "text": what.text,
        "match": what.match,
        "ply": what.ply,
        "limit_ms": what.limit,
        "code": what.code,
        "closed_by": what.closed_by,
    }
