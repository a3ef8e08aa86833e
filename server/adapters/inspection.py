"""Looks through a whole store without writing to it: what is damaged, and what can still be read."""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from sqlalchemy import CompoundSelect, Select, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.engine.records.files import replacing
from cornered.protocol.events import Ended, MatchEvent
from cornered.server.adapters.database import address_of, decoded, is_damage, open_postgres
from cornered.server.adapters.journal_reader import event_of
from cornered.server.adapters.private_files import DIRECTORY_MODE, FILE_MODE
from cornered.server.adapters.tables import EVENTS, MATCHES_TABLE, SECRETS
from cornered.server.match.audit import check_match
from cornered.server.ports import DamagedMatch

__all__ = ["Damage", "StoreFindings", "inspect"]

MAX_FAULTS: Final = 20
"""Faults of pages that are listed."""
RANGE_ROWS: Final = 4_096
"""Rows that a scan reads at once; a range with a damaged page is halved until only that page's rows are missing."""
MAX_FAILURES: Final = 200_000
"""Reads that may fail before a scan ends: beyond the last row of a table whose end is damaged every one does."""
MAX_GAP: Final = 256
"""Events in a row that may be unreadable before the end of a match in PostgreSQL is taken for reached."""
_FOREIGN: Final = "this is no database of Cornered"
_UNDEFINED_TABLE: Final = "42P01"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True)
class Damage:
    """One damaged match, and how many of its events can be read."""

    match: str
    reason: str
    readable: int


@dataclass(slots=True)
class StoreFindings:
    """What a look through a store found."""

    matches: int = 0
    live: int = 0
    faults: list[str] = field(default_factory=list)
    damaged: list[Damage] = field(default_factory=list)
    exported: int = 0

    @property
    def is_whole(self) -> bool:
        return not self.faults and not self.damaged


class _Store(Protocol):
    """A store as the inspection reads it. Methods raise DamagedMatch where they meet damage."""

    async def faults(self) -> list[str]: ...

    async def secret(self) -> bytes | None: ...

    async def ids(self) -> tuple[str, ...]: ...

    async def bodies(self, match: str) -> Mapping[int, str]: ...

    async def found_ids(self) -> tuple[str, ...]:
        """Return the matches that can be found where `ids` meets damage."""

    async def salvage(self, match: str) -> Mapping[int, str]:
        """Return the bodies that can be read where `bodies` meets damage."""


async def inspect(url: str, export: Path | None = None) -> StoreFindings:
    """Look through the store at `url`, and write the readable events of every match to a file each in `export`.

    Raises a ValueError where there is no store, and OSError when a file cannot be written.
    """
    findings = StoreFindings()
    async with _opened(url) as store:
        findings.faults += await store.faults()
        try:
            secret = await store.secret()
            if secret is None:
                findings.faults.append("the secret of the dice is missing: no dice are verified")
        except DamagedMatch as error:
            secret = None
            findings.faults.append(f"the secret of the dice cannot be read ({error}): no dice are verified")
        try:
            ids = await store.ids()
        except DamagedMatch as error:
            findings.faults.append(f"the list of matches cannot be read ({error}): all events are searched")
            ids = await store.found_ids()
        for match in ids:
            reason = ""
            try:
                bodies = await store.bodies(match)
            except DamagedMatch as error:
                reason = str(error)
                bodies = await store.salvage(match)
            events, fault = _read(bodies)
            try:
                if reason or fault:
                    raise DamagedMatch(reason or fault)
                check_match(match, events, secret)
            except DamagedMatch as error:
                findings.damaged.append(Damage(match, str(error), len(events)))
            findings.matches += 1
            findings.live += not any(isinstance(event, Ended) for event in events)
            if export is not None:
                _write(export, match, events)
                findings.exported += 1
    return findings


def _read(bodies: Mapping[int, str]) -> tuple[list[MatchEvent], str]:
    """Return the events that can be read, and what is wrong with the first that cannot."""
    events, fault = list[MatchEvent](), ""
    for expected, seq in enumerate(sorted(bodies), 1):
        if seq != expected and not fault:
            fault = f"event {expected} is missing"
        try:
            events.append(event_of(bodies[seq], seq))
        except DamagedMatch as error:
            fault = fault or str(error)
    return events, fault or ("" if events else "it has no events")


def _write(directory: Path, match: str, events: list[MatchEvent]) -> None:
    """Write events to a file that only this user can read, since they name the players.

    A file with more events stays: it was written when more could be read, since logs only grow.
    """
    directory.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
    path = directory / f"{_UNSAFE.sub('_', match)}.jsonl"
    if path.exists() and len(path.read_bytes().splitlines()) > len(events):
        path.chmod(FILE_MODE)
        return
    with replacing(path, mode=FILE_MODE) as part, part.open("w", encoding="utf-8") as file:
        file.writelines(event.model_dump_json() + "\n" for event in events)


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[_Store]:
    address = address_of(url)
    if address.get_backend_name() == "postgresql":
        engine = open_postgres(address, {}, isolation_level="AUTOCOMMIT")
        try:
            async with engine.connect() as connection:
                yield _PostgresStore(connection)
        finally:
            await engine.dispose()
        return
    with closing(_read_only(Path(address.database or ""))) as file:
        yield _SqliteStore(file)


