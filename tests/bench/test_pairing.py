"""Quick pairing of 10,000 players in simulated time: nobody waits for long, games are even, opponents change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cornered.bench.pairing import PairingReport, as_json, draw, lines, run
from cornered.server.lobby import pool_pairing


@pytest.fixture(scope="module")
def report() -> PairingReport:
    return run()


def test_of_10_000_players_nobody_waits_for_long(report: PairingReport) -> None:
    assert report.games == report.players // 2
    assert report.p95_wait <= 15
    assert report.longest <= 90


def test_games_are_even_and_opponents_change(report: PairingReport) -> None:
    assert report.median_gap <= 75
    assert report.p95_gap <= 250
    assert report.repeats == 0


def test_the_strongest_and_the_weakest_wait_at_most_three_times_as_long_as_all(report: PairingReport) -> None:
    assert len(report.tenths) == 10
    assert max(tenth.p95_wait for tenth in report.tenths) <= 3 * report.p95_wait


def test_a_busier_pool_is_quicker_and_fairer(report: PairingReport) -> None:
    busy = run(3_000, rate=20.0)
    assert busy.p95_wait < report.p95_wait
    assert busy.median_gap < report.median_gap


def test_equal_seeds_give_equal_figures() -> None:
    one, other = (json.loads(as_json(run(500))) for _ in range(2))
    del one["round_ms"], other["round_ms"]
    assert one == other


def test_without_widening_windows_players_are_left_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_pairing, "window", lambda waited: 5.0)
    stiff = run(500)
    assert stiff.longest > 90


def test_the_report_is_text_and_a_plot(report: PairingReport, tmp_path: Path) -> None:
    assert "5,000 games of 10,000 entries" in lines(report)[0]
    draw(report, tmp_path / "pairing.svg")
    assert (tmp_path / "pairing.svg").read_text().lstrip().startswith("<?xml")
