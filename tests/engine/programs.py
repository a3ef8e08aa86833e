"""Programs that tests run in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEADLINE_S = 240.0
"""For a program that may have to compile the search of every game."""


def run_program(*arguments: str, at: Path = ROOT, **environment: str) -> str:
    """Run Python with these arguments and the sources of `at` in a fresh process and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=at,
        env={**os.environ, "PYTHONPATH": str(at), **environment},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def run_python(code: str, *arguments: str, at: Path = ROOT, **environment: str) -> str:
    """Run code in a fresh process and return what it prints."""
    return run_program("-c", code, *arguments, at=at, **environment)
