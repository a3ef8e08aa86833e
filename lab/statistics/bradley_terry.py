"""Ratings of many players from all their games (Bradley and Terry, 1952), with draws as half a win and half a loss.

So that clean sweeps and players who never met stay finite, everybody has also played one draw with an imagined player
in the middle: worth half a win and half a loss, little beside dozens of games. The ratings are the likeliest ones with
it; the intervals come from the observed information, the curvature of the likelihood there.
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

SCALE: Final = 400 / math.log(10)
"""Elo for a factor e of the odds."""
CLOSE: Final = 1e-10
ROUNDS: Final = 100

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Ratings:
    """Ratings in Elo by name, on average 0, with the ends of their 95% intervals; `superiority` is for each two, in
    both orders, how likely the first is the stronger one."""

    elo: Mapping[str, float]
    low: Mapping[str, float]
    high: Mapping[str, float]
    superiority: Mapping[tuple[str, str], float]


def fit(
    names: Sequence[str], results: Mapping[tuple[str, str], tuple[float, float, float]], prior: float = 1.0
) -> Ratings:
    """Return the ratings that explain wins, draws and losses of the first of each two. `prior` is how many draws with
    the imagined player everybody has. Raises a ValueError for names that are missing, repeated or play themselves."""
    points = _points(names, results)
    games = points + points.T
    ratings = np.zeros(len(names))
    for _ in range(ROUNDS):
        gradient, information = _slopes(ratings, points, games, prior)
        step = np.linalg.solve(information, gradient)
        # The likelihood is concave; short steps keep Newton's method from leaping over its top.
        ratings = ratings + step * min(1.0, 2.0 / max(float(np.abs(step).max(initial=0.0)), CLOSE))
        if np.abs(step).max(initial=0.0) < CLOSE:
            break
    _, information = _slopes(ratings, points, games, prior)
    # Only differences mean something: the mean is zero, and free of error.
    centre = np.eye(len(names)) - 1 / max(len(names), 1)
    return _told(names, SCALE * centre @ ratings, SCALE**2 * centre @ np.linalg.inv(information) @ centre)


def _points(names: Sequence[str], results: Mapping[tuple[str, str], tuple[float, float, float]]) -> Matrix:
    """Return what the player of each row has won from the player of each column."""
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


def _slopes(ratings: Matrix, points: Matrix, games: Matrix, prior: float) -> tuple[Matrix, Matrix]:
    """Return the gradient of the log-likelihood and the negative of its second derivatives."""
    expected = 1 / (1 + np.exp(ratings[None, :] - ratings[:, None]))
    at_middle = 1 / (1 + np.exp(-ratings))
    gradient = (points - games * expected).sum(axis=1) + prior * (0.5 - at_middle)
    weights = games * expected * (1 - expected)
    return gradient, np.diag(weights.sum(axis=1) + prior * at_middle * (1 - at_middle)) - weights


def _told(names: Sequence[str], elo: Matrix, covariance: Matrix) -> Ratings:
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
