"""Intervals of proportions and of their differences: published figures, and properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.lab.statistics.comparison import consistent, difference, p_of_difference
from cornered.lab.statistics.tally import Tally
from cornered.lab.statistics.wilson import wilson


def test_wilsons_interval_comes_out_as_published(subtests: pytest.Subtests) -> None:
    for successes, trials, low, high in (
        # Newcombe, "Two-sided confidence intervals for the single proportion" (1998), table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        with subtests.test(successes=successes, trials=trials, low=low, high=high):
            assert wilson(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_newcombes_differences_come_out_as_published(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[tuple[int, int, int, int], float, float], ...] = (
        # Newcombe, "Interval estimation for the difference" (1998), table II, method 10.
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((6, 7, 2, 7), 0.0582, 0.8062),
        ((5, 56, 0, 29), -0.0381, 0.1926),
        ((0, 10, 0, 20), -0.1611, 0.2775),
        ((0, 10, 0, 10), -0.2775, 0.2775),
        ((10, 10, 0, 20), 0.6791, 1.0),
        ((10, 10, 0, 10), 0.6075, 1.0),
    )
    for counts, low, high in rows:
        with subtests.test(counts=counts, low=low, high=high):
            assert difference(Tally.of(*counts[:2]), Tally.of(*counts[2:]))[1:] == pytest.approx((low, high), abs=5e-5)


def test_shares_agree_until_enough_is_known() -> None:
    assert consistent(Tally.of(6, 10), Tally.of(5, 10))
    assert not consistent(Tally.of(600, 1000), Tally.of(500, 1000))
    assert consistent(Tally.of(5, 5), Tally.of(0, 0))
    assert wilson(0, 0) == (0, 1)


SHARES = st.integers(1, 500).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials)))
TALLIES = SHARES.map(lambda counts: Tally.of(*counts))


@given(TALLIES, TALLIES)
def test_a_difference_is_the_negative_of_the_other_way_round(a: Tally, b: Tally) -> None:
    there, low, high = difference(a, b)
    assert difference(b, a) == pytest.approx((-there, -high, -low))
    assert -1 - 1e-9 <= low <= there <= high <= 1 + 1e-9
    assert consistent(a, b) is consistent(b, a)
    assert consistent(a, a)


@given(TALLIES, TALLIES)
def test_a_p_value_below_five_percent_is_an_interval_without_zero(a: Tally, b: Tally) -> None:
    p = p_of_difference(a, b)
    assert 0 <= p <= 1
    if abs(p - 0.05) > 1e-6:
        assert (p < 0.05) is not consistent(a, b)


@given(SHARES, st.integers(2, 10))
def test_intervals_shrink_with_more_trials(share: tuple[int, int], factor: int) -> None:
    low, high = wilson(*share)
    lower, higher = wilson(factor * share[0], factor * share[1])
    assert higher - lower < high - low
    assert 0 <= low <= share[0] / share[1] + 1e-12
    assert share[0] / share[1] - 1e-12 <= high <= 1
