"""Openings: enough distinct ones, determined by the seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cornered import engine
from cornered.lab.contests.openings import MIN_OPENINGS, from_file, plies_for, random_plies
from cornered.lab.contests.terms import ContestTerms


@pytest.mark.parametrize(
    ("game", "options"),
    [("trapgrid", {}), ("isolation", {"dice": True}), ("bamboo", {"radius": 1}), ("quoridor", {"size": 3})],
)
def test_random_openings_are_legal_and_end_no_game(game: str, options: dict[str, Any]) -> None:
    terms = ContestTerms.of(game, options, seed=2)
    opening = random_plies(terms)
    found = set()
    for pair in range(60):
        state = terms.load().start()
        for move in opening(pair):
            state = engine.apply(state, move)
        assert state.outcome is None
        assert state.to_move >= 0
        assert opening(pair) == opening(pair)
        found.add(opening(pair))
    assert len(found) > 20
    assert opening(0) != random_plies(ContestTerms.of(game, options, seed=3))(0) or len(opening(0)) < 2


def test_there_are_enough_openings_and_a_number_of_plies_may_be_asked_for() -> None:
    game = engine.load("trapgrid")
    plies = plies_for(game)
    assert engine.perft(game.start(), plies) >= MIN_OPENINGS > engine.perft(game.start(), plies - 1)
    terms = ContestTerms.of("bamboo")
    assert len(random_plies(terms, 5)(1)) == 5
    assert random_plies(terms, 0)(1) == ()
    with pytest.raises(ValueError, match="take fewer"):
        random_plies(ContestTerms.of("bamboo", {"radius": 1}), 7)(0)


def test_a_file_has_an_opening_a_line_and_a_bad_one_is_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    path = tmp_path / "openings.txt"
    path.write_text("# my favourites\na6 g2\n\nb7   f1 c7\n")
    opening = from_file(path, ContestTerms.of("trapgrid"))
    assert [opening(pair) for pair in range(3)] == [("a6", "g2"), ("b7", "f1", "c7"), ("a6", "g2")]

    for text, reason in (
        ("a6 g2\na6 a6\n", ":2: "),
        ("", "no openings"),
        ("# nothing\n", "no openings"),
        ("c3\n", ":1: "),
    ):
        with subtests.test(text=text, reason=reason):
            path = tmp_path / "openings.txt"
            path.write_text(text)
            with pytest.raises(ValueError, match=reason):
                from_file(path, ContestTerms.of("trapgrid"))

    path = tmp_path / "openings.txt"
    terms = ContestTerms.of("trapgrid", {"size": 3})
    state, moves = terms.load().start(), list[str]()
    while state.outcome is None:
        moves.append(state.moves()[0])
        state = state.play(moves[-1])
    path.write_text(" ".join(moves))
    with pytest.raises(ValueError, match="game is over"):
        from_file(path, terms)
