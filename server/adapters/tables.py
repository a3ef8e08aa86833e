"""The tables after the newest migration."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
    true,
)

__all__ = [
    "ACCOUNTS_TABLE",
    "ACCOUNT_NAMES",
    "EVENTS",
    "IDENTITIES",
    "INVITATIONS",
    "KNOWN_ADDRESSES",
    "LOBBY_LOG",
    "MATCHES_TABLE",
    "METADATA",
    "MODERATION",
    "NODES_TABLE",
    "NOW_MS",
    "PASSKEYS",
    "PLAYERS_TABLE",
    "PROBES",
    "RATINGS",
    "RATING_CHANGES",
    "RECOVERY_CODES",
    "REPORT_TEXTS",
    "RESULTS",
    "REVOCATIONS",
    "SEATS_TABLE",
    "SECRETS",
    "SLOTS_TABLE",
    "SPENT",
    "STREAMS",
    "STREAM_EVENTS",
    "SWEEPS",
    "TOKENS",
]

NOW_MS: Final = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
"""PostgreSQL's expression for the time by the database's clock, by which leases run."""

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
    Column("deleted", Boolean, nullable=False, server_default=false()),
    Index("players_name", "name"),
)

TOKENS: Final = Table(
    "tokens",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("player", String(32), ForeignKey("players.id"), nullable=False),
    Column("label", String(60), nullable=False, server_default=""),
    Column("is_session", Boolean, nullable=False, server_default=true()),
    Column("scopes", String(40), nullable=False, server_default="play bot read"),
    Column("created", BigInteger, nullable=False, server_default="0"),
    Column("seen", BigInteger, nullable=False, server_default="0"),
    Column("expires", BigInteger, nullable=False, server_default="0"),
    Column("parent", String(16), nullable=False, server_default=""),
    Index("tokens_player", "player"),
)
"""Tokens by their digests; one player may have several. An id of a token is the beginning of its digest. `expires` is 0
for one that does not expire; `parent` is the id of the session that made it, with which it ends.
"""

REVOCATIONS: Final = Table(
    "revocations",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("player", String(32), ForeignKey("players.id"), nullable=False),
    Column("token", String(16), nullable=False, server_default=""),
    Column("spared", String(16), nullable=False, server_default=""),
)
"""Tokens that were deleted, numbered without a gap in the order of their commits: one of a player, or where `token` is
empty all but the one that is `spared`.
"""

ACCOUNTS_TABLE: Final = Table(
    "accounts",
    METADATA,
    Column("player", String(32), ForeignKey("players.id"), primary_key=True),
    Column("hash", Text, nullable=False),
    Column("role", String(8), nullable=False),
    Column("since", BigInteger, nullable=False),
    Column("is_closed", Boolean, nullable=False),
)
"""The players that have a password, by its hash. Their names are those in `players`."""

ACCOUNT_NAMES: Final = Table(
    "account_names",
    METADATA,
    Column("key", String(128), primary_key=True),
    Column("player", String(32), ForeignKey("accounts.player"), nullable=False),
    Column("name", String(24), nullable=False),
    Column("until", BigInteger, nullable=False),
    Index("account_names_player", "player"),
)
"""Names of accounts by their comparison keys: those of today, with 0 as `until`, and those that they had."""

RECOVERY_CODES: Final = Table(
    "recovery_codes",
    METADATA,
    Column("player", String(32), ForeignKey("accounts.player"), primary_key=True),
    Column("digest", String(64), primary_key=True),
)

KNOWN_ADDRESSES: Final = Table(
    "known_addresses",
    METADATA,
    Column("player", String(32), ForeignKey("accounts.player"), primary_key=True),
    Column("address", String(64), primary_key=True),
    Column("seen", BigInteger, nullable=False),
)
"""Digests of the addresses from which an account was signed in to."""

INVITATIONS: Final = Table(
    "invitations",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("uses", Integer, nullable=False),
    Column("expires", BigInteger, nullable=False),
    Column("player", String(32), nullable=False, server_default=""),
)
"""Invitations to register, with the number of registrations that are left, and the administrator who has made each."""

PASSKEYS: Final = Table(
    "passkeys",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("player", String(32), ForeignKey("accounts.player"), nullable=False),
    Column("credential", Text, nullable=False),
    Column("public_key", LargeBinary, nullable=False),
    Column("counter", BigInteger, nullable=False),
    Column("handle", String(64), nullable=False),
    Column("site", String(255), nullable=False),
    Column("label", String(60), nullable=False),
    Column("created", BigInteger, nullable=False),
    Column("used", BigInteger, nullable=False),
    Index("passkeys_player", "player"),
)
"""Passkeys by the digests of the ids that authenticators gave them. An id that owners see is the beginning of the
digest.
"""

IDENTITIES: Final = Table(
    "identities",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("player", String(32), ForeignKey("accounts.player"), nullable=False, unique=True),
    Column("created", BigInteger, nullable=False),
)
"""The accounts that identities at the provider sign in to, by digests of issuer and subject."""

SPENT: Final = Table(
    "spent",
    METADATA,
    Column("digest", String(64), primary_key=True),
    Column("until", BigInteger, nullable=False),
    Index("spent_until", "until"),
)
"""Challenges and codes that were used and are not past their time."""

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

NODES_TABLE: Final = Table(
    "nodes",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("incarnation", String(32), nullable=False),
    Column("address", Text, nullable=False),
    Column("seen_ms", BigInteger, nullable=False),
    Column("clock_ms", BigInteger, nullable=False),
    Column("backend_pid", Integer, nullable=False),
    Column("backend_start", BigInteger, nullable=False),
)
"""The leases of nodes, each with its last renewal by the database's clock, and by the match clock.

