"""Shares of one whole, divided among the players: the values of max^n, with the bounds that pruning needs.

Korf ("Multi-player alpha-beta pruning", 1991) prunes max^n when the sum of all players' values has an upper bound and
each value a lower one. So the values of a position are shares of one whole. They are whole numbers: their sum is exact,
and a comparison never depends on rounding.
"""

from __future__ import annotations

from math import sqrt
from typing import Final, TypeAlias

from cornered.bots.bot import WIN
from cornered.bots.evaluate import EvaluateState
from cornered.engine import Outcome, State

__all__ = ["WHOLE", "Shares", "estimated", "final", "most", "score"]

Shares: TypeAlias = tuple[int, ...]
"""Each seat's share, from 0 to WHOLE; their sum is exactly WHOLE."""

WHOLE: Final = 12_000_000_000_000
"""Divisible by 2, 3 and 4, so that a draw is even, and large enough to keep all evaluations apart."""
DOUBLING_EVALUATION: Final = 4.0
"""The evaluation that doubles a seat's weight."""
ANY_PLY: Final = 1_000
"""More plies than any search's depth."""


def final(outcome: Outcome, ply: int) -> Shares:
    """Return the shares of a finished game: nearly all for the winner; the others get one unit for each ply."""
    seats = len(outcome.places)
    if outcome.winner is None:
        return (WHOLE // seats,) * seats
    return tuple(most(seats, ply) if seat == outcome.winner else ply for seat in range(seats))


def most(seats: int, ply: int) -> int:
    """Return the largest share that any seat can still get, `ply` plies below the root."""
    return WHOLE - (seats - 1) * ply


def estimated(state: State, evaluate: EvaluateState) -> Shares:
    """Return the shares that the evaluation gives the seats of a position that is not over."""
    weights = [_weight(evaluate(state, seat)) for seat in range(state.game.seats)]
    total = sum(weights)
    shares = [int(WHOLE * weight / total) for weight in weights]
    # The rest from rounding down keeps the sum exact; it is too small to matter.
    shares[state.to_move] += WHOLE - sum(shares)
    return tuple(shares)


def score(share: int, seats: int) -> float:
    """Return a share as a score: of a decided game as all bots count it, else an evaluation; an even share is 0."""
    if share <= ANY_PLY:
        return share - WIN
    if share >= most(seats, ANY_PLY):
        return WIN - (WHOLE - share) / (seats - 1)
    # Of two players this is exactly the evaluation that `_weight` was given.
    weight = sqrt(share * (seats - 1) / (WHOLE - share))
    evaluation = DOUBLING_EVALUATION * (weight - 1.0 if weight > 1.0 else 1.0 - 1.0 / weight)
    return round(max(-999.0, min(999.0, evaluation)), 6)


def _weight(evaluation: float) -> float:
    """Return 1 for an even position, 2 for DOUBLING_EVALUATION, 1/2 for its negative: opposites cancel out."""
    return 1.0 + evaluation / DOUBLING_EVALUATION if evaluation >= 0 else 1.0 / (1.0 - evaluation / DOUBLING_EVALUATION)
