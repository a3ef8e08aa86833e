"""Whether two shares that were counted independently differ (Newcombe, "Interval estimation for the difference between
independent proportions", 1998, method 10)."""

from __future__ import annotations

import math

from cornered.lab.statistics.wilson import wilson

__all__ = ["consistent", "difference"]


def difference(successes_a: float, trials_a: int, successes_b: float, trials_b: int) -> tuple[float, float, float]:
    """Return the difference of two shares and the ends of its 95% interval, combined from Wilson's intervals. The
    interval is -1 to 1 where either has no trials. A draw counts as half a success."""
    if not (trials_a and trials_b):
        return 0.0, -1.0, 1.0
    a, b = successes_a / trials_a, successes_b / trials_b
    low_a, high_a = wilson(successes_a, trials_a)
    low_b, high_b = wilson(successes_b, trials_b)
    return a - b, a - b - math.hypot(a - low_a, high_b - b), a - b + math.hypot(high_a - a, b - low_b)


def consistent(successes_a: float, trials_a: int, successes_b: float, trials_b: int) -> bool:
    """Return whether the 95% interval of the shares' difference contains zero."""
    _, low, high = difference(successes_a, trials_a, successes_b, trials_b)
    return low <= 0.0 <= high