def _read_only(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise ValueError(f"there is no database {path}; name its directory with --data")
    file = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=5)
    file.text_factory = decoded
    return file


class _PostgresStore:
    """PostgreSQL finds its damaged pages by itself when they are read."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def faults(self) -> list[str]:
        return []

    async def secret(self) -> bytes | None:
        rows = await self._rows(_SELECT_SECRET)
        found: bytes | None = rows[0][0] if rows else None
        return found

    async def ids(self) -> tuple[str, ...]:
        rows = await self._rows(select(MATCHES_TABLE.c.id).union(select(EVENTS.c.match).distinct()))
        return tuple(sorted(name for (name,) in rows))

    async def found_ids(self) -> tuple[str, ...]:
        found: set[str] = set()
        for query in (select(MATCHES_TABLE.c.id), select(EVENTS.c.match).distinct()):
            with suppress(DamagedMatch):
                found.update(name for (name,) in await self._rows(query))
        return tuple(sorted(found))

    async def bodies(self, match: str) -> Mapping[int, str]:
        rows = await self._rows(select(EVENTS.c.seq, EVENTS.c.body).where(EVENTS.c.match == match))
        return {row.seq: row.body for row in rows}

    async def salvage(self, match: str) -> Mapping[int, str]:
        found: dict[int, str] = {}
        seq, last = 1, 0
        while seq <= last + MAX_GAP:
            with suppress(DamagedMatch):
                rows = await self._rows(select(EVENTS.c.body).where(EVENTS.c.match == match, EVENTS.c.seq == seq))
                if rows:
                    found[seq], last = rows[0][0], seq
            seq += 1
        return found

    async def _rows(self, query: Select[Any] | CompoundSelect[Any]) -> Sequence[Any]:
        try:
            rows: Sequence[Any] = (await self._connection.execute(query)).all()
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == _UNDEFINED_TABLE:
                raise ValueError(_FOREIGN) from None
            if not is_damage(error):
                raise
            # SQLAlchemy's adapter puts the name of a class before the driver's message.
            reason = error.orig and (error.orig.__cause__ or error.orig)
            raise DamagedMatch(str(reason).partition("\n")[0]) from None
        return rows


_SELECT_SECRET: Final = select(SECRETS.c.value).where(SECRETS.c.name == "seed")


class _SqliteStore:
    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file
        self._scanned: dict[str, dict[int, str]] | None = None

    async def faults(self) -> list[str]:
        try:
            rows = self._rows(f"PRAGMA integrity_check({MAX_FAULTS})")
        except DamagedMatch as error:
            return [f"the file cannot be read as a database: {error}; restore a backup"]
        found = [line.strip() for (text,) in rows for line in str(text).splitlines() if line.strip()]
        return [] if found == ["ok"] else found[:MAX_FAULTS]

    async def secret(self) -> bytes | None:
        rows = self._rows("SELECT value FROM secrets WHERE name = 'seed'")
        found: bytes | None = rows[0][0] if rows else None
        return found

    async def ids(self) -> tuple[str, ...]:
        rows = self._rows("SELECT id FROM matches UNION SELECT DISTINCT match FROM events")
        return tuple(sorted(str(name) for (name,) in rows))

    async def bodies(self, match: str) -> Mapping[int, str]:
        rows = self._rows("SELECT seq, body FROM events WHERE match = ? ORDER BY seq", match)
        return {seq: str(body) for seq, body in rows if isinstance(seq, int)}

    async def found_ids(self) -> tuple[str, ...]:
        return tuple(sorted(self._found()))

    async def salvage(self, match: str) -> Mapping[int, str]:
        return self._found().get(match, {})

    def _found(self) -> Mapping[str, Mapping[int, str]]:
        """Return all events that a scan of the table finds, past damaged pages and without its index."""
        if self._scanned is None:
            self._scanned = defaultdict(dict)
            for match, seq, body in self._scan():
                if isinstance(seq, int):
                    self._scanned[str(match)][seq] = str(body)
        return self._scanned

    def _scan(self) -> Iterator[tuple[Any, ...]]:
        last = self._last_row()
        waiting = [(low, min(low + RANGE_ROWS - 1, last)) for low in range(1, last + 1, RANGE_ROWS)][::-1]
        failures = 0
        while waiting and failures < MAX_FAILURES:
            low, high = waiting.pop()
            try:
                yield from self._rows("SELECT match, seq, body FROM events WHERE rowid BETWEEN ? AND ?", low, high)
            except DamagedMatch:
                failures += 1
                if low < high:
                    middle = (low + high) // 2
                    waiting += [(middle + 1, high), (low, middle)]

    def _last_row(self) -> int:
        """Return the number of the newest event's row, as exactly as the damage allows. Rows are never deleted."""
        for query in ("SELECT max(rowid) FROM events", "SELECT count(*) FROM events"):
            try:
                number: int = self._rows(query)[0][0] or 0
            except DamagedMatch:
                continue
            return number
        try:
            pages: int = self._rows("PRAGMA page_count")[0][0]
        except DamagedMatch:
            return 0
        # A page holds at most so many events.
        return pages * 40

    def _rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        try:
            return self._file.execute(query, parameters).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                raise ValueError(_FOREIGN) from None
            raise DamagedMatch(str(error)) from None
        except sqlite3.DatabaseError as error:
            raise DamagedMatch(str(error)) from None
