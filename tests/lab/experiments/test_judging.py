"""Verdicts on the references' figures: one rule for each kind of figure."""

from __future__ import annotations

import math

import pytest

from cornered.lab.experiments.findings import Effect, FigureRow, Finding
from cornered.lab.experiments.judging import (
    about,
    best,
    checked,
    counted,
    exact,
    gained,
    gap,
    judged,
    mean,
    pooled,
    share,
    timed,
)
from cornered.lab.statistics.comparison import difference, p_of_difference
from cornered.lab.statistics.tally import Tally


def test_a_range_agrees_differs_or_stays_unclear_also_an_open_one(subtests: pytest.Subtests) -> None:
    for ours, low, high, verdict in (
        (50, 45, 55, "agrees"),
        (50, 35, 65, "unclear"),  # a difference as large as the range could be missed, whatever lies in its middle
        (58, 52, 64, "agrees"),
        (62, 55, 69, "unclear"),
        (62, 61, 63, "differs"),
        (38, 36, 39.9, "differs"),
        (40, 40, 40, "agrees"),
    ):
        with subtests.test(ours=ours, low=low, high=high, verdict=verdict):
            assert judged(ours, low, high, (40, 60)) == verdict

    assert judged(55, 51, 59, (50, math.inf)) == "agrees"
    assert judged(55, 49, 61, (50, math.inf)) == "unclear"
    assert judged(45, 41, 49, (50, math.inf)) == "differs"


def test_a_printed_share_has_the_error_of_its_own_games(subtests: pytest.Subtests) -> None:
    for wins, games, verdict in (
        (41, 100, "unclear"),
        (41_260, 100_000, "agrees"),
        (60, 100, "differs"),
        (4, 10, "unclear"),
        (0, 100, "differs"),
    ):
        with subtests.test(wins=wins, games=games, verdict=verdict):
            row = counted("x", 38, Tally.of(wins, games))
            assert row.verdict == verdict
            assert row.claimed == "38%"
            assert row.ours == pytest.approx(100 * wins / games)
            assert row.low <= row.ours <= row.high

    assert counted("x", 38, Tally.of(41_260, 100_000), of=100_000).verdict == "differs"

    row = counted("x", 38, Tally.of(0, 0))
    assert (row.low, row.high, row.verdict) == (0, 100, "unclear")

    assert judged(1, 1, 1, None) == "new"
    assert counted("x", None, Tally.of(5, 10)).verdict == "new"


def test_shares_exact_figures_and_means_are_judged_by_their_ranges() -> None:
    assert share("x", "40-60%", (40, 60), Tally.of(500, 1000)).verdict == "agrees"
    assert share("x", "40-60%", (40, 60), Tally.of(700, 1000)).verdict == "differs"
    assert exact("x", "131", (131, 131), 131).verdict == "agrees"
    assert exact("x", "70", (70, 70), 131).verdict == "differs"
    row = exact("x", "70", None, 131, unit="moves")
    assert (row.low, row.ours, row.high, row.unit, row.verdict) == (131, 131, 131, "moves", "new")
    assert mean("x", "about 10", about(10), [9.9, 10.1] * 20).verdict == "agrees"
    assert mean("x", "about 10", about(10), [13, 14] * 20).verdict == "differs"
    assert mean("x", "about 10", about(10), [1, 25]).verdict == "unclear"
    assert about(100) == pytest.approx((90, 110))
    assert about(-100) == pytest.approx((-110, -90))


def test_the_best_setting_agrees_or_may_be_hidden_by_chance(subtests: pytest.Subtests) -> None:
    rows: tuple[tuple[float, list[float], str], ...] = (
        (2, [2], "agrees"),
        (2, [1, 2], "unclear"),
        (1, [1, 2], "unclear"),
        (1, [1, 3], "differs"),
    )
    for ours, possible, verdict in rows:
        with subtests.test(ours=ours, possible=possible, verdict=verdict):
            row = best("x", 2, ours, possible, 10)
            assert row.verdict == verdict
            assert row.low <= ours <= row.high


def test_rows_have_kinds_and_times_and_checks_that_cannot_fail_stand_apart() -> None:
    rows = [exact("x", "1", (1, 1), ours) for ours in (1, 2, 3)]
    finding = Finding("a", "A", "a.txt", "", 1, "tiny", rows)
    assert finding.verdicts() == {"agrees": 1, "differs": 2, "unclear": 0, "new": 0, "apart": 0}

    time = timed("x", "2 s", 5.0, 4.0, 6.0, 10, "ms")
    assert (time.verdict, time.kind) == ("apart", "time")
    assert timed("x", "", 5.0, 4.0, 6.0, 10, "ms").verdict == "new"
    assert checked(exact("x", "17", (17, 17), 17)).verdict == "apart"
    assert checked(exact("x", "17", (17, 17), 18)).reason == ""

    assert exact("x", "1", (1, 1), 1).kind == "exact"
    assert exact("x", "1", (1, 1), 1, kind="proven").kind == "proven"
    assert counted("x", 1, Tally.of(1, 2)).kind == "measured"


def test_agreement_needs_power_which_games_that_are_alike_have_not() -> None:
    # Forty wins of forty are consistent with 91 of 100, but forty games could hardly tell 91% from 72%.
    few = counted("x", 91, Tally.of(40, 40))
    assert few.verdict == "unclear"
    assert few.p is not None
    assert few.p > 0.05
    assert few.detectable == pytest.approx(19.9, abs=0.1)
    many = counted("x", 91, Tally.of(930, 1000))
    assert many.verdict == "agrees"
    assert many.detectable == pytest.approx(10.0, abs=0.1)

    # Two deterministic players have two games, however often they are repeated.
    row = counted("x", 91, Tally(100, 100, 2.0))
    assert (row.verdict, row.count, row.effective) == ("unclear", 100, 2.0)
    assert row.low < 40


