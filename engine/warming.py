"""Compiles what a game needs before anybody waits for it: once per machine, under a lock, with progress."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from cornered import engine
from cornered.engine.compile.kernel import CACHE, IS_CACHED, IS_COMPILED, cache_of, target
from cornered.engine.progress import Progress, Report, no_report

__all__ = ["is_warm", "locked", "warm"]

_CACHE_NAME: Final = re.compile(r"([\w.]+)-[0-9a-f]{16}")
KEPT: Final = 4
"""How many caches of a module stay: the current one, and a few of other checkouts or branches."""


def _marker(game: str) -> Path:
    """Return the file that says that this Python, numba and processor have every kernel of `game` in the cache."""
    return cache_of(f"cornered.engine.games.{game}") / f"{target()}.warm"


def is_warm(game: str) -> bool:
    """Say whether `warm` will only load; cold, it takes some seconds a game."""
    return not IS_COMPILED or (IS_CACHED and _marker(game).exists())


def warm(*games: str, report: Report = no_report) -> None:
    """Compile, or load, every kernel that the states of `games` use; no names mean all games.

    Several processes may call it at once: one compiles, the others wait and load. `report` hears of each step of a game
    that has to be compiled, and nothing of one that is only loaded. Does nothing when kernels run as plain Python.
    """
    known = [game.name for game in engine.games()]
    for name in games:
        engine.load(name)
    if not IS_COMPILED:
        return
    for name in games or known:
        if is_warm(name):
            _exercise(name, no_report)
            continue
        with locked(CACHE / "lock"):
            cold = not is_warm(name)
            _exercise(name, report if cold else no_report)
            if IS_CACHED:
                _marker(name).parent.mkdir(exist_ok=True)
                _marker(name).touch()
    if IS_CACHED:
        # Another process may be removing the same ones.
        with suppress(FileNotFoundError):
            _drop_old_caches()


def _exercise(name: str, report: Report) -> None:
    """Do with a position once everything that a position can do."""
    state = engine.load(name).start()
    later = state
    steps: tuple[tuple[str, Callable[[], object]], ...] = (
        ("legal moves", lambda: [state.moves(), state.is_legal(state.moves()[0]), state.explain("?"), state.outcome]),
        ("playing", lambda: [later.moves(), later.explain(later.moves()[0]), later.outcome]),
        ("leaving", lambda: later.leave(0).outcome),
        ("gauges", lambda: [later.gauges(), later.notes()]),
        ("position texts", lambda: state.game.parse(str(later))),
        ("perft", lambda: later.perft(2)),
    )
    for done, (title, action) in enumerate(steps):
        report(Progress(f"{name}: {title}", done, len(steps)))
        if title == "playing":
            for _ in range(2 * state.game.seats):
                later = later.play(later.moves()[-1])
        action()
    report(Progress(f"{name}: ready", len(steps), len(steps)))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of `path` among processes; a process that dies lets go of it. Without a cache nothing is shared."""
    if not IS_CACHED:
        yield
        return
    with path.open("a+b") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _drop_old_caches() -> None:
    """Remove the caches of other sources but the last used ones; a process that is still using one compiles again."""
    by_module: dict[str, list[Path]] = {}
    for path in CACHE.iterdir():
        if found := _CACHE_NAME.fullmatch(path.name):
            by_module.setdefault(found[1], []).append(path)
    for module, paths in by_module.items():
        current = cache_of(module)
        if current.exists():
            os.utime(current)
        others = sorted((path for path in paths if path != current), key=lambda path: path.stat().st_mtime)
        for path in others[: max(0, len(others) - KEPT + 1)]:
            shutil.rmtree(path, ignore_errors=True)
