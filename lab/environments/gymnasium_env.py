"""Games as environments of Gymnasium: one seat against a fixed opponent. Needs the extra `gymnasium`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from cornered.engine import CHANCE, Game
from cornered.lab.environments.board import Board
from cornered.lab.environments.opponent import BotOpponent, Opponent, bot
from cornered.lab.environments.playouts import LONGEST

__all__ = ["OpponentEnv"]


class OpponentEnv(gymnasium.Env[dict[str, Any], Any]):
    """One seat of a game; an opponent plays all others, and dice are rolled by the seed of `reset`.

    An observation has `observation`, the planes, and `action_mask`. The reward is 1 for a game that is won, -1 for one
    that is lost. An action that is not legal loses the game, and `info["illegal"]` has the reason. A game that reaches
    `longest` plies is truncated.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012  # as the base class declares it

    def __init__(
        self,
        game: Game,
        *,
        against: str | Opponent = "random",
        milliseconds: int = 100,
        seat: int = 0,
        longest: int = LONGEST,
        render_mode: str | None = None,
    ) -> None:
        """`against` is a bot of the roster, with so many milliseconds for each move, or a function that returns a legal
        action for a board. Raises ValueError for a seat that there is not, or a bot that does not play the game."""
        if not 0 <= seat < game.seats:
            raise ValueError(f"there is no seat {seat}; there are 0 to {game.seats - 1}")
        if render_mode not in (None, "ansi"):
            raise ValueError(f"the render mode is 'ansi' or None, not {render_mode!r}")
        self.render_mode = render_mode
        self._board = Board(game)
        self._seat, self._longest = seat, longest
        self._word = against if isinstance(against, str) else None
        self._milliseconds = milliseconds
        self._opponent: Opponent = (
            BotOpponent(bot(against, game, seed=0), milliseconds) if isinstance(against, str) else against
        )
        coded = self._board.encoding
        self.action_space = spaces.Discrete(coded.count)
        self.observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, coded.shape, np.float32),
                "action_mask": spaces.Box(0, 1, (coded.count,), np.int8),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a new game; the seed decides dice, and the choices of a bot of the roster."""
        super().reset(seed=seed)
        if self._word is not None:
            own = int(self.np_random.integers(2**31))
            self._opponent = BotOpponent(bot(self._word, self._board.game, seed=own), self._milliseconds)
        self._board.reset()
        self._play_others()
        return self._observed(), {}

    def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
        board = self._board
        if not board.mask()[action]:
            move = board.encoding.move(int(action))
            return self._observed(), -1.0, True, False, {"illegal": board.state.explain(move)}
        board.apply(action)
        self._play_others()
        is_cut = not board.is_over and len(board.history) >= self._longest
        return self._observed(), board.returns()[self._seat], board.is_over, is_cut, {}

    def render(self) -> str | None:
        """Return the position text in the mode `ansi`."""
        return str(self._board.state) if self.render_mode == "ansi" else None

    def _play_others(self) -> None:
        board = self._board
        while not board.is_over and board.to_move != self._seat and len(board.history) < self._longest:
            if board.to_move == CHANCE:
                board.apply(int(self.np_random.choice(board.legal_actions())))
            else:
                board.apply(self._opponent(board))

    def _observed(self) -> dict[str, Any]:
        return {"observation": self._board.observation(), "action_mask": self._board.mask().astype(np.int8)}
