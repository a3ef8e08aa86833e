"""Elo differences and their intervals: published figures, symmetry, and wide intervals of few games."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cornered.lab.statistics.elo import elo, elo_of_pairs, expected, normalised_elo
from cornered.lab.statistics.wilson import wilson

COUNTS = st.lists(st.integers(0, 300), min_size=5, max_size=5).filter(any)


def test_ten_to_one_are_400_points() -> None:
    assert elo(10 / 11) == pytest.approx(400)
    assert expected(400) == pytest.approx(10 / 11)
    assert elo(0.5) == 0
    assert (elo(0.0), elo(1.0)) == (-math.inf, math.inf)


def test_published_differences_and_intervals_come_out(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[list[int], float, float], ...] = (
        # As printed by OpenBench.
        ([172, 2689, 5459, 2874, 202], 3.73, 2.51),
        ([86, 4449, 10243, 4662, 108], 2.28, 1.73),
        ([117, 4099, 8771, 4344, 123], 2.56, 1.89),
    )
    for counts, difference, reach in rows:
        with subtests.test(counts=counts, difference=difference, reach=reach):
            value, low, high = elo_of_pairs(counts)
            assert value == pytest.approx(difference, abs=0.006)
            assert (high - low) / 2 == pytest.approx(reach, abs=0.006)

    # Elo: 631.91, nElo: 1056.68 for these pairs.
    assert elo_of_pairs([0, 0, 2, 0, 37])[0] == pytest.approx(631.91, abs=0.005)
    assert normalised_elo([0, 0, 2, 0, 37])[0] == pytest.approx(1056.68, abs=0.005)


def test_with_many_pairs_the_interval_of_normalised_elo_is_the_normal_one() -> None:
    counts = [398, 4112, 7672, 4336, 430]
    value, low, high = normalised_elo(counts)
    # The error of t is one over the root of the pairs where t is small.
    reach = 1.96 / math.sqrt(sum(counts)) * 800 / math.log(10) / math.sqrt(2)
    assert (high - value, value - low) == pytest.approx((reach, reach), rel=0.01)


def test_pairs_that_differ_little_say_more_than_as_many_games() -> None:
    even, uneven = [0, 50, 100, 50, 0], [75, 0, 50, 0, 75]
    for counts, is_narrower in ((even, True), (uneven, False)):
        _, low, high = elo_of_pairs(counts)
        _, share = wilson(200, 400)
        assert (high < elo(share)) is is_narrower
        assert low == pytest.approx(-high, abs=0.01)


def test_a_clean_sweep_has_one_finite_end_and_few_pairs_show_nothing() -> None:
    for figure in (elo_of_pairs, normalised_elo):
        value, low, high = figure([0, 0, 0, 0, 10])
        assert value == high == math.inf
        assert 150 < low < 350
        assert figure([10, 0, 0, 0, 0])[2] == pytest.approx(-low, abs=0.01)

    for pair in range(5):
        counts = [int(place == pair) for place in range(5)]
        for figure in (elo_of_pairs, normalised_elo):
            _, low, high = figure(counts)
            assert low < -150
            assert high > 150

    assert elo_of_pairs([0] * 5) == normalised_elo([0] * 5) == (0, -math.inf, math.inf)


@settings(max_examples=30)
@given(COUNTS)
def test_swapping_the_players_negates_the_difference(counts: list[int]) -> None:
    value, low, high = elo_of_pairs(counts)
    assert elo_of_pairs(counts[::-1]) == pytest.approx((-value, -high, -low), abs=1e-4)


@settings(max_examples=30)
@given(COUNTS, st.integers(2, 20))
def test_intervals_hold_the_value_and_shrink_with_more_pairs(counts: list[int], factor: int) -> None:
    value, low, high = elo_of_pairs(counts)
    assume(math.isfinite(value))
    assert low < value < high
    value, lower, higher = elo_of_pairs([factor * count for count in counts])
    assert low < lower < value < higher < high


@settings(max_examples=30)
@given(COUNTS, st.integers(0, 3))
def test_a_better_pair_raises_the_difference(counts: list[int], place: int) -> None:
    worse, better = list(counts), list(counts)
    worse[place] += 1
    better[place + 1] += 1
    before, after = elo_of_pairs(worse), elo_of_pairs(better)
    assert after[0] > before[0] or after[0] == before[0] == math.inf
    assert after[1] > before[1] or after[1] == before[1] == -math.inf
