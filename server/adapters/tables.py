"""The tables after the newest migration."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

__all__ = ["EVENTS", "MATCHES_TABLE", "METADATA", "PLAYERS_TABLE", "PROBES", "SEATS_TABLE", "SECRETS", "TOKENS"]

METADATA: Final = MetaData()

EVENTS: Final = Table(
    "events",
    METADATA,
    Column("match", String(32), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("body", Text, nullable=False),
)
"""The journal. Its primary key rejects a second writer of the same event."""

MATCHES_TABLE: Final = Table(
    "matches",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("started", BigInteger, nullable=False),
    Column("ended", BigInteger, nullable=True),
    Column("private", Boolean, nullable=False),
    Index("matches_ended", "ended"),
)
"""An index of the journal, written in the same transactions and derivable from the events."""

SEATS_TABLE: Final = Table(
    "seats",
    METADATA,
    Column("match", String(32), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("player", String(32), nullable=False),
    Index("seats_player", "player"),
)
"""The players of each match, a part of the index. `player` has no foreign key: accounts may be in another store."""

PLAYERS_TABLE: Final = Table(
    "players",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("name", String(24), nullable=False),
    Column("kind", String(8), nullable=False),
)

TOKENS: Final = Table(
    "tokens",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("player", String(32), ForeignKey("players.id"), nullable=False),
)
"""Tokens by their digests; one player may have several."""

SECRETS: Final = Table(
    "secrets",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("value", LargeBinary, nullable=False),
)

PROBES: Final = Table(
    "probes",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("body", LargeBinary, nullable=False),
)
"""One row, with which the journal tests whether the store can be written."""
