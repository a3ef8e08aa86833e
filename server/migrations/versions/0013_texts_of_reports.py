"""The texts of reports, which are erased in time, and the daily sweep that does it."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


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


def downgrade() -> None:
    op.drop_table("sweeps")
    op.drop_table("report_texts")
