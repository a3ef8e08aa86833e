"""The rows that one transaction of the journal writes, and the statements for them in each dialect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, assert_never

from sqlalchemy import Table, bindparam, update

from cornered.protocol.events import Ended, Intermediate, MatchEvent, Started
from cornered.server.adapters.archive_rows import ARCHIVE_TABLES, ArchiveRows, columns_of, counting, expressions
from cornered.server.adapters.database import Batch, Database, Statement
from cornered.server.adapters.tables import EVENTS, MATCHES_TABLE, RESULTS, SEATS_TABLE
from cornered.server.archive.index import Indexed

__all__ = ["Rows", "Statements"]

_END_MATCHES: Final = update(MATCHES_TABLE).where(MATCHES_TABLE.c.id == bindparam("name")).values(ended=bindparam("at"))

_FENCE: Final = """
WITH fence AS (
    SELECT s.slot FROM slots AS s JOIN unnest($1::int[], $2::bigint[]) AS f (slot, epoch) USING (slot)
    WHERE s.epoch = f.epoch ORDER BY s.slot FOR SHARE OF s
), held AS (
    SELECT 1 WHERE (SELECT count(*) FROM fence) = cardinality($1::int[])
), added AS (
    INSERT INTO events (match, seq, body)
    SELECT e.match, e.seq, e.body FROM held, unnest($3::text[], $4::int[], $5::text[]) AS e (match, seq, body)
)"""
_INDEX: Final = """, begun AS (
    INSERT INTO matches (id, started, ended, private)
    SELECT m.id, m.started, m.ended, m.private
    FROM held, unnest($6::text[], $7::bigint[], $8::bigint[], $9::bool[]) AS m (id, started, ended, private)
), seated AS (
    INSERT INTO seats (match, seat, player)
    SELECT s.match, s.seat, s.player FROM held, unnest($10::text[], $11::int[], $12::text[]) AS s (match, seat, player)
), over AS (
    UPDATE matches SET ended = e.at FROM held, unnest($13::bigint[], $14::text[]) AS e (at, id) WHERE matches.id = e.id
), counted AS (
    INSERT INTO results (match, seq, ended)
    SELECT r.match, r.seq, r.ended FROM held, unnest($15::text[], $16::int[], $17::bigint[]) AS r (match, seq, ended)
)"""
_ARCHIVE: Final = expressions(18)
_RESULT: Final = "\nSELECT count(*) FROM held"


class Statements(NamedTuple):
    """What the transactions on SQLite execute, in this order."""

    add_events: Statement
    add_matches: Statement
    add_seats: Statement
    end_matches: Statement
    add_results: Statement
    archive: tuple[Statement, ...]

    @classmethod
    def of(cls, database: Database) -> Statements:
        return cls(
            database.insertion(EVENTS),
            database.insertion(MATCHES_TABLE),
            database.insertion(SEATS_TABLE),
            database.updating(_END_MATCHES, ("at", "name")),
            database.insertion(RESULTS),
            tuple(_adding(database, table) for table in ARCHIVE_TABLES),
        )


def _adding(database: Database, table: Table) -> Statement:
    statement, counted = database.insertion(table), counting(table)
    # One row a statement where something may be there already: a kept INSERT of many rows ends with its values.
    return Statement(statement.sql + counted) if counted else statement


class Rows:
    """What one transaction writes."""

    __slots__ = ("_archive", "_begun", "_ends", "_events", "_matches", "_results", "_seats")

    def __init__(self) -> None:
        self._events: list[tuple[str, int, str]] = []
        self._matches: list[tuple[str, int, int | None, bool]] = []
        self._seats: list[tuple[str, int, str]] = []
        self._ends: list[tuple[int, str]] = []
        # Without a number: a result is numbered when it is rated.
        self._results: list[tuple[str, int, int, None]] = []
        self._archive = ArchiveRows()
        # Where in `_matches` each match is that begins in this transaction.
        self._begun: dict[str, int] = {}

    def add(self, match: str, event: MatchEvent) -> None:
        body = event.__pydantic_serializer__.to_json(event).decode()
        self._events.append((match, event.seq, body))
        if isinstance(event, Started):
            self._begun[match] = len(self._matches)
            self._matches.append((match, event.at, None, event.private))
            self._seats += ((match, seat, player.id) for seat, player in enumerate(event.players))
        elif isinstance(event, Ended):
            if match in self._begun:
                # One statement of PostgreSQL does not see the rows that it adds itself.
                name, started, _, private = self._matches[self._begun[match]]
                self._matches[self._begun[match]] = (name, started, event.at, private)
            else:
                self._ends.append((event.at, match))
            if event.rated:
                self._results.append((match, event.seq, event.at, None))
        elif not isinstance(event, Intermediate):
            assert_never(event)

    def index(self, match: Indexed) -> None:
        """Add what the archive holds of a match that ends in this transaction."""
        self._archive.add(match)

    def batch(self, statements: Statements) -> Batch:
        """Return the statements that have rows, for SQLite."""
        batch: list[tuple[Statement, Sequence[tuple[Any, ...]]]] = [
            (statements.add_events, self._events),
            (statements.add_matches, self._matches),
            (statements.add_seats, self._seats),
            (statements.end_matches, self._ends),
            (statements.add_results, self._results),
            *zip(statements.archive, self._archive.tables(), strict=True),
        ]
        return [(statement, rows) for statement, rows in batch if rows]

    def fenced(self, epochs: Mapping[int, int]) -> tuple[str, list[Sequence[Any]]]:
        """Return one statement for PostgreSQL with its arrays, whose result is 0 when it has stored nothing.

        That is where the epoch of any of these slots is another one now; without slots it always stores.
        """
        arrays = [list(epochs), list(epochs.values()), *columns_of(self._events, 3)]
        if not self._matches and not self._ends:
            return _FENCE + _RESULT, arrays
        arrays += columns_of(self._matches, 4) + columns_of(self._seats, 3) + columns_of(self._ends, 2)
        arrays += columns_of(self._results, 4)[:3]
        if not self._archive:
            return _FENCE + _INDEX + _RESULT, arrays
        for table, rows in zip(ARCHIVE_TABLES, self._archive.tables(), strict=True):
            arrays += columns_of(rows, len(table.columns))
        return _FENCE + _INDEX + _ARCHIVE + _RESULT, arrays
