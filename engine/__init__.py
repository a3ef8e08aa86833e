"""The rules of the games: pure, without input and output, clocks and random numbers."""

from __future__ import annotations

import importlib
import logging
import pkgutil
from functools import cache
from typing import Any

from cornered.engine import games as _modules
from cornered.engine.game import CHANCE, Game, IllegalMove, Option, OptionValue, Outcome, State

__all__ = [
    "CHANCE",
    "Game",
    "IllegalMove",
    "Option",
    "OptionValue",
    "Outcome",
    "State",
    "apply",
    "games",
    "load",
    "perft",
]

log = logging.getLogger("cornered.engine")


@cache
def _found() -> dict[str, type[Game]]:
    # Imported late: it loads numba, whose number of threads has to be set first.
    from cornered.engine.compile.kernel import HAS_COMPILER

    if not HAS_COMPILER:
        log.warning("the rules run as plain Python, slowly; pip install 'cornered[fast]' compiles them")
    names = sorted(module.name for module in pkgutil.iter_modules(_modules.__path__))
    classes = [importlib.import_module(f"cornered.engine.games.{name}").GAME for name in names]
    return {game.name: game for game in classes}


def games() -> tuple[type[Game], ...]:
    """Return the class of every module in `engine/games/`; forms and help are made from its summary and OPTIONS."""
    return tuple(_found().values())


def load(name: str, /, **options: Any) -> Game:
    """Return the game called `name` under `options`. Raises a ValueError with the valid names or options."""
    if name not in _found():
        raise ValueError(f"there is no game {name!r}; there are {', '.join(_found())}")
    return _found()[name](**options)


def apply(state: State, move: str) -> State:
    """Return the position after `move`. Raises IllegalMove with the reason."""
    if not isinstance(move, str):
        raise IllegalMove(repr(move), "a move is a string in the game's notation")
    if state.outcome is not None:
        raise IllegalMove(move, "the game is over")
    if not state.is_legal(move):
        raise IllegalMove(move, state.explain(move))
    return state.play(move)


def perft(state: State, depth: int) -> int:
    """Count the legal move sequences of exactly `depth` plies from `state`; a finished game adds nothing below it."""
    if depth < 0:
        raise ValueError(f"a depth is 0 or more, not {depth}")
    return state.perft(depth)
