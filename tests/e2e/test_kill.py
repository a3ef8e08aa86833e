"""The server is killed at random moments under load: no acknowledged move is lost or stored twice."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import socket
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

from cornered import engine
from cornered.protocol.events import EVENT, Ended, MatchEvent, Played, Rolled, Started
from tests.e2e.load import Promise, Record, keep_playing

KILLS = 5
LONG_KILLS = 50
PAIRS = 32
CONCURRENT = 24
EARLY_EVERY = 4
"""After every so many kills the next server is killed before it listens."""

PROGRAM = """
import asyncio, os, sys
import alembic.command, cornered.server.adapters.journal_sql
from cornered import engine
from cornered.server.app import new_event_loop, serve
from cornered.server.settings import load_settings
for game in engine.games():
    game().start().moves()
print("ready", flush=True)
while sys.stdin.readline():
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            runner.run(serve(load_settings(), started=lambda address: print("listening", flush=True)))
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Imports once, and forks one server after another, which saves the time of the imports."""


class Nursery:
    """Starts and ends servers, all on one port and one folder."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._server = 0

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, port: int, folder: Path) -> AsyncIterator[Nursery]:
        environment = os.environ | {"CORNERED_PORT": str(port), "CORNERED_DATA": str(folder)}
        with (folder / "server.log").open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", PROGRAM),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env=environment,
            )
        nursery = cls(process)
        try:
            assert await nursery._hears() == "ready"
            yield nursery
        finally:
            nursery._close()
            await asyncio.wait_for(process.wait(), 60)

    async def _hears(self) -> str:
        assert self._process.stdout is not None
        async with asyncio.timeout(60):
            return (await self._process.stdout.readline()).decode().strip()

    async def start(self) -> None:
        """Start a server; it is not listening yet."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._server = int(await self._hears())

    async def listens(self) -> None:
        assert await self._hears() == "listening", "the server did not start"

    async def end(self, number: signal.Signals) -> int:
        """Send a signal to the server and return its exit status."""
        os.kill(self._server, number)
        self._server = 0
        word = await self._hears()
        return int(await self._hears() if word == "listening" else word)

    def _close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        if self._server:
            os.kill(self._server, signal.SIGKILL)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def journal_of(folder: Path) -> dict[str, list[MatchEvent]]:
    """Read the whole journal without the server's code."""
    logs: dict[str, list[MatchEvent]] = {}
    connection = sqlite3.connect(folder / "cornered.db")
    for match, body in connection.execute('SELECT "match", body FROM events ORDER BY "match", seq'):
        logs.setdefault(match, []).append(EVENT.validate_json(body))
    connection.close()
    return logs


def check_match(log: list[MatchEvent]) -> None:
    """Replay one match by the rules: numbered without gaps, every move legal, ended once and by the rules.

    A match that was agreed when the server was killed is opened after the restart. Its players here do not look for it,
    so nobody moves in it, and it expires in the end.
    """
    assert [event.seq for event in log] == list(range(1, len(log) + 1))
    started = log[0]
    assert isinstance(started, Started)
    state = engine.load(started.game.name, **started.game.options).start()
    for event in log:
        if isinstance(event, Played | Rolled):
            state = engine.apply(state, event.move)
    ends = [event for event in log if isinstance(event, Ended)]
    if not any(isinstance(event, Played) for event in log):
        assert [end.reason for end in ends] in ([], ["expired"], ["gone"])
        return
    assert state.outcome is not None
    assert [(end.reason, end.winner) for end in ends] == [("rules", state.outcome.winner)]


async def kill_again_and_again(nursery: Nursery, record: Record, kills: int, chance: random.Random) -> list[int]:
    """Kill and replace the server; return the number of live matches at each kill. The last server stays alive."""
    await nursery.start()
    await nursery.listens()
    under_way: list[int] = []
    while len(under_way) < kills:
        await asyncio.sleep(chance.uniform(0, 0.3))
        await record.is_busy(CONCURRENT, len(record.promises) + chance.randrange(100))
        under_way.append(len(record.playing))
        assert await nursery.end(signal.SIGKILL) == -signal.SIGKILL
        await nursery.start()
        if len(under_way) % EARLY_EVERY == 2:
            await asyncio.sleep(chance.uniform(0, 0.1))
            assert await nursery.end(signal.SIGKILL) == -signal.SIGKILL
            await nursery.start()
        await nursery.listens()
    return under_way


async def test_no_acknowledged_move_is_lost_or_doubled_by_kill_9(tmp_path: Path, *, is_long: bool) -> None:
    kills, port, record = LONG_KILLS if is_long else KILLS, free_port(), Record()
    is_dying = True
    async with Nursery.open(port, tmp_path) as nursery:
        async with asyncio.timeout(240), asyncio.TaskGroup() as tasks:
            killer = tasks.create_task(kill_again_and_again(nursery, record, kills, random.Random(9)))
            for number in range(PAIRS):
                tasks.create_task(keep_playing(number, port, record, lambda: is_dying))
            under_way = await killer
            is_dying = False
        assert await nursery.end(signal.SIGTERM) == 0

    logs = journal_of(tmp_path)
    for log in logs.values():
        check_match(log)
    stored = [(name, event) for name, log in logs.items() for event in log if isinstance(event, Played)]
    found = Counter(Promise(name, event.seat, event.cause, event.ply, event.move) for name, event in stored)
    promised = Counter(record.promises)
    assert promised - found == Counter(), "acknowledged moves are lost"
    assert found - promised == Counter(), "moves are doubled, or there without having been answered"
    for (match, _), seen in record.logs.items():
        assert seen == logs[match]
    assert len(record.logs) == 2 * record.finished
    assert {match for match, _ in record.logs} == {match for match, _ in stored}, "what was begun was played to its end"
    assert record.failures == 0, "the store was never away"
    assert len(under_way) == kills
    assert min(under_way) >= CONCURRENT
    assert record.repeated > kills
    assert b"Traceback" not in (tmp_path / "server.log").read_bytes()
