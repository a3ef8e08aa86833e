"""Confidence interval of a mean by Student's t (1908), for independent values that are nearly normal or many."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from functools import cache
from typing import Final

__all__ = ["CONFIDENCE", "mean_interval", "t_probability", "t_quantile"]

CONFIDENCE: Final = 0.95
LARGE_FREEDOM: Final = 200
"""Degrees of freedom above which the expansion about the normal distribution is exact to seven digits."""


def mean_interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and the ends of its 95% interval, which are equal for a single value. Raises ValueError for
    none."""
    if not values:
        raise ValueError("nothing has no mean")
    middle = statistics.fmean(values)
    if len(values) == 1:
        return middle, middle, middle
    reach = t_quantile((1 + CONFIDENCE) / 2, len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return middle, middle - reach, middle + reach


@cache
def t_quantile(share: float, freedom: int) -> float:
    """Return the quantile of Student's t with `freedom` degrees of freedom, for a probability from 0.5 to 1."""
    if freedom >= LARGE_FREEDOM:
        # Abramowitz and Stegun, 26.7.5.
        z = statistics.NormalDist().inv_cdf(share)
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        return z + first / freedom + second / freedom**2
    low, high = 0.0, 1.0
    while t_probability(high, freedom) < share:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if t_probability(middle, freedom) >= share else (middle, high)
    return high


def t_probability(t: float, freedom: int) -> float:
    """Return the distribution function of Student's t at `t` (Abramowitz and Stegun, 26.7.3 and 26.7.4), to about 13
    digits."""
    angle = math.atan(t / math.sqrt(freedom))
    cosine = math.cos(angle)
    is_odd = freedom % 2
    term, total = (cosine, 0.0) if is_odd else (1.0, 0.0)
    for k in range(1 + is_odd, freedom, 2):
        total += term
        term *= cosine * cosine * k / (k + 1)
    inner = math.sin(angle) * total
    return 0.5 + ((angle + inner) / math.pi if is_odd else inner / 2)
