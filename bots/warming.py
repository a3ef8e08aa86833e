"""Compiles or loads what bots need to play a game, before a clock runs: `python -m bots.warming GAME BOT...`.

A machine compiles once, in a process of its own, so that nobody who waits for a move waits for a compiler.
"""

from __future__ import annotations

import logging
import os
import pkgutil
import platform
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Final

import llvmlite.binding  # type: ignore[import-untyped]
import numba

import bots
import engine
from bots.bot import Limit
from bots.roster import create
from engine.compiled import IS_CACHED, IS_COMPILED, cache_of
from engine.warming import warm

__all__ = ["PRELOAD", "Preparation", "compile_all", "exercise", "is_warm"]

log = logging.getLogger("cornered.pool")

PRELOAD: Final = "CORNERED_PRELOAD"
"""The environment variable that tells the fork server which bots its workers will be, separated by spaces."""
PLIES: Final = 2
"""How far into a game bots are tried: some think otherwise about their first move."""
SPARING: Final = Limit(time=1000, nodes=60)
"""No depth: who is asked for one may leave out what it has for games on a clock."""
MODESTY: Final = 10
"""How nice a compiling process is; what it makes is needed soon, but whoever plays already goes first."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """What somebody will ask for: moves of `bot` in `game`."""

    bot: str
    game: str


@cache
def _folder() -> Path:
    """Return where the marks of what is compiled are; another one as soon as any source of bots or rules changes."""
    modules = (module.name for module in pkgutil.walk_packages(bots.__path__, "bots."))
    return cache_of("bots.warming", *sorted(modules))


def _marker(wanted: Preparation) -> Path:
    """Return the file that says that this Python, numba and processor have what `wanted` needs in the cache."""
    made_for = f"{platform.python_version()}-{numba.__version__}-{llvmlite.binding.get_host_cpu_name()}"
    bot = re.sub(r"[^\w.=-]", "_", wanted.bot)
    return _folder() / f"{made_for}-{wanted.game}-{bot}.warm"


def is_warm(wanted: Preparation) -> bool:
    """Say whether `exercise` will only load; cold, it takes some seconds."""
    return not IS_COMPILED or (IS_CACHED and _marker(wanted).exists())


@cache
def exercise(wanted: Preparation) -> None:
    """Have the bot choose some moves, once in each process, so that whatever it needs is compiled and loaded.

    Leaves a mark for `is_warm`.
    """
    bot = create(wanted.bot)
    state = engine.load(wanted.game).start()
    bot.prepare(state.game)
    for _ in range(PLIES):
        if state.outcome is None:
            state = state.play(bot.choose(state, replace(SPARING, started=monotonic())).move)
    if IS_CACHED:
        _marker(wanted).parent.mkdir(parents=True, exist_ok=True)
        _marker(wanted).touch()


def compile_all(game: str, specs: Sequence[str]) -> Iterator[str]:
    """Compile what `game` and these bots need in it, and yield each bot that is done.

    A bot that fails costs the others nothing.
    """
    warm(game)
    for spec in ("greedy", *specs):
        wanted = Preparation(spec, game)
        if not is_warm(wanted):
            try:
                exercise(wanted)
            except Exception:
                log.exception("%s cannot play %s", spec, game)
                continue
        yield spec


if __name__ == "__main__":
    os.nice(MODESTY)
    for ready in compile_all(sys.argv[1], sys.argv[2:]):
        sys.stdout.write(f"{ready}\n")
        sys.stdout.flush()
