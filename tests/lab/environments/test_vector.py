"""Many games in one call are the same games as on boards."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from cornered import engine
from cornered.engine import IllegalMove
from cornered.engine.encoding import encoding
from cornered.lab.environments.board import Board
from cornered.lab.environments.vector import VectorGames


def test_each_game_is_that_of_a_board_and_begins_anew_at_its_end(game: engine.Game) -> None:
    if game.options.get("dice"):
        return
    chance = np.random.default_rng(2)
    games, boards = VectorGames(game, 4), [Board(game) for _ in range(4)]
    ended = 0
    while ended < 4:
        for number, board in enumerate(boards):
            assert games.legal[number].tolist() == board.mask().tolist()
            assert games.to_move[number] == board.to_move
            assert np.array_equal(games.observations[number], board.observation())
        actions = games.sample(chance)
        ply = games.step(actions)
        for number, (board, action) in enumerate(zip(boards, actions.tolist(), strict=True)):
            board.apply(action)
            assert ply.ended[number] == board.is_over
            assert ply.rewards[number].tolist() == board.returns()
            assert ply.plies[number] == (len(board.history) if board.is_over else 0)
            if board.is_over:
                ended += 1
                board.reset()
        assert not ply.cut.any()


def test_a_copy_goes_on_with_observations_of_its_own() -> None:
    games = VectorGames(engine.load("trapgrid", size=4), 2)
    copied = copy.deepcopy(games)
    actions = games.legal.argmax(axis=1)
    games.step(actions)
    assert not np.array_equal(games.observations, copied.observations)
    copied.step(actions)
    assert np.array_equal(games.observations, copied.observations)


def test_chance_rolls_by_the_seed() -> None:
    game = engine.load("isolation", dice=True)

    def rolled(seed: int) -> list[list[int]]:
        games, chance = VectorGames(game, 200, seed=seed), np.random.default_rng(1)
        rolls = []
        for _ in range(10):
            games.step(games.sample(chance))
            assert (games.to_move >= 0).all()
            assert not games.legal[:, -3:].any(), "the last three actions are chance's"
            rolls.append(games.observations[:, -3:, 0, 0].argmax(axis=1).tolist())
        # A game that has just begun anew has no roll.
        assert 190 <= games.observations[:, -3:, 0, 0].sum() <= 200
        return rolls

    assert rolled(7) == rolled(7) != rolled(8)
    last = np.bincount(rolled(7)[-1], minlength=3)
    assert last.min() > 40


def test_a_game_is_cut_at_its_most_plies_and_an_illegal_action_is_refused() -> None:
    games, chance = VectorGames(engine.load("quoridor"), 5, longest=3), np.random.default_rng(1)
    plies = [games.step(games.sample(chance)) for _ in range(6)]
    assert [ply.cut.all() for ply in plies] == [False, False, True, False, False, True]
    assert not any(ply.ended.any() or ply.rewards.any() for ply in plies)
    assert plies[2].plies.tolist() == [3] * 5

    games = VectorGames(engine.load("trapgrid", size=4), 3)
    before = games.observations.copy()
    legal = int(games.legal[0].argmax())
    for action in (0, -1, 16, 10**9):
        with pytest.raises(IllegalMove, match="game 2 does not allow"):
            games.step([legal, legal, action])
    for odd in ([legal], [[legal] * 3], [1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match="the actions are 3 integers"):
            games.step(odd)
    assert np.array_equal(games.observations, before)


def test_games_begin_at_a_position_and_go_back_to_it() -> None:
    state = engine.load("quoridor", size=5).parse("..1../...../...../..0../..... 1")
    games = VectorGames(state, 2, observe=False)
    assert games.observations.shape == (0, *encoding(state.game).shape)
    assert len(games) == 2
    start = games.legal.copy()
    assert start[0].tolist() == encoding(state.game).mask(state)
    games.step([int(row.argmax()) for row in games.legal])
    games.reset()
    assert np.array_equal(games.legal, start)


def test_what_is_out_of_range_is_refused() -> None:
    game = engine.load("isolation", width=3, height=3, dice=True)
    for count, longest, seed in ((0, 9, 0), (10**7, 9, 0), (1, 0, 0), (1, 9, -1)):
        with pytest.raises(ValueError, match="not "):
            VectorGames(game, count, longest=longest, seed=seed)
    roll = game.start().play("a1").play("c3")
    with pytest.raises(ValueError, match="not before a roll"):
        VectorGames(roll, 1)


def test_a_random_legal_action_is_any_equally_often() -> None:
    games = VectorGames(engine.load("isolation", width=2, height=2), 20_000, observe=False)
    found = np.bincount(games.sample(np.random.default_rng(3)), minlength=4)
    assert found.min() > 4_700
