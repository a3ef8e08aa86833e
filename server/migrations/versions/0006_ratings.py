"""Results that count for ratings, ratings, and what each match changed of them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "results",
        sa.Column("match", sa.String(32), primary_key=True),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=True, unique=True),
    )
    waiting = sa.text("number IS NULL")
    op.create_index("results_waiting", "results", ["ended", "match"], sqlite_where=waiting, postgresql_where=waiting)
    op.create_table(
        "ratings",
        sa.Column("player", sa.String(32), primary_key=True),
        sa.Column("pool", sa.String(160), primary_key=True),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("rating", sa.Float(53), nullable=False),
        sa.Column("deviation", sa.Float(53), nullable=False),
        sa.Column("volatility", sa.Float(53), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("established_until", sa.BigInteger(), nullable=False),
    )
    established = sa.text("established_until > 0")
    op.create_index(
        "ratings_established",
        "ratings",
        ["pool", "kind", "rating", "player", "established_until"],
        sqlite_where=established,
        postgresql_where=established,
    )
    op.create_table(
        "rating_changes",
        sa.Column("player", sa.String(32), primary_key=True),
        sa.Column("pool", sa.String(160), primary_key=True),
        sa.Column("games", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("match", sa.String(32), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("before", sa.Float(53), nullable=False),
        sa.Column("deviation_before", sa.Float(53), nullable=False),
        sa.Column("rating", sa.Float(53), nullable=False),
        sa.Column("deviation", sa.Float(53), nullable=False),
        sa.Column("volatility", sa.Float(53), nullable=False),
        sa.UniqueConstraint("match", "seat", name="rating_changes_match"),
    )


def downgrade() -> None:
    for table in ("rating_changes", "ratings", "results"):
        op.drop_table(table)
