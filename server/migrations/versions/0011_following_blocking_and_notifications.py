"""Whom players follow and block, and where they are notified."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "relations",
        sa.Column("player", sa.String(32), sa.ForeignKey("players.id"), primary_key=True),
        sa.Column("kind", sa.String(8), primary_key=True),
        sa.Column("other", sa.String(32), sa.ForeignKey("players.id"), primary_key=True),
        sa.Column("since", sa.BigInteger(), nullable=False),
    )
    op.create_index("relations_other", "relations", ["other"])
    op.create_table(
        "notice_choices",
        sa.Column("player", sa.String(32), sa.ForeignKey("players.id"), primary_key=True),
        sa.Column("push", sa.String(60), nullable=False),
    )
    op.create_table(
        "push_devices",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("player", sa.String(32), sa.ForeignKey("players.id"), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("p256dh", sa.String(88), nullable=False),
        sa.Column("auth", sa.String(24), nullable=False),
        sa.Column("label", sa.String(60), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
    )
    op.create_index("push_devices_player", "push_devices", ["player"])
    op.create_table(
        "mail_boxes",
        sa.Column("player", sa.String(32), sa.ForeignKey("players.id"), primary_key=True),
        sa.Column("address", sa.String(254), nullable=False),
        sa.Column("language", sa.String(8), nullable=False),
        sa.Column("kinds", sa.String(60), nullable=False),
        sa.Column("is_confirmed", sa.Boolean(), nullable=False),
        sa.Column("code", sa.String(64), nullable=False),
        sa.Column("asked", sa.BigInteger(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("mailed", sa.BigInteger(), nullable=False),
    )
    op.create_index("mail_boxes_address", "mail_boxes", ["address"])
    op.create_table(
        "announced_turns",
        sa.Column("match", sa.String(32), primary_key=True),
        sa.Column("seq", sa.Integer(), nullable=False),
    )


def downgrade() -> None:
    for table in ("announced_turns", "mail_boxes", "push_devices", "notice_choices", "relations"):
        op.drop_table(table)
