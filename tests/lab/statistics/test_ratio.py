"""Ratios of sums with their intervals: by hand, against the mean, and coverage."""

from __future__ import annotations

import pytest

from cornered.lab.statistics.mean import mean_interval
from cornered.lab.statistics.ratio import ratio_interval


def test_large_denominators_count_more_than_in_a_mean_of_ratios() -> None:
    # The mean of the ratios is 0.5, the ratio of the sums 10 / 101.
    ratio, low, high = ratio_interval([1, 9], [1, 100])
    assert ratio == pytest.approx(10 / 101)
    # Both residuals are 91 / 101; the error is sqrt(2 * 2 / 1) * 91 / 101 / 101, the quantile 12.7062.
    assert high - ratio == pytest.approx(ratio - low) == pytest.approx(12.7062 * 2 * 91 / 101**2, rel=1e-4)

    values = [3.0, 5.0, 4.0, 9.0]
    assert ratio_interval(values, [2.0] * 4) == pytest.approx([end / 2 for end in mean_interval(values)])

    assert ratio_interval([2, 4, 60], [1, 2, 30]) == pytest.approx((2, 2, 2))
    assert ratio_interval([3], [4]) == (0.75, 0.75, 0.75)


def test_what_has_no_ratio_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        ratio_interval([], [])
    with pytest.raises(ValueError, match="above 0"):
        ratio_interval([1.0], [0.0])
    with pytest.raises(ValueError, match="zip"):
        ratio_interval([1.0], [1.0, 2.0])
