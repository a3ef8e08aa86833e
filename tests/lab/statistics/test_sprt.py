"""The sequential test: published ratios, symmetry, and error rates."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.lab.statistics.pentanomial import bisected, likeliest_of_t, log_ratio, observed, t_of
from cornered.lab.statistics.sprt import Sprt

COUNTS = st.lists(st.integers(0, 3000), min_size=5, max_size=5).filter(any)


def test_published_ratios_come_out(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[list[int], tuple[float, float], float], ...] = (
        ([398, 4112, 7672, 4336, 430], (0, 3), 2.96),
        ([56, 1144, 2546, 1310, 77], (0, 3), 2.95),
        ([1, 1329, 3500, 1502, 9], (0, 3), 2.96),
        # The test cases of fastchess.
        ([365, 16618, 36229, 16974, 390], (0, 2), 2.25),
        ([0, 0, 2, 0, 37], (0, 20), 2.96),
    )
    for counts, bounds, llr in rows:
        with subtests.test(counts=counts, bounds=bounds, llr=llr):
            test = Sprt(*bounds)
            assert round(test.llr(counts), 2) == llr
            assert test.verdict(counts) == ("H1" if llr > 2.94 else None)
            assert Sprt(-bounds[1], -bounds[0]).verdict(counts[::-1]) == ("H0" if llr > 2.94 else None)


def test_pairs_that_are_all_won_have_the_ratio_of_the_likeliest_distributions() -> None:
    # The likeliest distribution with t = (m - 1/2) / s has losses beside the wins, which add most to the deviation: a
    # share p of wins with 2p - 1 = t / sqrt(1 + t^2). fastchess printed 2.94 for the same pairs in one version, and for
    # 5,550 of them in a later one: it replaced a deviation of zero by values of its own.
    pairs, elo = 104, 5.0
    t = math.sqrt(2) * elo * math.log(10) / 800
    wins = (1 + t / math.sqrt(1 + t * t)) / 2
    expected = pairs * (math.log(wins) - math.log(0.5))
    assert round(expected, 2) == 2.09
    assert Sprt(0, elo).llr([0, 0, 0, 0, pairs]) == pytest.approx(expected, abs=2e-3)


def test_no_other_distribution_with_this_t_is_likelier(subtests: pytest.Subtests) -> None:
    for t in (0.0, math.sqrt(2) * 5 * math.log(10) / 800, 0.3):
        with subtests.test(t=t):
            _, shares = observed([0, 0, 0, 0, 104])
            likeliest = likeliest_of_t(shares, t)
            assert t_of(likeliest) == pytest.approx(t, abs=1e-6)
            for rest in np.random.default_rng(1).dirichlet([0.3] * 4, 60):
                wins = share_of_wins(rest, t)
                assert wins is None or wins < likeliest[-1] + 1e-4


def share_of_wins(rest: npt.NDArray[np.float64], t: float) -> float | None:
    """Return the greatest share of won pairs with which the mean is `t` deviations above even, the other pairs being
    distributed like `rest`; None where there is none."""

    def excess(wins: float) -> float:
        found = t_of([*(rest * (1 - wins)), wins])
        return found - t

    known = [wins for wins in np.linspace(0.001, 0.999, 200) if excess(wins) < 0]
    if not known:
        return None
    return bisected(lambda wins: excess(wins) < 0, float(known[-1]), 0.9999)


def test_the_bounds_are_walds_and_no_pairs_say_nothing() -> None:
    assert Sprt(0, 3).bounds == pytest.approx((-2.9444, 2.9444), abs=1e-4)
    assert Sprt(0, 3, alpha=0.01, beta=0.1).bounds == pytest.approx((-2.2925, 4.4998), abs=1e-4)
    assert Sprt(0, 3).llr([0, 0, 0, 0, 0]) == 0
    assert 0 < Sprt(0, 3).llr([0, 0, 0, 0, 1]) < 0.1


@given(COUNTS)
def test_swapping_the_players_negates_the_ratio(counts: list[int]) -> None:
    assert Sprt(-5, 10).llr(counts) == pytest.approx(-Sprt(-10, 5).llr(counts[::-1]), abs=1e-6)


@given(COUNTS, st.integers(2, 10))
def test_the_same_shares_of_more_pairs_say_more(counts: list[int], factor: int) -> None:
    once, often = Sprt(0, 10).llr(counts), Sprt(0, 10).llr([factor * count for count in counts])
    # An unobserved score counts as a thousandth of a pair, which matters less with more pairs.
    assert often == pytest.approx(factor * once, rel=0.02, abs=0.02 * factor)


@given(COUNTS, st.integers(0, 3))
def test_a_better_pair_speaks_for_the_greater_difference(counts: list[int], place: int) -> None:
    test = Sprt(0, 10)
    worse, better = list(counts), list(counts)
    worse[place] += 1
    better[place + 1] += 1
    assert test.llr(better) > test.llr(worse)


@given(COUNTS, st.floats(-1.2, 1.2), st.lists(st.integers(1, 100), min_size=5, max_size=5))
def test_no_distribution_that_a_hypothesis_allows_is_likelier(counts: list[int], t: float, weights: list[int]) -> None:
    _, shares = observed(counts)
    likeliest = likeliest_of_t(shares, t)
    assert sum(likeliest) == pytest.approx(1)
    other = tuple(weight / sum(weights) for weight in weights)
    other_t = t_of(other)
    assert log_ratio(shares, likeliest_of_t(shares, other_t), other) >= -1e-9
    assert log_ratio(shares, shares, likeliest) >= -1e-9
    assert t_of(likeliest) == pytest.approx(t, abs=1e-3)


def test_hypotheses_errors_and_counts_that_cannot_be_are_refused(subtests: pytest.Subtests) -> None:
    for elo0, elo1 in ((3, 0), (1, 1), (0, 500), (-500, 0)):
        with subtests.test(elo0=elo0, elo1=elo1), pytest.raises(ValueError, match="a smaller and a larger difference"):
            Sprt(elo0, elo1)

    with pytest.raises(ValueError, match="less than half"):
        Sprt(0, 3, alpha=0.5)
    with pytest.raises(ValueError, match="by their five scores"):
        Sprt(0, 3).llr([1, 2, 3])
    with pytest.raises(ValueError, match="by their five scores"):
        Sprt(0, 3).llr([1, 2, -3, 0, 0])
