"""The table of the incidents of bots."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table, Text

from cornered.server.adapters.tables import METADATA

__all__ = ["BOT_INCIDENTS"]

BOT_INCIDENTS: Final = Table(
    "bot_incidents",
    METADATA,
    Column("id", String(32), primary_key=True),
    Column("player", String(32), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("match", String(32), nullable=True),
    Column("ply", Integer, nullable=True),
    Column("limit_ms", BigInteger, nullable=True),
    Column("code", Integer, nullable=True),
    Column("closed_by", String(8), nullable=True),
    Index("bot_incidents_player", "player", "at", "id"),
    Index("bot_incidents_at", "at"),
)
"""What went wrong with bots, a bounded number of rows for each. `id` follows from what caused the incident."""
