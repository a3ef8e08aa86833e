"""Stopping has a deadline, whatever blocks it."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import pytest

from cornered.server import app
from cornered.server.app import STOP_OVERDUE_EXIT
from cornered.server.settings import Settings

pytestmark = pytest.mark.usefixtures("sqlite_url")

STUCK_LOOP = "app.LobbyService.close = lambda self: time.sleep(60)"
STUCK_TASK = "app.Gateway.close = lambda self: asyncio.Event().wait()"
STUCK_THREAD = """
import cornered.server.runtime.readiness
cornered.server.runtime.readiness.is_warm = lambda game: True
cornered.server.runtime.readiness.catalogue.offered = lambda: time.sleep(60)
"""
BROKEN = """
async def breaks(outages, clock, store_silence):
    raise RuntimeError("broken")
app.keep_time = breaks
"""
FAILING_DOORS = """
async def fails(*given):
    raise OSError("refused")
app._admit_players = fails
"""
FAILING_SECRET = """
from cornered.server.adapters import database, journal_sql
async def fails(self):
    raise app.SettingsError("refused")
journal_sql.SqlJournal.secret = fails
database.Database.close = lambda self: asyncio.Event().wait()
"""
STUCK_START = """
async def hangs(*given):
    tell("it waits")
    await asyncio.Event().wait()
app._admit_players = hangs
"""
FORKS = multiprocessing.get_context("forkserver")
"""A process that has imported the `PRELOADED` modules forks the servers."""
PRELOADED = [__name__, "alembic.command", "cornered.server.adapters.journal_sql"]
ERRORS = "errors"
DEADLINE_S = 60.0


def serve(stuck: str, seconds: float, folder: Path, started: Connection) -> None:
    """Run a server in this process that is changed by the statements `stuck`; `started` gets its address."""
    os.dup2(os.open(folder / ERRORS, os.O_CREAT | os.O_WRONLY), 2)
    exec(stuck, {"app": app, "asyncio": asyncio, "time": time, "tell": started.send})
    asyncio.run(app.serve(Settings(port=0, data=folder, stop_seconds=seconds), started=started.send))


def start(stuck: str, folder: Path, *, seconds: float = 1.0) -> tuple[ForkServerProcess, Connection]:
    FORKS.set_forkserver_preload(PRELOADED)
    heard, telling = FORKS.Pipe(duplex=False)
    process = FORKS.Process(target=serve, args=(stuck, seconds, folder, telling))
    process.start()
    telling.close()
    return process, heard


def ended(process: ForkServerProcess) -> int | None:
    """Return the exit code of a server that ends by itself."""
    process.join(DEADLINE_S)
    process.kill()
    process.join()
    return process.exitcode


@pytest.mark.parametrize(
    ("stuck", "is_told"),
    [
        (STUCK_LOOP, True),
        (STUCK_TASK, True),
        (STUCK_THREAD, True),
        (BROKEN + STUCK_TASK, False),
    ],
    ids=[
        "the loop is blocked",
        "a task waits for ever",
        "a thread works for ever",
        "it broke, and a task waits",
    ],
)
def test_a_server_that_does_not_stop_is_ended_after_its_deadline(tmp_path: Path, stuck: str, is_told: bool) -> None:
    process, heard = start(stuck, tmp_path)
    assert heard.recv().startswith("http://")
    began = time.monotonic()
    if is_told:
        assert process.pid is not None
        os.kill(process.pid, signal.SIGTERM)
    assert ended(process) == STOP_OVERDUE_EXIT
    assert time.monotonic() - began >= 0.9
    assert "did not stop in time" in (tmp_path / ERRORS).read_text()


@pytest.mark.parametrize(
    "stuck",
    [FAILING_DOORS + STUCK_TASK, FAILING_SECRET],
    ids=["the port does not close", "the database does not close"],
)
def test_a_start_that_fails_and_does_not_end_is_ended_after_the_deadline(tmp_path: Path, stuck: str) -> None:
    process, _ = start(stuck, tmp_path)
    errors = tmp_path / ERRORS
    assert ended(process) == STOP_OVERDUE_EXIT, errors.read_text()
    assert "did not stop in time" in errors.read_text()


def test_a_signal_ends_a_start_that_waits(tmp_path: Path) -> None:
    process, heard = start(STUCK_START, tmp_path, seconds=50)
    assert heard.recv() == "it waits"
    assert process.pid is not None
    os.kill(process.pid, signal.SIGTERM)
    errors = tmp_path / ERRORS
    assert ended(process) == 0, errors.read_text()
    assert "stopped during its start" in errors.read_text()
