"""Many games of one kind, a ply of all of them in one call."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from cornered.engine import Game, IllegalMove, State
from cornered.engine.compile.rows import store
from cornered.engine.encoding import Encoding, encoding
from cornered.engine.hashing import mixed
from cornered.lab.environments.compiled import beginning, compiled_play_many, tables
from cornered.lab.environments.template import CUT, GOES_ON, WIDTH

__all__ = ["Ply", "VectorGames"]

GAMES_MAX: Final = 1_000_000
LONGEST: Final = 10_000
ROW_WORDS: Final = 16
"""The words kept of each position; no game has more fields."""


@dataclass(frozen=True, slots=True)
class Ply:
    """What one ply did in N games, in arrays of its own.

    `rewards` (N, seats) are 1 for the winner of a game that ended and -1 for the others, else 0. `ended` (N,) tells
    which games are over by the rules, `cut` (N,) which reached their most plies; either kind has begun anew. `plies`
    (N,) are those of the games that are over, else 0.
    """

    rewards: npt.NDArray[np.float32]
    ended: npt.NDArray[np.bool_]
    cut: npt.NDArray[np.bool_]
    plies: npt.NDArray[np.int64]


class VectorGames:
    """N games in progress. The arrays are changed in place by each call, so copy what has to stay.

    - `to_move` (N,), 64-bit integers: the seat to move. Chance has rolled already, by the seed.
    - `legal` (N, actions), booleans.
    - `observations` (N, planes, rows, columns), 32-bit floats as the movers see them; zeros when `observe` is False.
    """

    def __init__(
        self, start: Game | State, count: int, *, seed: int = 0, longest: int = LONGEST, observe: bool = True
    ) -> None:
        """Begin `count` games. `longest` bounds the plies of each. Raises ValueError for what is out of range."""
        state = beginning(start)
        if not 1 <= count <= GAMES_MAX:
            raise ValueError(f"the number of games is 1 to {GAMES_MAX:,}, not {count}")
        if longest < 1:
            raise ValueError(f"a game has 1 ply or more at most, not {longest}")
        if state.to_move < 0:
            raise ValueError("games begin where a player is to move, not before a roll")
        self.game: Final[Game] = state.game
        self.encoding: Final[Encoding] = encoding(self.game)
        self.legal: Final = np.zeros((count, self.encoding.count), np.bool_)
        self.observations: Final = np.zeros((count if observe else 0, *self.encoding.shape), np.float32)
        self._play = compiled_play_many(self.game.name)
        self._tables = tables(self.game).copy()  # compiled for arrays that may be written
        self._start = np.zeros(WIDTH, np.int64)
        store(self._start, state.position)  # type: ignore[attr-defined]  # every state of ours has one
        self._positions = np.zeros((count, ROW_WORDS), np.int64)
        self._seeds = np.zeros((count, 2), np.int64)
        self._status = np.zeros((count, 5), np.int64)
        self._status[:, 2] = longest
        self._shape = np.array(self.encoding.shape[1:], np.int64)
        self.reset(seed)

    def __len__(self) -> int:
        return len(self.legal)

    @property
    def to_move(self) -> npt.NDArray[np.int64]:
        return self._status[:, 0]

    def reset(self, seed: int = 0) -> None:
        """Begin all games anew; the seed decides their dice."""
        if not 0 <= seed < 2**63:
            raise ValueError(f"a seed is 0 or more and below 2**63, not {seed}")
        self._seeds[:, 0] = [mixed(seed, number) for number in range(len(self))]
        self._seeds[:, 1] = 0
        self._call(np.empty(0, np.int64))

    def step(self, actions: npt.ArrayLike) -> Ply:
        """Play one action in each game; those that end begin anew at once. `actions` has shape (N,).

        Raises IllegalMove that names the first game whose action is not legal, and ValueError for another shape or
        type; nothing has changed then.
        """
        given = np.asarray(actions)
        if given.shape != (len(self),) or not np.issubdtype(given.dtype, np.integer):
            raise ValueError(f"the actions are {len(self)} integers, not {given.dtype} of shape {given.shape}")
        refused = self._call(np.ascontiguousarray(given, np.int64))
        if refused >= 0:
            action = int(given[refused])
            known = 0 <= action < self.encoding.count
            move = self.encoding.actions[action] if known else str(action)
            raise IllegalMove(move, f"game {refused} does not allow action {action}: see `legal`")
        winners = self._status[:, 3]
        is_won = winners >= 0
        seats = np.arange(self.game.seats)
        rewards = np.where(is_won[:, None], np.where(winners[:, None] == seats, 1, -1), 0).astype(np.float32)
        is_cut = winners == CUT
        return Ply(rewards, (winners != GOES_ON) & ~is_cut, is_cut, self._status[:, 4].copy())

    def sample(self, chance: np.random.Generator) -> npt.NDArray[np.int64]:
        """Return a random legal action for each game, all equally likely."""
        # The greatest of independent random numbers is at each legal action equally often.
        keys = np.where(self.legal, chance.random(self.legal.shape, np.float32), -1)
        actions: npt.NDArray[np.int64] = keys.argmax(axis=1)
        return actions

    def _call(self, actions: npt.NDArray[np.int64]) -> int:
        return self._play(
            self._positions,
            self._start,
            self._tables,
            actions,
            self._seeds,
            self.legal,
            # No attribute of its own: in a copy of these games it would be a view of nothing.
            self.observations.reshape(len(self.observations), math.prod(self.encoding.shape)),
            self._status,
            self._shape,
        )