def test_a_mean_of_clusters_has_the_error_of_their_number_and_weighs_them_alike() -> None:
    values, clusters = [1.0, 1.0, 1.0, 3.0, 3.0, 3.0], [1, 1, 1, 2, 2, 2]
    alone = mean("x", "2", (2, 2), values)
    row = mean("x", "2", (2, 2), values, clusters=clusters)
    assert (row.ours, row.count, row.effective) == (2, 6, 2)
    assert row.high - row.low > 5 * (alone.high - alone.low)

    assert mean("x", "", None, [1.0, 1.0, 1.0, 3.0], clusters=[1, 1, 1, 2]).ours == 2


def test_p_values_and_verdicts_tell_the_same() -> None:
    for wins in range(0, 101, 5):
        row = counted("x", 38, Tally.of(wins, 100))
        assert row.p is not None
        assert (row.p < 0.05) == (row.verdict == "differs")
        row = share("x", "40-60%", (40, 60), Tally.of(wins, 100))
        assert row.p is not None
        assert (row.p < 0.05) == (row.verdict == "differs")


def test_the_size_of_a_difference_is_in_points_or_times() -> None:
    effect = counted("x", 38, Tally.of(60, 100)).effect
    assert effect is not None
    assert (effect.value, effect.low, effect.high) == pytest.approx((22, 8.1, 34.7), abs=0.1)
    effect = share("x", "40-60%", (40, 60), Tally.of(70, 100)).effect
    assert effect is not None
    assert (effect.value, effect.low, effect.high) == pytest.approx((10, 0.4, 18.1), abs=0.1)
    assert effect.scale == "points"
    assert exact("x", "70", (63, 77), 154, unit="moves").effect == Effect(2, 2, 2, "times")
    assert exact("x", "-1", (-1, -1), 154).effect is None
    assert exact("x", "", None, 154).effect is None


def test_only_a_difference_has_a_reason() -> None:
    wrong = exact("x", "1", (1, 1), 2)
    assert (wrong.reason, wrong.why) == ("unexplained", "")
    assert wrong.because("refuted", "It is 2.").reason == "refuted"
    right: FigureRow = exact("x", "1", (1, 1), 1)
    assert right.because("refuted", "It is 2.") is right
    assert right.reason == ""


def test_a_ratio_of_sums_is_judged_with_its_interval_also_of_clusters() -> None:
    saved, all_nodes = [10.0, 30.0, 55.0], [50.0, 60.0, 100.0]
    row = pooled("x", "40-70%", (40, 70), saved, all_nodes)
    assert row.ours == pytest.approx(100 * 95 / 210)
    assert (row.count, row.unit) == (3, "%")
    assert row.verdict == "unclear"
    assert row.p == 1.0
    far = pooled("x", "40-70%", (40, 70), [1, 2, 3] * 9, [10, 19, 31] * 9)
    assert far.verdict == "differs"
    assert far.p is not None
    assert far.p < 0.001
    assert far.effect is not None
    assert far.effect.value == pytest.approx(far.ours - 40)
    assert pooled("x", "", None, saved, all_nodes, unit="").ours == pytest.approx(95 / 210)

    once = pooled("x", "40-70%", (40, 70), [10, 30, 55], [50, 60, 100])
    twice = pooled("x", "40-70%", (40, 70), [10, 30, 55] * 2, [50, 60, 100] * 2, clusters=[1, 2, 3] * 2)
    assert (twice.ours, twice.low, twice.high) == pytest.approx((once.ours, once.low, once.high))
    assert (twice.count, twice.effective) == (6, 3)
    assert pooled("x", "", None, [10, 30, 55] * 2, [50, 60, 100] * 2).high < once.high


def test_a_paired_gain_is_the_difference_of_two_shares_of_one_sample() -> None:
    row = gained("x", "more than 0", (0, math.inf), [1] * 30 + [-1] * 10 + [0] * 60)
    assert row.ours == pytest.approx(20)
    assert (row.count, row.verdict) == (100, "agrees")
    # The variance of a multinomial difference: (30% + 10% - 20%^2) / 100, which shares taken as independent understate.
    reach = 1.96 * 100 * math.sqrt((0.4 - 0.04) / 100)
    assert row.high - row.low == pytest.approx(2 * reach, rel=0.05)
    assert gained("x", "more than 0", (0, math.inf), [0] * 20).verdict == "unclear"
    assert gained("x", "more than 0", (0, math.inf), [-1] * 20).verdict == "differs"


def test_a_gap_combines_two_intervals() -> None:
    one, other = (share("", "", None, Tally.of(hits, 100)) for hits in (60, 40))
    row = gap("x", "more than 0", (0, math.inf), one, other, "points")
    assert row.ours == pytest.approx(20)
    assert (row.count, row.verdict) == (200, "agrees")
    low, high = (100 * end for end in difference(Tally.of(60, 100), Tally.of(40, 100))[1:])
    assert [row.low, row.high] == pytest.approx([low, high])
    back = gap("x", "more than 0", (0, math.inf), other, one, "points")
    assert back.verdict == "differs"
    assert back.p is not None
    assert back.p == pytest.approx(p_of_difference(Tally.of(40, 100), Tally.of(60, 100)), abs=0.003)
