"""What is known about each game without looking ahead. One module a game, found by being there.

A game's module offers kernels over its `Position`, each for two players, which the compiled search is made with:

- `worth(position) -> int`: how good the position looks to the mover, in hundredths of a move's worth, always
  between -90,000 and 90,000.
- `key(position) -> int`: a hash of 63 bits for the transposition table; equal for positions that the search may take
  for one another, so it holds whatever decides when a game ends. Quick: it runs at every node.
- `quiet(position) -> bool`: whether `worth` can be trusted; else the search looks on where its depth is used up.
- `rank(position, move) -> int`: how promising a move is, for the order in which moves are tried; from 0 to 9,999.
- `narrow(position, buffer, count) -> int`: puts the moves that a selective search looks at to the front of the
  buffer's `count` moves and returns how many they are, never 0.
- `known(position, scratch) -> int`: what the game comes to where that can be told at once and for certain: n > 0, the
  mover wins within n plies; n < 0, the mover loses within -n; 0, it cannot be told. The position is not over.
  `scratch` is a record of dtype `SCRATCH`, for what the kernel wants to remember; zeroed when the table is.

A module may also offer plain functions: `evaluate(state, seat) -> float`, needed where more than two play or dice roll,
and `candidates(state)`, the moves that a plain search should look at.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final, TypeAlias

from cornered.engine import Game, State

__all__ = ["CandidateMoves", "EvaluateState", "Evaluator", "evaluation_module", "evaluator", "is_duel"]

EvaluateState: TypeAlias = Callable[[State, int], float]
"""Returns how a position that is not over looks to a seat: 0 is even, 1 is about one move's worth, below 1,000."""
CandidateMoves: TypeAlias = Callable[[State], Sequence[str]]
"""Returns the moves that a search should look at; never none."""

CENTIMOVES: Final = 100
"""Kernels count in hundredths of what plain functions count in."""


@dataclass(frozen=True, slots=True)
class Evaluator:
    """What is known about one game. `candidates` leave moves out, so a search over them proves nothing."""

    evaluate: EvaluateState
    candidates: CandidateMoves | None = None


def mobility(state: State, seat: int) -> float:
    """Return how many moves the seat to move has, counted against everybody else: good enough for an unknown game."""
    count = float(min(len(state.moves()), 500))
    return count if state.to_move == seat else -count


def is_duel(game: Game) -> bool:
    """Say whether two play without dice: then the kernels apply."""
    return game.seats == 2 and not game.options.get("dice")


@cache
def evaluation_module(game: str) -> ModuleType | None:
    """Return the module named after `game`, None where there is none."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    return importlib.import_module(f"{__name__}.{game}")


@cache
def evaluator(game: str) -> Evaluator:
    """Return what plain searches ask about `game`: its module, or mobility where there is none."""
    module = evaluation_module(game)
    if module is None:
        return Evaluator(mobility)
    worth: Callable[[Any], int] = module.worth
    general: EvaluateState | None = getattr(module, "evaluate", None)

    def evaluate(state: State, seat: int) -> float:
        if general is not None and not is_duel(state.game):
            return general(state, seat)
        position = state.position  # type: ignore[attr-defined]  # every game of ours has one
        score = worth(position) / CENTIMOVES
        return score if position.turn == seat else -score

    return Evaluator(evaluate, getattr(module, "candidates", None))
