"""The texts of reports, which are erased in time, and the daily sweep that does it.

The log of moderation held names and the words of reports, and keeps ids and digests from here on: its entries are
written anew, the words of reports go into their own table, and every entry is sealed again.
"""

import hashlib
import json
import secrets
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

PAGE = 500
"""Entries that are read and written at once."""
NOBODY = "unknown"
"""Who decided, where no account has or had the name that the log held."""

moderation = sa.table(
    "moderation",
    *(sa.column(name) for name in ("number", "at", "by", "body", "seal")),
)
report_texts = sa.table(
    "report_texts",
    *(sa.column(name) for name in ("number", "grounds", "chat", "salt", "closed", "told")),
)
account_names = sa.table("account_names", sa.column("name"), sa.column("player"))


def upgrade() -> None:
    op.create_table(
        "report_texts",
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("grounds", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("salt", sa.String(32), nullable=False),
        sa.Column("closed", sa.BigInteger(), nullable=False),
        sa.Column("told", sa.Boolean(), nullable=False),
    )
    op.create_index("report_texts_closed", "report_texts", ["closed"])
    op.create_table(
        "sweeps",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("claimed", sa.BigInteger(), nullable=False),
        sa.Column("done", sa.BigInteger(), nullable=False),
    )
    _rewrite_log(op.get_bind())


def _rewrite_log(connection: sa.Connection) -> None:
    players = {row.name: row.player for row in connection.execute(sa.select(account_names))}
    number, seal = 0, ""
    query = sa.select(moderation).order_by(moderation.c.number).limit(PAGE)
    while rows := connection.execute(query.where(moderation.c.number > number)).all():
        for row in rows:
            number, by = row.number, row.by
            event = json.loads(row.body)
            if event["type"] == "reported":
                event = _reported(connection, number, event)
                by = event["reporter"]
            elif by != "operator":
                by = players.get(by, NOBODY)
            if event["type"] == "banned":
                event["player"] = event["player"]["id"]
            if event["type"] == "report_closed":
                closed = sa.update(report_texts).where(report_texts.c.number == event["report"])
                connection.execute(closed.values(closed=row.at))
            body = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
            sealed = "\n".join((seal, str(number), str(row.at), by, body))
            seal = hashlib.sha256(sealed.encode()).hexdigest()
            changed = sa.update(moderation).where(moderation.c.number == number)
            connection.execute(changed.values(by=by, body=body, seal=seal))


def _reported(connection: sa.Connection, number: int, event: dict[str, Any]) -> dict[str, Any]:
    """Return a report without its words, which are stored beside the log."""
    salt, grounds = secrets.token_hex(16), event["grounds"]
    kept = {"number": number, "grounds": grounds, "chat": "[]", "salt": salt, "closed": 0, "told": False}
    connection.execute(sa.insert(report_texts).values(**kept))
    return {
        "player": event["player"]["id"],
        "match": event["match"],
        "reporter": event["reporter"]["id"],
        "grounds": hashlib.sha256(f"{salt}\n{grounds}".encode()).hexdigest(),
        "chat": "",
        "address": "",
        "type": "reported",
    }


def downgrade() -> None:
    op.drop_table("sweeps")
    op.drop_table("report_texts")
