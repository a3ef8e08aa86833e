"""Win probabilities from the scores of the analysing bot, by a curve for each game.

    p(win) = 1 / (1 + exp(-score / scale))

The curves were fitted by `cornered tune chance --game GAME --games N` to every second of N games between equal levels
from 5 to 9 on the usual board, and checked on the others; positions with a proven value need no estimate and are in
neither. The score of a network is a logit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cornered.bots.evaluate import CENTIMOVES, is_duel, network_of
from cornered.bots.nnue.layout import LOGIT_SCORE
from cornered.engine import Game

__all__ = ["CURVES", "Curve", "scale_of", "win_probability"]


@dataclass(frozen=True, slots=True)
class Curve:
    """A fitted curve and its check: the number of games given to the command, the positions of the half that was held
    out, their Brier score (that of guessing one half is 0.25), and the mean distance between predicted and actual
    results over five bins."""

    scale: float
    games: int
    positions: int
    brier: float
    error: float


CURVES: Final[Mapping[str, Curve]] = {
    "trapgrid": Curve(6.82, games=400, positions=437, brier=0.170, error=0.021),
    "isolation": Curve(12.63, games=120, positions=840, brier=0.244, error=0.069),
    "quoridor": Curve(2.90, games=40, positions=1160, brier=0.174, error=0.072),
}


def scale_of(game: Game) -> float | None:
    """Return the scale of a game's curve; None for dice and more than two players, which no curve was fitted to."""
    if network_of(game) is not None:
        return LOGIT_SCORE / CENTIMOVES
    curve = CURVES.get(game.name)
    return curve.scale if curve is not None and is_duel(game) else None


def win_probability(score: float, scale: float) -> float:
    """Return the probability of a win, from 0 to 1, for a score that was not proven."""
    return 0.5 * (1.0 + math.tanh(score / scale / 2.0))
