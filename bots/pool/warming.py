"""Compiles or loads what bots need to play a game, before a clock runs: `python -m cornered.bots.pool.warming GAME
BOT...`.

A machine compiles once, in a process of its own, so that nobody who waits for a move waits for a compiler.
"""

from __future__ import annotations

import contextlib
import logging
import os
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Final

from cornered import bots, engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create
from cornered.engine import CHANCE, Game, State
from cornered.engine.compile.kernel import IS_CACHED, IS_COMPILED, cache_of, modules_of, target
from cornered.engine.warming import warm

__all__ = ["PRELOAD", "Preparation", "compile_all", "exercise", "is_warm"]

log = logging.getLogger("cornered.pool")

PRELOAD: Final = "CORNERED_PRELOAD"
"""The environment variable that tells the fork server which bots its workers will be, separated by spaces."""
PARTS: Final = 5
"""How many positions of a game bots are tried in, from the first to the last."""
RARE: Final = ("players", "dice")
"""Options that change what a bot does, so that each is tried as well."""
LONGEST: Final = 200
SPARING: Final = Limit(time=100, nodes=60)
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
    return cache_of("cornered.bots.pool.warming", *modules_of(bots))


def _marker(wanted: Preparation) -> Path:
    """Return the file that says that this Python, numba and processor have what `wanted` needs in the cache."""
    bot = re.sub(r"[^\w.=-]", "_", wanted.bot)
    return _folder() / f"{target()}-{wanted.game}-{bot}.warm"


def is_warm(wanted: Preparation) -> bool:
    """Say whether `exercise` will only load; cold, it takes some seconds."""
    return not IS_COMPILED or (IS_CACHED and _marker(wanted).exists())


@cache
def exercise(wanted: Preparation) -> None:
    """Have the bot choose some moves, once in each process, so that whatever it needs is compiled and loaded.

    Leaves a mark for `is_warm`.
    """
    bot = create(wanted.bot)
    bot.prepare(engine.load(wanted.game))
    for state in _positions(wanted.game):
        if bot.plays(state.game):
            bot.choose(state, replace(SPARING, started=monotonic()))
    if IS_CACHED:
        _marker(wanted).parent.mkdir(parents=True, exist_ok=True)
        _marker(wanted).touch()


@cache
def _positions(name: str) -> tuple[State, ...]:
    """Return positions of many kinds: openings and endgames, small boards, dice and crowds."""
    kind = type(engine.load(name))
    usual = kind().options
    small = {option.name: option.choices[0] for option in kind.OPTIONS if option.choices and not option.optional}
    rare = [
        {option.name: option.choices[-1] if option.choices else True} for option in kind.OPTIONS if option.name in RARE
    ]
    found = []
    for options, parts in ((usual, PARTS), ({**usual, **small}, 2), *(({**usual, **one}, 2) for one in rare)):
        with contextlib.suppress(ValueError):
            line = _random_game(kind(**options))
            found += [line[part * (len(line) - 1) // (parts - 1)] for part in range(parts)]
    return tuple(found)


def _random_game(game: Game) -> list[State]:
    """Return the positions of a game in which somebody is to move."""
    chance, state = random.Random(1), game.start()
    line: list[State] = []
    while state.outcome is None and len(line) < LONGEST:
        if state.to_move != CHANCE:
            line.append(state)
        state = state.play(chance.choice(state.moves()))
    return line


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
    # Who wanted it may be gone by now.
    with contextlib.suppress(BrokenPipeError):
        for ready in compile_all(sys.argv[1], sys.argv[2:]):
            sys.stdout.write(f"{ready}\n")
            sys.stdout.flush()
