"""Accounts: names, passwords and recovery codes; what a token is for and permits; invitations; known addresses."""

import time

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

PLAIN_SCOPES = "play bot read"


def upgrade() -> None:
    now = str(time.time_ns() // 1_000_000)
    op.add_column("players", sa.Column("deleted", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("players_name", "players", ["name"])
    # Every token of before is the session of a guest or of a bot, and begins now.
    for column in (
        sa.Column("label", sa.String(60), nullable=False, server_default=""),
        sa.Column("is_session", sa.Boolean(), nullable=False, server_default=sa.true()),
        sa.Column("scopes", sa.String(40), nullable=False, server_default=PLAIN_SCOPES),
        sa.Column("created", sa.BigInteger(), nullable=False, server_default=now),
        sa.Column("seen", sa.BigInteger(), nullable=False, server_default=now),
        sa.Column("expires", sa.BigInteger(), nullable=False, server_default="0"),
    ):
        op.add_column("tokens", column)
    op.create_index("tokens_player", "tokens", ["player"])
    for name in ("token", "spared"):
        op.add_column("revocations", sa.Column(name, sa.String(16), nullable=False, server_default=""))
    op.create_table(
        "accounts",
        sa.Column("player", sa.String(32), sa.ForeignKey("players.id"), primary_key=True),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("role", sa.String(8), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("is_closed", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "account_names",
        sa.Column("key", sa.String(128), primary_key=True),
        sa.Column("player", sa.String(32), sa.ForeignKey("accounts.player"), nullable=False),
        sa.Column("name", sa.String(24), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
    )
    op.create_index("account_names_player", "account_names", ["player"])
    op.create_table(
        "recovery_codes",
        sa.Column("player", sa.String(32), sa.ForeignKey("accounts.player"), primary_key=True),
        sa.Column("digest", sa.String(64), primary_key=True),
    )
    op.create_table(
        "known_addresses",
        sa.Column("player", sa.String(32), sa.ForeignKey("accounts.player"), primary_key=True),
        sa.Column("address", sa.String(64), primary_key=True),
        sa.Column("seen", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "invitations",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("uses", sa.Integer(), nullable=False),
        sa.Column("expires", sa.BigInteger(), nullable=False),
    )


def downgrade() -> None:
    for table in ("invitations", "known_addresses", "recovery_codes", "account_names", "accounts"):
        op.drop_table(table)
    for name in ("token", "spared"):
        op.drop_column("revocations", name)
    op.drop_index("tokens_player", "tokens")
    for name in ("label", "is_session", "scopes", "created", "seen", "expires"):
        op.drop_column("tokens", name)
    op.drop_index("players_name", "players")
    op.drop_column("players", "deleted")
