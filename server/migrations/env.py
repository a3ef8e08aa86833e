"""Alembic's environment; `cornered.server.adapters.database` passes the connection and owns its transaction."""

from alembic import context

from cornered.server.adapters.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
