"""Confidence interval of a ratio of two sums, by linearisation (Cochran, "Sampling Techniques", 3rd edition, 1977,
section 6.4).

A saving over many positions is such a ratio: all nodes saved over all nodes there were. A few large trees decide it,
where a mean of each position's own share counts every tree alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from cornered.lab.statistics.mean import CONFIDENCE, t_quantile

__all__ = ["ratio_interval"]


def ratio_interval(over: Sequence[float], under: Sequence[float]) -> tuple[float, float, float]:
    """Return sum(over) / sum(under) and the ends of its 95% interval, which are equal for a single pair. The pairs are
    independent, the two figures of a pair need not be. Raises ValueError where the sequences are not equally long or
    `under` does not sum to more than 0."""
    pairs = list(zip(over, under, strict=True))
    base = math.fsum(under)
    if not base > 0:
        raise ValueError("a ratio needs a denominator above 0")
    ratio = math.fsum(over) / base
    count = len(pairs)
    if count == 1:
        return ratio, ratio, ratio
    residual = math.fsum((part - ratio * whole) ** 2 for part, whole in pairs)
    error = math.sqrt(residual * count / (count - 1)) / base
    reach = t_quantile((1 + CONFIDENCE) / 2, count - 1) * error
    return ratio, ratio - reach, ratio + reach
