"""The ladder's steps: who meets whom, how often, and what is said of it."""

from __future__ import annotations

import math

import pytest

from cornered.bench.ladder import Step, as_json, lines, run
from cornered.engine.progress import Progress
from cornered.lab.contests.match import MatchTally

SWEPT = Step("trapgrid", "a", "b", MatchTally(wins=10, pairs=(0, 0, 0, 0, 5)))


def test_the_interval_is_that_of_the_pairs() -> None:
    # The same 60 of 100 points, from pairs that are all but even and from pairs that are won or lost as a whole.
    even = Step("trapgrid", "a", "b", MatchTally(60, 0, 40, (0, 0, 40, 0, 10)))
    torn = Step("trapgrid", "a", "b", MatchTally(60, 0, 40, (20, 0, 0, 0, 30)))
    for step in (even, torn):
        assert step.elo[0] == pytest.approx(70.44, abs=0.01)
    assert torn.elo[1] < 0 < even.elo[1]
    assert even.elo[2] < torn.elo[2]


def test_a_clean_sweep_has_no_finite_elo_but_a_finite_lower_end() -> None:
    elo, low, _ = SWEPT.elo
    assert math.isinf(elo)
    assert 0 < low < 300
    assert as_json([SWEPT])[0]["elo"] == [None, round(low, 1), None]
    assert "10     0     0 100.0%" in list(lines([SWEPT]))[1]


def test_each_step_plays_as_many_games_as_asked_for() -> None:
    heard: list[Progress] = []
    bots = ["random", "greedy", "random", "greedy"]
    steps = run("trapgrid", bots, 3, heard.append, workers=1)
    assert [(step.lower, step.higher, step.tally.games, sum(step.tally.pairs)) for step in steps] == [
        ("random", "greedy", 4, 2),
        ("greedy", "random", 4, 2),
        ("random", "greedy", 4, 2),
    ]
    assert heard == [Progress("trapgrid, 3 steps", done, 12) for done in range(1, 13)]
    # The same games, seen from the other side.
    assert steps[0] == steps[2]


def test_a_bot_of_another_game_is_refused_before_anything_is_played() -> None:
    with pytest.raises(ValueError, match="trapgrid-classic does not play"):
        run("bamboo", ["random", "trapgrid-classic"], 2)
