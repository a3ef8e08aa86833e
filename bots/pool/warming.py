"""Compiles, or loads, what bots need to play a game: `python -m cornered.bots.pool.warming GAME BOT...` compiles."""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Final

from cornered import bots, engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create, is_of_roster
from cornered.engine import CHANCE, Game, State, warming
from cornered.engine.compile import compiler
from cornered.engine.compile.kernel import cache_of, modules_of
from cornered.engine.compile.marks import Mark

__all__ = ["PRELOAD", "Preparation", "compiled", "exercise", "is_warm", "mark"]

PRELOAD: Final = "CORNERED_PRELOAD"
"""The environment variable with the bots that the fork server loads for its workers, separated by spaces."""
POSITIONS: Final = 5
"""Positions of a random game, from the first to the last, in which bots are exercised."""
RARE_OPTIONS: Final = ("players", "dice")
"""Options that change what a bot compiles, so that each is exercised as well."""
RANDOM_GAME_PLIES_MAX: Final = 200
EXERCISE_LIMIT: Final = Limit(time=100, nodes=60)
"""No depth: with one, a bot may leave out what it needs in games on a clock."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """What is compiled or loaded: all that `bot` needs in `game`."""

    bot: str
    game: str


@cache
def _directory() -> Path:
    """Return the directory of the marks; an edit of any source of bots or rules changes it."""
    return cache_of("cornered.bots.pool.warming", *modules_of(bots))


def mark(wanted: Preparation) -> Mark:
    """Return the mark that `exercise` sets."""
    return Mark(_directory(), f"{wanted.game}-{wanted.bot}")


def is_warm(wanted: Preparation) -> bool:
    """Say whether `exercise` and the rules will only load; cold, it takes some seconds."""
    # Others, files and programs, compile nothing that is known here.
    return warming.is_warm(wanted.game) and (not is_of_roster(wanted.bot) or mark(wanted).is_set)


@cache
def exercise(wanted: Preparation) -> None:
    """Have the bot choose some moves, once in each process, which compiles and loads all that it needs."""
    bot = create(wanted.bot)
    bot.prepare(bot.usual(wanted.game))
    if not is_of_roster(wanted.bot):
        return
    for state in _positions(wanted.game):
        if bot.plays(state.game):
            bot.choose(state, replace(EXERCISE_LIMIT, started=monotonic()))
    mark(wanted).set()


@cache
def _positions(name: str) -> tuple[State, ...]:
    """Return positions of many kinds: openings and endgames, small boards, dice and all numbers of players."""
    kind = type(engine.load(name))
    usual = kind().options
    small = {option.name: option.choices[0] for option in kind.OPTIONS if option.choices and not option.optional}
    rare = [{one.name: one.choices[-1] if one.choices else True} for one in kind.OPTIONS if one.name in RARE_OPTIONS]
    found = []
    for options, parts in (usual, POSITIONS), ({**usual, **small}, 2), *(({**usual, **one}, 2) for one in rare):
        with contextlib.suppress(ValueError):
            line = _random_game(kind(**options))
            found += [line[part * (len(line) - 1) // (parts - 1)] for part in range(parts)]
    return tuple(found)


def _random_game(game: Game) -> list[State]:
    """Return the positions of a random game in which a player is to move."""
    chance, state = random.Random(1), game.start()
    line: list[State] = []
    while state.outcome is None and len(line) < RANDOM_GAME_PLIES_MAX:
        if state.to_move != CHANCE:
            line.append(state)
        state = state.play(chance.choice(state.moves()))
    return line


def compiled(game: str, specs: Iterable[str], *, stderr: int | None = None) -> AsyncGenerator[str]:
    """Yield each bot that can play `game` without compiling, after a process of its own has compiled what it needs."""
    return compiler.compiled("cornered.bots.pool.warming", specs, game, stderr=stderr)


def _compile(wanted: Preparation) -> None:
    warming.warm(wanted.game)
    if not is_warm(wanted):
        exercise(wanted)


if __name__ == "__main__":
    _, game, *specs = sys.argv
    sys.exit(compiler.compile_each(specs, lambda spec: _compile(Preparation(spec, game))))
