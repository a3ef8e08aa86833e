"""Isolation: how many cells the own pawn can slide to, against the best of the others."""

from __future__ import annotations

from engine import State
from engine.games.isolation import IsolationState

__all__ = ["evaluate"]

OUT = 900.0
"""What it is worth to be out of a game for three or four that the others still play."""


def evaluate(state: State, seat: int) -> float:
    """Return the seat's number of moves less that of the opponent who has most."""
    assert isinstance(state, IsolationState)
    reach = [moves for _, moves in state.gauges()]
    still_in = [other for other in range(len(reach)) if not state.position.places >> 3 * other & 7]
    if seat not in still_in:
        return -OUT
    others = [reach[other] for other in still_in if other != seat]
    return float(reach[seat] - max(others, default=0))
