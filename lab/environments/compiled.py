"""The compiled plies of `template.py`, one pair of functions a game, and the tables that they take."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import numba
import numpy as np
import numpy.typing as npt

from cornered import engine
from cornered.bots.kernels.specialise import specialise_template
from cornered.engine import Game, State
from cornered.engine.compile.kernel import cache_of
from cornered.engine.encoding import encoding, encoding_module
from cornered.lab.environments.template import INDEX, NUMBER, WIDTH

__all__ = [
    "PlayMany",
    "PlayOne",
    "PlayOut",
    "beginning",
    "compiled_play",
    "compiled_play_many",
    "compiled_play_out",
    "tables",
]

PlayOne: TypeAlias = Callable[[npt.NDArray[np.int64], int], int]
PlayMany: TypeAlias = Callable[..., int]
PlayOut: TypeAlias = Callable[[npt.NDArray[np.int64], int, int, npt.NDArray[np.int64], npt.NDArray[np.int64]], None]
TEMPLATE: Final = Path(__file__).with_name("template.py")


def beginning(start: Game | State) -> State:
    """Return the position where a game or a position begins. Raises ValueError for a position that is over."""
    state = start if isinstance(start, State) else start.start()
    if state.outcome is not None:
        raise ValueError(f"the game is over at {state}")
    return state


@lru_cache(64)
def tables(game: Game) -> npt.NDArray[np.int64]:
    """Return the action of each move number and the move number of each action, in two rows of WIDTH items."""
    numbers = list(encoding(game).move_numbers.values())
    found = np.full((2, WIDTH), -1, np.int64)
    found[INDEX - 1, numbers] = np.arange(len(numbers))
    found[NUMBER - 1, : len(numbers)] = numbers
    found.flags.writeable = False
    return found


@cache
def compiled_play(name: str) -> PlayOne:
    """Return `template.play` of a game, compiled once on a machine."""
    made: PlayOne = _specialised("play", name, (numba.int64[:, ::1], numba.int64))
    return made


@cache
def compiled_play_many(name: str) -> PlayMany:
    """Return `template.play_many` of a game, compiled once on a machine."""
    words, row = numba.int64[:, ::1], numba.int64[::1]
    made: PlayMany = _specialised(
        "play_many", name, (words, row, words, row, words, numba.boolean[:, ::1], numba.float32[:, ::1], words, row)
    )
    return made


@cache
def compiled_play_out(name: str) -> PlayOut:
    """Return `template.play_out` of a game, compiled once on a machine."""
    made: PlayOut = _specialised(
        "play_out", name, (numba.int64[::1], numba.int64, numba.int64, numba.int64[::1], numba.int64[::1])
    )
    return made


def _specialised(function: str, name: str, signature: tuple[Any, ...]) -> Any:
    rules, numbers = importlib.import_module(f"cornered.engine.games.{name}"), encoding_module(name)
    given = {
        **{hook: getattr(rules, hook) for hook in ("gen", "advance", "MAX_MOVES")},
        **{hook: getattr(numbers, hook) for hook in ("observe", "verdict", "stuck", "rolls")},
        "LIKE": engine.load(name).start().position,  # type: ignore[attr-defined]  # every game of ours has one
    }
    cached_in = cache_of(
        f"cornered.lab.environments.{function}_{name}",
        "cornered.lab.environments.template",
        "cornered.bots.kernels.specialise",
        f"cornered.engine.games.{name}",
        f"cornered.engine.encoding.{name}",
    )
    return specialise_template(TEMPLATE, function, name, given, signature, cached_in)
