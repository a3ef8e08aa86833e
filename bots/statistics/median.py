"""How sure a median is: the percentile bootstrap (Efron, 1979), which asks nothing of the figures' distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

__all__ = ["median_interval"]

DRAWS: Final = 2000


def median_interval(values: Sequence[float], seed: int, draws: int = DRAWS) -> tuple[float, float, float]:
    """Return the median and the two ends of its 95% interval: what lies in the middle of the medians of `draws`
    samples with replacement. The same for the same seed. Raises a ValueError for no figures."""
    if not values:
        raise ValueError("nothing has no median")
    figures = np.asarray(values, np.float64)
    places = np.random.default_rng(seed).integers(0, len(figures), (draws, len(figures)))
    low, high = np.quantile(np.median(figures[places], axis=1), (0.025, 0.975))
    return float(np.median(figures)), float(low), float(high)
