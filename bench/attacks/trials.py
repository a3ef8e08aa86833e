"""Trials of failures of the machine: a stopped process, a full disk, a restart with thousands of matches."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from cornered.bench.attacks.bystanders import Bystanders
from cornered.bench.attacks.server_process import STOP_TIMEOUT_S, ServerProcess
from cornered.bench.attacks.sockets import TEXT, RawSocket, frame
from cornered.bench.attacks.stock import stock
from cornered.bench.attacks.verdict import MAX_LOG_LINES, AttackRow, errors_in

__all__ = ["TRIALS_BY_NAME", "AttackTrial"]

TRIAL_CLOCK: Final = {"kind": "fischer", "initial": 2, "increment": 0}
OUTAGE_SECONDS: Final = 3.0
"""More than the initial time of either player."""
RESTART_SECONDS: Final = 3.0
RESTART_MATCHES: Final = 5_000
"""Live matches that may add at most `RESTART_SECONDS` of CPU to a start."""
LOAD_SECONDS: Final = 10.0
LOADED_MATCHES: Final = 100
"""Number of these matches that have to be in the lobby within `LOAD_SECONDS`."""
RESTART_NOISE_SECONDS: Final = 0.6
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class AttackTrial:
    """A trial in the registry; the second argument of `run` scales sockets and matches."""

    name: str
    words: str
    run: Callable[[AttackRow, float], Awaitable[None]]


TRIALS_BY_NAME: Final[dict[str, AttackTrial]] = {}


def _trial(name: str, words: str) -> Callable[[Callable[[AttackRow, float], Awaitable[None]]], None]:
    def register(run: Callable[[AttackRow, float], Awaitable[None]]) -> None:
        TRIALS_BY_NAME[name] = AttackTrial(name, words, run)

    return register


@contextlib.asynccontextmanager
async def _server(row: AttackRow, data: Path) -> AsyncIterator[ServerProcess]:
    async with ServerProcess.start(data) as server:
        try:
            yield server
        finally:
            row.log = server.log


@dataclass
class _Duel:
    """A match on short clocks in which both players have moved, with the first player to move."""

    players: tuple[RawSocket, RawSocket]
    match: str
    moves: list[str]
    position: str = ""

    @classmethod
    async def begin(cls, address: str) -> _Duel:
        one, two = [await (await RawSocket.connect(address)).greet(name) for name in ("Ann", "Ben")]
        sent = await one.ask("challenge", to=two.player, game={"name": "isolation"}, seat=0, clock=TRIAL_CLOCK)
        match = (await two.ask("accept_challenge", challenge=sent["ref"]))["ref"]
        for socket in (one, two):
            await socket.ask("join", match=match)
        duel = cls((one, two), match, [])
        for _ in range(2):
            answer = await duel.play()
            assert answer["type"] == "acknowledged", answer
        return duel

    async def play(self) -> dict[str, Any]:
        """Make a legal move of the player to move; return its answer."""
        ply = len(self.moves)
        legal = await self.players[ply & 1].ask("ask_moves", match=self.match, ply=ply)
        if legal["type"] == "refused":
            return legal
        if not legal["moves"]:
            return {"type": "refused", "code": "match_over"}
        answer = await self.players[ply & 1].ask("play", match=self.match, ply=ply, move=legal["moves"][0])
        if answer["type"] == "acknowledged":
            self.moves.append(legal["moves"][0])
        return answer

    async def go_on(self, row: AttackRow) -> None:
        """Check that the outage cost neither player time nor the match."""
        snapshot = await self.players[0].ask("join", match=self.match)
        if snapshot["over"]:
            row.faults.append(f"the outage ended a match: {snapshot['reason']}")
            return
        answer = await self.play()
        if answer["type"] == "refused":
            row.faults.append(f"the first move after the outage is refused: {answer['code']}")
            return
        await asyncio.sleep(0.1)
        snapshot = await self.players[0].ask("join", match=self.match)
        if snapshot["over"]:
            row.faults.append(f"the outage ended a match: {snapshot['reason']}")


@_trial("frozen-server", "the server's process is stopped for longer than the clocks of its players")
async def _frozen_server(row: AttackRow, _: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with _server(row, Path(folder)) as server:
            duel = await _Duel.begin(server.address)
            server.signal(signal.SIGSTOP)
            await asyncio.sleep(OUTAGE_SECONDS)
            server.signal(signal.SIGCONT)
            # The move is sent after a delay, as a human's.
            await asyncio.sleep(0.3)
            await duel.go_on(row)
            row.did = f"stopped for {OUTAGE_SECONDS:.0f} s with {TRIAL_CLOCK['initial']} s on the clocks"


@_trial("full-disk", "the store takes nothing for longer than the clocks of its players")
async def _full_disk(row: AttackRow, _: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with _server(row, Path(folder)) as server:
            duel = await _Duel.begin(server.address)
            unlimited = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
            # A limit of zero on file size: every write of the store fails as on a full disk.
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, unlimited[1]))
            until, refused, was_ready = time.monotonic() + OUTAGE_SECONDS, 0, True
            while time.monotonic() < until:
                answer = await duel.play()
                if answer["type"] == "acknowledged":
                    row.faults.append("a move is acknowledged that could not be stored")
                refused += 1
                was_ready = await server.get("/ready") == 200
                await asyncio.sleep(0.05)
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, unlimited)
            await asyncio.sleep(1.5)
            await duel.go_on(row)
            if was_ready:
                row.faults.append("/ready says ready while nothing can be stored")
            if await server.get("/ready") != 200:
                row.faults.append("/ready does not come back with the store")
            if len(server.log) > MAX_LOG_LINES:
                row.faults.append(f"the log grows by {len(server.log):,} lines; the bound is {MAX_LOG_LINES}")
            row.did = f"{OUTAGE_SECONDS:.0f} s without a store, {refused} moves refused"


@_trial("stopping", "sockets that break the protocol, read nothing or never open are there when the server stops")
async def _stopping(row: AttackRow, scale: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with _server(row, Path(folder)) as server, Bystanders.at(server.address) as bystanders:
            await bystanders.settle()
            bystanders.turn(row.without)
            hostile = [await RawSocket.connect(server.address, local="127.0.5.1") for _ in range(int(20 * scale))]
            for number, socket in enumerate(hostile):
                await socket.greet("Eve")
                await socket.ask("watch_lobby")
                for pair in bystanders.pairs:
                    await socket.ask("join", match=pair.match)
                socket.transport.pause_reading()
                socket.write((frame(3), frame(TEXT, b"x" * 200)[:100], frame(9) * 100)[number % 3])
            hostile += [
                await RawSocket.connect(server.address, local="127.0.5.2", shake=False) for _ in range(int(50 * scale))
            ]
            await asyncio.sleep(0.5)
            acknowledged = len(row.without.moves)
            took = await server.stop(STOP_TIMEOUT_S + 2)
            if took is None:
                row.faults.append(f"the server still runs {STOP_TIMEOUT_S + 2:.0f} s after SIGTERM")
            # Moves acknowledged during the shutdown are stored too.
            stored = _stored_moves(Path(folder))
            if stored < acknowledged:
                row.faults.append(f"{acknowledged - stored} acknowledged moves are not stored")
            row.faults += errors_in(server.log)
            row.did = f"stopped in {took or 0:.1f} s with {len(hostile)} hostile sockets; {stored} moves stored"
            for socket in hostile:
                socket.abort()


def _stored_moves(folder: Path) -> int:
    import sqlite3

    with contextlib.closing(sqlite3.connect(folder / "cornered.db")) as store:
        return int(store.execute('select count(*) from events where body like \'%"type":"played"%\'').fetchone()[0])


@_trial("restart", "the server starts with hundreds of live matches")
async def _restart(row: AttackRow, scale: float) -> None:
    matches = int(1_500 * scale)
    used = []
    for stocked in (0, matches):
        with tempfile.TemporaryDirectory() as folder:
            await stock(Path(folder), stocked)
            async with _server(row, Path(folder)) as server:
                used.append(_cpu_seconds(server.pid))
                if stocked:
                    await _look_for_matches(row, server)
    more, bound = used[1] - used[0], RESTART_SECONDS * matches / RESTART_MATCHES + RESTART_NOISE_SECONDS
    if more > bound:
        row.faults.append(f"{matches:,} live matches cost a start {more:.2f} s of CPU; the bound is {bound:.2f}")
    row.did = f"{matches:,} live matches cost {more:.2f} s of CPU, a start without them {used[0]:.2f}"


async def _look_for_matches(row: AttackRow, server: ServerProcess) -> None:
    """Check that the lobby gets live matches, which the server loads in the background."""
    socket = await (await RawSocket.connect(server.address)).greet("Ann")
    until = time.monotonic() + LOAD_SECONDS
    found = 0
    while found < LOADED_MATCHES and time.monotonic() < until:
        found = (await socket.ask("watch_lobby")).get("matches_total", 0)
        await asyncio.sleep(0.2)
    if found < LOADED_MATCHES:
        row.faults.append(f"the lobby shows {found} live matches {LOAD_SECONDS:.0f} s after the start")


def _cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
