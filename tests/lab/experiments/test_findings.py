"""Verdicts on the references' figures: one rule for each kind of figure."""

from __future__ import annotations

import pytest

from cornered.lab.experiments.findings import Finding, about, best, counted, exact, judged, mean, share


@pytest.mark.parametrize(
    ("ours", "low", "high", "verdict"),
    [
        (50, 45, 55, "agrees"),
        (50, 39, 61, "unclear"),  # wider than the range, whatever lies in its middle
        (58, 52, 64, "agrees"),
        (62, 55, 69, "unclear"),
        (62, 61, 63, "differs"),
        (38, 36, 39.9, "differs"),
        (40, 40, 40, "agrees"),
    ],
)
def test_a_range_agrees_differs_or_stays_unclear(ours: float, low: float, high: float, verdict: str) -> None:
    assert judged(ours, low, high, (40, 60)) == verdict


def test_what_the_reference_does_not_claim_is_new() -> None:
    assert judged(1, 1, 1, None) == "new"
    assert counted("x", None, 5, 10).verdict == "new"


@pytest.mark.parametrize(
    ("wins", "games", "verdict"),
    [(41, 100, "agrees"), (41_260, 100_000, "agrees"), (60, 100, "differs"), (4, 10, "unclear"), (0, 100, "differs")],
)
def test_a_printed_share_has_the_error_of_its_own_games(wins: int, games: int, verdict: str) -> None:
    row = counted("x", 38, wins, games)
    assert row.verdict == verdict
    assert row.claimed == "38%"
    assert row.ours == pytest.approx(100 * wins / games)
    assert row.low <= row.ours <= row.high


def test_a_printed_share_of_more_games_is_held_to_it() -> None:
    assert counted("x", 38, 41_260, 100_000, of=100_000).verdict == "differs"


def test_nothing_played_says_nothing() -> None:
    row = counted("x", 38, 0, 0)
    assert (row.low, row.high, row.verdict) == (0, 100, "unclear")


def test_a_share_in_a_range_is_judged_in_percent() -> None:
    assert share("x", "40-60%", (40, 60), 500, 1000).verdict == "agrees"
    assert share("x", "40-60%", (40, 60), 700, 1000).verdict == "differs"


def test_an_exact_figure_is_in_the_range_of_its_digits_or_not() -> None:
    assert exact("x", "131", (131, 131), 131).verdict == "agrees"
    assert exact("x", "70", (70, 70), 131).verdict == "differs"
    row = exact("x", "70", None, 131, unit="moves")
    assert (row.low, row.ours, row.high, row.unit, row.verdict) == (131, 131, 131, "moves", "new")


def test_a_mean_is_judged_with_its_interval() -> None:
    assert mean("x", "about 10", about(10), [9.9, 10.1] * 20).verdict == "agrees"
    assert mean("x", "about 10", about(10), [13, 14] * 20).verdict == "differs"
    assert mean("x", "about 10", about(10), [1, 25]).verdict == "unclear"


def test_about_a_figure_reaches_to_either_side_of_it_below_zero_too() -> None:
    assert about(100) == pytest.approx((90, 110))
    assert about(-100) == pytest.approx((-110, -90))


@pytest.mark.parametrize(
    ("ours", "possible", "verdict"), [(2, [1, 2], "agrees"), (1, [1, 2], "unclear"), (1, [1, 3], "differs")]
)
def test_the_best_setting_agrees_or_may_be_hidden_by_chance(ours: float, possible: list[float], verdict: str) -> None:
    row = best("x", 2, ours, possible, 10)
    assert row.verdict == verdict
    assert row.low <= ours <= row.high


def test_a_finding_counts_its_verdicts() -> None:
    rows = [exact("x", "1", (1, 1), ours) for ours in (1, 2, 3)]
    finding = Finding("a", "A", "a.txt", "", 1, "tiny", rows)
    assert finding.verdicts() == {"agrees": 1, "differs": 2, "unclear": 0, "new": 0}
