"""Solvers: the exact value of positions. One module a game, found by being there.

A game's module offers three functions:

- `solve(state, limit, report) -> Solution | None`: the value of `state` and of each of its moves under perfect play.
  None when `limit` (time or nodes) was used up first, or when these options are beyond it. `report` is called with the
  nodes every few milliseconds; an exception from it ends the solver.
- `is_within_reach(state) -> bool`: whether `solve` will probably answer within about a second; cheap.
- `warm() -> None`: calls every kernel of the other functions on tiny positions, and keeps no table.

It may offer two more, for players:

- `prove(state, limit, report) -> Proof`: a partial solution within `limit`, just enough to choose a move.
- `is_worth_a_try(state) -> bool`: whether `prove` may find something in a part of a second where `solve` would not.

Draw rules count: where a game has them on, a solution is one of the game with them, or None.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol

from cornered.bots.bot import WIN, Limit, Proven
from cornered.engine import State
from cornered.engine.compile.kernel import IS_COMPILED

__all__ = ["Proof", "Solution", "Solver", "ignore", "prove", "score", "solver", "warm"]


@dataclass(frozen=True, slots=True)
class Solution:
    """The value of a position and of each legal move, in notation, for the mover.

    `plies` is the distance under perfect play: the winner minimises it, the loser maximises it; None where a solver
    does not count them. `lengths` holds the same for each move, the move itself included, where it is known. `lines`
    hold best play after some moves, beginning with the move.
    """

    value: Proven
    moves: Mapping[str, Proven]
    plies: int | None = None
    lengths: Mapping[str, int] = field(default_factory=dict)
    nodes: int = 0
    seconds: float = field(default=0.0, compare=False)
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        moves: Mapping[str, Proven],
        lengths: Mapping[str, int],
        nodes: int = 0,
        seconds: float = 0.0,
        lines: Mapping[str, tuple[str, ...]] | None = None,
    ) -> Solution:
        """Return the solution of a position whose every move is proven; `lengths` may leave moves out."""
        value = _best(moves)
        kept = [lengths[move] for move, found in moves.items() if found == value and move in lengths]
        is_counted = value != "draw" and len(kept) == sum(found == value for found in moves.values())
        return cls(
            value, moves, _wanted(value)(kept) if kept and is_counted else None, lengths, nodes, seconds, lines or {}
        )

    @classmethod
    def over(cls, state: State) -> Solution:
        """Return the value of a finished game for the seat to move."""
        assert state.outcome is not None
        winner = state.outcome.winner
        return cls("draw" if winner is None else "win" if winner == state.to_move else "loss", {}, plies=0)

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
        wanted = _wanted(self.value)(self.lengths[move] for move in kept)
        return tuple(move for move in kept if self.lengths[move] == wanted)


@dataclass(frozen=True, slots=True)
class Proof:
    """A partial solution: values of moves for the mover, their distances in plies, and best play after them.

    `moves` are all legal moves, sorted by a static evaluation; the other fields may lack moves. A search can leave out
    moves that are proven to lose.
    """

    moves: tuple[str, ...]
    values: Mapping[str, Proven] = field(default_factory=dict)
    lengths: Mapping[str, int] = field(default_factory=dict)
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    nodes: int = 0
    seconds: float = field(default=0.0, compare=False)

    @property
    def is_whole(self) -> bool:
        """Whether every move has a value."""
        return len(self.values) == len(self.moves)

    @property
    def value(self) -> Proven | None:
        """The value of the position, None while it is open: one winning move is enough."""
        best = _best(self.values)
        return best if best == "win" or self.is_whole else None

    @property
    def best(self) -> tuple[str, ...]:
        """The moves: wins by rising length, then draws and open moves, then losses by falling length."""
        unknown = len(self.lengths) < len(self.moves)

        def badness(move: str) -> tuple[int, int]:
            length = 0 if unknown else self.lengths.get(move, 0)
            match self.values.get(move):
                case "win":
                    return -1, length
                case "loss":
                    return 1, -length
                case _:
                    return 0, 0

        return tuple(sorted(self.moves, key=badness))


def _best(values: Mapping[str, Proven]) -> Proven:
    """Return the value of a position by those of its moves."""
    found = set(values.values())
    return "win" if "win" in found else "draw" if "draw" in found else "loss"


def _wanted(value: Proven) -> Callable[[Iterable[int]], int]:
    """Return the best of several lengths: the least for a win, the greatest for a loss."""
    return min if value == "win" else max


def score(value: Proven, plies: int) -> float:
    """Return the score of a proven position that lasts so many plies, or at most so many."""
    if value == "draw":
        return 0.0
    return WIN - plies if value == "win" else plies - WIN


def ignore(nodes: int) -> None:
    """Discard a report."""


class Solver(Protocol):
    """The functions of a game's module."""

    def solve(self, state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Solution | None: ...

    def is_within_reach(self, state: State) -> bool: ...

    def warm(self) -> None: ...


def prove(state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Proof | None:
    """Return a proof of a position within `limit`; None where none is worth a try.

    An exception from `report` ends the proof and propagates.
    """
    of_game = solver(state.game.name)
    if of_game is None:
        return None
    is_near = of_game.is_within_reach(state)
    own: Callable[[State, Limit, Callable[[int], None]], Proof] | None = getattr(of_game, "prove", None)
    if own is not None and limit.lines == 1:
        is_worth_a_try: Callable[[State], bool] = getattr(of_game, "is_worth_a_try", of_game.is_within_reach)
        return own(state, limit, report) if is_near or is_worth_a_try(state) else None
    found = of_game.solve(state, limit, report) if is_near else None
    if found is None:
        return None
    return Proof(tuple(found.moves), found.moves, found.lengths, found.lines, nodes=found.nodes, seconds=found.seconds)


@cache
def solver(game: str) -> Solver | None:
    """Return the solver of the game called so, or None where there is none."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    module: Solver = importlib.import_module(f"{__name__}.{game}")
    return module


@cache
def warm(game: str) -> None:
    """Compile or load, once a process, the kernels of a game's proofs, before a clock runs.

    Does nothing where kernels run as plain Python, or where the game has no solver.
    """
    of_game = solver(game)
    if IS_COMPILED and of_game is not None:
        of_game.warm()
