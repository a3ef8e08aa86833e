"""Finished work is not repeated, and a failure is not a figure."""

from __future__ import annotations

from pathlib import Path

import pytest

from cornered.bots.roster.random import BOT as RANDOM
from cornered.engine.progress import Progress, no_report
from cornered.lab.contests.terms import ContestTerms, Fixture, PlayedGame
from cornered.lab.experiments.laboratory import Laboratory, tally_of
from cornered.lab.statistics.tally import Tally
from tests.lab.inline import Inline

TERMS = ContestTerms.of("trapgrid", {"size": 3})
calls: list[int] = []


def square(number: int) -> int:
    calls.append(number)
    if number < 0:
        raise ValueError("no roots below zero")
    return number * number


@pytest.fixture
def lab(tmp_path: Path) -> Laboratory:
    calls.clear()
    return Laboratory(Inline(), tmp_path, "tiny", 1, no_report)


def test_measured_results_come_in_the_order_of_the_items_and_once(lab: Laboratory) -> None:
    assert lab.measure("squares", square, [3, 1, 2]) == [9, 1, 4]
    assert lab.measure("squares", square, [3, 1, 2]) == [9, 1, 4]
    assert sorted(calls) == [1, 2, 3]
    assert lab.counts == {"squares": 3}


def test_what_was_finished_before_a_failure_is_not_measured_again(lab: Laboratory) -> None:
    items = [1, 2, -3, 4]
    with pytest.raises(ValueError, match="no roots"):
        lab.measure("squares", square, items)
    path = lab.folder / "squares.jsonl"
    kept = path.read_bytes().splitlines()[1:]
    path.write_bytes(path.read_bytes() + b"[3, 1")  # as after a kill within a line
    calls.clear()
    with pytest.raises(ValueError, match="no roots"):
        lab.measure("squares", square, items)
    assert len(kept) == 2
    assert not {1, 2} & set(calls)


def test_a_folder_of_other_work_and_a_bot_of_another_game_are_refused(lab: Laboratory) -> None:
    lab.measure("squares", square, [1])
    with pytest.raises(ValueError, match="results of other work"):
        lab.measure("squares", square, [2])
    with pytest.raises(ValueError, match="bamboo-outer does not play"):
        lab.meet("games", TERMS, [("random", "random", 2), ("bamboo-outer", "random", 2)])
    assert not (lab.folder / "games").exists()


def test_two_bots_meet_with_either_in_seat_0_in_half_of_the_games(lab: Laboratory) -> None:
    there = lab.meet("there", TERMS, [("minimax", "random", 6), ("random", "random", 4)])
    seats = [played.fixture.players.index("minimax") for played in there[0].games]
    assert seats == [0, 1] * 3
    assert [len(meeting.games) for meeting in there] == [6, 4]
    assert [played.fixture.pair for played in there[0].games] == [0, 0, 1, 1, 2, 2]
    assert [played.fixture.number for played in there[1].games] == [2, 3, 6, 7]
    assert there[0].wins == sum(played.score_of("minimax") for played in there[0].games)
    assert [effort.moves for effort in there[0].efforts] == [
        played.efforts[seat].moves for seat, played in zip(seats, there[0].games, strict=True)
    ]
    assert there[1].wins == sum(played.score(number % 2) for number, played in enumerate(there[1].games))


def test_games_that_were_played_are_not_played_again(lab: Laboratory) -> None:
    (first,) = lab.meet("games", TERMS, [("random", "random", 4)])
    lines = (lab.folder / "games" / "games.jsonl").read_bytes()
    (again,) = lab.meet("games", TERMS, [("random", "random", 4)])
    assert [(played.moves, played.winner) for played in again.games] == [
        (played.moves, played.winner) for played in first.games
    ]
    assert (lab.folder / "games" / "games.jsonl").read_bytes() == lines


def test_a_bot_that_fails_is_no_figure(lab: Laboratory, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("out of ideas")

    monkeypatch.setattr(RANDOM, "choose", fail)
    with pytest.raises(
        RuntimeError, match=r"game 0 of games: random: test_laboratory\.py, line \d+: RuntimeError: out of ideas"
    ):
        lab.play("games", TERMS, [Fixture(0, ("random", "minimax"))])


def test_progress_is_told_step_by_step(tmp_path: Path) -> None:
    told: list[Progress] = []
    lab = Laboratory(Inline(), tmp_path, "tiny", 1, told.append)
    lab.measure("squares", square, [1, 2])
    assert told == [Progress("squares", 1, 2), Progress("squares", 2, 2)]


def played(number: int, opening: tuple[str, ...], moves: tuple[str, ...], winner: int | None = 0) -> PlayedGame:
    return PlayedGame(Fixture(number, ("a", "b"), opening), moves, winner, "rules")


def test_repeated_games_count_once_and_games_with_chance_by_their_openings() -> None:
    # The same game ten times after one opening, and a different one after the other.
    games = [played(number, ("x",), ("x", "y")) for number in range(10)]
    games += [played(number, ("z",), ("z", "y"), winner=1) for number in range(10, 12)]
    tally = tally_of(games, [game.score(0) for game in games])
    assert (tally.share, tally.trials, tally.effective) == (0.5, 12, 2.0)

    games = [played(number, ("x",), ("x", str(number))) for number in range(10)]
    games += [played(number, ("z",), ("z", str(number)), winner=1) for number in range(10, 20)]
    tally = tally_of(games, [game.score(0) for game in games])
    assert tally.trials == 20
    assert tally.effective == pytest.approx(2)

    games = [played(number, (), (str(number),), winner=number % 2) for number in range(10)]
    assert tally_of(games, [game.score(0) for game in games]) == Tally(5, 10, 10.0)


def test_deterministic_players_without_an_opening_have_two_games(lab: Laboratory) -> None:
    terms = ContestTerms.of("quoridor", {"size": 3})
    (meeting,) = lab.meet("one", terms, [("quoridor-classic:depth=1", "quoridor-classic:depth=2", 10)])
    assert len({game.moves for game in meeting.games}) == 2
    assert meeting.tally.trials == 10
    assert meeting.tally.effective <= 2
