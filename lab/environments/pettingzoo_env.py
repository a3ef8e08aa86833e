"""Games as environments of PettingZoo's AEC interface. Needs the extra `pettingzoo`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from cornered.engine import CHANCE, Game
from cornered.lab.environments.board import Board
from cornered.lab.environments.playouts import LONGEST

__all__ = ["SeatsEnv", "pettingzoo_env"]


class SeatsEnv(AECEnv):  # type: ignore[misc]  # pettingzoo has no types
    """One game; `seat_0` to `seat_3` are the agents, and dice are rolled by the seed of `reset`.

    An observation has `observation`, the planes as the player to move sees them, whoever asks, and `action_mask`, all
    zeros for agents who are not to move. The reward at the end is 1 for the winner and -1 for the others. A game that
    reaches `longest` plies is truncated. An action that is not legal raises IllegalMove.
    """

    agent_selection: str
    rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    _cumulative_rewards: dict[str, float]

    def __init__(self, game: Game, *, longest: int = LONGEST, render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {"render_modes": ["ansi"], "is_parallelizable": False, "name": f"cornered_{game.name}_v0"}
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(game.seats)]
        self._board = Board(game)
        self._longest = longest
        self._chance = np.random.default_rng()
        coded = self._board.encoding
        space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, coded.shape, np.float32),
                "action_mask": spaces.Box(0, 1, (coded.count,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(coded.count) for agent in self.possible_agents}
        self._begin()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game."""
        if seed is not None:
            self._chance = np.random.default_rng(seed)
        self._board.reset()
        self._begin()

    def observe(self, agent: str) -> dict[str, Any]:
        mask = self._board.mask() if agent == self.agent_selection else np.zeros(self._board.encoding.count)
        return {"observation": self._board.observation(), "action_mask": mask.astype(np.int8)}

    def step(self, action: Any) -> None:
        """Play an action for the agent whose turn it is; None for one that is terminated or truncated."""
        mover = self.agent_selection
        if self.terminations[mover] or self.truncations[mover]:
            self._was_dead_step(action)
            return
        board = self._board
        board.apply(action)
        while not board.is_over and board.to_move == CHANCE:
            board.apply(int(self._chance.choice(board.legal_actions())))
        self._cumulative_rewards[mover] = 0.0
        self.rewards = dict(zip(self.possible_agents, board.returns(), strict=True))
        if board.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
        elif len(board.history) >= self._longest:
            self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = self._selected(mover)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the position text in the mode `ansi`."""
        return str(self._board.state) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Release nothing."""

    def _begin(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._board.to_move]

    def _selected(self, mover: str) -> str:
        if not self._board.is_over:
            return self.possible_agents[self._board.to_move]
        return self.possible_agents[(self.possible_agents.index(mover) + 1) % len(self.possible_agents)]


def pettingzoo_env(game: Game, *, longest: int = LONGEST, render_mode: str | None = None) -> AECEnv:
    """Return the environment with PettingZoo's usual wrappers: an action that is not legal ends the game with -1."""
    env: AECEnv = SeatsEnv(game, longest=longest, render_mode=render_mode)
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    return wrappers.OrderEnforcingWrapper(env)
