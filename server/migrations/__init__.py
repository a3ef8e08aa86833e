"""Alembic's migrations of the database, run at start."""
