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
from cornered.server.adapters import lease
async def taken(self):
    raise lease.StoreTaken
lease._FileLease.keep = taken
"""
SERVER = """
import asyncio, sys, time
from pathlib import Path
from cornered.server import app
from cornered.server.settings import Settings
{stuck}
settings = Settings(port=0, data=Path(sys.argv[1]), stop_seconds=1)
asyncio.run(app.serve(settings, started=lambda address: print(address, flush=True)))
"""


@pytest.mark.parametrize(
    ("stuck", "is_told"),
    [(STUCK_LOOP, True), (STUCK_TASK, True), (STUCK_THREAD, True), (BROKEN + STUCK_TASK, False)],
    ids=["the loop is blocked", "a task waits for ever", "a thread works for ever", "it broke, and a task waits"],
)
def test_a_server_that_does_not_stop_is_ended_after_its_deadline(tmp_path: Path, stuck: str, is_told: bool) -> None:
    command = [sys.executable, "-c", SERVER.format(stuck=stuck), str(tmp_path)]
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
