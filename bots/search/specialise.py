"""Makes the search of a game: executes the template with the game's kernels, compiles it, and keeps it on disk.

numba keys its cache by file, so the directory carries the hash of the template and of all that the game's kernels are
made of.
"""

from __future__ import annotations

import importlib
import os
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import llvmlite.binding  # type: ignore[import-untyped]
import numba
import numpy as np

from cornered import engine
from cornered.bots.evaluate import is_duel, knowledge
from cornered.bots.search.layout import DESK, TABLE
from cornered.bots.template import execute
from cornered.engine import Game, State
from cornered.engine import warming as rules
from cornered.engine.compiled import CACHE, IS_CACHED, IS_COMPILED, cache_of, kernel
from cornered.engine.warming import Progress

__all__ = ["Search", "Specialised", "games", "hooks", "is_warm", "searching", "specialise", "supports", "warm"]

Search: TypeAlias = Callable[[Any, int, int, int, int, Any, Any, Any], int]
"""The compiled template: position, depth, alpha, beta, ply, desk, table, scratch -> score."""

TEMPLATE: Final = Path(__file__).with_name("template.py")
RULES: Final = ("gen", "advance", "lost")
KNOWLEDGE: Final = ("worth", "key", "quiet", "rank", "narrow", "known")
SCRATCH: Final = np.dtype([("unused", np.int64)])
"""What a game without knowledge of its own remembers."""


@kernel
def never(position: Any) -> bool:
    return False


def supports(game: Game) -> bool:
    """Say whether the search plays `game`: two players, no dice, and kernels that know something about it."""
    return is_duel(game) and knowledge(game.name) is not None


def games() -> tuple[str, ...]:
    """Return the names of the games that have a search."""
    return tuple(game.name for game in engine.games() if knowledge(game.name) is not None)


def hooks(name: str) -> dict[str, Any]:
    """Return the kernels that the template needs, of a game's own modules."""
    rules_of, known = importlib.import_module(f"cornered.engine.games.{name}"), knowledge(name)
    if known is None:
        raise ValueError(f"nothing is known about {name} that a search could use")
    found = {hook: getattr(rules_of, hook) for hook in RULES} | {hook: getattr(known, hook) for hook in KNOWLEDGE}
    has_draws = hasattr(rules_of, "drawn")
    return {**found, "HAS_DRAWS": has_draws, "drawn": rules_of.drawn if has_draws else never}


def directory(name: str) -> Path:
    """Return where the search of a game is kept."""
    templates = "cornered.bots.search.template", "cornered.bots.template"
    return cache_of(
        f"cornered.bots.search.{name}", *templates, f"cornered.engine.games.{name}", f"cornered.bots.evaluate.{name}"
    )


@dataclass(frozen=True, slots=True)
class Specialised:
    """The search of one game, the kernels that it was made with, and the layout of what they remember."""

    search: Search
    hooks: Mapping[str, Any]
    scratch: np.dtype[Any]


@cache
def searching(name: str) -> Specialised:
    """Return the search of a game, compiled now or loaded: `warm` does it once for all processes."""
    layout = getattr(knowledge(name), "SCRATCH", SCRATCH)
    return specialise(name, hooks(name), engine.load(name).start(), layout, directory(name))


def specialise(
    name: str, hooks: Mapping[str, Any], sample: State, scratch: np.dtype[Any], cached_in: Path
) -> Specialised:
    """Return the template's search over `hooks`; `sample` is a state of the game, for the types.

    `name` is unique in this process, and the hash in the name of `cached_in` covers the sources of all `hooks`.
    """
    position: Any = sample.position  # type: ignore[attr-defined]  # every game of ours has one
    records = [numba.from_dtype(layout) for layout in (DESK, TABLE, scratch)]
    typed = numba.typeof(position)  # type: ignore[no-untyped-call]
    search: Search = execute(TEMPLATE, "search", name, hooks, (typed, *[numba.int64] * 4, *records), cached_in)
    return Specialised(search, hooks, scratch)


def _marker(name: str) -> Path:
    """Return the file that says that this Python, numba and processor have the search of a game in the cache."""
    made_for = f"{platform.python_version()}-{numba.__version__}-{llvmlite.binding.get_host_cpu_name()}"
    return directory(name) / f"{made_for}.warm"


def is_warm(name: str) -> bool:
    """Say whether `warm` will only load; cold, it takes some seconds a game."""
    return rules.is_warm(name) and (not IS_COMPILED or (IS_CACHED and _marker(name).exists()))


def warm(*names: str, report: Callable[[Progress], None] = rules.ignore) -> None:
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
                report(Progress(name, "search", 0, 1))
            _exercise(name)
            if IS_CACHED:
                _marker(name).touch()
        report(Progress(name, "ready", 1, 1))


def _exercise(name: str) -> None:
    """Load the search and every kernel that is called besides."""
    from cornered.bots.search.memory import Memory
    from cornered.bots.search.searcher import Limit, Searcher

    Searcher(engine.load(name), Memory.private()).search(engine.load(name).start(), Limit(depth=1))
    if IS_CACHED:
        # The newest caches are kept when old ones are dropped.
        os.utime(directory(name))
