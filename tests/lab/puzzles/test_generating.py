"""Making puzzles: the same seed gives the same, an interruption loses nothing, and images count as one."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from cornered import engine
from cornered.engine import State
from cornered.lab.puzzles.generating import Collection, generate
from cornered.lab.puzzles.puzzle import puzzle_of, solution
from cornered.lab.puzzles.symmetry import standard

GAMES = 150


def made(size: int, seed: int = 1) -> Collection:
    collection = Collection("isolation", seed, size)
    for _ in generate(collection, GAMES):
        pass
    return collection


def test_a_seed_repeats_its_puzzles() -> None:
    first = made(4).text()
    assert json.loads(first)["puzzles"]
    assert first == made(4).text()
    assert first != made(4, seed=2).text()


def test_an_interrupted_run_goes_on_to_the_same_end(tmp_path: Path) -> None:
    path = tmp_path / "puzzles.json"
    begun = Collection("isolation", 1, 4)
    assert len(list(islice(generate(begun, GAMES), 60))) == 60
    assert begun.puzzles
    begun.write(path)
    resumed = Collection("isolation", 1, 4)
    resumed.resume(path)
    assert resumed.games == 60
    for _ in generate(resumed, GAMES):
        pass
    assert resumed.text() == made(4).text()


@pytest.mark.parametrize("text", ['{"game": "isolation", "seed": 2}', '{"game": "isolation", "seed": 1}', "[]", "{"])
def test_a_run_does_not_go_on_with_another_file(text: str, tmp_path: Path) -> None:
    path = tmp_path / "puzzles.json"
    path.write_text(text)
    with pytest.raises(ValueError):  # noqa: PT011  # JSON's own message, or ours
        Collection("isolation", 1, 4).resume(path)


def test_a_position_with_two_winning_moves_is_no_puzzle() -> None:
    # The diamond has no cell left, wherever the disc goes.
    state = engine.load("trapgrid", size=3).parse("1x./x0./x.x 0")
    found = solution(state)
    assert found is not None
    assert len(found.winning) == 2
    assert puzzle_of(state, found) is None


def test_a_position_with_one_winning_move_is_a_puzzle_of_one_move() -> None:
    state = engine.load("trapgrid", size=3).parse("x.1/.0x/xxx 0")
    puzzle = puzzle_of(state, solution(state))
    assert puzzle is not None
    assert (puzzle.line, puzzle.n, puzzle.grade) == (("b3",), 1, 1)


TRAPGRID = engine.load("trapgrid", size=3)
ISOLATION = engine.load("isolation", width=3, height=2)
BAMBOO = engine.load("bamboo", radius=1)
QUORIDOR = engine.load("quoridor", size=5, walls=3)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TRAPGRID.parse("0x./.../..1 0"), TRAPGRID.parse(".x0/.../1.. 0")),
        (TRAPGRID.parse("0x./.../..1 0"), TRAPGRID.parse("0../x../..1 0")),
        (TRAPGRID.parse("0x./.../..1 0"), TRAPGRID.parse("1x./.../..0 1")),
        (ISOLATION.parse("0x./..1 0"), ISOLATION.parse(".x0/1.. 0")),
        (BAMBOO.parse("01/.../.. 0"), BAMBOO.parse("../.../10 0")),
        (
            QUORIDOR.parse("...../..1../...../0..../..... 0 walls=a1h,c3v left=1,3"),
            QUORIDOR.parse("...../..1../...../....0/..... 0 walls=d1h,b3v left=1,3"),
        ),
        (
            QUORIDOR.parse("...../..1../...../0..../..... 0 walls=a1h,c3v left=1,3"),
            QUORIDOR.parse("...../1..../...../..0../..... 1 walls=a4h,c2v left=3,1"),
        ),
    ],
)
def test_images_have_one_standard_text(one: State, other: State) -> None:
    assert standard(one) == standard(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TRAPGRID.parse("0x./.../..1 0"), TRAPGRID.parse("0x./.../..1 1")),
        (ISOLATION.parse("0x./..1 0"), ISOLATION.parse("0.x/..1 0")),
        (BAMBOO.parse("01/.../.. 0"), BAMBOO.parse("0./..1/.. 0")),
        (
            QUORIDOR.parse("...../..1../...../0..../..... 0 walls=a1h left=2,3"),
            QUORIDOR.parse("...../..1../...../0..../..... 0 walls=a1h left=3,2"),
        ),
        (
            QUORIDOR.parse("...../..1../...../0..../..... 0 walls=a1h left=2,3"),
            QUORIDOR.parse("...../..1../...../0..../..... 0 walls=a1v left=2,3"),
        ),
    ],
)
def test_positions_that_differ_have_different_texts(one: State, other: State) -> None:
    assert standard(one) != standard(other)
