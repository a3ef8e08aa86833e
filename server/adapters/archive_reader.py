"""Searches the archive: every query looks at a bounded number of rows, through an index in the order of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

from sqlalchemy import ColumnElement, Select, Table, and_, exists, func, select, tuple_

from cornered.protocol.archive import HeadToHeadCount, OpeningMove
from cornered.server.adapters.archive_tables import ARCHIVE, ARCHIVE_PAIRS, ARCHIVE_PLAYERS, OPENINGS
from cornered.server.adapters.tables import RATING_CHANGES
from cornered.server.archive.index import Scores, heads, moves_of
from cornered.server.archive.search import ArchivePage, Cursor, Search

__all__ = ["SCANNED_ROWS", "ArchiveReader", "window_of"]

SCANNED_ROWS: Final = 400
"""Rows of an index that one page looks through, whatever the conditions."""
MAX_GAMES: Final = 64
"""Games of a head to head."""
MAX_LINE_MOVES: Final = 1_000
"""Moves that can follow a line: more than any position has."""


class _Fetch(Protocol):
    """Runs a query. Raises DamagedMatch or JournalUnavailable."""

    async def __call__(self, query: Select[Any]) -> Sequence[Any]: ...


class ArchiveReader:
    """The archive's half of the SQL journal."""

    def __init__(self, fetch: _Fetch) -> None:
        self._fetch = fetch

    async def search(self, search: Search, limit: int, after: Cursor | None) -> ArchivePage:
        """Return the next matches that are found among `SCANNED_ROWS` rows after a cursor."""
        window = window_of(search, after).limit(SCANNED_ROWS)
        rows = window.subquery()
        query = select(rows.c.match, rows.c.value, rows.c.tie).join(ARCHIVE, ARCHIVE.c.match == rows.c.match)
        found = await self._fetch(
            query.where(and_(True, *_conditions(search))).order_by(*_order(search, rows.c)).limit(limit + 1)
        )
        ids = tuple(match for match, _, _ in found[:limit])
        if len(found) > limit:
            _, value, tie = found[limit - 1]
            return ArchivePage(ids, Cursor(value, tie))
        last = await self._fetch(window_of(search, after).offset(SCANNED_ROWS - 1).limit(1))
        return ArchivePage(ids, Cursor(last[0].value, last[0].tie) if last else None)

    async def head_to_head(self, player: str, opponent: str, game: str | None) -> tuple[HeadToHeadCount, ...]:
        """Return the results of two players."""
        pairs = ARCHIVE_PAIRS.c
        query = select(pairs.game, pairs.wins, pairs.losses, pairs.draws).where(
            pairs.player == player, pairs.opponent == opponent
        )
        if game is not None:
            query = query.where(pairs.game == game)
        return heads((game, Scores(*score)) for game, *score in await self._fetch(query.limit(MAX_GAMES)))

    async def opening(self, variant: str, line: str) -> tuple[int, tuple[OpeningMove, ...]]:
        """Return in how many games a move followed a line, and the most frequent of these moves."""
        known = OPENINGS.c
        query = select(known.move, known.wins, known.losses, known.draws).where(
            known.variant == variant, known.line == line
        )
        return moves_of((move, Scores(*score)) for move, *score in await self._fetch(query.limit(MAX_LINE_MOVES)))


def window_of(search: Search, after: Cursor | None) -> Select[Any]:
    """Return the rows of the index that leads to a search's matches, in its order, from the cursor on."""
    wanted, key = search.wanted, search.player
    driver: Table = ARCHIVE if key is None else ARCHIVE_PLAYERS
    columns = driver.c
    value = columns.plies if search.by_plies else columns.ended
    query = select(columns.match, value.label("value"), columns.tie)
    if key is not None:
        query = query.where(columns.player == key)
    elif wanted.game is not None:
        query = query.where(columns.game == wanted.game)
    least = wanted.least_plies if search.by_plies else wanted.ended_from
    most = wanted.most_plies if search.by_plies else wanted.ended_until
    if least is not None:
        query = query.where(value >= least)
    if most is not None:
        query = query.where(value <= most)
    if after is not None:
        place, begin = tuple_(value, columns.tie), tuple_(after.value, after.tie)
        query = query.where(place > begin if wanted.order == "oldest" else place < begin)
    if wanted.order == "oldest":
        return query.order_by(value, columns.tie)
    return query.order_by(value.desc(), columns.tie.desc())


def _order(search: Search, columns: Any) -> tuple[ColumnElement[Any], ...]:
    if search.wanted.order == "oldest":
        return columns.value, columns.tie
    return columns.value.desc(), columns.tie.desc()


def _conditions(search: Search) -> list[ColumnElement[bool]]:
    """Return what a match of the window has to meet."""
    wanted, match = search.wanted, ARCHIVE.c
    conditions: list[ColumnElement[bool]] = []
    if not search.sees_private:
        conditions.append(match.private.is_(False))
    if wanted.player is not None and wanted.opponent is not None:
        conditions.append(_seated(ARCHIVE_PLAYERS.c.player == wanted.opponent))
    for given, column in (
        (wanted.game, match.game),
        (search.variant, match.variant),
        (wanted.reason, match.reason),
        (wanted.clock, match.clock),
        (wanted.rated, match.rated),
    ):
        if given is not None:
            conditions.append(column == given)
    for least, column, most in (
        (wanted.least_plies, match.plies, wanted.most_plies),
        (wanted.ended_from, match.ended, wanted.ended_until),
    ):
        if least is not None:
            conditions.append(column >= least)
        if most is not None:
            conditions.append(column <= most)
    if wanted.least_rating is not None or wanted.most_rating is not None:
        conditions.append(_rated())
    if wanted.least_rating is not None:
        conditions.append(~_rated(RATING_CHANGES.c.before < wanted.least_rating))
    if wanted.most_rating is not None:
        conditions.append(~_rated(RATING_CHANGES.c.before > wanted.most_rating))
    conditions += (match.options.contains(part, autoescape=True) for part in search.option_parts())
    if opening := search.opening_text:
        # Not LIKE, which takes capitals for small letters on SQLite.
        conditions.append(func.substr(match.opening, 1, len(opening)) == opening)
    if wanted.result is not None:
        if search.player is None or wanted.result in ("decided", "none"):
            conditions.append(match.outcome == wanted.result)
        else:
            conditions.append(
                _seated(and_(ARCHIVE_PLAYERS.c.player == search.player, ARCHIVE_PLAYERS.c.result == wanted.result))
            )
    return conditions


def _rated(*conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(RATING_CHANGES.c.match == ARCHIVE.c.match, *conditions)


def _seated(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(ARCHIVE_PLAYERS.c.match == ARCHIVE.c.match, condition)
