"""What `cornered serve` prints."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("where", [("--host", "0.0.0.0"), ("--lan",)], ids=" ".join)
def test_a_server_on_every_address_prints_no_wildcard(where: tuple[str, ...], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cornered", "serve", *where, "--port", "0", "--no-bots"]
    environment = {**os.environ, "CORNERED_LOG_LEVEL": "error", "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"}
    with subprocess.Popen(
        [*command, "--data", str(tmp_path)], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
    assert first.startswith("Cornered is at http://localhost:")
    assert "0.0.0.0" not in first + rest
    # A machine without a network has no address to show.
    assert ("Anyone on this network" in rest or "has no address on a network" in rest) == (where == ("--lan",))
