"""Backups by the commands of docs/operations.md, made while a server plays: consistent, and playable when restored."""

from __future__ import annotations

import asyncio
import functools
import os
import stat
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from cornered import engine
from cornered.protocol.commands import Play
from cornered.protocol.values import Fischer
from cornered.server.adapters.inspection import inspect
from cornered.server.runtime.timekeeping import last_sign
from tests.conftest import Postgres, require
from tests.docs.blocks import blocks
from tests.server.conftest import Pair, PlayOut, Running, Start
from tests.waiting import TIMEOUT_S, until

DOCS = Path(__file__).resolve().parents[2] / "docs" / "operations.md"
BEGINNING = ("a2", "c2")
LOST, PLAYED, *_ = functools.reduce(engine.apply, BEGINNING, engine.load("trapgrid", size=3).start()).moves()


def commands(name: str) -> str:
    """Return a block of the page."""
    found = {block.reason: block.text for block in blocks(DOCS.read_text()) if block.marker == "run by"}
    assert found.keys() == {"sqlite-backup", "sqlite-restore", "postgres-backup", "postgres-restore"}
    return f"set -e\n{found[name]}"


async def sh(script: str, **variables: str) -> None:
    process = await asyncio.create_subprocess_exec("sh", "-c", script, env=os.environ | variables)
    async with asyncio.timeout(TIMEOUT_S):
        assert await process.wait() == 0


@pytest.fixture
def sqlite_program() -> Path:
    return require("sqlite3")


@asynccontextmanager
async def noise(server: Running, pair: Pair, play_out: PlayOut) -> AsyncIterator[list[str]]:
    """Play one match after another inside the block, which gets the list of those that are over."""
    finished: list[str] = []

    async def play() -> None:
        async with server.client("Carl") as carl, server.client("Dora") as dora:
            while True:
                match = await pair(carl, dora)
                await play_out(match, (carl, dora))
                finished.append(match)

    playing = asyncio.create_task(play())
    try:
        await until(lambda: finished or playing.done())
        yield finished
    finally:
        playing.cancel()
        await asyncio.wait([playing])


@dataclass
class Left:
    """What players know of a live match when the server stops."""

    match: str
    token: str
    finished: list[str]
    seconds: float
    """How long the match had been running when its backup was complete."""


@pytest.fixture
def play(start: Start, pair: Pair, play_out: PlayOut, tmp_path: Path) -> Callable[..., Awaitable[Left]]:
    """Return the function that plays on a server, makes a backup meanwhile, and plays on."""

    async def play(script: str, *, database: str, **variables: str) -> Left:
        now = asyncio.get_running_loop().time
        async with (
            start(database=database, node="one") as server,
            server.client("Ann") as ann,
            server.client("Ben") as ben,
        ):
            match = await pair(ann, ben, clock=Fischer(initial=60))
            await ann.do(Play, match=match, ply=0, move=BEGINNING[0])
            begun = now()
            await ben.do(Play, match=match, ply=1, move=BEGINNING[1])
            async with noise(server, pair, play_out) as finished:
                before = len(finished)
                await sh(script, **variables)
                seconds = now() - begun
                known = finished[:before]
                await until(lambda: len(finished) > before)
            # What comes after the backup is lost.
            await ann.do(Play, match=match, ply=2, move=LOST)
            if not database:
                await until(lambda: (sign := last_sign(tmp_path / "alive")) and (sign.match, sign.seq) == (match, 4))
            return Left(match, str(ann.welcome.token), known, seconds)

    return play


async def goes_on(server: Running, left: Left, *, charged: float) -> None:
    """Play on with the match as the backup has it; at most `charged` seconds of the turn are gone."""
    async with server.client("Ann", token=left.token) as ann, server.client("Eve") as eve:
        found = await ann.join(left.match)
        assert found.ply == 2
        assert found.to_move == 0
        assert found.clocks.left[1] == 60_000
        clock = found.clocks.left[0]
        assert clock is not None
        assert 60_000 - 1_000 * charged <= clock <= 60_000
        await ann.do(Play, match=left.match, ply=2, move=PLAYED)
        assert (await eve.join(left.match)).ply == 3
        for match in left.finished:
            assert (await server.fetch(f"/matches/{match}.txt")).status == 200


async def test_a_backup_of_sqlite_is_consistent_and_its_games_go_on(
    play: Callable[..., Awaitable[Left]], start: Start, sqlite_program: Path, tmp_path: Path
) -> None:
    backup = tmp_path / "backups" / "cornered.db"
    backup.parent.mkdir()
    variables = {"DATA": str(tmp_path), "BACKUP": str(backup)}
    left = await play(commands("sqlite-backup"), database="", **variables)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    findings = await inspect(f"sqlite:///{backup}")
    assert findings.is_whole
    assert findings.matches > len(left.finished) >= 1
    await sh(commands("sqlite-restore"), **variables)
    async with start(database="") as server:
        # The last sign of life is of the newer store, so the whole turn is given back.
        await goes_on(server, left, charged=0.0)


@pytest.mark.postgres
async def test_a_backup_of_postgres_is_consistent_and_its_games_go_on(
    play: Callable[..., Awaitable[Left]], start: Start, postgres: Postgres, postgres_programs: Path, tmp_path: Path
) -> None:
    database, restored = postgres.new_database(), postgres.empty_database()
    backup = tmp_path / "cornered.dump"
    variables = {"BACKUP": str(backup), "PATH": f"{postgres_programs}:{os.environ['PATH']}"}
    left = await play(commands("postgres-backup"), database=database, **variables, DATABASE=database)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    await sh(commands("postgres-restore"), **variables, DATABASE=restored)
    findings = await inspect(restored)
    assert findings.is_whole
    assert findings.matches > len(left.finished) >= 1
    async with start(database=restored, node="two") as server:
        # The time until the backup counts, since the server was there.
        await goes_on(server, left, charged=left.seconds)
