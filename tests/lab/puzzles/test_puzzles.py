"""The puzzles that ship: legal, won by one move alone at every own turn, against the longest defence."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cornered import clients, engine
from cornered.bots.bot import Limit
from cornered.bots.solve import Solution, solver
from cornered.engine import State
from cornered.lab.puzzles.generating import BOARDS
from cornered.lab.puzzles.grading import depth_to_find
from cornered.lab.puzzles.puzzle import MOST_PLIES, Puzzle
from cornered.lab.puzzles.scene import scene

WEB = Path(clients.__file__).parent / "web"
GAMES = tuple(BOARDS)
LEAST_IN_ALL = 200
LEAST_OF_A_GAME = 30
MOST_RAW_BYTES = 110_000
MOST_BYTES_OVER_THE_WIRE = 14_000


@cache
def shipped(game: str) -> dict[str, Any]:
    file: dict[str, Any] = json.loads((WEB / f"puzzles-{game}.json").read_text(encoding="utf-8"))
    return file


def states(game: str, puzzle: dict[str, Any]) -> Iterator[State]:
    """Yield the positions of a puzzle's line, by the engine from the first one's text."""
    board = shipped(game)["boards"][puzzle["board"]]
    state = engine.load(game, **board["options"]).parse(puzzle["scenes"][0]["position"])
    yield state
    for move in puzzle["line"]:
        state = engine.apply(state, move)
        yield state


def solved(state: State) -> Solution:
    of_game = solver(state.game.name)
    assert of_game is not None
    found = of_game.solve(state, Limit())
    assert found is not None
    return found


def prove(game: str, puzzle: dict[str, Any]) -> None:
    """Assert that a puzzle is what it claims to be; the solver is asked anew at every ply."""
    *played, last = states(game, puzzle)
    plies = len(puzzle["line"])
    assert plies == 2 * puzzle["n"] - 1 <= MOST_PLIES
    assert last.outcome is not None
    assert last.outcome.winner == puzzle["seat"] == played[0].to_move
    for ply, (state, move) in enumerate(zip(played, puzzle["line"], strict=True)):
        found = solved(state)
        assert found.plies == plies - ply, puzzle["id"]
        if ply % 2 == 0:
            assert found.winning == (move,), puzzle["id"]
        else:
            assert found.value == "loss"
            assert move in found.best, puzzle["id"]
    assert depth_to_find(played[0], puzzle["line"][0], plies) == puzzle["grade"]


def test_at_least_two_hundred_ship_of_all_four_games() -> None:
    counts = {game: len(shipped(game)["puzzles"]) for game in GAMES}
    assert sum(counts.values()) >= LEAST_IN_ALL
    assert min(counts.values()) >= LEAST_OF_A_GAME, counts


@pytest.mark.parametrize("game", GAMES)
def test_every_ply_is_legal_and_shown_as_the_engine_has_it(game: str) -> None:
    for puzzle in shipped(game)["puzzles"]:
        for ply, state in enumerate(states(game, puzzle)):
            expected = dict(scene(state))
            if ply % 2 or ply == len(puzzle["line"]):
                expected.pop("moves", None)
            assert puzzle["scenes"][ply] == expected


@pytest.mark.parametrize("game", GAMES)
def test_every_puzzle_has_one_winning_move_at_every_own_turn(game: str) -> None:
    for puzzle in shipped(game)["puzzles"]:
        prove(game, puzzle)


@pytest.mark.parametrize("game", GAMES)
def test_no_puzzle_is_the_image_of_another_and_its_name_is_that_of_its_position(game: str) -> None:
    puzzles = shipped(game)["puzzles"]
    made = [Puzzle(next(states(game, one)), tuple(one["line"]), one["grade"]) for one in puzzles]
    assert [one.id for one in made] == [one["id"] for one in puzzles]
    assert len({one.key for one in made}) == len(made) == len({one.id for one in made})


@pytest.mark.parametrize("game", GAMES)
def test_they_go_from_easy_to_hard_and_are_quick_to_load(game: str) -> None:
    grades = [puzzle["grade"] for puzzle in shipped(game)["puzzles"]]
    assert grades == sorted(grades)
    assert grades[-1] > 3
    raw = (WEB / f"puzzles-{game}.json").read_bytes()
    assert len(raw) < MOST_RAW_BYTES
    assert len(gzip.compress(raw)) < MOST_BYTES_OVER_THE_WIRE
