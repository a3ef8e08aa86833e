"""The rows of the archive that one transaction writes, and the statements for them in each dialect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Integer, Table

from cornered.server.adapters.archive_tables import ARCHIVE, ARCHIVE_PAIRS, ARCHIVE_PLAYERS, OPENINGS
from cornered.server.archive.index import Indexed, Line, Pair, Scores

__all__ = ["ARCHIVE_TABLES", "ArchiveRows", "columns_of", "counting", "expressions"]

ARCHIVE_TABLES: Final = (ARCHIVE, ARCHIVE_PLAYERS, ARCHIVE_PAIRS, OPENINGS)
"""In the order of `ArchiveRows.tables`."""
_COUNTERS: Final = ("wins", "losses", "draws")
NO_SCORES: Final = Scores(0, 0, 0)


class ArchiveRows:
    """What the ends of matches add to the archive. The counters are added up, since a statement may not count twice."""

    __slots__ = ("_lines", "_matches", "_pairs", "_players")

    def __init__(self) -> None:
        self._matches: list[tuple[Any, ...]] = []
        self._players: list[tuple[Any, ...]] = []
        self._pairs: dict[Pair, Scores] = {}
        self._lines: dict[Line, Scores] = {}

    def __bool__(self) -> bool:
        return bool(self._matches)

    def add(self, match: Indexed) -> None:
        """Add a match that ended."""
        self._matches.append(
            (
                *(match.match, match.game, match.options, match.variant, match.clock, match.private, match.rated),
                *(match.plies, match.winner, match.outcome, match.reason, match.started, match.ended),
                *(match.opening_text, match.tie),
            )
        )
        for seat, player, kind, result in match.seats():
            self._players.append((match.match, seat, player, kind, result, match.plies, match.ended, match.tie))
        for pair, score in match.pairs():
            self._pairs[pair] = self._pairs.get(pair, NO_SCORES).plus(score)
        for line, score in match.lines():
            self._lines[line] = self._lines.get(line, NO_SCORES).plus(score)

    def tables(self) -> tuple[list[tuple[Any, ...]], ...]:
        """Return the rows of each table.

        Counters are in the order of their keys: nodes that count together lock the same rows in the same order, so none
        waits for another that waits for it.
        """
        return (
            self._matches,
            self._players,
            sorted((*pair, *map(int, score)) for pair, score in self._pairs.items()),
            sorted((*line, *map(int, score)) for line, score in self._lines.items()),
        )


def counting(table: Table) -> str:
    """Return the clause by which an INSERT adds to counters that are there; empty for a table without any."""
    if "wins" not in table.columns:
        return ""
    keys = ", ".join(column.name for column in table.primary_key)
    sums = ", ".join(f"{name} = {table.name}.{name} + excluded.{name}" for name in _COUNTERS)
    return f" ON CONFLICT ({keys}) DO UPDATE SET {sums}"


def expressions(first: int) -> str:
    """Return the parts of PostgreSQL's statement that insert all tables, from arrays that begin with number `first`.

    They are named like their tables, and store only where `held` has a row.
    """
    parts = []
    for table in ARCHIVE_TABLES:
        names = [column.name for column in table.columns]
        arrays = ", ".join(f"${first + number}::{_kind(table, name)}[]" for number, name in enumerate(names))
        first += len(names)
        columns = ", ".join(names)
        chosen = ", ".join(f"a.{name}" for name in names)
        parts.append(
            f", {table.name}_added AS (\n    INSERT INTO {table.name} ({columns})\n"
            f"    SELECT {chosen} FROM held, unnest({arrays}) AS a ({columns}){counting(table)}\n)"
        )
    return "".join(parts)


def _kind(table: Table, name: str) -> str:
    kind = table.columns[name].type
    if isinstance(kind, BigInteger):
        return "bigint"
    return "int" if isinstance(kind, Integer) else "bool" if isinstance(kind, Boolean) else "text"


def columns_of(rows: Sequence[tuple[Any, ...]], count: int) -> list[Sequence[Any]]:
    """Return rows as columns, for arrays."""
    return list(zip(*rows, strict=True)) if rows else [()] * count
