"""The versions of bots that a pool remembers, and the number of games when the newest of them began anew."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("ratings", sa.Column("versions", sa.Text(), nullable=False, server_default="[]"))
    op.add_column("ratings", sa.Column("renewed", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("ratings", "renewed")
    op.drop_column("ratings", "versions")
