"""The tables of the archive: an index of finished matches, derivable from their events."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, Text

from cornered.server.adapters.tables import METADATA

__all__ = ["ARCHIVE", "ARCHIVE_FILL", "ARCHIVE_PAIRS", "ARCHIVE_PLAYERS", "OPENINGS"]

ARCHIVE: Final = Table(
    "archive",
    METADATA,
    Column("match", String(32), primary_key=True),
    Column("game", String(32), nullable=False),
    Column("options", Text, nullable=False),
    Column("variant", String(32), nullable=False),
    Column("clock", String(16), nullable=False),
    Column("private", Boolean, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("plies", Integer, nullable=False),
    Column("winner", Integer, nullable=True),
    Column("outcome", String(8), nullable=False),
    Column("reason", String(16), nullable=False),
    Column("started", BigInteger, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("opening", Text, nullable=False),
    Column("tie", BigInteger, nullable=False),
    Index("archive_ended", "ended", "tie"),
    Index("archive_plies", "plies", "tie"),
    Index("archive_game_ended", "game", "ended", "tie"),
    Index("archive_game_plies", "game", "plies", "tie"),
)
"""One row for each finished match, written in the transaction of its end. `tie` orders matches of the same end."""

ARCHIVE_PLAYERS: Final = Table(
    "archive_players",
    METADATA,
    Column("match", String(32), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("player", String(32), nullable=False),
    Column("kind", String(8), nullable=False),
    Column("result", String(8), nullable=False),
    Column("plies", Integer, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("tie", BigInteger, nullable=False),
    Index("archive_players_ended", "player", "ended", "tie"),
    Index("archive_players_plies", "player", "plies", "tie"),
)
"""The players of each, with what orders their matches, so that a player's list is read in its order."""

ARCHIVE_PAIRS: Final = Table(
    "archive_pairs",
    METADATA,
    Column("player", String(32), primary_key=True),
    Column("opponent", String(32), primary_key=True),
    Column("game", String(32), primary_key=True),
    Column("wins", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
)
"""Results head to head in public matches, counted for both sides."""

OPENINGS: Final = Table(
    "openings",
    METADATA,
    Column("variant", String(32), primary_key=True),
    Column("line", Text, primary_key=True),
    Column("move", String(16), primary_key=True),
    Column("wins", Integer, nullable=False),
    Column("losses", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
)
"""How often each move followed a line in public matches, with the results of the seat that made it."""

ARCHIVE_FILL: Final = Table(
    "archive_fill",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("after", String(32), nullable=False),
)
"""One row while matches of an older version are indexed: the id of the last one that is; empty before the first."""
