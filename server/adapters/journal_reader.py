"""Reads the journal: events of matches, and the index of matches. Damage to one part leaves the rest readable."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import structlog
from pydantic import ValidationError
from sqlalchemy import Integer, Select, and_, bindparam, func, literal_column, or_, select

from cornered.protocol.events import EVENT, MatchEvent, Started
from cornered.server.adapters.database import STORE_ERRORS, Database, is_damage
from cornered.server.adapters.tables import EVENTS, MATCHES_TABLE, SEATS_TABLE
from cornered.server.cluster.slots import slot_of
from cornered.server.ports import DamagedMatch, JournalUnavailable

__all__ = ["JournalReader", "event_of"]

PAGE_EVENTS: Final = 400
"""Events that are fetched and validated in one step of the event loop, about 3 ms."""

log = structlog.get_logger("journal")

_FIRST_EVENTS: Final = (
    select(MATCHES_TABLE.c.id, EVENTS.c.body)
    .join(EVENTS, and_(EVENTS.c.match == MATCHES_TABLE.c.id, EVENTS.c.seq == 1), isouter=True)
    .where(MATCHES_TABLE.c.ended.is_(None))
    .order_by(MATCHES_TABLE.c.started, MATCHES_TABLE.c.id)
)
_LIVE_IDS: Final = (
    select(MATCHES_TABLE.c.id)
    .where(MATCHES_TABLE.c.ended.is_(None))
    .order_by(MATCHES_TABLE.c.started, MATCHES_TABLE.c.id)
)
# Built once, since building a query and its cache key in SQLAlchemy costs more than running it.
_SELECT_PAGE: Final = (
    select(EVENTS.c.body)
    .where(EVENTS.c.match == bindparam("of"), EVENTS.c.seq > bindparam("since"))
    .order_by(EVENTS.c.seq)
    .limit(PAGE_EVENTS)
)
_ROWID: Final = literal_column("matches.rowid", Integer)


class JournalReader:
    """The reading half of the SQL journal."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def fetch(self, query: Select[Any], **parameters: object) -> Sequence[Any]:
        """Return the rows of a query. Raises DamagedMatch where the rows are damaged, or JournalUnavailable."""
        try:
            async with self._database.reading() as connection:
                rows: Sequence[Any] = (await connection.execute(query, parameters)).all()
        except STORE_ERRORS as error:
            if is_damage(error, is_reading=True):
                raise DamagedMatch("the store is damaged where these events are") from error
            raise JournalUnavailable("the store cannot be read") from error
        return rows

    async def holds(self, match: str, seq: int) -> bool:
        """Return whether the store has this event; False where it is damaged. Raises JournalUnavailable."""
        try:
            return bool(await self.fetch(select(EVENTS.c.seq).where(EVENTS.c.match == match, EVENTS.c.seq == seq)))
        except DamagedMatch:
            return False

    async def read(self, match: str, since: int) -> Sequence[MatchEvent]:
        """Return the events of a match after `since`. Raises DamagedMatch or JournalUnavailable."""
        events: list[MatchEvent] = []
        while True:
            reached = since + len(events)
            rows = await self.fetch(_SELECT_PAGE, of=match, since=reached)
            for seq, (body,) in enumerate(rows, reached + 1):
                events.append(event_of(body, seq))
            if len(rows) < PAGE_EVENTS:
                return events

    async def live(self, slots: Collection[int] | None) -> Sequence[Started]:
        """Return the `started` events of live matches of some slots, oldest first. Raises JournalUnavailable."""
        try:
            rows = await (self.fetch(_FIRST_EVENTS) if slots is None else self._first_events(slots))
        except DamagedMatch:
            log.error("the store is damaged: live matches are read one by one; run `cornered admin check`")
            names = [match for match in await self._live_ids() if slots is None or slot_of(match) in slots]
            starts = [await self._started(match) for match in names]
        else:
            starts = [_started_of(match, body) for match, body in rows]
        return [started for started in starts if started is not None]

    async def _first_events(self, slots: Collection[int]) -> Sequence[Any]:
        """Return the rows of `_FIRST_EVENTS` for some slots. The database does not know which slot a match has."""
        names = [match for (match,) in await self.fetch(_LIVE_IDS) if slot_of(match) in slots]
        rows: list[Any] = []
        for begin in range(0, len(names), PAGE_EVENTS):
            page = _FIRST_EVENTS.where(MATCHES_TABLE.c.id.in_(names[begin : begin + PAGE_EVENTS]))
            rows += await self.fetch(page)
        return rows

    async def finished(self, player: str | None, limit: int, after: str | None = None) -> Sequence[str]:
        """Return the ids of the newest finished matches, or of those after one of them. Raises JournalUnavailable."""
        query = select(MATCHES_TABLE.c.id).where(MATCHES_TABLE.c.ended.is_not(None))
        if player is None:
            query = query.where(MATCHES_TABLE.c.private.is_(False))
        else:
            query = query.where(
                MATCHES_TABLE.c.id.in_(select(SEATS_TABLE.c.match).where(SEATS_TABLE.c.player == player))
            )
        if after is not None:
            last = MATCHES_TABLE.alias()
            ended = select(last.c.ended).where(last.c.id == after).scalar_subquery()
            query = query.where(
                or_(MATCHES_TABLE.c.ended < ended, and_(MATCHES_TABLE.c.ended == ended, MATCHES_TABLE.c.id < after))
            )
        try:
            rows = await self.fetch(
                query.order_by(MATCHES_TABLE.c.ended.desc(), MATCHES_TABLE.c.id.desc()).limit(limit)
            )
        except DamagedMatch as error:
            raise JournalUnavailable(str(error)) from error
        return [name for (name,) in rows]

    async def _started(self, match: str) -> Started | None:
        query = select(EVENTS.c.body).where(EVENTS.c.match == match, EVENTS.c.seq == 1)
        try:
            rows = await self.fetch(query)
        except DamagedMatch as error:
            _log_damage(match, str(error))
            return None
        return _started_of(match, rows[0][0] if rows else None)

    async def _live_ids(self) -> Sequence[str]:
        """Return the ids of live matches, oldest first, from the readable parts of SQLite's table, by bisection."""
        try:
            return [
                name for (name,) in await self.fetch(select(MATCHES_TABLE.c.id).where(MATCHES_TABLE.c.ended.is_(None)))
            ]
        except DamagedMatch as error:
            if not self._database.is_sqlite:
                raise JournalUnavailable("the index of matches is damaged") from error
        found: list[tuple[int, str]] = []
        waiting = [(1, await self._last_rowid())]
        while waiting:
            low, high = waiting.pop()
            query = select(MATCHES_TABLE.c.id, MATCHES_TABLE.c.started, MATCHES_TABLE.c.ended).where(
                _ROWID.between(low, high)
            )
            try:
                rows = await self.fetch(query)
            except DamagedMatch:
                if low < high:
                    middle = (low + high) // 2
                    waiting += [(low, middle), (middle + 1, high)]
                continue
            found += [(started, name) for name, started, ended in rows if ended is None]
        return [name for _, name in sorted(found)]

    async def _last_rowid(self) -> int:
        """Return the highest rowid of `matches`; where that page is damaged, the number of rows."""
        for query in (
            select(func.max(_ROWID)).select_from(MATCHES_TABLE),
            select(func.count()).select_from(MATCHES_TABLE),
        ):
            try:
                rows = await self.fetch(query)
            except DamagedMatch:
                continue
            return rows[0][0] or 0
        raise JournalUnavailable("the index of matches is damaged; see `cornered admin check`")


def event_of(body: str, seq: int) -> MatchEvent:
    """Parse a stored event, which must have the number `seq`. Raises DamagedMatch."""
    try:
        event = EVENT.validate_json(body)
    except ValidationError as error:
        reason = error.errors(include_url=False, include_context=False, include_input=False)[0]["msg"]
        raise DamagedMatch(f"event {seq} cannot be read: {reason}") from None
    if event.seq != seq:
        raise DamagedMatch(f"event {seq} is missing: event {event.seq} stands in its place")
    return event


def _started_of(match: str, body: str | None) -> Started | None:
    """Return a match's first event; log its damage and return None where it is not a `started`."""
    try:
        if body is None:
            raise DamagedMatch("event 1 is missing")
        started = event_of(body, 1)
        if not isinstance(started, Started) or started.match != match:
            raise DamagedMatch("event 1 does not begin this match")
    except DamagedMatch as error:
        _log_damage(match, str(error))
        return None
    return started


def _log_damage(match: str, reason: str) -> None:
    log.error("a match is damaged and left out; run `cornered admin check`", match=match, reason=reason)
