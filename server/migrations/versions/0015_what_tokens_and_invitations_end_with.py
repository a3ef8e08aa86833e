"""The session that has made a token, and the administrator who has made an invitation: they end together."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("tokens", sa.Column("parent", sa.String(16), nullable=False, server_default=""))
    op.add_column("invitations", sa.Column("player", sa.String(32), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("invitations", "player")
    op.drop_column("tokens", "parent")
