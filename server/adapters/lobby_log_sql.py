"""The lobby's log in SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import ValidationError
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from cornered.server.adapters.database import STORE_ERRORS, Database
from cornered.server.adapters.tables import LOBBY_LOG
from cornered.server.cluster.ports import Ownership
from cornered.server.cluster.slots import LOBBY_SLOT
from cornered.server.lobby.events import LOBBY_EVENT, LobbyEvent
from cornered.server.ports import JournalUnavailable, NotOwner, StaleSequence

__all__ = ["SqlLobbyLog"]

_SELECT: Final = select(LOBBY_LOG.c.seq, LOBBY_LOG.c.body).order_by(LOBBY_LOG.c.seq)
_SELECT_NEWEST: Final = select(func.coalesce(func.max(LOBBY_LOG.c.seq), 0))
_NO_EVENT: Final = ""
"""The body of the row that keeps the number of a checkpoint without events."""

_APPEND: Final = """
WITH held AS (
    SELECT slot FROM slots WHERE slot = $1 AND epoch = $2 FOR SHARE
), fresh AS (
    SELECT 1 FROM held WHERE (SELECT coalesce(max(seq), 0) FROM lobby_log) = $3
), dropped AS (
    DELETE FROM lobby_log USING fresh WHERE $6 AND (seq < $3 OR seq = $3 AND cardinality($4::bigint[]) > 0)
), emptied AS (
    UPDATE lobby_log SET body = '' FROM fresh WHERE $6 AND seq = $3 AND cardinality($4::bigint[]) = 0
), added AS (
    INSERT INTO lobby_log (seq, body) SELECT e.seq, e.body FROM fresh, unnest($4::bigint[], $5::text[]) AS e (seq, body)
)
SELECT (SELECT count(*) FROM held), (SELECT count(*) FROM fresh)
"""
"""One statement on PostgreSQL, so that no lock waits for this process."""


class SqlLobbyLog:
    """Implements `LobbyLog`. The database is shared with others and not closed here.

    On PostgreSQL an append checks the epoch of the lobby's slot, which `ownership` knows.
    """

    def __init__(self, database: Database, ownership: Ownership | None = None) -> None:
        self._database = database
        self._ownership = ownership

    async def read(self) -> tuple[int, Sequence[LobbyEvent]]:
        try:
            async with self._database.reading() as connection:
                rows = (await connection.execute(_SELECT)).all()
        except STORE_ERRORS as error:
            raise JournalUnavailable("the lobby's log cannot be read") from error
        if not rows:
            return 0, ()
        return rows[-1].seq, [_event_of(row.seq, row.body) for row in rows if row.body != _NO_EVENT]

    async def append(self, expected_seq: int, events: Sequence[LobbyEvent], *, is_checkpoint: bool = False) -> None:
        if not events and not is_checkpoint:
            raise ValueError("only a checkpoint may have no events")
        bodies = [LOBBY_EVENT.dump_json(event).decode() for event in events]
        try:
            if self._database.is_sqlite or self._ownership is None:
                await self._write(expected_seq, bodies, is_checkpoint=is_checkpoint)
            else:
                await self._write_fenced(self._ownership, expected_seq, bodies, is_checkpoint=is_checkpoint)
        except IntegrityError:
            raise StaleSequence("lobby", expected_seq) from None
        except STORE_ERRORS as error:
            raise JournalUnavailable("the lobby's log cannot be written") from error

    async def _write(self, expected_seq: int, bodies: Sequence[str], *, is_checkpoint: bool) -> None:
        rows = [{"seq": seq, "body": body} for seq, body in enumerate(bodies, expected_seq + 1)]
        async with self._database.writing() as connection:
            if (await connection.execute(_SELECT_NEWEST)).scalar_one() != expected_seq:
                raise StaleSequence("lobby", expected_seq)
            if rows:
                await connection.execute(insert(LOBBY_LOG), rows)
            if is_checkpoint:
                kept = expected_seq + 1 if rows else expected_seq
                await connection.execute(delete(LOBBY_LOG).where(LOBBY_LOG.c.seq < kept))
            if not rows:
                await connection.execute(update(LOBBY_LOG).values(body=_NO_EVENT))

    async def _write_fenced(
        self, ownership: Ownership, expected_seq: int, bodies: Sequence[str], *, is_checkpoint: bool
    ) -> None:
        epoch = ownership.epoch_of(LOBBY_SLOT)
        if epoch is None:
            raise NotOwner("this node does not own the lobby")
        numbers = list(range(expected_seq + 1, expected_seq + 1 + len(bodies)))
        held, fresh = await self._database.write_alone(
            _APPEND, LOBBY_SLOT, epoch, expected_seq, numbers, bodies, is_checkpoint
        )
        if not held:
            ownership.look()
            raise NotOwner("another node owns the lobby")
        if not fresh:
            raise StaleSequence("lobby", expected_seq)


def _event_of(seq: int, body: str) -> LobbyEvent:
    try:
        return LOBBY_EVENT.validate_json(body)
    except ValidationError as error:
        reason = error.errors(include_url=False, include_context=False, include_input=False)[0]["msg"]
        raise JournalUnavailable(f"event {seq} of the lobby cannot be read: {reason}") from None
