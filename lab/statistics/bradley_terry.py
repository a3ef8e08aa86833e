"""Bradley-Terry ratings (Bradley and Terry, 1952), with a draw as half a win and half a loss.

A prior of one draw of each player against a virtual player at 0 keeps the ratings of clean sweeps and of players who
never met finite; it is negligible beside dozens of games. Ratings are the maximum of the posterior; intervals come from
the observed information, the curvature of the log-likelihood there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cornered.lab.statistics.wilson import Z95

__all__ = ["Ratings", "fit"]

ELO_PER_E: Final = 400 / math.log(10)
"""Elo points for odds of e."""
TOLERANCE: Final = 1e-10
MAX_ITERATIONS: Final = 100

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings in Elo by name, with mean 0, and the ends of their 95% intervals; `superiority` is, for each ordered
    pair, the probability that the first is the stronger one."""

    elo: Mapping[str, float]
    low: Mapping[str, float]
    high: Mapping[str, float]
    superiority: Mapping[tuple[str, str], float]


def fit(
    names: Sequence[str], results: Mapping[tuple[str, str], tuple[float, float, float]], prior: float = 1.0
) -> Ratings:
    """Return the ratings that fit the wins, draws and losses of the first of each pair. `prior` is the number of
    virtual draws of each player. Raises ValueError for names that are missing or repeated, and for a player paired with
    itself."""
    points = _points(names, results)
    games = points + points.T
    ratings = np.zeros(len(names))
    for _ in range(MAX_ITERATIONS):
        gradient, information = _derivatives(ratings, points, games, prior)
        step = np.linalg.solve(information, gradient)
        # The log-likelihood is concave; the step is bounded so that Newton's method does not overshoot.
        ratings = ratings + step * min(1.0, 2.0 / max(float(np.abs(step).max(initial=0.0)), TOLERANCE))
        if np.abs(step).max(initial=0.0) < TOLERANCE:
            break
    _, information = _derivatives(ratings, points, games, prior)
    # Ratings are determined up to a constant: the mean is fixed at zero and has no error.
    centre = np.eye(len(names)) - 1 / max(len(names), 1)
    return _ratings(names, ELO_PER_E * centre @ ratings, ELO_PER_E**2 * centre @ np.linalg.inv(information) @ centre)


def _points(names: Sequence[str], results: Mapping[tuple[str, str], tuple[float, float, float]]) -> Matrix:
    """Return the points of each row's player against each column's player."""
    places = {name: place for place, name in enumerate(names)}
    if len(places) < len(names):
        raise ValueError("two players have the same name")
    points = np.zeros((len(names), len(names)))
    for (one, other), (wins, draws, losses) in results.items():
        if one == other or not places.keys() >= {one, other}:
            raise ValueError(f"no result of two of the players: {one} against {other}")
        points[places[one], places[other]] += wins + draws / 2
        points[places[other], places[one]] += losses + draws / 2
    return points


def _derivatives(ratings: Matrix, points: Matrix, games: Matrix, prior: float) -> tuple[Matrix, Matrix]:
    """Return the gradient of the log-likelihood and the negative of its second derivatives."""
    expected = 1 / (1 + np.exp(ratings[None, :] - ratings[:, None]))
    at_middle = 1 / (1 + np.exp(-ratings))
    gradient = (points - games * expected).sum(axis=1) + prior * (0.5 - at_middle)
    weights = games * expected * (1 - expected)
    return gradient, np.diag(weights.sum(axis=1) + prior * at_middle * (1 - at_middle)) - weights


def _ratings(names: Sequence[str], elo: Matrix, covariance: Matrix) -> Ratings:
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    superiority = {}
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            if i != j:
                spread = math.sqrt(2 * (covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]))
                superiority[one, other] = (1 + math.erf(float(elo[i] - elo[j]) / spread)) / 2
    return Ratings(
        {name: float(value) for name, value in zip(names, elo, strict=True)},
        {name: float(value) for name, value in zip(names, elo - Z95 * deviations, strict=True)},
        {name: float(value) for name, value in zip(names, elo + Z95 * deviations, strict=True)},
        superiority,
    )
