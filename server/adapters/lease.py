"""The lease of an SQLite database: one server at a time may write. A lease ends with its process, however that dies."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from cornered.server.adapters.database import address_of
from cornered.server.adapters.private_files import create_private

__all__ = ["StoreTaken", "lease"]


class StoreTaken(Exception):
    """Another server has the lease."""


@contextlib.contextmanager
def lease(url: str) -> Iterator[None]:
    """Hold the lease of the database at `url` inside the block: a lock on a file beside it.

    The operating system releases the lock when the process ends. PostgreSQL needs no such lease: there every append is
    checked (`ownership_sql.py`). Raises StoreTaken, a ValueError for what is no address, and OSError.
    """
    address = address_of(url)
    if address.get_backend_name() != "sqlite" or not address.database:
        yield
        return
    path = Path(f"{address.database}.lock")
    create_private(path)
    try:
        # A file system without locks is an error: the marker file of a soft lock would outlive a killed process.
        lock = FileLock(path, blocking=False, fallback_to_soft=False).acquire()
    except Timeout:
        raise StoreTaken(str(path)) from None
    with lock:
        yield
