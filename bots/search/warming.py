"""Compiles the searches before they are needed: once a machine, under the lock that the rules' kernels share."""

from __future__ import annotations

import os
from pathlib import Path

from cornered import engine
from cornered.bots.evaluate import knowledge
from cornered.bots.search.memory import Memory
from cornered.bots.search.searcher import Searcher
from cornered.bots.search.specialise import directory, games
from cornered.engine import warming as rules
from cornered.engine.compile.kernel import CACHE, IS_CACHED, IS_COMPILED, target
from cornered.engine.limit import Limit
from cornered.engine.progress import Progress, Report, no_report

__all__ = ["is_warm", "warm"]


def _marker(name: str) -> Path:
    """Return the file that says that this Python, numba and processor have the search of a game in the cache."""
    return directory(name) / f"{target()}.warm"


def is_warm(name: str) -> bool:
    """Say whether `warm` will only load; cold, it takes some seconds a game."""
    return rules.is_warm(name) and (not IS_COMPILED or (IS_CACHED and _marker(name).exists()))


def warm(*names: str, report: Report = no_report) -> None:
    """Compile, or load, the rules and the search of these games, or of all that have one.

    Several processes may call it at once: one compiles, the others wait and load. `report` hears of each step of a game
    that has to be compiled.
    """
    chosen = names or games()
    rules.warm(*chosen, report=report)
    if not IS_COMPILED:
        return
    for name in chosen:
        if knowledge(name) is None:
            continue
        if is_warm(name):
            _exercise(name)
            continue
        with rules.locked(CACHE / "lock"):
            if not is_warm(name):
                report(Progress(f"{name}: search", 0, 1))
            _exercise(name)
            if IS_CACHED:
                _marker(name).touch()
        report(Progress(f"{name}: ready", 1, 1))


def _exercise(name: str) -> None:
    """Load the search and every kernel that is called besides."""
    Searcher(engine.load(name), Memory.private()).search(engine.load(name).start(), Limit(depth=1))
    if IS_CACHED:
        # The newest caches are kept when old ones are dropped.
        os.utime(directory(name))
