"""Elo differences by the logistic curve, 400 points for odds of ten to one (Elo, 1978), and normalised Elo. Normalised
Elo is in units of the standard deviation of a game's score, so that the number of games needed to show a difference
does not depend on the share of draws (Van den Bergh, "Normalized Elo", 2019). With few draws both are nearly equal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from cornered.lab.statistics.pentanomial import (
    OutcomeShares,
    bisected,
    likeliest_of_mean,
    likeliest_of_t,
    log_ratio,
    mean,
    observed,
    t_of,
)
from cornered.lab.statistics.wilson import Z95

__all__ = ["T_OF_NORMALISED", "elo", "elo_of_pairs", "expected", "normalised_elo"]

T_OF_NORMALISED: Final = math.sqrt(2) * math.log(10) / 800
"""Standard deviations of a pair's score per point of normalised Elo; without the square root, those of a game's
score."""


def elo(score: float) -> float:
    """Return the Elo difference for an expected score from 0 to 1; infinite at the ends."""
    if not 0.0 < score < 1.0:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def expected(difference: float) -> float:
    """Return the expected score for an Elo difference; the inverse of `elo`."""
    return 1 / (1 + 10 ** (-difference / 400))


def elo_of_pairs(counts: Sequence[int]) -> tuple[float, float, float]:
    """Return the Elo difference and the ends of its 95% interval, from counts of pairs of games by score 0, 0.5, 1,
    1.5, 2. The interval is by likelihood ratio and approaches the normal interval of the pairs' mean with many pairs. A
    clean sweep has one infinite end; without pairs both are infinite."""
    if not any(counts):
        return 0.0, -math.inf, math.inf
    score = mean(counts)
    known = _is_inside(counts, likeliest_of_mean)
    low = bisected(known, score, 0.0) if score > 0 else 0.0
    high = bisected(known, score, 1.0) if score < 1 else 1.0
    return elo(score), elo(low), elo(high)


def normalised_elo(counts: Sequence[int]) -> tuple[float, float, float]:
    """Return the difference in normalised Elo and the ends of its 95% interval, as `elo_of_pairs` does. The difference
    is infinite when all pairs have the same uneven score."""
    if not any(counts):
        return 0.0, -math.inf, math.inf
    known = _is_inside(counts, likeliest_of_t)
    t = t_of(counts)
    # The likelihood is highest at the observed shares, none of which is zero, and falls to any bound at the ends.
    top = t_of(observed(counts)[1])
    low = -math.inf if t == -math.inf else _interval_end(known, top, -1)
    high = math.inf if t == math.inf else _interval_end(known, top, 1)
    return t / T_OF_NORMALISED, low / T_OF_NORMALISED, high / T_OF_NORMALISED


def _is_inside(
    counts: Sequence[int], likeliest: Callable[[OutcomeShares, float], OutcomeShares]
) -> Callable[[float], bool]:
    """Return the predicate of the interval: whether the most likely distribution for a value is likely enough."""
    pairs, shares = observed(counts)
    return lambda value: 2 * pairs * log_ratio(shares, shares, likeliest(shares, value)) <= Z95 * Z95


def _interval_end(known: Callable[[float], bool], top: float, sign: int) -> float:
    reach = 0.1
    while known(top + sign * reach):
        reach *= 2
    return bisected(known, top, top + sign * reach)
