"""A mark is set once for all processes, in the cache of its sources."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cornered.engine.compile import marks
from cornered.engine.compile.marks import Mark
from tests.engine.programs import run_python

HOLD_THE_LOCK = """
import sys
from pathlib import Path
from cornered.engine.compile.marks import Mark
with Mark(Path(sys.argv[1])).compiling():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mark:
    monkeypatch.setattr(marks, "CACHE", tmp_path)
    return Mark(tmp_path / "sources-0123456789abcdef", "trapgrid level:level=2/x")


def test_a_block_that_compiles_sets_the_mark(mark: Mark) -> None:
    assert not mark.is_set
    with mark.compiling() as is_cold:
        assert is_cold
    assert mark.is_set
    assert mark.path.parent == mark.directory
    with mark.compiling() as is_cold:
        assert not is_cold


def test_a_block_that_fails_sets_no_mark_and_holds_no_lock(mark: Mark) -> None:
    def fail() -> None:
        with mark.compiling():
            raise EOFError

    for _ in range(2):
        with pytest.raises(EOFError):
            fail()
    assert not mark.is_set


def test_a_mark_is_of_one_item_and_of_one_state_of_the_sources(mark: Mark) -> None:
    mark.set()
    assert not Mark(mark.directory, "trapgrid greedy").is_set
    assert not Mark(mark.directory).is_set
    assert not Mark(mark.directory.with_name("sources-fedcba9876543210"), mark.item).is_set


def test_a_cache_that_is_removed_meanwhile_is_compiled_again(mark: Mark) -> None:
    mark.set()
    with mark.compiling() as is_cold:
        assert not is_cold
        mark.path.unlink()
        mark.directory.rmdir()
    assert not mark.is_set


def test_a_process_that_is_killed_releases_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "CACHE", tmp_path)
    monkeypatch.setenv("CORNERED_KERNELS", str(tmp_path))
    mark = Mark(tmp_path / "sources-0123456789abcdef")
    command = [sys.executable, "-c", HOLD_THE_LOCK, str(mark.directory)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        process.kill()
        process.wait()
        with mark.compiling() as is_cold:
            assert is_cold


def test_without_a_cache_there_is_no_lock_and_no_mark(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.touch()
    code = """
from cornered.engine.compile.marks import CACHE, Mark
mark = Mark(CACHE / "sources")
with mark.compiling() as outer, mark.compiling() as inner:
    print(outer, inner)
print(mark.is_set)
"""
    assert run_python(code, CORNERED_KERNELS=str(occupied)).split() == ["True", "True", "False"]
