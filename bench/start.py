"""`cornered bench start`: time until a server is ready after a crash, and until it has loaded its live matches."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from cornered.protocol.commands import Play
from cornered.protocol.events import MatchEvent, Started
from cornered.protocol.values import Fischer, GameSpec, Player
from cornered.server.adapters.database import Database
from cornered.server.adapters.journal_sql import SqlJournal
from cornered.server.match.catalogue import settle
from cornered.server.match.dice import commitment_of, seed_of
from cornered.server.match.match import Match, open_match
from cornered.server.match.terms import Opening

__all__ = ["StartReport", "as_json", "fill", "lines", "run"]

MATCH_PLIES: Final = 20
PLAYER_COUNT: Final = 200
TIMEOUT_S: Final = 300.0
POLL_SECONDS: Final = 0.02
ASKED_PER_COUNT: Final = 25
APPEND_BATCH_MATCHES: Final = 1_000


@dataclass(frozen=True, slots=True)
class StartReport:
    """The figures of one run. `worst_ms` is the slowest answer to `GET /health` while matches are loaded."""

    matches: int
    plies: int
    ready_seconds: float
    loaded_seconds: float
    worst_ms: float


async def fill(database: str, matches: int, plies: int = MATCH_PLIES) -> None:
    """Store live matches of `plies` plies with running clocks; every player is in several of them."""
    opened = await Database.open(database, durability="normal")
    journal = SqlJournal(opened)
    secret = await journal.secret()
    now = int(time.time() * 1000)
    first, *others = _played(plies, now)
    assert isinstance(first, Started)
    for start in range(0, matches, APPEND_BATCH_MATCHES):
        appends = []
        for number in range(start, min(start + APPEND_BATCH_MATCHES, matches)):
            name = f"{number:016x}"
            seats = (_player(2 * number), _player(2 * number + 1))
            commitment = commitment_of(seed_of(secret, name))
            began = first.model_copy(update={"match": name, "players": seats, "commitment": commitment})
            appends.append(journal.append(name, 0, (began, *others)))
        await asyncio.gather(*appends)
    await journal.close()
    await opened.close()


def _player(number: int) -> Player:
    return Player(id=f"player{number % PLAYER_COUNT}", name=f"Player {number % PLAYER_COUNT}", kind="person")


def _played(plies: int, now: int) -> tuple[MatchEvent, ...]:
    """Return the events of a Quoridor match between two players after `plies` moves, an hour left to each."""
    _, spec = settle(GameSpec(name="quoridor"))
    events = list(open_match(Opening("m", spec, (_player(0), _player(1)), Fischer(initial=3_600)), b"", now=now))
    match = Match.replay(events, b"")
    chance = random.Random(1)
    for ply in range(plies):
        move = Play(id=f"c{ply}", match="m", ply=ply, move=chance.choice(match.state.moves()))
        decided = match.decide(move, match.to_move, now + ply)
        for event in decided:
            match = match.evolve(event)
        events += decided
    return tuple(events)


def run(matches: int, *, plies: int = MATCH_PLIES) -> StartReport:
    """Start a server process on `matches` live matches, and measure until all are loaded."""
    with tempfile.TemporaryDirectory(prefix="cornered-bench-") as folder:
        asyncio.run(fill(f"sqlite:///{Path(folder) / 'cornered.db'}", matches, plies))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "cornered", "serve", "--no-bots", "--port", str(port), "--data", folder]
        began = time.perf_counter()
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return _measure(server, f"http://127.0.0.1:{port}", Path(folder), matches, plies, began)
        finally:
            server.terminate()
            server.wait()


def _measure(
    server: subprocess.Popen[bytes], address: str, folder: Path, matches: int, plies: int, began: float
) -> StartReport:
    while _ask(f"{address}/ready") is None:
        _check(server, began)
        time.sleep(POLL_SECONDS)
    ready = time.perf_counter() - began
    worst = 0.0
    # Loading a match with a running clock appends one event, its refund.
    while _events(folder) < matches * (plies + 2):
        _check(server, began)
        # Counting the events costs more CPU than the request.
        for _ in range(ASKED_PER_COUNT):
            asked = time.perf_counter()
            _ask(f"{address}/health")
            worst = max(worst, time.perf_counter() - asked)
            time.sleep(POLL_SECONDS)
    loaded = time.perf_counter() - began
    return StartReport(matches, plies, round(ready, 2), round(loaded, 1), round(worst * 1000, 1))


def _events(folder: Path) -> int:
    """Return the number of stored events."""
    with contextlib.closing(sqlite3.connect(folder / "cornered.db")) as connection:
        count: int = connection.execute("SELECT count(*) FROM events").fetchone()[0]
    return count


def _check(server: subprocess.Popen[bytes], began: float) -> None:
    if server.poll() is not None:
        raise ValueError(f"the server ended with exit code {server.returncode}")
    if time.perf_counter() - began > TIMEOUT_S:
        raise ValueError(f"the server is not done after {TIMEOUT_S:g} s")


def _ask(url: str) -> str | None:
    """Return the server's answer, None without one or with an error status."""
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            text: str = answer.read().decode()
    except (urllib.error.URLError, OSError):
        return None
    return text


def lines(report: StartReport) -> list[str]:
    """Return the report as text."""
    return [
        f"{report.matches} live matches of {report.plies} plies",
        f"ready after {report.ready_seconds:.2f} s",
        f"all loaded after {report.loaded_seconds:.1f} s; meanwhile the longest answer took {report.worst_ms:.0f} ms",
    ]


def as_json(report: StartReport) -> str:
    return json.dumps(asdict(report))
