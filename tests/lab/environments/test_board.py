"""A board that is changed in place follows the rules of states."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cornered import engine
from cornered.engine import CHANCE, IllegalMove
from cornered.engine.encoding import encoding
from cornered.lab.environments.board import Board


@pytest.mark.parametrize("seed", range(2))
def test_a_board_is_the_state_at_every_ply(game: engine.Game, seed: int) -> None:
    chance, coded = random.Random(seed), encoding(game)
    board, state = Board(game), game.start()
    while not board.is_over:
        assert board.state == state
        assert board.to_move == state.to_move
        assert board.legal_actions() == coded.legal_actions(state)
        assert board.mask().tolist() == coded.mask(state)
        assert board.observation().reshape(-1).tolist() == np.asarray(coded.observe(state)).tolist()
        assert (board.winner, board.returns()) == (None, [0.0] * game.seats)
        action = chance.choice(board.legal_actions())
        board.apply(action)
        state = state.play(coded.move(action))
    assert state.outcome is not None
    assert board.winner == state.outcome.winner
    assert board.legal_actions() == []
    if board.winner is not None:
        assert board.returns()[board.winner] == 1
        assert board.returns().count(-1) == game.seats - 1


def test_a_board_begins_at_any_position_and_has_actions_of_chance_and_none_at_its_end() -> None:
    state = engine.load("trapgrid", size=8).parse("xxxxxxx0/8".replace("8", ".." * 4) + "/........" * 5 + "/......1. 1")
    board = Board(state)
    assert board.state == state
    assert board.legal_actions() == encoding(state.game).legal_actions(state)
    finished = engine.load("trapgrid").start().leave(0)
    with pytest.raises(ValueError, match="the game is over at"):
        Board(finished)

    board = Board(engine.load("trapgrid", size=3))
    while not board.is_over:
        board.apply(board.legal_actions()[0])
    with pytest.raises(IllegalMove, match="the game is over"):
        board.apply(0)

    board = Board(engine.load("isolation", width=3, height=3, dice=True))
    board.play("a1")
    board.play("c3")
    assert board.to_move == CHANCE
    assert [board.encoding.move(action) for action in board.legal_actions()] == ["1", "2", "3"]
    assert board.legal_actions() == [9, 10, 11]


def test_an_illegal_action_is_refused_and_changes_nothing(game: engine.Game) -> None:
    board = Board(game)
    board.apply(board.legal_actions()[0])
    before = board.state
    illegal = next(action for action, is_legal in enumerate(board.mask()) if not is_legal)
    with pytest.raises(IllegalMove, match="is not legal"):
        board.apply(illegal)
    with pytest.raises(IllegalMove):
        board.play("z99")
    for action in (-1, board.encoding.count, 255, 256, 10**6):
        with pytest.raises(ValueError, match="has actions 0 to"):
            board.apply(action)
    for odd in ("a1", 0.5, None):
        with pytest.raises(TypeError):
            board.apply(odd)  # type: ignore[arg-type]
    assert board.state == before
    assert board.history == (board.history[0],)


def test_a_copy_goes_its_own_way() -> None:
    board = Board(engine.load("quoridor", size=5))
    board.play("c2")
    copy = board.copy()
    copy.play("c4")
    assert (str(board.state), str(copy.state)) == ("..1../...../...../..0../..... 1", "...../..1../...../..0../..... 0")
    for one in (board, copy):
        assert one.legal_actions() == one.encoding.legal_actions(one.state)
    board.play("b2h")
    assert copy.history != board.history
    board.reset()
    assert board.state == engine.load("quoridor", size=5).start()
    assert board.legal_actions() == Board(board.game).legal_actions()
