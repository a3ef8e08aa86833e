"""The incidents of bots, which their owners read."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "bot_incidents",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("player", sa.String(32), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("match", sa.String(32), nullable=True),
        sa.Column("ply", sa.Integer(), nullable=True),
        sa.Column("limit_ms", sa.BigInteger(), nullable=True),
        sa.Column("code", sa.Integer(), nullable=True),
        sa.Column("closed_by", sa.String(8), nullable=True),
    )
    op.create_index("bot_incidents_player", "bot_incidents", ["player", "at", "id"])
    op.create_index("bot_incidents_at", "bot_incidents", ["at"])


def downgrade() -> None:
    op.drop_table("bot_incidents")
