"""The revocations of tokens, by which running servers find the connections to close."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "revocations",
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("player", sa.String(32), sa.ForeignKey("players.id"), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("revocations")
