"""The ladder's arithmetic, and that a pair is one opening with seats swapped."""

from __future__ import annotations

import math

import pytest

from bench.ladder import Step, run


def test_elo_and_its_interval_follow_from_the_score() -> None:
    step = Step("trapgrid", "a", "b", wins=60, draws=0, losses=40)
    elo, low, high = step.elo
    assert elo == pytest.approx(70.44, abs=0.01)
    # Wilson's interval of 60 of 100 is 0.502 to 0.691.
    assert low == pytest.approx(400 * math.log10(0.50200 / 0.49800), abs=0.3)
    assert high == pytest.approx(400 * math.log10(0.69060 / 0.30940), abs=0.3)


def test_a_clean_sweep_has_no_finite_elo_but_a_finite_lower_end() -> None:
    elo, low, _ = Step("trapgrid", "a", "b", wins=10, draws=0, losses=0).elo
    assert math.isinf(elo)
    assert 0 < low < 300


def test_each_step_plays_as_many_games_as_asked_for() -> None:
    heard: list[tuple[int, int]] = []
    steps = run("trapgrid", ["random", "greedy"], 4, lambda done, total: heard.append((done, total)))
    assert [(step.lower, step.higher, step.games) for step in steps] == [("random", "greedy", 4)]
    assert heard[-1] == (4, 4)


def test_a_bot_may_stand_on_several_rungs() -> None:
    steps = run("trapgrid", ["random", "greedy", "random", "greedy"], 2)
    assert [(step.lower, step.higher, step.games) for step in steps] == [
        ("random", "greedy", 2),
        ("greedy", "random", 2),
        ("random", "greedy", 2),
    ]


def test_a_bot_of_another_game_is_refused_before_anything_is_played() -> None:
    with pytest.raises(ValueError, match="trapgrid-classic does not play"):
        run("bamboo", ["random", "trapgrid-classic"], 2)
