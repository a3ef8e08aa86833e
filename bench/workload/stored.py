"""Fills a store with finished matches, straight into its tables: a million in minutes, each with a valid journal."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import sqlite3
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from cornered.bench.workload.servers import Store
from cornered.engine.progress import Progress, Report, no_report
from cornered.protocol.commands import Play, Resign
from cornered.protocol.events import Ended, MatchEvent, Started
from cornered.protocol.values import NO_CLOCK, GameSpec, Player
from cornered.server.adapters.database import Database, address_of, open_engine
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.adapters.tables import EVENTS, MATCHES_TABLE, SEATS_TABLE
from cornered.server.match.catalogue import settle
from cornered.server.match.dice import commitment_of, seed_of
from cornered.server.match.match import Match, open_match
from cornered.server.match.terms import Opening

__all__ = ["fill"]

PLAYED_PLIES: Final = 8
PLAYERS: Final = 20_000
TIMES: Final = 1_000
"""Distinct times of matches, an hour apart."""
HOUR_MS: Final = 3_600_000
CHUNK_MATCHES: Final = 5_000
_NAME: Final = "m" * 16
_PLAYERS: Final = ("p" * 16, "q" * 16)
"""Placeholders in templates, which occur nowhere else in an event's JSON."""
_TABLES: Final = (EVENTS, MATCHES_TABLE, SEATS_TABLE)


@dataclass(frozen=True, slots=True)
class _Template:
    """The journal of one match, with placeholders in its first and last event."""

    bodies: tuple[str, ...]
    commitment: str
    seed: str
    started: int
    ended: int

    @classmethod
    def at(cls, now: int) -> _Template:
        """Return a match of TrapGrid that began at `now` and was given up after a few moves."""
        _, spec = settle(GameSpec(name="trapgrid"))
        players = tuple(Player(id=id_, name=f"Player {id_[0]}", kind="person") for id_ in _PLAYERS)
        seed = bytes(32)
        events: list[MatchEvent] = list(open_match(Opening(_NAME, spec, players, NO_CLOCK), seed, now=now))
        match = Match.replay(events, seed)
        chance = random.Random(1)
        for ply in range(PLAYED_PLIES + 1):
            done = ply == PLAYED_PLIES
            move = "" if done else chance.choice(match.state.moves())
            play = Play(id=f"c{ply}", match=_NAME, ply=ply, move=move) if not done else Resign(id="r", match=_NAME)
            decided = match.decide(play, match.to_move, now + 1_000 * (ply + 1))
            for event in decided:
                match = match.evolve(event)
            events += decided
        first, last = events[0], events[-1]
        if not isinstance(first, Started) or not isinstance(last, Ended):
            raise AssertionError("a match begins with `started` and ends with `ended`")
        bodies = tuple(event.__pydantic_serializer__.to_json(event).decode() for event in events)
        return cls(bodies, first.commitment, last.seed, first.at, last.at)


class _Rows:
    """The rows of all matches, in ascending order of their ids: a table that is filled in order is filled fast."""

    def __init__(self, count: int, secret: bytes, now: int) -> None:
        self._count = count
        self._secret = secret
        self._templates = [_Template.at(now - HOUR_MS * (number + 1)) for number in range(TIMES)]
        self._chance = random.Random(1)

    def chunks(self) -> Iterator[tuple[int, list[list[tuple[Any, ...]]]]]:
        """Yield the number of matches so far, and rows for each of `_TABLES`."""
        spacing = 2**64 // max(1, self._count)
        for start in range(0, self._count, CHUNK_MATCHES):
            end = min(start + CHUNK_MATCHES, self._count)
            rows: list[list[tuple[Any, ...]]] = [[], [], []]
            for number in range(start, end):
                self._add(f"{number * spacing + self._chance.randrange(spacing):016x}", rows)
            yield end, rows

    def _add(self, name: str, rows: list[list[tuple[Any, ...]]]) -> None:
        events, matches, seats = rows
        template = self._chance.choice(self._templates)
        one = self._chance.randrange(PLAYERS)
        players = [
            f"stored{player:010d}" for player in (one, (one + 1 + self._chance.randrange(PLAYERS - 1)) % PLAYERS)
        ]
        seed = seed_of(self._secret, name)
        first, *middle, last = template.bodies
        first = first.replace(_NAME, name).replace(template.commitment, commitment_of(seed))
        for placeholder, player in zip(_PLAYERS, players, strict=True):
            first = first.replace(placeholder, player)
        bodies = (first, *middle, last.replace(template.seed, seed.hex()))
        events.extend(zip(itertools.repeat(name), itertools.count(1), bodies))
        matches.append((name, template.started, template.ended, False))
        seats.extend((name, seat, player) for seat, player in enumerate(players))


async def fill(store: Store, count: int, *, report: Report = no_report) -> None:
    """Store `count` finished matches in an empty store."""
    url = store.database_url
    database = await Database.open(url, durability="normal")
    journal = SqlJournal(database)
    secret = await journal.secret()
    await journal.close()
    await database.close()
    if not count:
        return
    rows = _Rows(count, secret, int(time.time() * 1000))
    if address_of(url).get_backend_name() == "sqlite":
        await asyncio.to_thread(_fill_sqlite, address_of(url).database or "", rows, count, report)
    else:
        await _fill_postgres(url, rows, count, report)


def _fill_sqlite(path: str, rows: _Rows, count: int, report: Report) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # A store that is torn by a crash now is made anew.
        for pragma in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -200000"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("BEGIN")
        for done, chunk in rows.chunks():
            for table, some in zip(_TABLES, chunk, strict=True):
                marks = ", ".join("?" * len(table.columns))
                connection.executemany(f"INSERT INTO {table.name} VALUES ({marks})", some)
            report(Progress(f"{count:,} stored matches", done, count))
        connection.execute("COMMIT")
        connection.execute("PRAGMA journal_mode = WAL")


async def _fill_postgres(url: str, rows: _Rows, count: int, report: Report) -> None:
    engine = open_engine(address_of(url), "normal", is_for_reading=True)
    try:
        async with engine.connect() as connection:
            driver: Any = (await connection.get_raw_connection()).driver_connection
            for done, chunk in rows.chunks():
                for table, some in zip(_TABLES, chunk, strict=True):
                    await driver.copy_records_to_table(table.name, records=some, columns=list(table.columns.keys()))
                report(Progress(f"{count:,} stored matches", done, count))
            # Otherwise autovacuum does it while moves are measured.
            await driver.execute("VACUUM ANALYZE")
            await driver.execute("CHECKPOINT")
    finally:
        await engine.dispose()
