"""The AEC environment passes PettingZoo's own test, and plays by the rules."""

from __future__ import annotations

import numpy as np
import pytest
from pettingzoo.test import api_test

from cornered import engine
from cornered.engine import IllegalMove
from cornered.lab.environments.board import Board
from cornered.lab.environments.pettingzoo_env import SeatsEnv, pettingzoo_env


# PettingZoo says so of every environment with an action mask in its observation that is not one of its own.
@pytest.mark.filterwarnings("ignore:Observation (space for each agent|is not a NumPy)")
def test_it_passes_the_api_test(game: engine.Game, capsys: pytest.CaptureFixture[str]) -> None:
    api_test(pettingzoo_env(game), num_cycles=300)
    assert "Passed API test" in capsys.readouterr().out


def test_a_random_game_is_one_of_the_rules(game: engine.Game) -> None:
    env, chance = pettingzoo_env(game), np.random.default_rng(3)
    env.reset(seed=5)
    board = Board(game)
    has_dice = bool(game.options.get("dice"))
    last: dict[str, float] = {}
    for agent in env.agent_iter():
        observation, reward, is_over, is_cut, _ = env.last()
        assert observation is not None
        if is_over or is_cut:
            last[agent] = reward
            assert not observation["action_mask"].any()
            env.step(None)
            continue
        action = chance.choice(np.flatnonzero(observation["action_mask"]))
        if not has_dice:
            assert agent == f"seat_{board.to_move}"
            assert observation["action_mask"].tolist() == board.mask().tolist()
            assert np.array_equal(observation["observation"], board.observation())
            board.apply(action)
        env.step(action)
    assert sorted(last) == [f"seat_{seat}" for seat in range(game.seats)]
    if not has_dice:
        assert [last[agent] for agent in sorted(last)] == board.returns()


def test_equal_seeds_roll_equal_dice() -> None:
    def texts(seed: int) -> list[str | None]:
        env = pettingzoo_env(engine.load("isolation", dice=True), render_mode="ansi")
        env.reset(seed=seed)
        found = []
        for _ in range(6):
            observation = env.observe(env.agent_selection)
            env.step(int(observation["action_mask"].argmax()))
            found.append(env.render())
        return found

    assert texts(1) == texts(1)
    assert len({str(texts(seed)) for seed in range(6)}) > 1


def test_an_illegal_action_loses_or_raises_and_a_long_game_is_truncated() -> None:
    game = engine.load("trapgrid", size=4)
    env = pettingzoo_env(game)
    env.reset()
    env.step(0)
    assert (dict(env.rewards), set(env.terminations.values())) == ({"seat_0": -1, "seat_1": 0}, {True})
    bare = SeatsEnv(game)
    with pytest.raises(IllegalMove):
        bare.step(0)

    env = SeatsEnv(engine.load("quoridor"), longest=4)
    for _ in range(4):
        assert not any(env.truncations.values())
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert all(env.truncations.values())
    assert not any(env.terminations.values())
