"""What `cornered serve` prints."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path


def test_a_server_on_every_address_prints_no_wildcard(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cornered", "serve", "--host", "0.0.0.0", "--port", "0", "--no-bots"]
    environment = {**os.environ, "CORNERED_LOG_LEVEL": "error", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [*command, "--data", str(tmp_path)], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
    assert first.startswith("Cornered is at http://localhost:")
    assert "0.0.0.0" not in first + rest
