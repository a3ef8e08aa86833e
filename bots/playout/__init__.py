"""Games of two `random` bots, compiled: the same games that the bots play, a thousand times as fast."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import numba
import numpy as np
import numpy.typing as npt

from cornered import engine
from cornered.bots.kernels.specialise import specialise_template
from cornered.bots.playout.template import CUT_CODE, DRAWN_CODE
from cornered.bots.search.specialise import never
from cornered.engine import Game, State
from cornered.engine.compile.kernel import cache_of
from cornered.engine.hashing import mixed

__all__ = ["FinishedGame", "PlayoutCounts", "Playouts", "playouts"]

Playout: TypeAlias = Callable[[Any, int, int, int, int, Any], int]
TEMPLATE: Final = Path(__file__).with_name("template.py")


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """A game that is over: all moves from the start, and the winner's seat, None for a draw.

    `was_cut`: the game reached the limit of plies and counts as a draw.
    """

    moves: tuple[str, ...]
    winner: int | None
    was_cut: bool


@dataclass(frozen=True, slots=True)
class PlayoutCounts:
    """How many games were played, how many of them each seat won, and the plies of all."""

    games: int
    first: int
    second: int
    plies: int


class Playouts:
    """Random games under one set of options. Get it from `playouts`."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._playout = _compiled(game.name)
        self._gen = importlib.import_module(f"cornered.engine.games.{game.name}").gen
        self._buffer: npt.NDArray[np.int64] = np.empty(_max_moves(game.name), np.int64)
        self._moves: npt.NDArray[np.int16] = np.empty(0, np.int16)
        self._start: Any = game.start().position  # type: ignore[attr-defined]  # every game of ours has one
        self._numbers: dict[str, int] = {}
        self._names: dict[int, str] = {}
        """The notation of every move number that was met until now: in one game a number always means the same."""

    def play(self, opening: tuple[str, ...], first: int, second: int, longest: int) -> FinishedGame:
        """Play on from a legal opening, which does not end the game, to the end or until there are `longest` plies.

        `first` and `second` are the seeds of the seats' `random` bots before their first choice.
        """
        most = max(longest, len(opening))
        if len(self._moves) < most:
            self._moves = np.empty(most, np.int16)
        if not all(move in self._numbers for move in opening):
            self._learn(opening)
        for ply, move in enumerate(opening):
            self._moves[ply] = self._numbers[move]
        plies, code = divmod(self._playout(self._start, first, second, len(opening), most, self._moves), 4)
        numbers = self._moves[:plies].tolist()
        if not all(number in self._names for number in numbers):
            self._follow(numbers)
        return FinishedGame(
            tuple([self._names[number] for number in numbers]), code if code < DRAWN_CODE else None, code == CUT_CODE
        )

    def count(self, seed: int, games: int, longest: int) -> PlayoutCounts:
        """Play so many games from the start; equal seeds count the same."""
        ended = [0, 0, 0, 0]
        plies = 0
        moves = np.empty(longest, np.int16)
        for number in range(games):
            code = self._playout(self._start, mixed(seed, 2 * number), mixed(seed, 2 * number + 1), 0, longest, moves)
            ended[code & 3] += 1
            plies += code >> 2
        return PlayoutCounts(games, ended[0], ended[1], plies)

    def _learn(self, opening: tuple[str, ...]) -> None:
        """Remember the numbers of all moves that an opening comes past."""
        state = self._game.start()
        for move in opening:
            self._look(state)
            state = state.play(move)

    def _follow(self, numbers: list[int]) -> None:
        """Remember the notation of all moves that a line comes past."""
        state = self._game.start()
        for number in numbers:
            self._look(state)
            state = state.play(self._names[number])

    def _look(self, state: State) -> None:
        count = self._gen(state.position, self._buffer)  # type: ignore[attr-defined]  # every game of ours has one
        for number, name in zip(self._buffer[:count].tolist(), state.moves(), strict=True):
            self._names[number], self._numbers[name] = name, number


def _max_moves(name: str) -> int:
    return int(importlib.import_module(f"cornered.engine.games.{name}").MAX_MOVES)


@cache
def _compiled(name: str) -> Playout:
    rules = importlib.import_module(f"cornered.engine.games.{name}")
    has_draws = hasattr(rules, "drawn")
    given = {
        **{hook: getattr(rules, hook) for hook in ("gen", "advance", "lost", "MAX_MOVES")},
        "HAS_DRAWS": has_draws,
        "drawn": rules.drawn if has_draws else never,
    }
    sample: Any = engine.load(name).start()
    typed = numba.typeof(sample.position)  # type: ignore[no-untyped-call]
    signature = (typed, *[numba.int64] * 4, numba.int16[::1])
    cached_in = cache_of(
        f"cornered.bots.playout.{name}",
        "cornered.bots.playout.template",
        "cornered.bots.kernels.specialise",
        f"cornered.engine.games.{name}",
    )
    compiled: Playout = specialise_template(TEMPLATE, "playout", name, given, signature, cached_in)
    return compiled


@cache
def playouts(game: Game) -> Playouts:
    """Return the random games of `game`, which is for two without dice; compiled once on a machine."""
    return Playouts(game)
