"""The pentanomial model of pairs of games, and maximum-likelihood distributions under a constraint.

The games of a pair share their opening and are not independent, so pairs are counted by their 0, 0.5, 1, 1.5 or 2
points. All five scores are possible, also unobserved ones; the likelihood of a hypothesis is that of the most likely
distribution that it allows (Owen, "Empirical likelihood ratio confidence intervals", 1988; Van den Bergh, "Comments on
normalized Elo", section 4.1).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

__all__ = [
    "EVEN_SCORE",
    "OutcomeShares",
    "bisected",
    "likeliest_of_mean",
    "likeliest_of_t",
    "log_ratio",
    "mean",
    "observed",
    "t_of",
]

OutcomeShares: TypeAlias = tuple[float, ...]
"""Probabilities of the five scores of a pair, in ascending order of score."""
PAIR_SCORES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Mean score of a game of the pair."""
EVEN_SCORE: Final = 0.5
REGULARISER: Final = 1e-3
"""Count that regularises an unobserved score, as in Fishtest."""
MAX_ITERATIONS: Final = 500
STARTS: Final = (0.5, 0.25, 0.125)
TOLERANCE: Final = 1e-8
"""Tolerance of y, which affects the likelihood only in the second order."""


def observed(counts: Sequence[int]) -> tuple[float, OutcomeShares]:
    """Return the number of pairs in five counts, and their shares, regularised to be above zero. Raises ValueError."""
    if len(counts) != len(PAIR_SCORES) or min(counts) < 0:
        raise ValueError(f"pairs are counted by their five scores, not as {list(counts)}")
    known = [count or REGULARISER for count in counts]
    total = math.fsum(known)
    return total, tuple(count / total for count in known)


def mean(weights: Sequence[float]) -> float:
    """Return the mean score of a game, from 0 to 1, for shares or for counts that are not all zero."""
    return _sum(weights, PAIR_SCORES) / math.fsum(weights)


def t_of(weights: Sequence[float]) -> float:
    """Return the t-value of the mean: its distance from 0.5 in standard deviations of a pair's score. Infinite without
    deviation; zero when all pairs are even."""
    middle = mean(weights)
    deviation = math.sqrt(_sum(weights, [(score - middle) ** 2 for score in PAIR_SCORES]) / math.fsum(weights))
    if deviation == 0:
        return math.copysign(math.inf, middle - EVEN_SCORE) if middle != EVEN_SCORE else 0.0
    return (middle - EVEN_SCORE) / deviation


def log_ratio(shares: OutcomeShares, first: OutcomeShares, second: OutcomeShares) -> float:
    """Return the log-likelihood ratio of two distributions per pair."""
    return math.fsum(p * (math.log(a) - math.log(b)) for p, a, b in zip(shares, first, second, strict=True))


def likeliest_of_mean(shares: OutcomeShares, middle: float) -> OutcomeShares:
    """Return the maximum-likelihood distribution with a mean score between 0 and 1."""
    return _tilted(shares, [score - middle for score in PAIR_SCORES])


def likeliest_of_t(shares: OutcomeShares, t: float) -> OutcomeShares:
    """Return the maximum-likelihood distribution whose mean is `t` of its standard deviations above 0.5. With b = score
    - 1/2 the constraint is E[b] = c sqrt(E[b^2]), c = t / sqrt(1 + t^2). The root is the minimum of (E[b^2] / y + y) /
    2 over all y: for each y the constraint is linear, and for each distribution there is a best y."""
    if t < 0:
        return likeliest_of_t(shares[::-1], -t)[::-1]
    if t == 0:
        return likeliest_of_mean(shares, EVEN_SCORE)
    # From t of about 0.5 on the likelihood can have a second maximum at a smaller deviation: several starts are tried.
    starts = STARTS if t > 0.5 else STARTS[:1]
    return max(
        (_fixed_point(shares, t, y) for y in starts), key=lambda found: _sum(shares, [math.log(p) for p in found])
    )


def _fixed_point(shares: OutcomeShares, t: float, y: float) -> OutcomeShares:
    c = t / math.sqrt(1 + t * t)
    found = shares
    for _ in range(MAX_ITERATIONS):
        values = [score - EVEN_SCORE - c * ((score - EVEN_SCORE) ** 2 / y + y) / 2 for score in PAIR_SCORES]
        if max(values) <= 0:
            y = STARTS[0]
            continue
        found = _tilted(shares, values)
        last, y = y, math.sqrt(_sum(found, [(score - EVEN_SCORE) ** 2 for score in PAIR_SCORES]))
        if abs(y - last) < TOLERANCE * y:
            break
    return found


def _tilted(shares: OutcomeShares, values: Sequence[float]) -> OutcomeShares:
    """Return the maximum-likelihood distribution under which `values`, of both signs, have mean 0: p / (1 + factor *
    value), with the factor the root of a decreasing function."""
    low, high = -1 / max(values), -1 / min(values)
    factor = 0.0
    for _ in range(MAX_ITERATIONS):
        terms = [value / (1 + factor * value) for value in values]
        height = _sum(shares, terms)
        low, high = (factor, high) if height > 0 else (low, factor)
        # Newton's step, or bisection where the step would leave the bracket.
        following = factor + height / _sum(shares, [term * term for term in terms])
        following = following if low < following < high else (low + high) / 2
        if abs(following - factor) <= 1e-13 * (1 + abs(factor)):
            break
        factor = following
    return tuple(p / (1 + factor * value) for p, value in zip(shares, values, strict=True))


def _sum(weights: Sequence[float], values: Sequence[float]) -> float:
    return math.fsum(weight * value for weight, value in zip(weights, values, strict=True))


def bisected(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return the last point from `inside` towards `outside` at which a condition holds, by bisection."""
    for _ in range(45):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside
