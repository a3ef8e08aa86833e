"""Fixtures of the engine's tests: compiled kernels, and fresh processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest

from cornered.engine.warming import warm

ROOT = Path(__file__).resolve().parents[2]


class RunPython(Protocol):
    def __call__(self, code: str, *arguments: str, at: Path = ROOT, **environment: str) -> str: ...


@pytest.fixture(scope="session", autouse=True)
def _compiled() -> None:
    warm()


@pytest.fixture(scope="session")
def run_python() -> RunPython:
    """Run code in a fresh process with the sources of `at` and return what it prints."""

    def run(code: str, *arguments: str, at: Path = ROOT, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", code, *arguments],
            cwd=at,
            env={**os.environ, "PYTHONPATH": str(at), **environment},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
