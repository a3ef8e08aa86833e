"""What can be proven about positions. One module a game, found by being there.

A game's module offers three functions:

- `solve(state, limit, report) -> Solution | None`: what `state` and each of its moves come to with best play. None when
  `limit` (time or nodes) was used up first, or when these options are beyond it. `report` hears the nodes every few
  milliseconds, and may raise to end it.
- `is_within_reach(state) -> bool`: whether `solve` will probably answer within about a second; cheap.
- `warm() -> None`: calls every kernel that the others may need, on tiny positions, and leaves no table behind.

It may offer two more, for those who have to play and not to explain:

- `prove(state, limit, report) -> Proof`: as much as `limit` allows, and no more than it takes to know what to play.
- `is_worth_a_try(state) -> bool`: whether `prove` may tell something in a part of a second where `solve` would not.

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

    @classmethod
    def of(
        cls, moves: Mapping[str, Proven], lengths: Mapping[str, int], nodes: int = 0, seconds: float = 0.0
    ) -> Solution:
        """Return what a position comes to whose every move is proven; `lengths` may leave moves out."""
        value = _best(moves)
        kept = [lengths[move] for move, found in moves.items() if found == value and move in lengths]
        is_counted = value != "draw" and len(kept) == sum(found == value for found in moves.values())
        return cls(value, moves, _wanted(value)(kept) if kept and is_counted else None, lengths, nodes, seconds)

    @classmethod
    def over(cls, state: State) -> Solution:
        """Return what a finished game came to for the seat to move."""
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
    """As much as was proven within a limit: what moves come to for the mover, in how many plies, and how.

    `moves` are all that are legal, in the order of what looks best without looking ahead; a move may be missing in what
    follows. Moves that are proven to lose are worth knowing even when nothing else is: a search can leave them out.
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
        """What the position comes to, None where that is not certain: one winning move is enough."""
        best = _best(self.values)
        return best if best == "win" or self.is_whole else None

    @property
    def best(self) -> tuple[str, ...]:
        """The moves, the quickest wins first, then what is not known or drawn, then the losses, the longest first."""
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
    """Return what is best of several lengths: the winner hurries, the loser delays."""
    return min if value == "win" else max


def score(value: Proven, plies: int) -> float:
    """Return the score that bots tell of a proven position which lasts so many plies, or at most so many."""
    if value == "draw":
        return 0.0
    return WIN - plies if value == "win" else plies - WIN


def ignore(nodes: int) -> None:
    """Report to nobody."""


class Solver(Protocol):
    """What a game's module offers."""

    def solve(self, state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Solution | None: ...

    def is_within_reach(self, state: State) -> bool: ...

    def warm(self) -> None: ...


def prove(state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Proof | None:
    """Return what a proof within `limit` says about a position to play in; None when none is worth a try.

    What `report` raises ends the proof and comes out of here.
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
    return Proof(tuple(found.moves), found.moves, found.lengths, nodes=found.nodes, seconds=found.seconds)


@cache
def solver(game: str) -> Solver | None:
    """Return the solver of the game called so, or None where there is none."""
    if game not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return None
    module: Solver = importlib.import_module(f"{__name__}.{game}")
    return module


@cache
def warm(game: str) -> None:
    """Compile or load, once a process, what proofs of the game called so run: nobody on a clock waits for it then.

    Does nothing where kernels run as plain Python, or where the game has no solver.
    """
    of_game = solver(game)
    if IS_COMPILED and of_game is not None:
        of_game.warm()
