"""Passkeys, identities at a provider, and the challenges and codes that were used."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "passkeys",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("player", sa.String(32), sa.ForeignKey("accounts.player"), nullable=False),
        sa.Column("credential", sa.Text(), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("counter", sa.BigInteger(), nullable=False),
        sa.Column("handle", sa.String(64), nullable=False),
        sa.Column("site", sa.String(255), nullable=False),
        sa.Column("label", sa.String(60), nullable=False),
        sa.Column("created", sa.BigInteger(), nullable=False),
        sa.Column("used", sa.BigInteger(), nullable=False),
    )
    op.create_index("passkeys_player", "passkeys", ["player"])
    op.create_table(
        "identities",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("player", sa.String(32), sa.ForeignKey("accounts.player"), nullable=False, unique=True),
        sa.Column("created", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "spent",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("until", sa.BigInteger(), nullable=False),
    )
    op.create_index("spent_until", "spent", ["until"])


def downgrade() -> None:
    for table in ("spent", "identities", "passkeys"):
        op.drop_table(table)
