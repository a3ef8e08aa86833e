"""Alembic's way in. The connection comes from `cornered.server.adapters.database`, inside a transaction that it
owns.
"""

from alembic import context

from cornered.server.adapters.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA)
context.run_migrations()
