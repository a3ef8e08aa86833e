"""The tables of relations between players, and of their notifications."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, String, Table, Text

from cornered.server.adapters.tables import METADATA

__all__ = ["ANNOUNCED_TURNS", "MAIL_BOXES", "NOTICE_CHOICES", "PUSH_DEVICES", "RELATIONS"]

RELATIONS: Final = Table(
    "relations",
    METADATA,
    Column("player", String(32), ForeignKey("players.id"), primary_key=True),
    Column("kind", String(8), primary_key=True),
    Column("other", String(32), ForeignKey("players.id"), primary_key=True),
    Column("since", BigInteger, nullable=False),
    Index("relations_other", "other"),
)
"""Whom a player follows or blocks."""

NOTICE_CHOICES: Final = Table(
    "notice_choices",
    METADATA,
    Column("player", String(32), ForeignKey("players.id"), primary_key=True),
    Column("push", String(60), nullable=False),
)
"""Of what a player is notified by push messages: of everything where there is no row."""

PUSH_DEVICES: Final = Table(
    "push_devices",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("player", String(32), ForeignKey("players.id"), nullable=False),
    Column("endpoint", Text, nullable=False),
    Column("p256dh", String(88), nullable=False),
    Column("auth", String(24), nullable=False),
    Column("label", String(60), nullable=False),
    Column("created", BigInteger, nullable=False),
    Index("push_devices_player", "player"),
)
"""Browsers that get push messages, by the digests of their endpoints: each has one player."""

MAIL_BOXES: Final = Table(
    "mail_boxes",
    METADATA,
    Column("player", String(32), ForeignKey("players.id"), primary_key=True),
    Column("address", String(254), nullable=False),
    Column("language", String(8), nullable=False),
    Column("kinds", String(60), nullable=False),
    Column("is_confirmed", Boolean, nullable=False),
    Column("code", String(64), nullable=False),
    Column("asked", BigInteger, nullable=False),
    Column("tries", Integer, nullable=False),
    Column("mailed", BigInteger, nullable=False),
    Index("mail_boxes_address", "address"),
)
"""Where players get e-mails, with the digest of the code: when it was asked for, how often tried; and the last mail."""

ANNOUNCED_TURNS: Final = Table(
    "announced_turns",
    METADATA,
    Column("match", String(32), primary_key=True),
    Column("seq", Integer, nullable=False),
)
"""The newest turn of each live correspondence game that was announced, by the event with which it began."""
