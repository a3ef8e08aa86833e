"""Ratings in SQLite or PostgreSQL."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import astuple, replace
from typing import Any, Final

import structlog
from sqlalchemy import (
    ColumnElement,
    Float,
    Row,
    Select,
    and_,
    bindparam,
    delete,
    func,
    literal,
    literal_column,
    or_,
    select,
    text,
    update,
)
from sqlalchemy import tuple_ as row_of
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.protocol.events import Ended, Started
from cornered.protocol.values import PlayerKind
from cornered.server.adapters.database import STORE_ERRORS, Database, is_damage
from cornered.server.adapters.journal_reader import event_of
from cornered.server.adapters.tables import EVENTS, RATING_CHANGES, RATINGS, RESULTS
from cornered.server.ports import DamagedMatch
from cornered.server.rating.ports import MAX_RANK, Backlog, Leader, NumberTaken, Pending, RatingsUnavailable, Standing
from cornered.server.rating.ratings import Change, Rating, Result, result_of
from cornered.server.rating.thinning import thinned
from cornered.server.rating.versions import VersionRecord
from cornered.server.refusal import Refusal

__all__ = ["SqlRatings"]

log = structlog.get_logger("ratings")

_NEWEST: Final = select(func.coalesce(func.max(RESULTS.c.number), 0))
_LOCK: Final = text("LOCK TABLE ratings IN EXCLUSIVE MODE NOWAIT")
"""Keeps other nodes from rating for the few milliseconds of a transaction; readers do not notice.

