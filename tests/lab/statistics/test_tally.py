"""Tallies of games that share openings: design effects worked by hand, and coverage by simulation."""

from __future__ import annotations

import pytest

from cornered.lab.statistics.tally import Tally, intraclass_correlation


def test_independent_scores_count_in_full_and_those_of_a_cluster_that_are_alike_once() -> None:
    assert Tally.clustered([1, 0, 1, 0.5], "abcd") == Tally(2.5, 4, 4.0)
    assert Tally.of(3, 4) == Tally(3, 4, 4.0)
    assert Tally.of(3, 4).share == 0.75

    tally = Tally.clustered([1, 1, 1, 0, 0, 0], "aaabbb")
    assert tally.share == 0.5
    assert tally.effective == pytest.approx(2)
    tally = Tally.clustered([1] * 6, "aaabbb")
    assert tally.share == 1
    assert tally.effective == pytest.approx(2)
    assert Tally.clustered([1, 0, 1], "aaa").effective == pytest.approx(1)

    # Swapped seats with the advantage of a seat: every pair has one win for each.
    assert Tally.clustered([1, 0, 0, 1, 1, 0], "aabbcc").effective == 6


def test_the_correlation_comes_out_by_hand() -> None:
    # Groups (1, 1), (1, 0), (0, 0): between 2 * (0.25 + 0 + 0.25) / 2 = 0.5, within 0.5 / 3 = 1 / 6.
    assert intraclass_correlation([(1, 1), (1, 0), (0, 0)]) == pytest.approx((0.5 - 1 / 6) / (0.5 + 1 / 6))
    assert Tally.clustered([1, 1, 1, 0, 0, 0], "aabbcc").effective == pytest.approx(6 / 1.5)
    assert Tally.clustered([], []).interval() == (0, 1)
    assert Tally.of(0, 0).share == 0.5
    with pytest.raises(ValueError, match="zip"):
        Tally.clustered([1, 0], "a")
