"""Kernels are compiled once, by one process, with progress; older caches are removed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cornered.engine.warming import is_warm, warm
from tests.engine.programs import run_python

ROOT = Path(__file__).resolve().parents[2]


def test_a_warm_game_reports_nothing_and_an_unknown_one_names_the_known_ones() -> None:
    reports: list[object] = []
    warm("trapgrid", report=reports.append)
    assert is_warm("trapgrid")
    assert reports == []
    with pytest.raises(ValueError, match="no game 'chess'"):
        warm("chess")


def test_plain_python_has_nothing_to_warm(tmp_path: Path) -> None:
    code = "from cornered.engine.warming import is_warm, warm; warm(); print(is_warm('quoridor'))"
    assert run_python(code, NUMBA_DISABLE_JIT="1", CORNERED_KERNELS=str(tmp_path / "none")).strip() == "True"
    assert not (tmp_path / "none").exists()


def test_of_processes_that_warm_up_at_once_one_compiles_and_the_last_used_caches_stay(tmp_path: Path) -> None:
    """Two processes compile in a directory of old caches."""
    for age in range(6):
        old = tmp_path / f"cornered.engine.kernels.bits-{age:016x}"
        old.mkdir()
        os.utime(old, (1_000_000 - age, 1_000_000 - age))
    (tmp_path / "something else").mkdir()
    code = (
        "from cornered.engine.warming import is_warm, warm\n"
        "reports = []\n"
        "warm('trapgrid', report=reports.append)\n"
        "assert is_warm('trapgrid')\n"
        "print([report.done for report in reports])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CORNERED_KERNELS": str(tmp_path)}
    running = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    printed = sorted(process.communicate(timeout=120)[0].strip() for process in running)
    assert [process.returncode for process in running] == [0, 0]
    assert printed == ["[0, 1, 2, 3, 4, 5, 6]", "[]"], "the other one waits"
    kept = sorted(path.name for path in tmp_path.iterdir())
    bits = [name for name in kept if name.startswith("cornered.engine.kernels.bits-")]
    assert bits[:3] == [f"cornered.engine.kernels.bits-{age:016x}" for age in range(3)]
    assert len(bits) == 4
    assert "something else" in kept
