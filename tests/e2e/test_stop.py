"""Stopping has a deadline, whatever blocks it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cornered.server.app import STOP_OVERDUE_EXIT

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
import asyncio, sys, time
from pathlib import Path
from cornered.server import app
from cornered.server.settings import Settings
{stuck}
settings = Settings(port=0, data=Path(sys.argv[1]), stop_seconds={seconds})
asyncio.run(app.serve(settings, started=lambda address: print(address, flush=True)))
"""


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
    command = [sys.executable, "-c", SERVER.format(stuck=stuck, seconds=1), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"http://")
        began = time.monotonic()
        if is_told:
            process.send_signal(signal.SIGTERM)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
        assert process.returncode == STOP_OVERDUE_EXIT
        assert time.monotonic() - began >= 0.9
        assert b"did not stop in time" in errors


@pytest.mark.parametrize(
    "stuck",
    [FAILING_DOORS + STUCK_TASK, FAILING_SECRET],
    ids=["the port does not close", "the database does not close"],
)
def test_a_start_that_fails_and_does_not_end_is_ended_after_the_deadline(tmp_path: Path, stuck: str) -> None:
    command = [sys.executable, "-c", SERVER.format(stuck=stuck, seconds=1), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == STOP_OVERDUE_EXIT, done.stderr
    assert b"did not stop in time" in done.stderr


@pytest.mark.core
def test_a_signal_ends_a_start_that_waits(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SERVER.format(stuck=STUCK_START, seconds=50), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"http://")
        process.send_signal(signal.SIGTERM)
        try:
            _, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 0, errors
    assert b"stopped during its start" in errors
