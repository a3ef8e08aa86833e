import json
from random import Random

import pytest

from cornered.contests import glicko
from cornered.lab.contests.arena import play
from cornered.lab.contests.results import Score, Standings
from cornered.lab.contests.standings import as_json, standings
from cornered.lab.contests.terms import ContestTerms, Effort, Fixture, GameEnding, PlayedGame
from cornered.lab.statistics import bradley_terry
from cornered.lab.statistics.wilson import wilson

TERMS = ContestTerms.of("trapgrid", {"size": 4}, seed=5)


def game(
    number: int,
    players: str,
    winner: str | None,
    *,
    round_: int = 0,
    plies: int = 10,
    opening: tuple[str, ...] = (),
    ending: GameEnding = "rules",
    efforts: tuple[Effort, Effort] = (Effort(), Effort()),
    fault: str = "",
) -> PlayedGame:
    """Return a game of two bots of one letter each, the first in seat 0."""
    first, second = tuple(players)
    fixture = Fixture(number, (first, second), opening, number // 2, round_)
    moves = (*opening, *("a1",) * (plies - len(opening)))
    return PlayedGame(fixture, moves, None if winner is None else players.index(winner), ending, efforts, fault)


def line(of: Standings, bot: str) -> int:
    return of.bots.index(bot)


def test_points_pairings_and_seats_count_each_game_once_for_either_side() -> None:
    found = standings(TERMS, [game(0, "AB", "A"), game(1, "BA", None), game(2, "AC", "C")], "ABC")
    scores = {standing.bot: standing.score for standing in found.table}
    assert scores == {"A": Score(1, 1, 1), "B": Score(0, 1, 1), "C": Score(1, 0, 0)}
    assert found.pairings[("A", "B")] == Score(1, 1, 0)
    assert found.pairings[("B", "A")] == Score(0, 1, 1)
    assert ("B", "C") not in found.pairings
    assert found.games == 3
    assert scores["A"].points == 1.5
    assert scores["A"].interval == wilson(1.5, 3)

    found = standings(TERMS, [game(0, "AB", "A"), game(1, "BA", None), game(2, "AB", "A")], "AB")
    assert found.first == Score(2, 1, 0)
    first, second = found.table[line(found, "A")].seats
    assert first == Score(2, 0, 0)
    assert second == Score(0, 1, 0)
    assert found.table[line(found, "B")].seats == (Score(0, 1, 0), Score(0, 0, 2))

    games = [
        *(game(0, "AB", "A"), game(1, "BA", "A"), game(2, "AB", "A"), game(3, "BA", None)),
        *(game(4, "AB", "A"), game(5, "BA", "B"), game(6, "AB", "A")),
    ]
    assert standings(TERMS, games, "BA").pairs == (0, 0, 1, 1, 1)
    assert standings(TERMS, [*games, game(7, "AC", "A")], "ABC").pairs == ()


SWISS = [*(game(0, "AB", "A"), game(1, "CD", "C")), *(game(2, "AC", "A", round_=1), game(3, "BD", None, round_=1))]


def test_equal_points_are_decided_by_buchholz_and_then_sonneborn_berger_unless_the_contest_ranks() -> None:
    found = standings(TERMS, SWISS, "DCBA")
    assert found.order == "points"
    assert found.bots == ("A", "C", "B", "D")
    assert [standing.match_points for standing in found.table] == [2, 1, 0.5, 0.5]
    assert [standing.buchholz for standing in found.table] == [1.5, 2.5, 2.5, 1.5]
    assert [standing.sonneborn_berger for standing in found.table] == [1.5, 0.5, 0.25, 0.25]

    found = standings(TERMS, SWISS, "ABCD", ranking="DBCA")
    assert found.order == "contest"
    assert found.bots == ("D", "B", "C", "A")


def test_a_meeting_is_worth_a_point_in_the_tie_breaks_and_a_bye_is_one_won() -> None:
    games = [game(0, "AB", "A"), game(1, "BA", None), game(2, "CA", "A"), game(3, "AC", "A")]
    found = standings(TERMS, games, "ABC")
    lines = {standing.bot: standing for standing in found.table}
    assert lines["B"].buchholz == 1.75
    assert lines["A"].sonneborn_berger == pytest.approx(0.75 * 0.25)

    games = [game(0, "AB", "A"), game(1, "AC", "A", round_=1)]
    lines = {each.bot: each for each in standings(TERMS, games, "ABC", byes={"C": 1, "B": 1}).table}
    assert (lines["C"].match_points, lines["B"].match_points) == (1, 1)
    assert (lines["C"].byes, lines["C"].buchholz, lines["C"].sonneborn_berger) == (1, 3.0, 1.0)
    assert (lines["A"].byes, lines["A"].buchholz, lines["A"].sonneborn_berger) == (0, 2.0, 2.0)


def test_who_played_more_games_does_not_come_first_for_that() -> None:
    lost_often = [game(number, "AB", "A" if number < 4 else "B") for number in range(12)]
    games = [*lost_often, *(game(number, "BC", "C") for number in range(12, 15))]
    found = standings(TERMS, games, "ABC")
    assert found.order == "rating"
    assert found.bots == ("C", "B", "A")


def test_ratings_are_those_of_bradley_and_terry() -> None:
    games = [game(number, "AB", "A" if number % 4 else "B") for number in range(40)]
    found = standings(TERMS, games, "AB")
    fitted = bradley_terry.fit(("A", "B"), {("A", "B"): (30, 0, 10)})
    assert {each.bot: (each.low, each.elo, each.high) for each in found.table} == {
        bot: (fitted.low[bot], fitted.elo[bot], fitted.high[bot]) for bot in "AB"
    }
    assert found.superiority["A", "B"] == fitted.superiority["A", "B"] > 0.99
    assert found.superiority["A", "B"] + found.superiority["B", "A"] == pytest.approx(1)


def test_each_round_is_a_rating_period_and_who_rests_becomes_less_certain() -> None:
    found = standings(TERMS, [game(0, "AB", "A"), game(1, "BA", "A"), game(2, "CA", None)], "ABC")
    assert found.periods == 1
    rating = found.table[line(found, "A")].glicko
    expected = glicko.update(1500.0, 350.0, 0.06, [(1500.0, 350.0, 1.0), (1500.0, 350.0, 1.0), (1500.0, 350.0, 0.5)])
    assert (rating.rating, rating.deviation, rating.volatility) == pytest.approx(tuple(expected))

    games = [game(0, "AB", "A"), game(1, "CD", "C"), game(2, "AC", "A", round_=1)]
    found = standings(TERMS, games, "ABCD")
    assert found.periods == 2
    before = standings(TERMS, games[:2], "ABCD")
    after = {each.bot: each.glicko for each in found.table}
    first = {each.bot: each.glicko for each in before.table}
    opponent = (first["C"].rating, first["C"].deviation, 1.0)
    assert (after["A"].rating, after["A"].deviation, after["A"].volatility) == pytest.approx(
        tuple(glicko.update(first["A"].rating, first["A"].deviation, first["A"].volatility, [opponent]))
    )
    assert after["B"].rating == first["B"].rating
    assert after["B"].deviation > first["B"].deviation


def test_what_bots_spend_is_added_up_over_their_games() -> None:
    games = [
        game(0, "AB", "A", efforts=(Effort(4, 2.0, 0.9, 400, 12), Effort(3, 0.3, 0.2))),
        game(1, "BA", "A", efforts=(Effort(3, 0.3, 0.1), Effort(6, 3.0, 1.5, 600, 28))),
    ]
    found = standings(TERMS, games, "AB")
    spent = {standing.bot: standing for standing in found.table}
    assert spent["A"].effort == Effort(10, 5.0, 1.5, 1000, 40)
    assert spent["A"].seconds_a_move == 0.5
    assert spent["A"].nodes_a_move == 100
    assert spent["A"].nodes_a_second == 200
    assert spent["A"].mean_depth == 4
    assert spent["B"].effort.slowest == 0.2
    assert spent["B"].nodes_a_move is spent["B"].nodes_a_second is spent["B"].mean_depth is None


def test_openings_lengths_and_endings_are_counted() -> None:
    games = [
        game(0, "AB", "A", plies=9, opening=("b1",)),
        game(1, "AB", "B", plies=12),
        game(2, "BA", None, plies=30, ending="length"),
        game(3, "BA", "B", plies=7),
    ]
    found = standings(TERMS, games, "AB")
    assert [(each.opening, each.score) for each in found.openings] == [((), Score(1, 1, 1)), (("b1",), Score(1, 0, 0))]
    assert found.lengths is not None
    assert (found.lengths.mean, found.lengths.median) == (14.5, 10.5)
    assert (found.lengths.shortest, found.lengths.longest) == (7, 30)
    assert found.endings == {"rules": 3, "length": 1}


def test_a_fault_is_the_losers() -> None:
    games = [
        game(0, "AB", "B", ending="crashed", fault="A: ZeroDivisionError"),
        game(1, "BA", "B", ending="adjudicated"),
        game(2, "BA", "A", ending="time", fault="B took 9.00 s for a move"),
        game(3, "BA", None, ending="crashed", fault="both died"),
        game(4, "AB", "B", ending="illegal", fault="A: e9 is not a move"),
    ]
    found = standings(TERMS, games, "AB")
    assert {standing.bot: standing.faults for standing in found.table} == {"A": 2, "B": 1}
    assert [fault.number for fault in found.faults] == [0, 2, 3, 4]
    assert [fault.ending for fault in found.faults] == ["crashed", "time", "crashed", "illegal"]


def test_games_of_a_bot_against_itself_or_none_tell_nothing_of_strength_and_those_of_others_are_refused() -> None:
    found = standings(TERMS, [game(0, "AA", None), PlayedGame(Fixture(1, ("A", "A")), ("a1",), 0, "rules")], "AA")
    assert found.bots == ("A",)
    assert found.first == Score(1, 1, 0)
    assert found.table[0].score == Score()
    assert found.table[0].elo == pytest.approx(0)
    assert not found.superiority

    found = standings(TERMS, [], "AB")
    assert found.bots == ("A", "B")
    assert found.lengths is None
    assert found.superiority == {}
    json.dumps(as_json(found), allow_nan=False)

    with pytest.raises(ValueError, match="C is not in this contest; its bots are A, B"):
        standings(TERMS, [game(0, "AC", "A")], "AB")
    with pytest.raises(ValueError, match="X is not in this contest"):
        standings(TERMS, [], "AB", ranking="XA")


def test_the_order_of_games_within_a_round_changes_nothing() -> None:
    games = [play(TERMS, Fixture(number, pair)) for number, pair in enumerate([("greedy", "random")] * 6)]
    games += [play(TERMS, Fixture(6 + number, ("random", "minimax:depth=2"))) for number in range(6)]
    bots = ("greedy", "random", "minimax:depth=2")
    shuffled = Random(1).sample(games, len(games))
    one, other = standings(TERMS, games, bots), standings(TERMS, shuffled, bots)
    assert one.bots == other.bots
    assert one.pairings == other.pairings
    assert one.superiority == other.superiority
    assert [each.glicko.rating for each in one.table] == pytest.approx([each.glicko.rating for each in other.table])


def test_json_tells_everything_with_intervals() -> None:
    found = standings(TERMS, SWISS, "ABCD")
    told = json.loads(json.dumps(as_json(found), allow_nan=False))
    assert told["terms"]["game"] == "trapgrid"
    assert told["games"] == 4
    best = told["bots"][0]
    assert (best["bot"], best["place"], best["score"]["points"]) == ("A", 1, 2)
    assert [best["score"]["low"], best["score"]["high"]] == list(wilson(2, 2))
    assert best["bradley_terry"]["elo"] == found.table[0].elo
    assert best["glicko"]["rating"] == found.table[0].glicko.rating
    assert {(each["bot"], each["opponent"]) for each in told["pairings"]} == set(found.pairings)
    assert len(told["superiority"]) == 12
    assert told["first_seat"]["wins"] == 3
    assert told["endings"] == {"rules": 4}
    assert told["glicko_periods"] == 2
