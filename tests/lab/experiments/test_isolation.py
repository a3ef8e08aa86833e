"""The Isolation tutorial's heuristics in a round robin."""

from __future__ import annotations

from pathlib import Path

import pytest

from cornered.lab.contests.terms import Fixture, PlayedGame
from cornered.lab.experiments.isolation_heuristics import CLAIMS_BY_HEURISTIC, EXPERIMENTS, bot_name, strengths
from tests.lab.experiments.inline import check, found


def test_heuristics(tmp_path: Path) -> None:
    by = check(EXPERIMENTS[0], tmp_path)
    for size in (3, 5):
        rows = [by[f"{size}x{size}, {heuristic}"] for heuristic in CLAIMS_BY_HEURISTIC]
        assert sum(row.ours for row in rows) == pytest.approx(50 * len(rows))
        assert len({row.count for row in rows}) == 1


def test_what_one_scores_the_other_does_not(tmp_path: Path) -> None:
    table = found(EXPERIMENTS[0], tmp_path).series["tables"]["3"]
    for one in CLAIMS_BY_HEURISTIC:
        for other in CLAIMS_BY_HEURISTIC:
            if one != other:
                assert table[one][other] + table[other][one] == pytest.approx(100)


def test_strength_is_relative_to_the_mean_of_all() -> None:
    games: list[PlayedGame] = []
    order = list(CLAIMS_BY_HEURISTIC)
    for one in order:
        for other in order:
            if one != other:
                # Of the three games of two heuristics, the one that is first in the list wins two.
                winner = 0 if order.index(one) < order.index(other) else 1
                fixture = Fixture(len(games), (bot_name(one), bot_name(other)))
                games += [PlayedGame(fixture, (), seat, "rules") for seat in (winner, winner, 1 - winner)]
    elos = strengths(games)
    assert sum(elos.values()) == pytest.approx(0, abs=1e-6)
    assert sorted(elos, key=lambda heuristic: -elos[heuristic]) == order
