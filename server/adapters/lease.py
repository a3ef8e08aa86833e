"""Who may write to a store: one server at a time. A lease ends with its process, however that dies."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO, Final, Protocol

import structlog
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from server.adapters.database import STORE_ERRORS, address_of

if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


__all__ = ["Lease", "StoreTaken", "lease"]

ATTEMPTS: Final = 10
PAUSE_SECONDS: Final = 0.2
"""PostgreSQL takes a moment to notice that a server before this one was killed."""
KEEP_SECONDS: Final = 5.0
_KEY: Final = 0x_C0_12_5E_1E

log = structlog.get_logger("lease")


class StoreTaken(Exception):
    """Another server has the lease."""


class Lease(Protocol):
    """The right to write to a store."""

    async def keep(self) -> None:
        """Hold on to the lease until cancelled."""


@contextlib.asynccontextmanager
async def lease(url: str) -> AsyncIterator[Lease]:
    """Hold the lease of the database at `url` inside the block.

    Raises StoreTaken, a ValueError for what is no address, and one of STORE_ERRORS when the store cannot be reached.
    """
    address = address_of(url)
    if address.get_backend_name() == "postgresql":
        held = _AdvisoryLease(address)
        try:
            await held.take(attempts=ATTEMPTS)
            yield held
        finally:
            await held.close()
    else:
        with _locked(address.database):
            yield _FileLease()


@contextlib.contextmanager
def _locked(database: str | None) -> Iterator[None]:
    """Lock a file beside an SQLite database: the system lets go of it when the process ends."""
    if not database:
        yield
        return
    path = Path(f"{database}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        try:
            _lock(file)
        except (BlockingIOError, PermissionError):
            raise StoreTaken(str(path)) from None
        yield


class _FileLease:
    async def keep(self) -> None:
        """A lock on a file stays by itself."""


class _AdvisoryLease:
    """An advisory lock of PostgreSQL, which belongs to a connection of its own."""

    def __init__(self, address: URL) -> None:
        # Where the whole machine died, the database's side of the connection must end by itself.
        alive = {"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}
        self._engine: AsyncEngine = create_async_engine(
            address,
            connect_args={"timeout": 5, "command_timeout": 5, "server_settings": alive},
            isolation_level="AUTOCOMMIT",
            poolclass=NullPool,
        )
        self._connection: AsyncConnection | None = None

    async def take(self, *, attempts: int) -> None:
        for attempt in range(attempts):
            if attempt:
                await asyncio.sleep(PAUSE_SECONDS)
            connection = await self._engine.connect()
            try:
                if (await connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": _KEY})).scalar():
                    self._connection = connection
                    return
            finally:
                if self._connection is None:
                    await connection.close()
        raise StoreTaken("the advisory lock is held")

    async def keep(self) -> None:
        """Look after the connection, and take the lease again when the database was away."""
        while True:
            await asyncio.sleep(KEEP_SECONDS)
            try:
                if self._connection is None:
                    await self.take(attempts=1)
                    log.info("the database is this server's again")
                else:
                    await self._connection.execute(text("SELECT 1"))
            except StoreTaken:
                log.error("another server uses this database: one of the two must be stopped")
            except STORE_ERRORS:
                await self.close()

    async def close(self) -> None:
        """Let go."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(*STORE_ERRORS):
                await connection.close()
        await self._engine.dispose()
