"""TD(lambda) for a linear evaluation with a logistic link: each prediction of a game's outcome moves towards the next,
and the last towards the outcome (Sutton, "Learning to Predict by the Methods of Temporal Differences", 1988)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

__all__ = ["FeatureRow", "calibrated", "error", "lesson", "predicted", "sizes_of"]

FeatureRow: TypeAlias = tuple[float, ...]
"""Features of one position from one seat's view."""


def predicted(weights: Sequence[float], row: Sequence[float]) -> float:
    """Return the predicted score, from 0 to 1: the logistic function of the weighted sum."""
    total = sum(weight * feature for weight, feature in zip(weights, row, strict=True))
    if total >= 0:
        return 1 / (1 + math.exp(-total))
    grown = math.exp(max(total, -700.0))
    return grown / (1 + grown)


def lesson(weights: Sequence[float], rows: Sequence[FeatureRow], outcome: float, trace: float) -> list[float]:
    """Return the weight update of one seat's game at rate 1, all predictions by the same weights: the sum over t of
    (P[t+1] - P[t]) * (sum over k <= t of trace^(t-k) * gradient of P[k]), P after the last being the outcome (Sutton
    1988, equation 4). `rows` are the positions in order, `trace` is lambda."""
    predictions = [predicted(weights, row) for row in rows]
    eligible = [0.0] * len(weights)
    change = [0.0] * len(weights)
    for row, now, after in zip(rows, predictions, [*predictions[1:], outcome], strict=False):
        slope = now * (1 - now)
        for i, feature in enumerate(row):
            eligible[i] = trace * eligible[i] + slope * feature
            change[i] += (after - now) * eligible[i]
    return change


def error(weights: Sequence[float], rows: Sequence[FeatureRow], outcome: float) -> float:
    """Return the sum of squared errors of the predictions."""
    return sum((predicted(weights, row) - outcome) ** 2 for row in rows)


def sizes_of(games: Sequence[tuple[Sequence[FeatureRow], float]], features: int) -> list[float]:
    """Return each feature's root mean square over the games, 1 where it is always 0: dividing by it equalises the
    learning rates of the features."""
    rows = [row for each, _ in games for row in each]
    roots = [math.sqrt(sum(row[i] * row[i] for row in rows) / max(1, len(rows))) for i in range(features)]
    return [root if root > 0 else 1.0 for root in roots]


def calibrated(weights: Sequence[float], games: Sequence[tuple[Sequence[FeatureRow], float]]) -> float:
    """Return the factor from 1/64 to 16 that minimises the predictions' squared error."""

    def miss(factor: float) -> float:
        scaled = [factor * weight for weight in weights]
        return sum(error(scaled, rows, outcome) for rows, outcome in games)

    factors: list[float] = [2.0 ** (power / 2) for power in range(-12, 9)]
    return min(factors, key=miss)
