"""Stopping has a deadline, whatever blocks it."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from cornered.server.app import STOP_OVERDUE_EXIT
from tests.forking import Forked, Forks

ERRORS = "errors"
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
    print("http://127.0.0.1", flush=True)
    await asyncio.Event().wait()
app._admit_players = hangs
"""
SERVER = """
import asyncio, time
from pathlib import Path
from cornered.server import app
from cornered.server.settings import Settings
{stuck}
settings = Settings(port=0, data=Path({folder!r}), stop_seconds={seconds})
asyncio.run(app.serve(settings, started=lambda address: print(address, flush=True)))
"""


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    with Forks.open("cornered.server.app", "cornered.server.adapters.journal_sql", "alembic.command") as forks:
        yield forks


Serve: TypeAlias = Callable[..., Forked]


@pytest.fixture
def serve(forks: Forks, sqlite_url: str, tmp_path: Path) -> Iterator[Serve]:
    """Return the function that runs a server which is changed by statements; it writes its log to `tmp_path`."""
    with contextlib.ExitStack() as stack:

        def run(stuck: str, seconds: int = 1) -> Forked:
            errors = stack.enter_context((tmp_path / ERRORS).open("wb"))
            code = SERVER.format(stuck=stuck, folder=str(tmp_path), seconds=seconds)
            return stack.enter_context(forks.run(code, errors))

        yield run


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
def test_a_server_that_does_not_stop_is_ended_after_its_deadline(
    serve: Serve, tmp_path: Path, stuck: str, is_told: bool
) -> None:
    server = serve(stuck)
    assert server.stdout.readline().startswith(b"http://")
    began = time.monotonic()
    if is_told:
        os.kill(server.pid, signal.SIGTERM)
    assert server.wait() == STOP_OVERDUE_EXIT
    assert time.monotonic() - began >= 0.9
    assert "did not stop in time" in (tmp_path / ERRORS).read_text()


@pytest.mark.parametrize(
    "stuck",
    [FAILING_DOORS + STUCK_TASK, FAILING_SECRET],
    ids=["the port does not close", "the database does not close"],
)
def test_a_start_that_fails_and_does_not_end_is_ended_after_the_deadline(
    serve: Serve, tmp_path: Path, stuck: str
) -> None:
    assert serve(stuck).wait() == STOP_OVERDUE_EXIT, (tmp_path / ERRORS).read_text()
    assert "did not stop in time" in (tmp_path / ERRORS).read_text()


def test_a_signal_ends_a_start_that_waits(serve: Serve, tmp_path: Path) -> None:
    server = serve(STUCK_START, seconds=50)
    assert server.stdout.readline().startswith(b"http://")
    os.kill(server.pid, signal.SIGTERM)
    assert server.wait() == 0, (tmp_path / ERRORS).read_text()
    assert "stopped during its start" in (tmp_path / ERRORS).read_text()
