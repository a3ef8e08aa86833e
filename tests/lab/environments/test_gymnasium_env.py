"""The environment against a fixed opponent passes Gymnasium's checker, and plays by the rules."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from cornered import engine
from cornered.lab.environments.board import Board
from cornered.lab.environments.gymnasium_env import OpponentEnv


def test_it_passes_the_checker(game: engine.Game) -> None:
    # Without a registered name the checker cannot make it again to try its modes of rendering.
    for seat in (0, game.seats - 1):
        env = OpponentEnv(game, seat=seat)
        check_env(env, skip_render_check=True)
        seen, _ = env.reset(seed=1)
        assert seen in env.observation_space


def play(env: OpponentEnv, seed: int) -> tuple[list[list[float]], float]:
    """Play random legal actions to the end; return what was seen, and the last reward."""
    chance = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed)
    assert info == {}
    found, reward, is_over = [], 0.0, False
    while not is_over:
        found.append(seen["observation"].reshape(-1).tolist())
        assert reward == 0
        action = chance.choice(np.flatnonzero(seen["action_mask"]))
        seen, reward, is_over, is_cut, info = env.step(action)
        assert not is_cut
        assert info == {}
    return found, reward


def test_games_against_a_bot_end_won_or_lost_and_repeat_with_their_seed(game: engine.Game) -> None:
    env = OpponentEnv(game, seat=1)
    played = [play(env, seed) for seed in range(6)]
    assert played == [play(env, seed) for seed in range(6)]
    rewards = {reward for _, reward in played}
    assert {1.0, -1.0} <= rewards <= {1.0, 0.0, -1.0}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_mid_game_go_on_alike_and_apart(copied: Callable[[OpponentEnv], OpponentEnv]) -> None:
    env = OpponentEnv(engine.load("isolation", width=5, height=5, dice=True), against="random", render_mode="ansi")
    seen, _ = env.reset(seed=1)
    seen = env.step(int(seen["action_mask"].argmax()))[0]
    copies, before = [copied(env) for _ in range(5)], env.render()
    ends = []
    for each in copies:
        masks = [seen["action_mask"]]
        for _ in range(2):
            masks.append(each.step(int(masks[-1].argmax()))[0]["action_mask"])
        ends.append(each.render())
    assert len(set(ends)) == 1
    assert env.render() == before != ends[0]


def test_an_opponent_may_be_a_function() -> None:
    asked: list[int] = []

    def first(board: Board) -> int:
        asked.append(board.to_move)
        return board.legal_actions()[0]

    env = OpponentEnv(engine.load("isolation", width=4, height=4, players=3), against=first, seat=1)
    play(env, 2)
    assert set(asked) == {0, 2}


def test_an_illegal_action_loses_with_its_reason_and_a_long_game_is_truncated() -> None:
    env = OpponentEnv(engine.load("trapgrid", size=4), render_mode="ansi")
    env.reset(seed=1)
    before = env.render()
    _, reward, is_over, is_cut, info = env.step(0)
    assert (reward, is_over, is_cut) == (-1.0, True, False)
    assert info == {"illegal": "a pawn moves one step up, down, left or right"}
    assert env.render() == before == "0.../..../..../...1 0"

    env = OpponentEnv(engine.load("quoridor"), longest=4)
    seen, _ = env.reset(seed=1)
    found = []
    for _ in range(2):
        seen, _, is_over, is_cut, _ = env.step(int(seen["action_mask"].argmax()))
        found.append((is_over, is_cut))
    assert found == [(False, False), (False, True)]


def test_what_does_not_fit_is_refused() -> None:
    refused: tuple[tuple[dict[str, Any], str], ...] = (
        ({"seat": 2}, "there is no seat 2; there are 0 to 1"),
        ({"against": "nobody"}, "there is no bot 'nobody'"),
        ({"against": "perfect"}, "perfect does not play bamboo"),
        ({"render_mode": "human"}, "the render mode is 'ansi' or None"),
    )
    for given, reason in refused:
        with pytest.raises(ValueError, match=reason):
            OpponentEnv(engine.load("bamboo", radius=2), **given)
