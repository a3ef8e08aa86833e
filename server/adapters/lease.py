"""The lease of a store: one server at a time may write. A lease ends with its process, however that dies."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final, Protocol

import structlog
from filelock import FileLock, Timeout
from sqlalchemy import text
from sqlalchemy.engine import URL
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from sqlalchemy.pool import NullPool

from cornered.server.adapters.database import STORE_ERRORS, address_of
from cornered.server.adapters.private_files import create_private

__all__ = ["AdvisoryLease", "Lease", "StoreTaken", "lease"]

LEASE_ATTEMPTS: Final = 10
LEASE_RETRY_S: Final = 0.2
"""PostgreSQL takes a moment to notice that a server before this one was killed."""
KEEP_SECONDS: Final = 1.0
"""How often the lease's connection is tested, and how often a lost lease is tried again."""
ANSWER_SECONDS: Final = 2.0
"""A database that does not answer for so long may have given the lease away."""
KEY: Final = 0x_C0_12_5E_1E
_TAKE: Final = text("SELECT pg_try_advisory_lock(:key)")
_SELF: Final = text("SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()")
_HOLDER: Final = text(
    "SELECT pid, backend_start FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE locktype = 'advisory' AND classid = 0 AND objid = :key AND objsubid = 1 AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_END: Final = text("SELECT pg_terminate_backend(:pid)")

log = structlog.get_logger("lease")


class StoreTaken(Exception):
    """Another server has the lease."""


class Lease(Protocol):
    """The right to write to a store."""

    @property
    def is_held(self) -> bool:
        """Whether this process may write now."""

    async def keep(self) -> None:
        """Hold on to the lease until cancelled, and take it again when it was lost.

        Raises StoreTaken when another server has it meanwhile: this one must stop then.
        """


@contextlib.asynccontextmanager
async def lease(url: str) -> AsyncIterator[Lease]:
    """Hold the lease of the database at `url` inside the block.

    Raises StoreTaken, a ValueError for what is no address, and one of STORE_ERRORS when the store cannot be reached.
    """
    address = address_of(url)
    if address.get_backend_name() == "postgresql":
        held = AdvisoryLease(address)
        try:
            await held.take(attempts=LEASE_ATTEMPTS)
            yield held
        finally:
            await held.close()
    else:
        with _locked(address.database):
            yield _FileLease()


@contextlib.contextmanager
def _locked(database: str | None) -> Iterator[None]:
    """Lock a file beside an SQLite database; the operating system releases the lock when the process ends."""
    if not database:
        yield
        return
    path = Path(f"{database}.lock")
    create_private(path)
    try:
        # A file system without locks is an error: the marker file of a soft lock would outlive a killed process.
        lock = FileLock(path, blocking=False, fallback_to_soft=False).acquire()
    except Timeout:
        raise StoreTaken(str(path)) from None
    with lock:
        yield


class _FileLease:
    is_held = True

    async def keep(self) -> None:
        """A lock on a file stays by itself."""


class AdvisoryLease:
    """An advisory lock of PostgreSQL, which belongs to a connection of its own and is lost with it."""

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
        # The database's process and its start time: they identify this server's own lost connection.
        self._backend: tuple[object, ...] = ()
        self._lost = asyncio.Event()

    @property
    def is_held(self) -> bool:
        return self._connection is not None and not self._lost.is_set()

    async def take(self, *, attempts: int) -> None:
        """Take the lease. Raises StoreTaken, or one of STORE_ERRORS when the database is away."""
        holder: tuple[object, ...] = ()
        for attempt in range(attempts):
            if attempt:
                await asyncio.sleep(LEASE_RETRY_S)
            connection = await self._engine.connect()
            try:
                holder = await self._try(connection)
            finally:
                if self._connection is not connection:
                    await connection.close()
            if self._connection is connection:
                return
        if self._backend and holder == self._backend:
            raise TimeoutError("the database has not let go of this server's lost connection yet")
        raise StoreTaken("the advisory lock is held")

    async def _try(self, connection: AsyncConnection) -> tuple[object, ...]:
        """Take the lock on this connection if it is free; otherwise return its holder's process, if known."""
        driver = (await connection.get_raw_connection()).driver_connection
        assert driver is not None
        lost = asyncio.Event()
        driver.add_termination_listener(lambda _: lost.set())
        if not (await connection.execute(_TAKE, {"key": KEY})).scalar():
            found = (await connection.execute(_HOLDER, {"key": KEY})).one_or_none()
            holder = () if found is None else tuple(found)
            if holder and holder == self._backend:
                # The database still keeps the connection that this server lost: its lock goes with it.
                await connection.execute(_END, {"pid": holder[0]})
            return holder
        self._backend = tuple((await connection.execute(_SELF)).one())
        self._connection, self._lost = connection, lost
        return self._backend

    async def keep(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(KEEP_SECONDS):
                    await self._lost.wait()
            if self._connection is not None:
                if await self._answers(self._connection):
                    continue
                log.error("the lease of the database is lost: nothing is stored until it is taken again")
                await self._abandon()
            await self._retake()

    async def _retake(self) -> None:
        """Try once to take the lease again. Raises StoreTaken when another server has it."""
        try:
            await self.take(attempts=LEASE_ATTEMPTS)
        except STORE_ERRORS:
            # The database is away; `keep` comes back.
            await asyncio.sleep(KEEP_SECONDS)
        else:
            log.info("the database is this server's again")

    async def _answers(self, connection: AsyncConnection) -> bool:
        if self._lost.is_set():
            return False
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                await connection.execute(text("SELECT 1"))
        except STORE_ERRORS:
            return False
        return not self._lost.is_set()

    async def _abandon(self) -> None:
        """Drop a broken connection without waiting for its peer."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(*STORE_ERRORS):
                async with asyncio.timeout(ANSWER_SECONDS):
                    await connection.invalidate()
                    await connection.close()

    async def close(self) -> None:
        """Release the lease."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(*STORE_ERRORS):
                await connection.close()
        await self._engine.dispose()
