"""Wilson's confidence interval of a proportion (Wilson, "Probable inference", 1927)."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["Z95", "wilson"]

Z95: Final = 1.959963984540054
"""The 97.5% quantile of the standard normal distribution: a two-sided interval of 95%."""


def wilson(successes: float, trials: float, z: float = Z95) -> tuple[float, float]:
    """Return the ends of the interval of a proportion; 0 and 1 without trials. A draw counts as half a success. Fewer
    trials than were counted, not necessarily a whole number, make up for trials that are alike."""
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    width = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # At 0 and 1 the end equals the proportion; rounding must not move it.
    low = 0.0 if successes == 0 else max(0.0, middle - width)
    return low, 1.0 if successes >= trials else min(1.0, middle + width)
