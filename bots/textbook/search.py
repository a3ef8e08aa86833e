"""The state of a textbook search: its limits, its counters and its leaves."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, TypeAlias

from cornered.bots.bot import WIN, Limit, Proven
from cornered.bots.evaluate import EvaluateState
from cornered.bots.textbook.trace import SILENT, Trace
from cornered.engine import Outcome, State

__all__ = ["CERTAIN_SCORE", "OutOfLimit", "PvMoves", "TextbookSearch", "ValuedLine", "proof", "utility"]

CERTAIN_SCORE: Final = WIN - 1_000
"""Scores beyond this are forced wins, at most 1,000 plies away; evaluations stay far below."""

PvMoves: TypeAlias = tuple[str, ...]
ValuedLine: TypeAlias = tuple[float, PvMoves]
"""A value, and the line of moves that leads to it."""


class OutOfLimit(Exception):
    """The time or the nodes are used up, or nobody waits any more; the best that was found until now stands."""


@dataclass(slots=True)
class TextbookSearch:
    """One search for `seat`: its constants and its counters."""

    seat: int
    evaluate: EvaluateState
    deadline: float = math.inf
    most_nodes: float = math.inf
    nodes: int = 0
    """Positions visited, without the root."""
    pruned: int = 0
    """Moves that were pruned."""
    deepest: int = 0
    saw_horizon: bool = False
    """Whether a value was estimated since this was last set to False."""
    started: float = field(default_factory=monotonic)
    trace: Trace = SILENT

    @classmethod
    def within(cls, limit: Limit, seat: int, evaluate: EvaluateState, trace: Trace = SILENT) -> TextbookSearch:
        """Return a search with the deadline and the nodes of `limit`."""
        return cls(seat, evaluate, limit.deadline or math.inf, limit.nodes or math.inf, trace=trace)

    def visit(self, ply: int) -> None:
        """Count a position that lies `ply` plies below the root. Raises OutOfLimit when nothing is left for it."""
        if self.nodes >= self.most_nodes or monotonic() > self.deadline or self.trace.has_left():
            raise OutOfLimit
        self.nodes += 1
        self.deepest = max(self.deepest, ply)

    def leaf(self, state: State, depth: float, ply: int) -> float | None:
        """Return the value of a position below which nothing is searched, None for any other.

        A finished game has its utility; where the depth is used up, the evaluation estimates it (game-playing-notes,
        "Depth-Limited Search").
        """
        if (outcome := state.outcome) is not None:
            return utility(outcome, self.seat, ply)
        if depth <= 0:
            self.saw_horizon = True
            return self.evaluate(state, self.seat) + 0.0  # never minus zero
        return None


def utility(outcome: Outcome, seat: int, ply: int) -> float:
    """Return the score of a game that ended `ply` plies below the root: a win is best soon, a loss late."""
    if outcome.winner is None:
        return 0.0
    return WIN - ply if outcome.winner == seat else ply - WIN


def proof(score: float, seats: int, *, saw_horizon: bool) -> Proven | None:
    """Return what a score proves if no move was left out on the way to it.

    Under the paranoid assumption a win is certain against several opponents; any other value need not be reached.
    """
    if score > CERTAIN_SCORE:
        return "win"
    if seats > 2:
        return None
    if score < -CERTAIN_SCORE:
        return "loss"
    return None if saw_horizon else "draw"
