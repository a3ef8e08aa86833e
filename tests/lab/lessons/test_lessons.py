"""The lessons and pictures that ship are what the engine makes of their source, and their claims are proven."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from cornered import clients, engine
from cornered.bots.bot import Limit
from cornered.bots.solve import solver
from cornered.lab.lessons.answers import legal, wins
from cornered.lab.lessons.collection import LESSONS, lessons_text
from cornered.lab.lessons.lesson import Lesson, Step
from cornered.lab.lessons.pictures import PICTURES, rules_text

WEB = Path(clients.__file__).parent / "web"
GAMES = {game.name for game in engine.games()}
MOST_BYTES_OVER_THE_WIRE = 12_000


def values(game: str, position: str, **options: Any) -> dict[str, str]:
    """Return the proven value of each move of a position."""
    of_game = solver(game)
    assert of_game is not None
    board = engine.load(game, **options)
    found = of_game.solve(board.parse(position) if position else board.start(), Limit())
    assert found is not None
    return dict(found.moves)


def lesson(title: str) -> Lesson:
    return next(one for lessons in LESSONS.values() for one in lessons if one.title == title)


def test_the_shipped_lessons_and_pictures_are_those_of_the_source() -> None:
    assert (WEB / "lessons.json").read_text(encoding="utf-8") == lessons_text(), "write them by `cornered lessons`"
    assert (WEB / "rules.json").read_text(encoding="utf-8") == rules_text(), "write them by `cornered lessons`"


def test_each_game_has_six_to_ten_lessons_of_different_titles_and_three_or_four_pictures() -> None:
    assert LESSONS.keys() == PICTURES.keys() <= GAMES
    assert all(6 <= len(lessons) <= 10 for lessons in LESSONS.values())
    assert all(3 <= len(pictures) <= 4 for pictures in PICTURES.values())
    titles = [(game, one.title) for game, lessons in LESSONS.items() for one in lessons]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", ["lessons.json", "rules.json"])
def test_they_are_quick_to_load(name: str) -> None:
    assert len(gzip.compress((WEB / name).read_bytes())) < MOST_BYTES_OVER_THE_WIRE


def made(answers: Any, **words: Any) -> dict[str, Any]:
    step = Step("Which?", answers, "Yes.", "No.", **words)
    return dict(Lesson("trapgrid", "One", {"size": 3}, (step,), "x.1/.0x/xxx 0").data())


def test_sentences_that_do_not_suit_the_answers_are_refused() -> None:
    assert list(made(wins, is_only=True)["steps"][0]["after"]) == ["b3"]
    with pytest.raises(ValueError, match="speaks of one answer"):
        made(legal, is_only=True)
    assert made(wins, because={"a2": "Why not."})["steps"][0]["because"] == {"a2": "Why not."}
    with pytest.raises(ValueError, match="no wrong moves"):
        made(wins, because={"b3": "But it wins."})
    with pytest.raises(ValueError, match="no answers"):
        made(lambda state: [])


# What the sentences claim beside the answers.


def test_what_the_lessons_of_trapgrid_and_isolation_claim_is_proven() -> None:
    one = lesson("Steps count, not cells")
    assert values("trapgrid", one.position) == {"c4": "loss", "e4": "win"}
    found = values("isolation", "", width=3, height=3)
    assert [move for move, value in found.items() if value == "win"] == ["b2"]
    one = lesson("Take moves away")
    found = values("isolation", one.position, **one.options)
    assert [move for move, value in found.items() if value == "win"] == ["c5"]
    assert list(one.data()["steps"][0]["after"]) == ["c5"]


def test_the_winning_replies_on_the_rim_are_the_free_corners_and_no_first_move_wins() -> None:
    one = lesson("The rim is safe")
    found = values("bamboo", one.position, **one.options)
    assert {move for move, value in found.items() if value == "win"} == {"a1", "a3", "c1", "c5", "e3"}
    assert set(values("bamboo", "", radius=2).values()) == {"loss"}


def test_joining_groups_is_refused_for_both_reasons() -> None:
    shown = lesson("Joining costs groups").data()["steps"][0]["scene"]
    reasons = shown["refused"]
    assert "you would have only 4 groups" in reasons["f1"]
    assert "leave you only 3 groups" in reasons["d2"]
    assert shown["gauges"][0] == "4 groups, the largest of 4"


def test_without_the_wall_the_disc_is_home_first() -> None:
    one = lesson("The wall that decides")
    found = values("quoridor", one.position, **one.options)
    assert [move for move, value in found.items() if value == "win"] == ["c4h"]
    state = engine.load("quoridor", **one.options).parse(one.position)
    after = engine.apply(state.play("c2"), "c5").outcome
    assert after is not None
    assert after.winner == 0