The database's process that serves the lease's connection, and its start in microseconds, tell whether a node still has
that connection. SQLite has one node, which needs no row.
"""

SLOTS_TABLE: Final = Table(
    "slots",
    METADATA,
    Column("slot", Integer, primary_key=True, autoincrement=False),
    Column("owner", String(32), nullable=True),
    Column("epoch", BigInteger, nullable=False),
    Column("alive_ms", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
)
"""Who owns each slot. Every change of owner counts up the epoch, and takes the next version of the whole table.

`alive_ms` is the last moment of the match clock at which the owner before was certainly there; 0 where there was none.
"""

LOBBY_LOG: Final = Table(
    "lobby_log",
    METADATA,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)
"""The lobby's events since the newest checkpoint. An empty body keeps the number of a checkpoint without events."""

RESULTS: Final = Table(
    "results",
    METADATA,
    Column("match", String(32), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("number", BigInteger, nullable=True, unique=True),
    Index(
        "results_waiting",
        "ended",
        "match",
        sqlite_where=text("number IS NULL"),
        postgresql_where=text("number IS NULL"),
    ),
)
"""Matches whose result counts for the ratings, with the number of their last event and the time of their end.

The journal adds them with that event. `number` is the place in the order in which results were rated, from 1 without
gaps; null for those that wait.
"""

RATINGS: Final = Table(
    "ratings",
    METADATA,
    Column("player", String(32), primary_key=True),
    Column("pool", String(160), primary_key=True),
    Column("kind", String(8), nullable=False),
    Column("rating", Float(53), nullable=False),
    Column("deviation", Float(53), nullable=False),
    Column("volatility", Float(53), nullable=False),
    Column("games", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("established_until", BigInteger, nullable=False),
    Column("versions", Text, nullable=False, server_default="[]"),
    Column("renewed", Integer, nullable=False, server_default="0"),
    Index(
        "ratings_established",
        "pool",
        "kind",
        "rating",
        "player",
        "established_until",
        sqlite_where=text("established_until > 0"),
        postgresql_where=text("established_until > 0"),
    ),
)
"""The ratings by now. `established_until` is when one becomes provisional without a further match; 0 where it is.

`versions` are those of a bot, as a list in JSON of version, games, rating, deviation and time; `renewed` is the number
of games when one of them began anew for the last time.
"""

RATING_CHANGES: Final = Table(
    "rating_changes",
    METADATA,
    Column("player", String(32), primary_key=True),
    Column("pool", String(160), primary_key=True),
    Column("games", Integer, primary_key=True, autoincrement=False),
    Column("match", String(32), nullable=False),
    Column("seat", Integer, nullable=False),
    Column("kind", String(8), nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("before", Float(53), nullable=False),
    Column("deviation_before", Float(53), nullable=False),
    Column("rating", Float(53), nullable=False),
    Column("deviation", Float(53), nullable=False),
    Column("volatility", Float(53), nullable=False),
    UniqueConstraint("match", "seat", name="rating_changes_match"),
)
"""What each rated match changed: the `games`-th of a player in a pool. Both keys refuse to count a match twice."""

MODERATION: Final = Table(
    "moderation",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("by", String(64), nullable=False),
    Column("body", Text, nullable=False),
    Column("seal", String(64), nullable=False),
)
"""Reports, bans and mutes as events, numbered without a gap. Rows are added and never changed: each seal is a hash over
its row and the seal before it.
"""

STREAMS: Final = Table(
    "streams",
    METADATA,
    Column("kind", String(16), primary_key=True),
    Column("stream", String(32), primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("is_closed", Boolean, nullable=False),
    Index("streams_number", "kind", "is_closed", "number"),
)
"""The newest event of each stream, written with it."""

STREAM_EVENTS: Final = Table(
    "stream_events",
    METADATA,
    Column("kind", String(16), primary_key=True),
    Column("stream", String(32), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
    UniqueConstraint("kind", "number", name="stream_events_number"),
)
"""Events of tournaments and classes. Rows are added and never changed; `number` counts those of a kind without gaps."""
REPORT_TEXTS: Final = Table(
    "report_texts",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("grounds", Text, nullable=False),
    Column("chat", Text, nullable=False),
    Column("salt", String(32), nullable=False),
    Column("closed", BigInteger, nullable=False),
    Column("told", Boolean, nullable=False),
    Index("report_texts_closed", "closed"),
)
"""The words of reports and the chat beside them, by the numbers of their entries, which have digests of them: rows here
are erased in time. `closed` is when a report was closed, 0 while it is open; `told` whether its reporter knows."""

SWEEPS: Final = Table(
    "sweeps",
    METADATA,
    Column("name", String(32), primary_key=True),
    Column("claimed", BigInteger, nullable=False),
    Column("done", BigInteger, nullable=False),
)
"""When a daily sweep of what is kept too long was last claimed by a node, and last done."""
