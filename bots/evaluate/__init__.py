"""The evaluation of each game: heuristics without look-ahead. One module a game, found by being there.

A game's module offers kernels over its `Position`, for two players, with which the compiled search is specialised:

- `evaluate(position) -> int`: the static evaluation from the mover's view, in hundredths of a move's worth, always
  between -90,000 and 90,000.
- `key(position) -> int`: the position's 63-bit hash for the transposition table, in the place of a Zobrist key; equal
  for positions that the search may take for one another, so it covers all that decides when a game ends. It runs at
  every node.
- `quiet(position) -> bool`: whether `evaluate` can be trusted; if not, the quiescence search goes on at depth 0.
- `order_score(position, move) -> int`: the static part of move ordering, from 0 to 9,999; higher is searched earlier.
- `candidate_moves(position, buffer, count) -> int`: moves the candidates of a selective search to the front of the
  buffer's `count` moves and returns their number, never 0.
- `loud_moves(position, buffer, count) -> int`, where it offers one: does so with the moves that the quiescence search
  looks at where the network evaluates; there may be none.
- `exact_value(position, scratch) -> int`: the game's proven result where it is quick to find: n > 0, the mover wins
  within n plies; n < 0, the mover loses within -n; 0, unknown. The position is not over. `scratch` is a record of dtype
  `SCRATCH` that the kernel keeps between calls; zeroed with the transposition table.

It may offer what a network is learnt from: `FEATURES`, a `cornered.bots.nnue.features.FeatureSet`; and
`network_name(game)`, a plain function that names the network for a game of two, if there is one. `SCRATCH` then has the
fields of `cornered.bots.nnue.layout.network_layout`.

A module may also offer plain functions over `State`: `evaluate_state(state, seat) -> float`, required for more than two
players and for dice, and `state_candidates(state)`, the moves for a search in plain Python.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any, Final, TypeAlias

from cornered.bots.nnue.network import SHIPPED, TrainedNetwork, shipped
from cornered.engine import Game, State

__all__ = [
    "CandidateMoves",
    "EvaluateState",
    "Evaluator",
    "evaluation_module",
    "evaluator",
    "has_network",
    "is_duel",
    "network_of",
]

EvaluateState: TypeAlias = Callable[[State, int], float]
"""The evaluation of a position that is not over for one seat: 0 is even, 1 about one move's worth, below 1,000."""
CandidateMoves: TypeAlias = Callable[[State], Sequence[str]]
"""Returns the candidate moves of a position, at least one."""

CENTIMOVES: Final = 100
"""Units of the kernels' evaluation in one unit of the plain functions'."""


@dataclass(frozen=True, slots=True)
class Evaluator:
    """The plain evaluation of one game. `candidates` leaves moves out, so a search over them proves nothing."""

    evaluate: EvaluateState
    candidates: CandidateMoves | None = None


def mobility(state: State, seat: int) -> float:
    """Return the mover's number of moves, negated for every other seat: the evaluation of a game without a module."""
    count = float(min(len(state.moves()), 500))
    return count if state.to_move == seat else -count


def is_duel(game: Game) -> bool:
    """Return whether a game is for two without dice: the kernels evaluate no other."""
    return game.seats == 2 and not game.options.get("dice")


@cache
def evaluation_module(game: str) -> ModuleType | None:
    """Return the module named after `game`, None where there is none."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    return importlib.import_module(f"{__name__}.{game}")


def network_of(game: Game) -> TrainedNetwork | None:
    """Return the network that evaluates a game's positions, None where none ships."""
    name = _network_name(game)
    return None if name is None else shipped(name)


def has_network(game: Game) -> bool:
    """Return whether a network ships for a board, without loading it."""
    name = _network_name(game)
    return name is not None and (SHIPPED / f"{name}.npz").is_file()


def _network_name(game: Game) -> str | None:
    name_of = getattr(evaluation_module(game.name), "network_name", None) if is_duel(game) else None
    return None if name_of is None else name_of(game)


@cache
def evaluator(game: str) -> Evaluator:
    """Return the evaluation of `game` for searches in plain Python: its module's, or mobility without a module."""
    module = evaluation_module(game)
    if module is None:
        return Evaluator(mobility)
    of_position: Callable[[Any], int] = module.evaluate
    of_state: EvaluateState | None = getattr(module, "evaluate_state", None)

    def evaluate(state: State, seat: int) -> float:
        if of_state is not None and not is_duel(state.game):
            return of_state(state, seat)
        position = state.position  # type: ignore[attr-defined]  # every game of ours has one
        score = of_position(position) / CENTIMOVES
        return score if position.turn == seat else -score

    return Evaluator(evaluate, getattr(module, "state_candidates", None))
