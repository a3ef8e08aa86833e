"""P-values and detectable differences: values of tables, and simulation."""

from __future__ import annotations

import pytest

from cornered.lab.statistics.comparison import detectable_beside, detectable_by, p_of_difference, p_of_mean, p_of_share
from cornered.lab.statistics.mean import mean_interval
from cornered.lab.statistics.tally import Tally
from cornered.lab.statistics.wilson import wilson


def test_a_share_is_tested_by_its_score_and_a_mean_by_students_t() -> None:
    # z = (0.6 - 0.5) / sqrt(0.5 * 0.5 / 100) = 2, whose two tails are 0.0455.
    assert p_of_share(Tally.of(60, 100), 0.5) == pytest.approx(0.0455, abs=5e-5)
    assert p_of_share(Tally.of(50, 100), 0.5) == 1
    assert p_of_share(Tally(60, 100, 25.0), 0.5) == pytest.approx(0.3173, abs=5e-5)
    assert p_of_share(Tally.of(99, 100), 1) == 0
    assert p_of_share(Tally.of(0, 0), 1) == 1

    # The two-sided 5% point of t with 10 degrees of freedom is 2.228.
    assert p_of_mean(2.228, 1, 10, 0) == pytest.approx(0.05, abs=5e-5)
    assert p_of_mean(1, 1, 0, 0) == 1
    assert p_of_mean(1, 0, 5, 0) == 0
    assert 0 <= p_of_mean(1e6, 1, 10, 0) < 1e-9

    assert p_of_difference(Tally.of(3, 10), Tally.of(30, 100)) == pytest.approx(1)
    assert p_of_difference(Tally.of(3, 10), Tally.of(0, 0)) == pytest.approx(1)
    assert p_of_difference(Tally.of(100, 100), Tally.of(0, 100)) < 1e-20
    assert wilson(2.5, 5.0) == wilson(2.5, 5)


def test_what_could_be_detected_shrinks_with_more_games() -> None:
    # 50 of 100 printed, beside 400 games of ours.
    assert detectable_beside(0.5, 100, 400) == pytest.approx(0.155, abs=1e-3)

    by_games = [detectable_beside(0.5, 100, games) for games in (20, 100, 1000, 100_000)]
    assert by_games == sorted(by_games, reverse=True)
    assert by_games[-1] == pytest.approx(0.138, abs=1e-3)
    assert detectable_beside(0.5, 0, 100) == detectable_beside(0.5, 100, 0) == 1

    _, low, high = mean_interval([1.0, 2.0, 3.0, 4.0] * 25)
    # (1.96 + 0.84) / 1.96 of half the width.
    assert detectable_by(low, high) == pytest.approx(1.4294 * (high - low) / 2, abs=1e-4)
