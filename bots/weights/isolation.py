"""Isolation's two numbers: one's own moves and the opponent's, in any proportion.

Equal weights are the mobility difference (game-playing-notes, "Evaluation Functions"); 2 and 1 are the tutorial's
defensive strategy, 1 and 2 its offensive one.
"""

from __future__ import annotations

from typing import Final

from cornered.bots.textbook.isolation import mobilities
from cornered.bots.weights.model import Model, Parameter, Values
from cornered.engine import State
from cornered.engine.games.isolation import IsolationState

__all__ = ["MODEL"]


def features(state: State, seat: int, values: Values) -> tuple[float, ...]:
    """Return how many moves a seat has, and how many the opponent has, which count against it."""
    del values
    assert isinstance(state, IsolationState)
    own, other = mobilities(state, seat)
    return float(own), -float(other)


MODEL: Final = Model(
    "isolation",
    "linear",
    'game-playing-notes, "Evaluation Functions"',
    (
        Parameter("own", "one's own moves", 1.0, 0.0, 3.0),
        Parameter("other", "the opponent's moves", 1.0, 0.0, 3.0),
    ),
    features,
)
