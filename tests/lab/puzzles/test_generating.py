"""Making puzzles: the same seed gives the same, an interruption loses nothing, and images count as one."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from cornered import engine
from cornered.lab.puzzles.generating import Collection, generate
from cornered.lab.puzzles.puzzle import puzzle_of, solution
from cornered.lab.puzzles.symmetry import standard

GAMES = 60


def made(size: int, seed: int = 1) -> Collection:
    collection = Collection("isolation", seed, size)
    for _ in generate(collection, GAMES):
        pass
    return collection


def test_a_seed_repeats_its_puzzles_and_an_interrupted_run_goes_on_to_the_same_end(tmp_path: Path) -> None:
    path, first = tmp_path / "puzzles.json", made(4).text()
    assert json.loads(first)["puzzles"]
    assert first != made(4, seed=2).text()
    begun = Collection("isolation", 1, 4)
    assert len(list(islice(generate(begun, GAMES), 25))) == 25
    assert begun.puzzles
    begun.write(path)
    resumed = Collection("isolation", 1, 4)
    resumed.resume(path)
    assert resumed.games == 25
    for _ in generate(resumed, GAMES):
        pass
    assert resumed.text() == first


def test_a_run_does_not_go_on_with_another_file(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for content in ('{"game": "isolation", "seed": 2}', '{"game": "isolation", "seed": 1}', "[]", "{"):
        with subtests.test(content=content):
            path = tmp_path / "puzzles.json"
            path.write_text(content)
            with pytest.raises(ValueError):  # noqa: PT011  # JSON's own message, or ours
                Collection("isolation", 1, 4).resume(path)


def test_a_position_with_one_winning_move_is_a_puzzle_and_one_with_two_is_none() -> None:
    # The diamond has no cell left, wherever the disc goes.
    state = engine.load("trapgrid", size=3).parse("1x./x0./x.x 0")
    found = solution(state)
    assert found is not None
    assert len(found.winning) == 2
    assert puzzle_of(state, found) is None

    state = engine.load("trapgrid", size=3).parse("x.1/.0x/xxx 0")
    puzzle = puzzle_of(state, solution(state))
    assert puzzle is not None
    assert (puzzle.line, puzzle.n, puzzle.grade) == (("b3",), 1, 1)


BOARDS = {
    "trapgrid": {"size": 3},
    "isolation": {"width": 3, "height": 2},
    "bamboo": {"radius": 1},
    "quoridor": {"size": 5, "walls": 3},
}


def text(game: str, position: str) -> str:
    """Return the standard text of a position."""
    return standard(engine.load(game, **BOARDS[game]).parse(position))


def test_images_have_one_standard_text(subtests: pytest.Subtests) -> None:
    for game, one, other in (
        ("trapgrid", "0x./.../..1 0", ".x0/.../1.. 0"),
        ("trapgrid", "0x./.../..1 0", "0../x../..1 0"),
        ("trapgrid", "0x./.../..1 0", "1x./.../..0 1"),
        ("isolation", "0x./..1 0", ".x0/1.. 0"),
        ("bamboo", "01/.../.. 0", "../.../10 0"),
        (
            "quoridor",
            "...../..1../...../0..../..... 0 walls=a1h,c3v left=1,3",
            "...../..1../...../....0/..... 0 walls=d1h,b3v left=1,3",
        ),
        (
            "quoridor",
            "...../..1../...../0..../..... 0 walls=a1h,c3v left=1,3",
            "...../1..../...../..0../..... 1 walls=a4h,c2v left=3,1",
        ),
    ):
        with subtests.test(game=game, one=one, other=other):
            assert text(game, one) == text(game, other)


def test_positions_that_differ_have_different_texts(subtests: pytest.Subtests) -> None:
    for game, one, other in (
        ("trapgrid", "0x./.../..1 0", "0x./.../..1 1"),
        ("isolation", "0x./..1 0", "0.x/..1 0"),
        ("bamboo", "01/.../.. 0", "0./..1/.. 0"),
        (
            "quoridor",
            "...../..1../...../0..../..... 0 walls=a1h left=2,3",
            "...../..1../...../0..../..... 0 walls=a1h left=3,2",
        ),
        (
            "quoridor",
            "...../..1../...../0..../..... 0 walls=a1h left=2,3",
            "...../..1../...../0..../..... 0 walls=a1v left=2,3",
        ),
    ):
        with subtests.test(game=game, one=one, other=other):
            assert text(game, one) != text(game, other)
