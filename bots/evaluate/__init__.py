"""How good a position looks to a seat, without looking ahead. One module a game, found by being there."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from engine import State

__all__ = ["Candidates", "Evaluate", "Judgement", "judgement"]

Evaluate: TypeAlias = Callable[[State, int], float]
"""Returns how a position that is not over looks to a seat: 0 is even, 1 is about one move's worth, below 1,000."""
Candidates: TypeAlias = Callable[[State], Sequence[str]]
"""Returns the moves that a search should look at; never none."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is known about one game. `candidates` leave moves out, so a search over them proves nothing."""

    evaluate: Evaluate
    candidates: Candidates | None = None


def mobility(state: State, seat: int) -> float:
    """Return how many moves the seat to move has, counted against everybody else: good enough for an unknown game."""
    count = float(min(len(state.moves()), 500))
    return count if state.to_move == seat else -count


@cache
def judgement(game: str) -> Judgement:
    """Return what the module named after `game` knows, or mobility where there is none."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return Judgement(mobility)
    module = importlib.import_module(f"{__name__}.{game}")
    return Judgement(module.evaluate, getattr(module, "candidates", None))
