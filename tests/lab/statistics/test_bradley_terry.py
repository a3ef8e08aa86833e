"""Ratings from all games: a published table, symmetry, clean sweeps, and players who never met."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cornered.lab.statistics.bradley_terry import PlacedGame, fit, fit_places
from cornered.lab.statistics.elo import elo

# American League, 1987 (Agresti, Categorical Data Analysis, table 10.10): wins of the row against the column.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
LEAGUE = {(TEAMS[i], TEAMS[j]): (WINS[i][j], 0, WINS[j][i]) for i, j in combinations(range(7), 2)}
# Agresti's estimates and standard errors, relative to Baltimore.
ABILITIES = {
    "Milwaukee": (1.5814, 0.3433),
    "Detroit": (1.4364, 0.3396),
    "Toronto": (1.2945, 0.3367),
    "New York": (1.2476, 0.3359),
    "Boston": (1.1077, 0.3339),
    "Cleveland": (0.6839, 0.3319),
}


def test_the_baseball_league_comes_out_as_published_and_the_imagined_draw_changes_little() -> None:
    ratings = fit(TEAMS, LEAGUE, prior=1e-9)
    for team, (ability, error) in ABILITIES.items():
        above = ratings.elo[team] - ratings.elo["Baltimore"]
        assert above * math.log(10) / 400 == pytest.approx(ability, abs=6e-5)
        deviations = NormalDist().inv_cdf(ratings.superiority[team, "Baltimore"])
        assert deviations == pytest.approx(ability / error, abs=2e-3)

    with_it, without = fit(TEAMS, LEAGUE), fit(TEAMS, LEAGUE, prior=1e-9)
    for team in TEAMS:
        assert with_it.elo[team] == pytest.approx(without.elo[team], rel=0.03)


def test_two_players_differ_as_by_the_logistic_curve() -> None:
    ratings = fit(["a", "b"], {("a", "b"): (600, 200, 200)})
    assert ratings.elo["a"] - ratings.elo["b"] == pytest.approx(elo(0.7), rel=0.01)
    # The difference's error is 400 / ln 10 / sqrt(1000 * 0.7 * 0.3), and each rating is half of the difference.
    error = 400 / math.log(10) / math.sqrt(210)
    assert ratings.high["a"] - ratings.low["a"] == pytest.approx(1.96 * error, rel=0.01)


def test_a_clean_sweep_is_finite_and_who_has_not_played_in_the_middle() -> None:
    ratings = fit(["a", "b"], {("a", "b"): (10, 0, 0)})
    assert 300 < ratings.elo["a"] - ratings.elo["b"] < 800
    assert ratings.superiority["a", "b"] > 0.95
    longer = fit(["a", "b"], {("a", "b"): (100_000, 0, 0)})
    assert math.isfinite(longer.elo["a"])
    assert longer.elo["a"] > ratings.elo["a"]

    ratings = fit(["a", "b", "stranger"], {("a", "b"): (300, 0, 100)})
    assert ratings.elo["stranger"] == pytest.approx(0, abs=1e-6)
    assert ratings.high["stranger"] - ratings.low["stranger"] > 1000
    assert ratings.superiority["a", "stranger"] < 0.7

    assert fit(["a"], {}).elo == {"a": 0}
    assert fit([], {}).elo == {}


def test_a_result_may_be_told_from_either_side_and_in_parts() -> None:
    whole = fit(["a", "b"], {("a", "b"): (5, 2, 1)})
    parts = fit(["b", "a"], {("a", "b"): (2, 1, 0), ("b", "a"): (1, 1, 3)})
    assert parts.elo == pytest.approx(whole.elo)
    assert parts.high == pytest.approx(whole.high)


@given(st.lists(st.tuples(*[st.integers(0, 50)] * 3), min_size=6, max_size=6))
def test_the_ratings_are_the_likeliest_and_balance(scores: list[tuple[int, int, int]]) -> None:
    names = ["a", "b", "c", "d"]
    results = dict(zip(combinations(names, 2), scores, strict=True))
    ratings = fit(names, results)
    assert sum(ratings.elo.values()) == pytest.approx(0, abs=1e-6)
    swapped = fit(names, {pair: score[::-1] for pair, score in results.items()})
    for name in names:
        assert swapped.elo[name] == pytest.approx(-ratings.elo[name], abs=1e-5)
        assert ratings.low[name] < ratings.elo[name] < ratings.high[name]
    for one, other in combinations(names, 2):
        assert ratings.superiority[one, other] + ratings.superiority[other, one] == pytest.approx(1)
        assert (ratings.superiority[one, other] >= 0.5) is (ratings.elo[one] >= ratings.elo[other])
    more = fit(names, {**results, ("a", "b"): (results["a", "b"][0] + 1, *results["a", "b"][1:])})
    assert more.elo["a"] - more.elo["b"] > ratings.elo["a"] - ratings.elo["b"]


def test_results_without_a_player_are_refused() -> None:
    with pytest.raises(ValueError, match="a against c"):
        fit(["a", "b"], {("a", "c"): (1, 0, 0)})
    with pytest.raises(ValueError, match="a against a"):
        fit(["a", "b"], {("a", "a"): (1, 0, 0)})
    with pytest.raises(ValueError, match="the same name"):
        fit(["a", "a"], {})


def test_places_of_two_players_are_rated_as_wins() -> None:
    games = [PlacedGame((pair, number), pair, (1, 2)) for pair, (won, _, _) in LEAGUE.items() for number in range(won)]
    games += [
        PlacedGame((pair, -number), pair, (2, 1)) for pair, (_, _, lost) in LEAGUE.items() for number in range(lost)
    ]
    placed, effect = fit_places(TEAMS, games)
    assert placed.elo == pytest.approx(fit(TEAMS, LEAGUE).elo)
    assert 1 <= effect < 1.2


def test_games_that_repeat_each_other_narrow_no_interval() -> None:
    chance = Random(4)
    orders = [chance.sample("abc", 3) for _ in range(60)]
    once = [PlacedGame(number, order, (1, 2, 3)) for number, order in enumerate(orders)]
    four_times = [PlacedGame(number, order, (1, 2, 3)) for number, order in enumerate(orders) for _ in range(4)]
    (one, _), (four, effect) = fit_places("abc", once), fit_places("abc", four_times)
    assert effect > 3
    for name in "abc":
        assert four.high[name] - four.low[name] > 0.9 * (one.high[name] - one.low[name])


def test_intervals_of_places_hold_the_truth_as_often_as_they_say() -> None:
    # Players of equal strength: every order of four is equally likely, and the truth is 0 for all.
    chance, held, told = Random(1), 0, 0
    for _ in range(150):
        games = [PlacedGame(number, chance.sample("abcd", 4), (1, 2, 3, 4)) for number in range(40)]
        ratings, _ = fit_places("abcd", games, prior=1e-6)
        held += sum(ratings.low[name] <= 0 <= ratings.high[name] for name in "abcd")
        told += 4
    assert 0.92 <= held / told <= 0.99


def test_of_one_cluster_nothing_is_known_but_that_it_is_one() -> None:
    games = [PlacedGame(0, "abc", (1, 2, 3))] * 5
    assert fit_places("abc", games)[1] == 5
