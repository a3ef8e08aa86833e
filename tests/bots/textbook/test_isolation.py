"""The tutorial's Isolation players: their heuristics by hand, and what they play."""

from __future__ import annotations

import random

import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.roster import create, kind, names
from cornered.bots.textbook.isolation import HEURISTICS_BY_NAME, IsolationMinimaxBot, evaluation, mobilities, progress
from cornered.engine import State
from tests.bots.scenes import isolation, random_game

NAMES = [name for name in names() if name.startswith("isolation-")]


def test_a_heuristic_scores_as_printed() -> None:
    expected: dict[tuple[str, int, int, float], float] = {
        ("simple", 5, 3, 0.2): 5,
        ("simple", 0, 9, 0.9): 0,
        # The tutorial's table of two moves, A and B.
        ("defensive", 5, 3, 0.2): 7,
        ("defensive", 5, 2, 0.9): 8,
        ("offensive", 5, 3, 0.2): -1,
        ("offensive", 5, 2, 0.9): 1,
        ("defensive-to-offensive", 5, 3, 0.5): 7,
        ("defensive-to-offensive", 5, 3, 0.51): -1,
        ("offensive-to-defensive", 5, 3, 0.5): -1,
        ("offensive-to-defensive", 5, 3, 0.51): 7,
        ("mobility-difference", 5, 3, 0.5): 2,
    }
    assert {(name, *rest): HEURISTICS_BY_NAME[name](*rest) for name, *rest in expected} == expected  # type: ignore[arg-type]


def test_each_heuristic_is_a_bot_and_each_bot_a_heuristic() -> None:
    classes = [kind(name) for name in NAMES]
    assert all(issubclass(found, IsolationMinimaxBot) for found in classes)
    assert [f"isolation-{found.heuristic}" for found in classes if issubclass(found, IsolationMinimaxBot)] == NAMES
    assert sorted(f"isolation-{name}" for name in HEURISTICS_BY_NAME) == NAMES


def test_mobilities_are_counted_for_the_seat_that_is_asked_about() -> None:
    state = isolation("0.x./..x./xxxx/1..x 0")
    # a3, b3, b4 against b1 and c1.
    assert mobilities(state, 0) == (3, 2)
    assert mobilities(state, 1) == (2, 3)
    assert evaluation(HEURISTICS_BY_NAME["defensive"], 0.0)(state, 0) == 4
    assert evaluation(HEURISTICS_BY_NAME["offensive"], 0.0)(state, 1) == -4


def test_of_several_opponents_the_most_mobile_counts_and_who_is_out_does_not() -> None:
    state = isolation("0.x2/..xx/xxxx/1..x 0 out=2", players=3)
    assert mobilities(state, 0) == (3, 2)
    assert mobilities(state, 1) == (2, 3)
    assert evaluation(HEURISTICS_BY_NAME["simple"], 0.0)(state, 2) < -100


def test_progress_is_the_part_of_the_board_that_was_stood_on() -> None:
    states = random_game(engine.load("isolation", width=4, height=4), 1, 5)
    assert [progress(state) for state in states] == [plies / 16 for plies in range(5)]


def test_strategies_that_change_do_so_when_half_of_the_board_is_used() -> None:
    early, late = "0.../..../..xx/1... 0", "0.x./x.x./xxxx/1..x 0"
    for text, like in ((early, "defensive"), (late, "offensive")):
        state = isolation(text)
        told = create("isolation-defensive-to-offensive:depth=1", 1).choose(state, Limit())
        assert told.score == create(f"isolation-{like}:depth=1", 1).choose(state, Limit()).score
        told = create("isolation-offensive-to-defensive:depth=1", 1).choose(state, Limit())
        opposite = "offensive" if like == "defensive" else "defensive"
        assert told.score == create(f"isolation-{opposite}:depth=1", 1).choose(state, Limit()).score


@pytest.mark.parametrize("name", NAMES)
def test_it_looks_as_far_as_its_depth_and_never_beyond_the_limit_and_takes_a_win(name: str) -> None:
    state = engine.load("isolation", width=5, height=5).start().play("c3").play("a1")
    assert create(f"{name}:depth=2").choose(state, Limit()).depth == 2
    assert create(name).choose(state, Limit(depth=1)).depth == 1
    assert create(name).choose(state, Limit(nodes=50)).nodes <= 50
    # A finished game outweighs every heuristic: b4 leaves the other no reply; everything else leaves some.
    state = isolation("0.x1/x..x/xxxx/xxxx 0")
    winning = [move for move in state.moves() if state.play(move).outcome is not None]
    for seed in range(5):
        thought = create(name, seed).choose(state, Limit())
        assert thought.proven is not None
        assert not winning or thought.move in winning


@pytest.mark.parametrize("name", NAMES)
def test_it_beats_random_moves(name: str) -> None:
    game, wins = engine.load("isolation", width=6, height=6), 0
    for number in range(8):
        chance, bot = random.Random(number), create(f"{name}:depth=3", number)
        state: State = game.start()
        while state.outcome is None:
            mine = state.to_move == number % 2
            move = bot.choose(state, Limit()).move if mine else chance.choice(state.moves())
            state = state.play(move)
        wins += state.outcome.winner == number % 2
    assert wins >= 6
