"""What can be proven about positions. One module a game, found by being there.

A game's module offers two functions:

- `solve(state, limit, report) -> Solution | None`: what `state` and each of its moves come to with best play. None when
  `limit` (time or nodes) was used up first, or when these options are beyond it. `report` hears the nodes now and then.
- `is_within_reach(state) -> bool`: whether `solve` will probably answer within about a second; cheap.

Draw rules count: where a game has them on, a solution is one of the game with them, or None.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol

from bots.bot import Limit, Proven
from engine import State

__all__ = ["Solution", "Solver", "ignore", "solver"]


@dataclass(frozen=True, slots=True)
class Solution:
    """What a position comes to for the mover, and each legal move for who plays it, in notation.

    `plies` are counted with best play: the winner hurries, the loser delays; None where a solver does not count them.
    `lengths` holds the same for each move, the move itself included, where it is known.
    """

    value: Proven
    moves: Mapping[str, Proven]
    plies: int | None = None
    lengths: Mapping[str, int] = field(default_factory=dict)
    nodes: int = 0
    seconds: float = field(default=0.0, compare=False)

    @property
    def winning(self) -> tuple[str, ...]:
        """The moves that win."""
        return tuple(move for move, value in self.moves.items() if value == "win")

    @property
    def best(self) -> tuple[str, ...]:
        """The moves that keep the value, the quickest wins and the longest losses among them where that is known."""
        kept = [move for move, value in self.moves.items() if value == self.value]
        if self.value == "draw" or not all(move in self.lengths for move in kept):
            return tuple(kept)
        wanted = (min if self.value == "win" else max)(self.lengths[move] for move in kept)
        return tuple(move for move in kept if self.lengths[move] == wanted)


def ignore(nodes: int) -> None:
    """Report to nobody."""


class Solver(Protocol):
    """What a game's module offers."""

    def solve(self, state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Solution | None: ...

    def is_within_reach(self, state: State) -> bool: ...


@cache
def solver(game: str) -> Solver | None:
    """Return the solver of the game called so, or None where there is none."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    module: Solver = importlib.import_module(f"{__name__}.{game}")  # type: ignore[assignment]
    return module
