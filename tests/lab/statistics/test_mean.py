"""Means with their intervals: tabulated quantiles, and coverage."""

from __future__ import annotations

from statistics import NormalDist

import pytest

from cornered.lab.statistics.mean import mean_interval, t_quantile


def test_the_quantiles_are_those_of_the_tables_and_go_over_into_the_normal_ones() -> None:
    tabulated = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 5: 2.5706, 10: 2.2281, 30: 2.0423, 120: 1.9799}
    assert {freedom: t_quantile(0.975, freedom) for freedom in tabulated} == pytest.approx(tabulated, abs=5e-5)
    assert t_quantile(0.975, 199) > t_quantile(0.975, 200) > t_quantile(0.975, 10_000)
    assert t_quantile(0.975, 199) - t_quantile(0.975, 200) == pytest.approx(6e-5, abs=1e-5)
    assert t_quantile(0.9, 10_000_000) == pytest.approx(NormalDist().inv_cdf(0.9), abs=1e-6)


def test_a_mean_of_three() -> None:
    # Deviation 1, error 1 / sqrt 3, quantile 4.3027.
    assert mean_interval([1, 2, 3]) == pytest.approx((2, 2 - 2.48414, 2 + 2.48414), abs=1e-5)
    assert mean_interval([7]) == (7, 7, 7)
    with pytest.raises(ValueError, match="no mean"):
        mean_interval([])
