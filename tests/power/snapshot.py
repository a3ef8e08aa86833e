"""The copy of a checkout that a measurement works on, and what it keeps between runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

__all__ = ["Mode", "Options", "environment", "prepare", "say"]

Mode: TypeAlias = Literal["compiled", "plain"]
"""Whether numba compiles kernels, or they run as plain Python."""


@dataclass(frozen=True, slots=True)
class Options:
    """What results depend on, but for the choice of mutants."""

    tree: Path
    state: Path
    tests: tuple[str, ...]
    budget_s: float
    is_core_only: bool

    def __str__(self) -> str:
        return json.dumps([str(self.tree), self.tests, self.budget_s, self.is_core_only])


def say(text: str, end: str = "\n") -> None:
    sys.stderr.write(f"\r\033[K[mutants] {text}{end}" if sys.stderr.isatty() else f"[mutants] {text}\n")
    sys.stderr.flush()


def files_in(tree: Path) -> list[str]:
    """Return the files that git knows or does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=tree, check=True, capture_output=True).stdout.decode()
    return [name for name in listed.split("\0") if name and (tree / name).is_file()]


def copy_tree(tree: Path, target: Path) -> None:
    """Copy the files of a checkout, with the links to the packages."""
    for name in files_in(tree):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(tree / name, target / name, follow_symlinks=False)
    for link in (tree / "cornered").iterdir():
        if link.is_symlink() and not (target / "cornered" / link.name).exists():
            (target / "cornered" / link.name).symlink_to(os.readlink(link))


def is_same(tree: Path, copy: Path) -> bool:
    """Return whether all files of the tree have the times and sizes of the copy's."""

    def state_of(file: Path) -> tuple[int, int] | None:
        return (file.stat().st_size, file.stat().st_mtime_ns) if file.is_file() else None

    return all(state_of(tree / name) == state_of(copy / name) for name in files_in(tree))


def prepare(options: Options, *, is_fresh: bool) -> Path:
    """Return the copy of the tree: of an interrupted run with the same options, of an equal tree, or a new one."""
    state, tree = options.state, options.state / "tree"
    named, finished = state / "options.json", state / "finished"
    if not is_fresh and named.is_file() and named.read_text("utf-8") == str(options):
        if is_same(options.tree, tree):
            say("continues with what it knows of this state of the tree")
            finished.unlink(missing_ok=True)
            return tree
        if not finished.is_file():
            say("continues an interrupted run, on the copy that it made then; --fresh begins anew")
            return tree
    if state.is_dir() and not named.is_file() and any(state.iterdir()):
        raise SystemExit(f"{state} holds something else")
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir(parents=True)
    copy_tree(options.tree, tree)
    named.write_text(str(options), "utf-8")
    return tree


def environment(options: Options, tree: Path, mode: Mode) -> dict[str, str]:
    changed = {
        "PYTHONPATH": str(tree),
        "CORNERED_KERNELS": str(options.state / "kernels"),
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }
    kept = {name: value for name, value in os.environ.items() if name not in {"CI", "PYTHONDONTWRITEBYTECODE"}}
    return kept | changed | ({"NUMBA_DISABLE_JIT": "1"} if mode == "plain" else {})
