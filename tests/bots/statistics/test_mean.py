"""Means and medians with their intervals: tabulated quantiles, and how often the intervals hold the truth."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from bots.statistics.mean import mean_interval, t_quantile
from bots.statistics.median import median_interval


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2, 4.3027), (3, 3.1824), (4, 2.7764), (5, 2.5706), (10, 2.2281), (30, 2.0423), (120, 1.9799)],
)
def test_the_quantiles_are_those_of_the_tables(freedom: int, quantile: float) -> None:
    assert t_quantile(0.975, freedom) == pytest.approx(quantile, abs=5e-5)


def test_the_quantiles_go_over_into_the_normal_ones() -> None:
    assert t_quantile(0.975, 199) > t_quantile(0.975, 200) > t_quantile(0.975, 10_000)
    assert t_quantile(0.975, 199) - t_quantile(0.975, 200) == pytest.approx(6e-5, abs=1e-5)
    assert t_quantile(0.9, 10_000_000) == pytest.approx(NormalDist().inv_cdf(0.9), abs=1e-6)


def test_a_mean_of_three() -> None:
    # Deviation 1, error 1 / sqrt 3, quantile 4.3027.
    assert mean_interval([1, 2, 3]) == pytest.approx((2, 2 - 2.48414, 2 + 2.48414), abs=1e-5)
    assert mean_interval([7]) == (7, 7, 7)
    with pytest.raises(ValueError, match="no mean"):
        mean_interval([])


def test_95_of_100_intervals_hold_the_truth() -> None:
    chance = np.random.default_rng(3)
    samples = chance.normal(10, 3, (2000, 6))
    held = sum(low <= 10 <= high for _, low, high in (mean_interval(list(sample)) for sample in samples))
    assert held / len(samples) == pytest.approx(0.95, abs=0.015)
    samples = chance.exponential(1, (300, 80))
    truth = np.log(2)
    held = sum(low <= truth <= high for _, low, high in (median_interval(list(sample), 1, 400) for sample in samples))
    assert held / len(samples) == pytest.approx(0.95, abs=0.04)


def test_a_median_is_the_same_for_the_same_seed() -> None:
    figures = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]
    value, low, high = median_interval(figures, 1)
    assert (value, low, high) == median_interval(figures, 1)
    assert 1 <= low < value == 3.5 < high <= 9
    assert median_interval([2.0], 1) == (2, 2, 2)
    with pytest.raises(ValueError, match="no median"):
        median_interval([], 1)
