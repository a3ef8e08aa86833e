"""Databases for the contract suites, and events to store in them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from cornered.protocol.events import Ended, MatchEvent, Played, Started
from cornered.protocol.messages import Happened
from cornered.protocol.values import Clocks, Fischer, GameSpec, Player
from cornered.server.adapters.database import Database
from cornered.server.adapters.ownership_sql import SqlOwnership
from cornered.server.cluster.ports import Node, Ownership
from tests.server.adapters.observer import Recorder

DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
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


def address(request: pytest.FixtureRequest) -> str:
    """Return the address of a new database of the kind `request.param`, with the newest tables."""
    if request.param == "postgres":
        new: str = request.getfixturevalue("postgres").new_database()
        return new
    made: str = request.getfixturevalue("sqlite_url")
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
