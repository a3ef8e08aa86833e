"""Random games in one call, at the speed of the compiled rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from cornered.engine import Game, State
from cornered.engine.compile.rows import store
from cornered.lab.environments.compiled import beginning, compiled_play_out
from cornered.lab.environments.template import CUT, WIDTH

__all__ = ["PlayoutResults", "playouts"]

GAMES_MAX: Final = 100_000_000
LONGEST: Final = 10_000
"""The most plies of a game unless they are given: random Quoridor without draw rules ends long before."""


@dataclass(frozen=True, slots=True)
class PlayoutResults:
    """How random games ended. `winners` are seats, -2 for a draw and -3 for a game that was cut; `plies` count from
    where they began, rolls among them. Both are of 64-bit integers, one for each game."""

    winners: npt.NDArray[np.int64]
    plies: npt.NDArray[np.int64]

    def wins(self, seat: int) -> float:
        """Return the share of the games that a seat has won."""
        return float((self.winners == seat).mean())

    def __repr__(self) -> str:
        """Return the numbers of games and of wins by seat, in place of two long arrays."""
        seats, wins = np.unique(self.winners[self.winners >= 0], return_counts=True)
        won = ", ".join(f"{seat}: {count}" for seat, count in zip(seats.tolist(), wins.tolist(), strict=True))
        return (
            f"PlayoutResults({len(self.winners)} games, wins by seat {{{won}}}, {self.plies.mean():.1f} plies a game)"
        )

    @property
    def cut(self) -> int:
        """How many games reached their most plies without an end."""
        return int((self.winners == CUT).sum())


def playouts(start: Game | State, games: int, *, seed: int = 0, longest: int = LONGEST) -> PlayoutResults:
    """Play random games from a game's start or a position, every legal move and roll equally likely.

    Equal seeds give equal games. The GIL is released meanwhile, so that threads play side by side. Raises ValueError
    for a position that is over, and for numbers out of range.
    """
    state = beginning(start)
    if not 1 <= games <= GAMES_MAX:
        raise ValueError(f"games are 1 to {GAMES_MAX:,}, not {games}")
    if longest < 1:
        raise ValueError(f"a game has 1 ply or more at most, not {longest}")
    if not 0 <= seed < 2**63:
        raise ValueError(f"a seed is 0 or more and below 2**63, not {seed}")
    row = np.zeros(WIDTH, np.int64)
    store(row, state.position)  # type: ignore[attr-defined]  # every state of ours has one
    winners, plies = np.empty(games, np.int64), np.empty(games, np.int64)
    compiled_play_out(state.game.name)(row, seed, longest, winners, plies)
    return PlayoutResults(winners, plies)
