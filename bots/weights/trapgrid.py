"""TrapGrid's master formula: seven terms, and the steps inside two of them (trapgrid-deep-dive, sections 6 and 8)."""

from __future__ import annotations

from typing import Final

from cornered.bots.evaluate.trapgrid_classic import WEIGHTS, ClassicBoard, ClassicWeights, terms
from cornered.bots.weights.model import Model, Parameter, Values
from cornered.engine import State
from cornered.engine.games.trapgrid import TrapGridState

__all__ = ["MODEL", "weights"]

TERMS: Final = 7


def _steps(values: Values) -> tuple[float, ...]:
    return values[TERMS:] or MODEL.printed[TERMS:]


def weights(values: Values) -> ClassicWeights:
    """Return values as the reference's formula takes them: the two isolation terms' factors go into their steps."""
    territory, immediate, distance, centre, wall_danger, penalty, bonus = values[:TERMS]
    trapped_penalty, trapped_bonus, penalty_4, penalty_8, penalty_12, bonus_4, bonus_8 = _steps(values)
    return ClassicWeights(
        territory,
        immediate,
        distance,
        centre,
        wall_danger,
        penalty * trapped_penalty,
        bonus * trapped_bonus,
        ((4, penalty * penalty_4), (8, penalty * penalty_8), (12, penalty * penalty_12)),
        ((4, bonus * bonus_4), (8, bonus * bonus_8)),
    )


def features(state: State, seat: int, values: Values) -> tuple[float, ...]:
    """Return the seven terms without their weights, with the steps that `values` have."""
    assert isinstance(state, TrapGridState)
    free, mover, other, turn = state.position
    own, opponent = (mover, other) if turn == seat else (other, mover)
    board = ClassicBoard(int(free), int(own), int(opponent), state.game.size)
    return tuple(map(float, terms(board, weights((1.0,) * TERMS + _steps(values))).values()))


MODEL: Final = Model(
    "trapgrid",
    "trapgrid-classic",
    "trapgrid-deep-dive, sections 6 and 8",
    (
        Parameter("territory", "cells in reach, one's own less the opponent's", WEIGHTS.territory, 0.0, 5.0),
        Parameter("immediate", "steps at hand, one's own less the opponent's", WEIGHTS.immediate, 0.0, 6.0),
        Parameter("distance", "how far apart the pawns are", WEIGHTS.distance, -1.0, 1.5),
        Parameter("centre", "nearness to the centre", WEIGHTS.centre, -1.0, 2.0),
        Parameter("wall-danger", "the opponent's danger at walls less one's own", WEIGHTS.wall_danger, 0.0, 4.0),
        Parameter("penalty", "how much one's own small pockets count", 1.0, 0.0, 2.0),
        Parameter("bonus", "how much the opponent's small pockets count", 1.0, 0.0, 2.0),
        Parameter("trapped-penalty", "the penalty without a step", WEIGHTS.trapped_penalty, 0.0, 400.0, False),
        Parameter("trapped-bonus", "the bonus for an opponent without one", WEIGHTS.trapped_bonus, 0.0, 400.0, False),
        Parameter("penalty-4", "the penalty in a pocket below 4 cells", 80.0, 0.0, 160.0, False),
        Parameter("penalty-8", "the penalty below 8 cells", 40.0, 0.0, 80.0, False),
        Parameter("penalty-12", "the penalty below 12 cells", 15.0, 0.0, 30.0, False),
        Parameter("bonus-4", "the bonus for a pocket below 4 cells", 80.0, 0.0, 160.0, False),
        Parameter("bonus-8", "the bonus below 8 cells", 35.0, 0.0, 70.0, False),
    ),
    features,
)
