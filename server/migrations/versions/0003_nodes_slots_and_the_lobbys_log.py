"""Nodes, the slots that they own, and the log of the lobby."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

SLOTS = 1_025
"""1,024 slots of matches, and the lobby's."""


def upgrade() -> None:
    op.create_table(
        "nodes",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("incarnation", sa.String(32), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("seen_ms", sa.BigInteger(), nullable=False),
        sa.Column("clock_ms", sa.BigInteger(), nullable=False),
        sa.Column("backend_pid", sa.Integer(), nullable=False),
        sa.Column("backend_start", sa.BigInteger(), nullable=False),
    )
    slots = op.create_table(
        "slots",
        sa.Column("slot", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("owner", sa.String(32), nullable=True),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("alive_ms", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
    )
    op.bulk_insert(
        slots, [{"slot": slot, "owner": None, "epoch": 0, "alive_ms": 0, "version": 0} for slot in range(SLOTS)]
    )
    op.create_table(
        "lobby_log",
        sa.Column("seq", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text(), nullable=False),
    )


def downgrade() -> None:
    for table in ("lobby_log", "slots", "nodes"):
        op.drop_table(table)