Nobody waits for it: the writer that would wait is the one that stores moves, and the holder may be a node that hangs.
"""
_LOCK_NOT_AVAILABLE: Final = "55P03"
_FIRST, _LAST = EVENTS.alias(), EVENTS.alias()
_RESULTS: Final = (
    select(RESULTS.c.match, RESULTS.c.seq, RESULTS.c.number, _FIRST.c.body.label("first"), _LAST.c.body.label("last"))
    .join(_FIRST, and_(_FIRST.c.match == RESULTS.c.match, _FIRST.c.seq == 1), isouter=True)
    .join(_LAST, and_(_LAST.c.match == RESULTS.c.match, _LAST.c.seq == RESULTS.c.seq), isouter=True)
)
_NUMBER: Final = (
    update(RESULTS)
    .where(RESULTS.c.match == bindparam("name"), RESULTS.c.number.is_(None))
    .values(number=bindparam("place"))
)
_SOME_TIME: Final = RATINGS.c.established_until > literal_column("0")
"""The condition of the index of established ratings, literally, since the planners do not look into parameters."""


class SqlRatings:
    """Implements `Ratings`. The database is shared with others and not closed here."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self) -> int:
        return await self._number(_NEWEST)

    async def pending(self, limit: int) -> Sequence[Pending]:
        waiting = RESULTS.c.number.is_(None)
        query = _RESULTS.where(waiting).order_by(RESULTS.c.ended, RESULTS.c.match).limit(limit)
        return [pending for _, pending in await self._results(query)]

    async def backlog(self) -> Backlog:
        count, oldest = func.count().label("waiting"), func.coalesce(func.min(RESULTS.c.ended), 0).label("oldest")
        (row,) = await self._rows(select(count, oldest).where(RESULTS.c.number.is_(None)))
        return Backlog(row.waiting, row.oldest)

    async def current(self, keys: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], Rating]:
        if not keys:
            return {}
        rows = await self._rows(select(RATINGS).where(_has_key(keys)))
        return {(row.player, row.pool): _current_of(row) for row in rows}

    async def store(self, newest: int, rated: Sequence[tuple[str, Sequence[Change]]]) -> None:
        changes = [change for _, own in rated for change in own]
        first, last = dict[tuple[str, str], Change](), dict[tuple[str, str], Change]()
        for change in changes:
            first.setdefault((change.player, change.pool), change)
            last[change.player, change.pool] = change
        numbers = [{"name": match, "place": newest + place} for place, (match, _) in enumerate(rated, 1)]
        ratings = [_rating_row(*key, change.kind, change.after) for key, change in last.items()]
        try:
            async with self._writing(newest) as connection:
                await self._check_before(connection, first)
                await connection.execute(_NUMBER, numbers)
                if changes:
                    await connection.execute(RATING_CHANGES.insert(), [_change_row(change) for change in changes])
                    await connection.execute(self._upsert(RATINGS, ("player", "pool")), ratings)
        except IntegrityError:
            raise NumberTaken(newest) from None

    async def _check_before(self, connection: AsyncConnection, first: Mapping[tuple[str, str], Change]) -> None:
        """Raise NumberTaken where a rating is not the one that the first change of it began with."""
        if not first:
            return
        query = select(RATINGS.c.player, RATINGS.c.pool, RATINGS.c.rating, RATINGS.c.games)
        rows = (await connection.execute(query.where(_has_key(first)))).all()
        known = {(row.player, row.pool): (row.rating, row.games) for row in rows}
        for key, change in first.items():
            begun = (change.before, change.after.games - 1) if change.after.games > 1 else None
            if known.get(key) != begun:
                raise NumberTaken(change.match)

    async def changes(self, matches: Collection[str]) -> Mapping[str, Sequence[Change]]:
        if not matches:
            return {}
        query = select(RATING_CHANGES).where(RATING_CHANGES.c.match.in_(matches))
        found: dict[str, list[Change]] = {}
        for row in await self._rows(query.order_by(RATING_CHANGES.c.match, RATING_CHANGES.c.seat)):
            found.setdefault(row.match, []).append(_change_of(row))
        return found

    async def standings(self, player: str, now: int, limit: int) -> Sequence[Standing]:
        query = select(RATINGS).where(RATINGS.c.player == player)
        rows = await self._rows(query.order_by(RATINGS.c.games.desc(), RATINGS.c.pool).limit(limit))
        ranks = await self._ranks([row for row in rows if row.established_until > now], now)
        return [Standing(row.pool, _current_of(row), ranks.get(row.pool)) for row in rows]

    async def _ranks(self, rows: Sequence[Row[Any]], now: int) -> Mapping[str, int]:
        """Return the ranks of established ratings of a player by their pools, without those beyond MAX_RANK."""
        if not rows:
            return {}
        counts = []
        for row in rows:
            is_better = row_of(RATINGS.c.rating, RATINGS.c.player) > _place_of(row)
            better = select(RATINGS.c.player).where(*self._board(row.pool, row.kind, now), is_better)
            counts.append(select(func.count()).select_from(better.limit(MAX_RANK).subquery()).scalar_subquery())
        (ahead,) = await self._rows(select(*counts))
        return {row.pool: count + 1 for row, count in zip(rows, ahead, strict=True) if count < MAX_RANK}

    async def history(self, player: str, pool: str, points: int) -> Sequence[Rating]:
        known = (await self.current([(player, pool)])).get((player, pool))
        if known is None:
            return []
        columns = RATING_CHANGES.c
        query = select(RATING_CHANGES).where(
            columns.player == player, columns.pool == pool, columns.games.in_(thinned(known.games, points))
        )
        return [_rating_of(row) for row in await self._rows(query.order_by(columns.games))]

    async def leaders(
        self, pool: str, kind: PlayerKind, now: int, limit: int, after: str | None = None
    ) -> Sequence[Leader]:
        query = select(RATINGS).where(*self._board(pool, kind, now))
        if after is not None:
            last = await self._rows(select(RATINGS).where(RATINGS.c.player == after, RATINGS.c.pool == pool))
            if not last:
                return []
            query = query.where(row_of(RATINGS.c.rating, RATINGS.c.player) < _place_of(last[0]))
        rows = await self._rows(query.order_by(RATINGS.c.rating.desc(), RATINGS.c.player.desc()).limit(limit))
        return [Leader(row.player, _rating_of(row)) for row in rows]

    async def established(self, pool: str, kind: PlayerKind, now: int) -> int:
        return await self._number(select(func.count()).select_from(RATINGS).where(*self._board(pool, kind, now)))

    @staticmethod
    def _board(pool: str, kind: PlayerKind, now: int) -> tuple[ColumnElement[bool], ...]:
        columns = RATINGS.c
        return columns.pool == pool, columns.kind == kind, _SOME_TIME, columns.established_until > now

    async def pools(self, limit: int) -> Sequence[tuple[str, int]]:
        players = func.count().label("players")
        query = select(RATINGS.c.pool, players).group_by(RATINGS.c.pool).order_by(players.desc(), RATINGS.c.pool)
        return [(row.pool, row.players) for row in await self._rows(query.limit(limit))]

    async def rated(self, since: int, limit: int) -> Sequence[tuple[int, Pending, Sequence[Change]]]:
        query = _RESULTS.where(RESULTS.c.number > since).order_by(RESULTS.c.number).limit(limit)
        results = await self._results(query)
        changes = await self.changes([pending.match for _, pending in results])
        return [(number, pending, changes.get(pending.match, ())) for number, pending in results]

    async def all(self, limit: int, after: tuple[str, str] | None = None) -> Sequence[tuple[str, str, Rating]]:
        query = select(RATINGS).order_by(RATINGS.c.player, RATINGS.c.pool).limit(limit)
        if after is not None:
            player, pool = after
            columns = RATINGS.c
            query = query.where(or_(columns.player > player, and_(columns.player == player, columns.pool > pool)))
        return [(row.player, row.pool, _current_of(row)) for row in await self._rows(query)]

    async def correct(self, changes: Sequence[Change]) -> None:
        if not changes:
            return
        rows = [_change_row(change) for change in changes]
        try:
            async with self._writing(None) as connection:
                # A wrong row may have the key of another one that is right.
                matches = {change.match for change in changes}
                await connection.execute(delete(RATING_CHANGES).where(RATING_CHANGES.c.match.in_(matches)))
                await connection.execute(self._upsert(RATING_CHANGES, ("player", "pool", "games")), rows)
        except IntegrityError as error:
            raise RatingsUnavailable("the ratings cannot be corrected") from error

    async def replace(
        self, newest: int, ratings: Sequence[tuple[str, str, PlayerKind, Rating]], gone: Sequence[tuple[str, str]]
    ) -> None:
        rows = [_rating_row(*one) for one in ratings]
        async with self._writing(newest) as connection:
            if rows:
                await connection.execute(self._upsert(RATINGS, ("player", "pool")), rows)
            if gone:
                await connection.execute(delete(RATINGS).where(_has_key(gone)))

    def _upsert(self, table: Any, keys: Sequence[str]) -> Any:
        insert = sqlite.insert(table) if self._database.is_sqlite else postgresql.insert(table)
        others = {column.name: insert.excluded[column.name] for column in table.columns if column.name not in keys}
        return insert.on_conflict_do_update(index_elements=list(keys), set_=others)

    async def _results(self, query: Select[Any]) -> list[tuple[int, Pending]]:
        """Return the results of a query that extends `_RESULTS`, with their numbers, 0 for none."""
        try:
            rows = await self._read(query)
        except DamagedMatch:
            # Somewhere among these events: a result whose own are readable is rated, and any other changes nothing.
            names = await self._rows(query.with_only_columns(RESULTS.c.match, RESULTS.c.number))
            return [(row.number or 0, await self._alone(row.match)) for row in names]
        return [(row.number or 0, _pending_of(row)) for row in rows]

    async def _alone(self, match: str) -> Pending:
        try:
            (row,) = await self._read(_RESULTS.where(RESULTS.c.match == match))
        except DamagedMatch as error:
            _log_damage(match, str(error))
            return Pending(match, None)
        return _pending_of(row)

    @contextlib.asynccontextmanager
    async def _writing(self, newest: int | None) -> AsyncIterator[AsyncConnection]:
        """Lend the writer for a transaction; with `newest`, one in which nobody else rates, after that result.

        Raises NumberTaken, RatingsUnavailable, and IntegrityError.
        """
        try:
            async with self._database.writing() as connection:
                if newest is not None:
                    if self._database.is_sqlite:
                        # Takes SQLite's lock, which the driver takes only with the first statement that writes.
                        await connection.execute(delete(RATINGS).where(RATINGS.c.player == ""))
                    else:
                        await connection.execute(_LOCK)
                    if (await connection.execute(_NEWEST)).scalar_one() != newest:
                        raise NumberTaken(newest)
                yield connection
        except IntegrityError:
            raise
        except STORE_ERRORS as error:
            if getattr(getattr(error, "orig", None), "sqlstate", None) == _LOCK_NOT_AVAILABLE:
                raise NumberTaken(newest) from None
            raise RatingsUnavailable("the ratings cannot be written") from error

    async def _number(self, query: Select[Any]) -> int:
        ((number,),) = await self._rows(query)
        return int(number)

    async def _rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """Return the rows of a query. Raises RatingsUnavailable."""
        try:
            return await self._read(query)
        except DamagedMatch as error:
            raise RatingsUnavailable("the ratings are damaged; run `cornered admin check`") from error

    async def _read(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """Return the rows of a query. Raises DamagedMatch where the store is damaged, and RatingsUnavailable."""
        try:
            async with self._database.reading() as connection:
                rows: Sequence[Row[Any]] = (await connection.execute(query)).all()
        except STORE_ERRORS as error:
            if is_damage(error, is_reading=True):
                raise DamagedMatch("the store is damaged where these events are") from error
            raise RatingsUnavailable("the ratings cannot be read") from error
        return rows


def _has_key(keys: Collection[tuple[str, str]]) -> ColumnElement[bool]:
    return row_of(RATINGS.c.player, RATINGS.c.pool).in_(list(keys))


def _place_of(row: Row[Any]) -> ColumnElement[Any]:
    """Return the place of a stored rating on its leaderboard, which an index has in this order."""
    return row_of(literal(row.rating, Float(53)), literal(row.player))


def _pending_of(row: Row[Any]) -> Pending:
    try:
        return Pending(row.match, _result_of(row))
    except (DamagedMatch, ValueError) as error:
        _log_damage(row.match, str(error))
    except Refusal as refusal:
        _log_damage(row.match, refusal.text)
    return Pending(row.match, None)


def _result_of(row: Row[Any]) -> Result:
    if row.first is None or row.last is None:
        raise DamagedMatch("its first or its last event is missing")
    started, ended = event_of(row.first, 1), event_of(row.last, row.seq)
    if not isinstance(started, Started) or not isinstance(ended, Ended) or started.match != row.match:
        raise DamagedMatch("its first or its last event is another one")
    return result_of(started, ended)


def _log_damage(match: str, reason: str) -> None:
    log.error("the result of a match cannot be rated, and counts as casual", match=match, reason=reason)


def _rating_row(player: str, pool: str, kind: PlayerKind, rating: Rating) -> dict[str, object]:
    return {
        "player": player,
        "pool": pool,
        "kind": kind,
        "rating": rating.rating,
        "deviation": rating.deviation,
        "volatility": rating.volatility,
        "games": rating.games,
        "at": rating.at,
        "established_until": rating.established_until,
        "versions": json.dumps([astuple(one) for one in rating.versions]),
        "renewed": rating.renewed,
    }


def _change_row(change: Change) -> dict[str, object]:
    after = change.after
    return {
        "player": change.player,
        "pool": change.pool,
        "games": after.games,
        "match": change.match,
        "seat": change.seat,
        "kind": change.kind,
        "at": after.at,
        "before": change.before,
        "deviation_before": change.deviation_before,
        "rating": after.rating,
        "deviation": after.deviation,
        "volatility": after.volatility,
    }


def _current_of(row: Row[Any]) -> Rating:
    """Return a row of `ratings`, with the versions that changes do not repeat."""
    versions = tuple(VersionRecord(*one) for one in json.loads(row.versions))
    return replace(_rating_of(row), versions=versions, renewed=row.renewed)


def _rating_of(row: Row[Any]) -> Rating:
    return Rating(row.rating, row.deviation, row.volatility, row.games, row.at)


def _change_of(row: Row[Any]) -> Change:
    return Change(
        row.match, row.seat, row.player, row.kind, row.pool, row.before, row.deviation_before, _rating_of(row)
    )
