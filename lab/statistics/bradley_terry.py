"""Bradley-Terry ratings (Bradley and Terry, 1952), with a draw as half a win and half a loss.

A prior of one draw of each player against a virtual player at 0 keeps the ratings of clean sweeps and of players who
never met finite; it is negligible beside dozens of games. Ratings are the maximum of the posterior; intervals come from
the observed information, the curvature of the log-likelihood there.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cornered.lab.statistics.wilson import Z95

__all__ = ["PlacedGame", "Ratings", "fit", "fit_places"]

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
    ratings, information = _maximum(points, prior)
    centre = _centre(len(names))
    return _ratings(names, ELO_PER_E * centre @ ratings, ELO_PER_E**2 * centre @ np.linalg.inv(information) @ centre)


@dataclass(frozen=True, slots=True)
class PlacedGame:
    """A game of two or more players and their places, 1 the first. Games with the same `cluster` may be alike."""

    cluster: Hashable
    players: Sequence[str]
    places: Sequence[int]


def fit_places(names: Sequence[str], games: Sequence[PlacedGame], prior: float = 1.0) -> tuple[Ratings, float]:
    """Return the ratings that fit the places of games, read as the results of all pairs of players, and the design
    effect by which the variances are larger than those of independent results.

    The pairs of a game are not independent. A game of n players is weighted as n - 1 results, as many as there are
    neighbours in an order, and not as n(n - 1)/2. What correlation is left, within a game and between games of one
    cluster, is measured: the design effect (Kish, "Survey Sampling", 1965) is the ratio of the variances of the
    cluster-robust estimator (Liang and Zeger, "Longitudinal data analysis using generalized linear models", 1986) to
    those of the model, and never less than 1. Of one cluster nothing can be measured: it counts as one game.

    Raises ValueError for names that are missing or repeated.
    """
    of_game = [_points(names, _pairs(game)) for game in games]
    points = sum(of_game, np.zeros((len(names), len(names))))
    ratings, information = _maximum(points, prior)
    expected = _expected(ratings)
    gradients: dict[Hashable, Matrix] = {}
    for game, scored in zip(games, of_game, strict=True):
        gradient = (scored - (scored + scored.T) * expected).sum(axis=1)
        gradients[game.cluster] = gradients.get(game.cluster, 0.0) + gradient
    centre, model = _centre(len(names)), np.linalg.inv(information)
    if len(gradients) > 1:
        spread = sum(np.outer(one, one) for one in gradients.values()) * len(gradients) / (len(gradients) - 1)
        robust = np.trace(centre @ model @ spread @ model @ centre)
        effect = max(1.0, float(robust / np.trace(centre @ model @ centre)))
    else:
        effect = float(max(1, len(games)))
    covariance = effect * ELO_PER_E**2 * centre @ model @ centre
    return _ratings(names, ELO_PER_E * centre @ ratings, covariance), effect


def _pairs(game: PlacedGame) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Return the weighted results of the pairs of a game."""
    weight = 2 / len(game.players)
    results = {}
    for (one, mine), (other, theirs) in combinations(zip(game.players, game.places, strict=True), 2):
        results[one, other] = (weight * (mine < theirs), weight * (mine == theirs), weight * (mine > theirs))
    return results


def _maximum(points: Matrix, prior: float) -> tuple[Matrix, Matrix]:
    """Return the ratings of the largest posterior, in natural units, and the observed information there."""
    games = points + points.T
    ratings = np.zeros(len(points))
    for _ in range(MAX_ITERATIONS):
        gradient, information = _derivatives(ratings, points, games, prior)
        step = np.linalg.solve(information, gradient)
        # The log-likelihood is concave; the step is bounded so that Newton's method does not overshoot.
        ratings = ratings + step * min(1.0, 2.0 / max(float(np.abs(step).max(initial=0.0)), TOLERANCE))
        if np.abs(step).max(initial=0.0) < TOLERANCE:
            break
    return ratings, _derivatives(ratings, points, games, prior)[1]


def _centre(count: int) -> Matrix:
    """Return the projection to a mean of 0. Ratings are determined up to a constant: the mean has no error."""
    return np.eye(count) - 1 / max(count, 1)


def _expected(ratings: Matrix) -> Matrix:
    """Return the expected points of each row's player against each column's."""
    return np.asarray(1 / (1 + np.exp(ratings[None, :] - ratings[:, None])))


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
    expected = _expected(ratings)
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
