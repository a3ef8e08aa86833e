"""Bamboo's four numbers: the groups and the moves of both sides (Bamboo paper, equation 7, where all weigh 1)."""

from __future__ import annotations

from typing import Final

from cornered.bots.weights.model import Model, Parameter, Values
from cornered.engine import State
from cornered.engine.games.bamboo import BambooState
from cornered.engine.kernels.hexagon import size_of, survey, turned

__all__ = ["MODEL"]


def features(state: State, seat: int, values: Values) -> tuple[float, ...]:
    """Return a seat's groups and moves, and the opponent's, which count against it."""
    del values
    assert isinstance(state, BambooState)
    position = state.position
    own, other = (position, turned(position)) if position.turn == seat else (turned(position), position)
    own_cells, own_groups = survey(own)
    other_cells, other_groups = survey(other)
    return float(own_groups), float(size_of(own_cells)), -float(other_groups), -float(size_of(other_cells))


MODEL: Final = Model(
    "bamboo",
    "linear",
    "Bamboo paper, equation 7",
    (
        Parameter("own-groups", "one's own groups", 1.0, 0.0, 4.0),
        Parameter("own-moves", "one's own moves", 1.0, 0.0, 4.0),
        Parameter("other-groups", "the opponent's groups", 1.0, 0.0, 4.0),
        Parameter("other-moves", "the opponent's moves", 1.0, 0.0, 4.0),
    ),
    features,
)
