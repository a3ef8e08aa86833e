"""Whether two shares that were counted independently differ (Newcombe, "Interval estimation for the difference between
independent proportions", 1998, method 10)."""

from __future__ import annotations

import math

from cornered.lab.statistics.wilson import wilson

__all__ = ["consistent", "difference"]


def difference(successes_a: float, trials_a: int, successes_b: float, trials_b: int) -> tuple[float, float, float]:
    """Return by how much the first share is larger and the two ends of its 95% interval, made of the shares' Wilson
    intervals; -1 and 1 where one was never tried. Draws count as half."""
    if not (trials_a and trials_b):
        return 0.0, -1.0, 1.0
    a, b = successes_a / trials_a, successes_b / trials_b
    low_a, high_a = wilson(successes_a, trials_a)
    low_b, high_b = wilson(successes_b, trials_b)
    return a - b, a - b - math.hypot(a - low_a, high_b - b), a - b + math.hypot(high_a - a, b - low_b)


def consistent(successes_a: float, trials_a: int, successes_b: float, trials_b: int) -> bool:
    """Say whether two shares can be the same: the 95% interval of their difference holds zero."""
    _, low, high = difference(successes_a, trials_a, successes_b, trials_b)
    return low <= 0.0 <= high
