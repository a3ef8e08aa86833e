"""Event streams of tournaments and classes, and the newest event of each."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "streams",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("stream", sa.String(32), primary_key=True),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("is_closed", sa.Boolean(), nullable=False),
    )
    op.create_index("streams_number", "streams", ["kind", "is_closed", "number"])
    op.create_table(
        "stream_events",
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("stream", sa.String(32), primary_key=True),
        sa.Column("seq", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.UniqueConstraint("kind", "number", name="stream_events_number"),
    )


def downgrade() -> None:
    op.drop_table("stream_events")
    op.drop_table("streams")
