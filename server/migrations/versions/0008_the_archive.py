"""The archive of finished matches; `cornered.server.adapters.archive_fill` indexes those that are stored already."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "archive",
        sa.Column("match", sa.String(32), primary_key=True),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("variant", sa.String(32), nullable=False),
        sa.Column("clock", sa.String(16), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("winner", sa.Integer(), nullable=True),
        sa.Column("outcome", sa.String(8), nullable=False),
        sa.Column("reason", sa.String(16), nullable=False),
        sa.Column("started", sa.BigInteger(), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.Column("opening", sa.Text(), nullable=False),
        sa.Column("tie", sa.BigInteger(), nullable=False),
    )
    op.create_index("archive_ended", "archive", ["ended", "tie"])
    op.create_index("archive_plies", "archive", ["plies", "tie"])
    op.create_index("archive_game_ended", "archive", ["game", "ended", "tie"])
    op.create_index("archive_game_plies", "archive", ["game", "plies", "tie"])
    op.create_table(
        "archive_players",
        sa.Column("match", sa.String(32), primary_key=True),
        sa.Column("seat", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("player", sa.String(32), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("result", sa.String(8), nullable=False),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.Column("tie", sa.BigInteger(), nullable=False),
    )
    op.create_index("archive_players_ended", "archive_players", ["player", "ended", "tie"])
    op.create_index("archive_players_plies", "archive_players", ["player", "plies", "tie"])
    op.create_table(
        "archive_pairs",
        sa.Column("player", sa.String(32), primary_key=True),
        sa.Column("opponent", sa.String(32), primary_key=True),
        sa.Column("game", sa.String(32), primary_key=True),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("wins", "losses", "draws")),
    )
    op.create_table(
        "openings",
        sa.Column("variant", sa.String(32), primary_key=True),
        sa.Column("line", sa.Text(), primary_key=True),
        sa.Column("move", sa.String(16), primary_key=True),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("wins", "losses", "draws")),
    )
    fill = op.create_table(
        "archive_fill",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("after", sa.String(32), nullable=False),
    )
    op.bulk_insert(fill, [{"id": 1, "after": ""}])


def downgrade() -> None:
    for table in ("archive_fill", "openings", "archive_pairs", "archive_players", "archive"):
        op.drop_table(table)
