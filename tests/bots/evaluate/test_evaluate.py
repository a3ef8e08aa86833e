"""Properties of all evaluations, and the terms of each."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.bots.evaluate import evaluator, mobility
from cornered.engine import CHANCE, Game, State
from tests.bots.scenes import random_game

GAMES = [
    engine.load("trapgrid"),
    engine.load("isolation"),
    engine.load("isolation", players=4, dice=True),
    engine.load("bamboo", radius=3),
    engine.load("quoridor"),
    engine.load("quoridor", players=4, size=5),
]


def positions(game: Game, number: int) -> list[State]:
    return random_game(game, number, 80)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_an_evaluation_is_below_any_win_and_candidates_are_some_of_the_moves(game: Game) -> None:
    evaluate, candidates = evaluator(game.name).evaluate, evaluator(game.name).candidates
    for state in positions(game, 1) + positions(game, 2):
        assert all(abs(evaluate(state, seat)) < 1000 for seat in range(game.seats))
        if game.seats == 2:
            assert evaluate(state, 0) == pytest.approx(-evaluate(state, 1)), "good for one is bad for the other"
        if candidates is not None:
            chosen, moves = candidates(state), state.moves()
            assert 0 < len(chosen) == len(set(chosen))
            assert set(chosen) <= set(moves)
            assert {move for move in moves if len(move) == 2 or move == "pass"} <= set(chosen)


def test_a_wall_across_the_way_makes_it_longer() -> None:
    evaluate = evaluator("quoridor").evaluate
    start = engine.load("quoridor").start()
    aside = start.play("d1")
    assert evaluate(aside.play("c1h"), 1) == pytest.approx(evaluate(aside.play("a8h"), 1) + 1)


def test_a_step_forward_is_a_step_ahead() -> None:
    evaluate = evaluator("quoridor").evaluate
    start = engine.load("quoridor").start()
    assert evaluate(start.play("e2"), 0) > evaluate(start.play("d1"), 0)


def test_candidates_close_the_way_of_the_player_ahead() -> None:
    candidates = evaluator("quoridor").candidates
    assert candidates is not None
    start = engine.load("quoridor").start()
    walls = [move for move in candidates(start) if len(move) == 3]
    assert {"e8h", "d8h"} <= set(walls)
    assert len(walls) <= 8


def test_the_larger_part_of_the_board_is_the_better_one() -> None:
    evaluate = evaluator("trapgrid").evaluate
    state = engine.load("trapgrid", size=4).parse("0x../xx../..x./..x1 1")
    assert evaluate(state, 1) > 0 > evaluate(state, 0)


def test_being_out_is_worse_than_any_position_in_play() -> None:
    game = engine.load("isolation", players=3, width=4, height=4)
    evaluate = evaluator("isolation").evaluate
    state = next(state for state in positions(game, 6) if "out=" in str(state))
    gone = int(str(state).partition("out=")[2][0])
    assert all(evaluate(state, gone) < evaluate(state, seat) for seat in range(3) if seat != gone)


def test_a_game_without_a_module_is_judged_by_mobility() -> None:
    assert evaluator("chess").evaluate is mobility
    start = engine.load("quoridor").start()
    assert start.to_move != CHANCE
    assert mobility(start, start.to_move) == -mobility(start, 1) == 131
