"""Tallies of games that share openings: design effects worked by hand, and coverage by simulation."""

from __future__ import annotations

from random import Random

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


def test_the_clustered_interval_contains_the_truth_and_the_plain_one_does_not() -> None:
    # 40 openings of 10 games; each opening has a share of its own, 0.1 or 0.9: the truth is 0.5.
    random = Random(2)
    held = {"clustered": 0, "plain": 0}
    rounds = 300
    for _ in range(rounds):
        scores, clusters = list[float](), list[int]()
        for opening in range(40):
            chance = random.choice((0.1, 0.9))
            scores += [float(random.random() < chance) for _ in range(10)]
            clusters += [opening] * 10
        plain = Tally.of(sum(scores), len(scores))
        for name, tally in (("clustered", Tally.clustered(scores, clusters)), ("plain", plain)):
            low, high = tally.interval()
            held[name] += low <= 0.5 <= high
    assert held["clustered"] / rounds > 0.91
    assert held["plain"] / rounds < 0.75
