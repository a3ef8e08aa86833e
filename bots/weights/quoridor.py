"""Quoridor's three heuristics and their ranges (quoridor-specification, "Evaluation Heuristics Explained")."""

from __future__ import annotations

from typing import Final

from cornered.bots.evaluate.paths import both_ways
from cornered.bots.weights.model import Model, Parameter, Values
from cornered.engine import State
from cornered.engine.games.quoridor import QuoridorState

__all__ = ["MODEL"]


def features(state: State, seat: int, values: Values) -> tuple[float, ...]:
    """Return by how much a seat is ahead: in steps of the shortest path, in ranks, and in walls left."""
    del values
    assert isinstance(state, QuoridorState)
    steps, stocks = both_ways(state.position), state.stocks()
    first, second = (cell // 9 for cell in state.pawns())
    other = 1 - seat
    progress = first - (state.game.size - 1 - second)
    return (
        float(steps[other] - steps[seat]),
        float(progress if seat == 0 else -progress),
        float(stocks[seat] - stocks[other]),
    )


MODEL: Final = Model(
    "quoridor",
    "quoridor-classic",
    'quoridor-specification, "Evaluation Function"',
    (
        Parameter("path", "the opponent's shortest path less one's own", 12.0, 8.0, 16.0),
        Parameter("progress", "one's own ranks towards the goal less the opponent's", 1.5, 0.5, 2.5),
        Parameter("wall", "one's own walls left less the opponent's", 2.0, 1.0, 3.0),
    ),
    features,
)
