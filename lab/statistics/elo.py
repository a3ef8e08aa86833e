"""Elo differences by the logistic curve, 400 points for odds of ten to one (Elo, 1978), and normalised Elo.

Normalised Elo counts in standard deviations of a game's score, so that as many games show a difference whatever the
share of draws is (Van den Bergh, "Normalized Elo", 2019). Where draws are few, both are about the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from cornered.lab.statistics.pentanomial import (
    Shares,
    farthest,
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
"""So many standard deviations of a pair's score are a point of normalised Elo; without the root it is a game's."""


def elo(score: float) -> float:
    """Return the difference that explains a score from 0 to 1; infinite at the ends."""
    if not 0.0 < score < 1.0:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def expected(difference: float) -> float:
    """Return the score that a difference explains; the inverse of `elo`."""
    return 1 / (1 + 10 ** (-difference / 400))


def elo_of_pairs(counts: Sequence[int]) -> tuple[float, float, float]:
    """Return the difference and the two ends of its interval, from pairs of games by their score: 0, 0.5, 1, 1.5, 2.

    The ends of the 95% interval are where the likelihood ratio is as great as for 1.96 standard deviations, which with
    many pairs is the normal interval of the pairs' mean. Clean sweeps have one finite end, no pairs at all have none.
    """
    if not any(counts):
        return 0.0, -math.inf, math.inf
    score = mean(counts)
    known = _known(counts, likeliest_of_mean)
    low = farthest(known, score, 0.0) if score > 0 else 0.0
    high = farthest(known, score, 1.0) if score < 1 else 1.0
    return elo(score), elo(low), elo(high)


def normalised_elo(counts: Sequence[int]) -> tuple[float, float, float]:
    """Return the difference in normalised Elo and the two ends of its interval, as `elo_of_pairs` does.

    Where all pairs have the same uneven score the difference is infinite.
    """
    if not any(counts):
        return 0.0, -math.inf, math.inf
    known = _known(counts, likeliest_of_t)
    t = t_of(counts)
    # The likelihood is highest at the shares of which none is zero; there is no end that it does not fall to.
    top = t_of(observed(counts)[1])
    low = -math.inf if t == -math.inf else _end(known, top, -1)
    high = math.inf if t == math.inf else _end(known, top, 1)
    return t / T_OF_NORMALISED, low / T_OF_NORMALISED, high / T_OF_NORMALISED


def _known(counts: Sequence[int], likeliest: Callable[[Shares, float], Shares]) -> Callable[[float], bool]:
    """Return what says whether a value is inside the interval: what it makes likeliest is likely enough."""
    pairs, shares = observed(counts)
    return lambda value: 2 * pairs * log_ratio(shares, shares, likeliest(shares, value)) <= Z95 * Z95


def _end(known: Callable[[float], bool], top: float, sign: int) -> float:
    reach = 0.1
    while known(top + sign * reach):
        reach *= 2
    return farthest(known, top, top + sign * reach)
