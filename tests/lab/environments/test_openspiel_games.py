"""The games as games of OpenSpiel pass its random simulations, and are those of the rules."""

from __future__ import annotations

import pickle
import random

import numpy as np
import pyspiel

from cornered import engine
from cornered.engine import CHANCE
from cornered.lab.environments.board import Board
from cornered.lab.environments.openspiel_games import openspiel_game


def test_it_passes_the_random_simulations(game: engine.Game) -> None:
    made = openspiel_game(game)
    pyspiel.random_sim_test(made, num_sims=1, serialize=True, verbose=False)
    assert made.num_players() == game.seats


def test_a_state_is_a_board_at_every_ply(game: engine.Game) -> None:
    chance, board = random.Random(1), Board(game)
    made = openspiel_game(game)
    state = made.new_initial_state()
    rolls = board.encoding.count - made.num_distinct_actions()
    observer = made.make_py_observer()
    while not board.is_over:
        offset = made.num_distinct_actions() if board.to_move == CHANCE else 0
        assert state.is_chance_node() == (board.to_move == CHANCE)
        assert [action + offset for action in state.legal_actions()] == board.legal_actions()
        assert str(state) == str(board.state)
        observer.set_from(state, 0)
        assert np.array_equal(observer.dict["observation"], board.observation())
        action = chance.choice(state.legal_actions())
        assert state.action_to_string(action) == board.encoding.move(action + offset)
        state.apply_action(action)
        board.apply(action + offset)
    assert state.is_terminal()
    assert state.returns() == board.returns()
    assert rolls == (3 if game.options.get("dice") else 0)


def test_a_game_is_loaded_by_its_name_and_options_and_a_clone_goes_its_own_way() -> None:
    made = pyspiel.load_game("cornered_quoridor(size=5,walls=2,max_plies=40)")
    assert made.num_distinct_actions() == 57
    assert made.max_game_length() == 40
    game = engine.load("quoridor", size=5, walls=2, max_plies=40)
    assert str(openspiel_game(game)) == str(made.new_initial_state().get_game())

    state = openspiel_game(engine.load("quoridor", size=5)).new_initial_state()
    copy = state.clone()
    copy.apply_action(7)
    assert (len(state.history()), len(copy.history())) == (0, 1)
    assert str(state) != str(copy)
    assert state.legal_actions() != copy.legal_actions()


def test_a_game_and_a_state_in_mid_game_are_pickled(game: engine.Game) -> None:
    made = openspiel_game(game)
    state = made.new_initial_state()
    for _ in range(3):
        state.apply_action(state.legal_actions()[0])
    again, state_again = pickle.loads(pickle.dumps((made, state)))
    assert str(again) == str(made)
    assert again.rules == game
    assert (str(state_again), state_again.legal_actions()) == (str(state), state.legal_actions())
    state_again.apply_action(state_again.legal_actions()[-1])
    assert str(state_again) != str(state)


def test_openspiels_own_search_proves_a_small_game() -> None:
    from open_spiel.python.algorithms import minimax

    value, _ = minimax.alpha_beta_search(openspiel_game(engine.load("trapgrid", size=4)))
    assert value == -1
