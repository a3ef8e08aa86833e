"""Comparison of shares that were counted independently: their difference (Newcombe, "Interval estimation for the
difference between independent proportions", 1998, method 10), its p-value, and the difference that such counts could
detect (Cohen, "Statistical Power Analysis", 1988, chapter 6)."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

from cornered.lab.statistics.mean import t_probability
from cornered.lab.statistics.tally import Tally
from cornered.lab.statistics.wilson import Z95, wilson

__all__ = [
    "POWER",
    "consistent",
    "detectable_beside",
    "detectable_by",
    "difference",
    "p_of_difference",
    "p_of_mean",
    "p_of_share",
]

POWER: Final = 0.8
"""Probability with which a difference of the detectable size is found at the 5% level."""
REACH: Final = Z95 + NormalDist().inv_cdf(POWER)
"""Detectable difference in standard errors."""
MAX_Z: Final = 40.0
"""Standard errors beyond which a p-value is no longer told from zero."""


def difference(ours: Tally, other: Tally, z: float = Z95) -> tuple[float, float, float]:
    """Return the difference of two shares and the ends of its interval, 95% by default, combined from Wilson's
    intervals. The interval is -1 to 1 where either has no trials."""
    if not (ours.trials and other.trials):
        return 0.0, -1.0, 1.0
    a, b = ours.share, other.share
    low_a, high_a = wilson(a * ours.effective, ours.effective, z)
    low_b, high_b = wilson(b * other.effective, other.effective, z)
    return a - b, a - b - math.hypot(a - low_a, high_b - b), a - b + math.hypot(high_a - a, b - low_b)


def consistent(ours: Tally, other: Tally) -> bool:
    """Return whether the 95% interval of the shares' difference contains zero."""
    _, low, high = difference(ours, other)
    return low <= 0.0 <= high


def p_of_difference(ours: Tally, other: Tally) -> float:
    """Return the two-sided p-value of equal shares: 1 minus the confidence at which the interval of their difference
    begins to contain zero."""
    low, high = 0.0, MAX_Z
    for _ in range(60):
        z = (low + high) / 2
        _, left, right = difference(ours, other, z)
        low, high = (low, z) if left <= 0.0 <= right else (z, high)
    return math.erfc(low / math.sqrt(2))


def p_of_share(ours: Tally, claimed: float) -> float:
    """Return the two-sided p-value of a true share, from 0 to 1, by Wilson's score; 0 where a share of 0 or 1 is
    claimed and missed."""
    gap = abs(ours.share - claimed)
    if gap == 0 or not ours.trials:
        return 1.0
    error = math.sqrt(claimed * (1 - claimed) / ours.effective)
    return math.erfc(gap / error / math.sqrt(2)) if error else 0.0


def p_of_mean(ours: float, error: float, freedom: int, claimed: float) -> float:
    """Return the two-sided p-value of a true mean by Student's t, from the mean, its standard error and its degrees of
    freedom."""
    gap = abs(ours - claimed)
    if gap == 0 or freedom < 1:
        return 1.0
    return max(0.0, 2 * (1 - t_probability(gap / error, freedom))) if error else 0.0


def detectable_by(low: float, high: float) -> float:
    """Return the minimum detectable difference from a fixed figure, at the 5% level and with `POWER`, by the ends of
    our 95% interval and in their unit."""
    return REACH / Z95 * (high - low) / 2


def detectable_beside(claimed: float, printed: float, effective: float) -> float:
    """Return the minimum detectable difference from a share, from 0 to 1, that was itself counted in `printed` trials,
    by `effective` trials of ours: the larger one of the two directions, by the arcsine transformation. 1 without
    trials."""
    if not (printed and effective):
        return 1.0
    angle = 2 * math.asin(math.sqrt(claimed))
    step = REACH * math.sqrt(1 / printed + 1 / effective)
    return max(abs(_share(angle + step) - claimed), abs(claimed - _share(angle - step)))


def _share(angle: float) -> float:
    return math.sin(min(math.pi, max(0.0, angle)) / 2) ** 2
