"""Lists of matches: who meets whom on which terms, how often, and what is said of it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from cornered.bench.duels import Duel, DuelResult, as_json, lines, play
from cornered.bench.ladder import steps
from cornered.engine.progress import Progress
from cornered.lab.contests.match import MatchTally
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.statistics.sprt import Sprt

DUEL = Duel("a", "b", ContestTerms.of("trapgrid", time=50))
SWEPT = DuelResult(DUEL, MatchTally(wins=10, pairs=(0, 0, 0, 0, 5)), (80, 90), (3, 0))


def test_the_interval_is_that_of_the_pairs() -> None:
    # The same 60 of 100 points, from pairs that are all but even and from pairs that are won or lost as a whole.
    even = DuelResult(DUEL, MatchTally(60, 0, 40, (0, 0, 40, 0, 10)))
    torn = DuelResult(DUEL, MatchTally(60, 0, 40, (20, 0, 0, 0, 30)))
    for result in (even, torn):
        assert result.elo[0] == pytest.approx(70.44, abs=0.01)
    assert torn.elo[1] < 0 < even.elo[1]
    assert even.elo[2] < torn.elo[2]


def test_a_clean_sweep_has_no_finite_elo_but_a_finite_lower_end() -> None:
    elo, low, _ = SWEPT.elo
    assert math.isinf(elo)
    assert 0 < low < 300
    assert as_json([SWEPT])[0]["elo"] == [None, round(low, 1), None]
    assert "10     0     0 100.0%" in list(lines([SWEPT]))[1]


def test_the_table_names_the_time_and_the_moves_over_it() -> None:
    header, row = lines([SWEPT])
    assert header.split() == ["game", "time", "first", "second", "+", "=", "-", "score", "Elo", "95%", "over"]
    assert row.startswith("trapgrid   0.05 s a ")
    assert row.endswith("3/80 0/90")
    assert header.index("over") == row.index("3/80")
    (values,) = as_json([SWEPT])
    assert (values["time"], values["moves"], values["overruns"]) == (50, [80, 90], [3, 0])


def test_each_step_of_a_ladder_plays_as_many_games_as_asked_for() -> None:
    heard: list[Progress] = []
    duels = steps("trapgrid", ["random", "greedy", "random", "greedy"])
    assert [(duel.first, duel.second) for duel in duels] == [
        ("greedy", "random"),
        ("random", "greedy"),
        ("greedy", "random"),
    ]
    results = play(duels, 3, heard.append, workers=1)
    assert [(each.tally.games, sum(each.tally.pairs)) for each in results] == [(4, 2)] * 3
    assert heard == [Progress("3 matches", done, 12) for done in range(1, 13)]
    # The same games again, and the moves of each bot whatever its seat.
    assert replace(results[0], overruns=(0, 0)) == replace(results[2], overruns=(0, 0))
    assert all(10 < count < 80 for count in results[0].moves)


def test_a_sequential_test_ends_a_match_before_its_games_are_played() -> None:
    heard: list[Progress] = []
    terms = ContestTerms.of("isolation", {"width": 4, "height": 4}, nodes=200)
    test = Sprt(0.0, 200.0)
    duels = [Duel("champion", "random", terms), Duel("random", "random", terms)]
    first, second = play(duels, 400, heard.append, test=test, workers=1)
    assert first.tally.games < 400
    assert test.verdict(first.tally.pairs) == "H1"
    assert test.verdict(second.tally.pairs) == "H0"
    # A match that is decided counts as played.
    assert heard[-1] == Progress("2 matches", 800, 800)


def test_a_ladder_of_one_bot_is_refused() -> None:
    with pytest.raises(ValueError, match="two bots or more"):
        steps("trapgrid", ["random"])


def test_a_bot_of_another_game_is_refused_before_anything_is_played() -> None:
    with pytest.raises(ValueError, match="trapgrid-classic does not play"):
        play(steps("bamboo", ["random", "trapgrid-classic"]), 2)
