"""How sure a share is that was counted: Wilson's interval (Wilson, "Probable inference", 1927)."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["Z95", "wilson"]

Z95: Final = 1.959963984540054
"""Standard deviations to either side of 95% of a normal distribution."""


def wilson(successes: float, trials: int, z: float = Z95) -> tuple[float, float]:
    """Return the two ends of the interval for a share; 0 and 1 where nothing was tried. Draws count as half."""
    if trials == 0:
        return 0.0, 1.0
    share = successes / trials
    middle = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    width = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # At the ends the two are equal but for rounding.
    low = 0.0 if successes == 0 else max(0.0, middle - width)
    return low, 1.0 if successes == trials else min(1.0, middle + width)
