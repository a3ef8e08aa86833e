"""Databases for the contract suites, and events to store in them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest

from cornered.protocol.events import Ended, MatchEvent, Played, Started
from cornered.protocol.messages import Happened
from cornered.protocol.values import Clocks, Fischer, GameSpec, Player
from cornered.server.adapters.database import Database
from cornered.server.adapters.ownership_sql import SqlOwnership
from cornered.server.adapters.tables import METADATA
from cornered.server.cluster.ports import Node, Ownership
from tests.conftest import Postgres
from tests.server.adapters import processes
from tests.server.adapters.observer import Recorder

DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
KEPT_TABLES = ("slots",)
"""Tables in which the migrations store rows."""
ANNA = Player(id="anna", name="Anna", kind="person")
BERT = Player(id="bert", name="Bert", kind="bot")


class Sample:
    """Makes the events of a match without playing it."""

    anna, bert = ANNA, BERT

    @staticmethod
    def started(
        match: str, *, at: int = 1, private: bool = False, players: tuple[Player, ...] = (ANNA, BERT)
    ) -> MatchEvent:
        return Started(
            seq=1,
            at=at,
            match=match,
            game=GameSpec(name="trapgrid", options={"size": 5}),
            players=players,
            clock=Fischer(initial=300, increment=2),
            commitment="c" * 64,
            private=private,
        )

    @staticmethod
    def played(seq: int) -> MatchEvent:
        ply = seq - 2
        return Played(
            seq=seq, at=seq, seat=ply % 2, cause=f"c-{seq}", ply=ply, move="c3", spent=7, left=(300_000, None)
        )

    @staticmethod
    def ended(seq: int, *, at: int = 99, rated: bool = False) -> MatchEvent:
        return Ended(seq=seq, at=at, winner=0, places=(1, 2), reason="rules", seed="5" * 64, rated=rated)

    @staticmethod
    def happened(match: str, *events: MatchEvent) -> Happened:
        last = events[-1].seq
        clocks = Clocks(left=(300_000, 300_000), running=None, at=last)
        return Happened(match=match, events=events, position=f"position-{last}", ply=last - 1, to_move=0, clocks=clocks)


@pytest.fixture
def sample() -> Sample:
    return Sample()


class EmptiedDatabase:
    """A PostgreSQL database for one test after the other. Emptying it takes a tenth of the CPU time of a new copy."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._run(self._keep)

    def empty(self) -> None:
        """End all connections, and leave what the migrations left."""
        self._run(self._restore)

    def _run(self, change: Callable[[asyncpg.Connection], Awaitable[None]]) -> None:
        async def connected() -> None:
            connection = await asyncpg.connect(self.url)
            try:
                await change(connection)
            finally:
                await connection.close()

        # A test may be running in this thread's event loop.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, connected()).result()

    @staticmethod
    async def _keep(connection: asyncpg.Connection) -> None:
        """Copy the rows of the migrations into a schema of their own."""
        kept = ("alembic_version", *KEPT_TABLES)
        await connection.execute(
            "CREATE SCHEMA kept; " + "; ".join(f"CREATE TABLE kept.{name} AS TABLE {name}" for name in kept)
        )

    @staticmethod
    async def _restore(connection: asyncpg.Connection) -> None:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        tables = [table.name for table in reversed(METADATA.sorted_tables)]
        emptied = [f"DELETE FROM {name}" for name in ("alembic_version", *tables)]
        filled = [f"INSERT INTO {name} TABLE kept.{name}" for name in ("alembic_version", *KEPT_TABLES)]
        await connection.execute("; ".join((*emptied, *filled)))


@pytest.fixture(scope="session")
def emptied_database(request: pytest.FixtureRequest) -> EmptiedDatabase:
    postgres: Postgres = request.getfixturevalue("postgres")
    return EmptiedDatabase(postgres.new_database())


@pytest.fixture
def postgres_url(emptied_database: EmptiedDatabase) -> str:
    """The address of a PostgreSQL database with the newest tables, which are empty."""
    emptied_database.empty()
    return emptied_database.url


@pytest.fixture(scope="session")
def forks() -> None:
    """Load what `tests.server.adapters.processes.other_process` forks."""
    processes.load()


def address(request: pytest.FixtureRequest) -> str:
    """Return the address of a database of the kind `request.param`, with the newest tables, which are empty."""
    made: str = request.getfixturevalue("postgres_url" if request.param == "postgres" else "sqlite_url")
    return made


@pytest.fixture(params=["memory", *DATABASES])
def store_url(request: pytest.FixtureRequest) -> str:
    """The address of a new database of each kind; empty for storage in memory."""
    return "" if request.param == "memory" else address(request)


@pytest.fixture
async def stored(store_url: str) -> AsyncIterator[Database | None]:
    """A database of each kind, and None for storage in memory."""
    if not store_url:
        yield None
        return
    database = await Database.open(store_url)
    yield database
    await database.close()


@pytest.fixture
async def ownership(store_url: str, stored: Database | None) -> AsyncIterator[Ownership | None]:
    """The ownership of the only node on PostgreSQL; None elsewhere, where nothing checks it."""
    if stored is None or stored.is_sqlite:
        yield None
        return
    async with owning(store_url) as ownership:
        yield ownership


@contextlib.asynccontextmanager
async def owning(url: str, name: str = "home") -> AsyncIterator[Ownership]:
    """Be a node on a PostgreSQL database inside the block."""
    ownership = SqlOwnership(url, Node(name, "1", f"{name}:8420"))
    await ownership.join(Recorder())
    keeping = asyncio.create_task(ownership.keep())
    try:
        yield ownership
    finally:
        keeping.cancel()
        await asyncio.wait((keeping,))
        await ownership.leave()


Opener = Callable[[], Awaitable[Database]]


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of a new database of each kind."""
    return address(request)


@pytest.fixture
async def open_database(database_url: str) -> AsyncIterator[Opener]:
    """Opens the same database on every call, as several processes would."""
    opened: list[Database] = []

    async def open_() -> Database:
        database = await Database.open(database_url)
        opened.append(database)
        return database

    yield open_
    for database in opened:
        await database.close()
