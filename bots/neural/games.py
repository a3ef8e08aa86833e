"""The games that the network learns from (Bamboo paper, section IV.D.2): several teachers, the better ones repeated.

The paper mixes minimax, tree search and people. Here whoever plays an opening by heart and then calculates stands in
for people: outer cells first, minimax from 40 free cells on.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
import numpy.typing as npt

from bots.bamboo.cells import bamboo, cubes
from bots.bot import Bot
from bots.neural.network import inputs
from bots.roster import create
from clients.sdk import Limit
from engine import load
from engine.games.bamboo import BambooState, cell_numbers

__all__ = ["TEACHERS", "Lessons", "play"]

CALCULATES: Final = 40
"""From how many free cells on the third teacher looks ahead."""
OPENING: Final = 8
"""How many plies at most are random, so that no two games are the same."""
SLIP: Final = 0.05
"""How often a teacher's move is replaced by a random one, which is no lesson."""


@dataclass(frozen=True, slots=True)
class Teacher:
    """A player, or two that take turns, and how often what it plays is repeated; a winner's moves once more."""

    opening: str
    middle: str
    repeats: int


TEACHERS: Final = (
    Teacher("bamboo-minimax", "bamboo-minimax", 3),
    Teacher("bamboo-mcts:iterations=150", "bamboo-mcts:iterations=150", 1),
    Teacher("bamboo-outer", "bamboo-minimax", 2),
)


@dataclass(frozen=True, slots=True)
class Lessons:
    """Positions as the network sees them, where the mover may place, what the teacher played, and how often it counts.

    One row a position; cells are in the order of their numbers.
    """

    x: npt.NDArray[np.int8]
    legal: npt.NDArray[np.bool_]
    chosen: npt.NDArray[np.int64]
    repeats: npt.NDArray[np.int64]

    @classmethod
    def none(cls, radius: int) -> Lessons:
        """Return no lessons, for this radius."""
        cells = len(cubes(radius))
        empty = np.zeros(0, np.int64)
        return cls(np.zeros((0, cells), np.int8), np.zeros((0, cells), np.bool_), empty, empty)

    @classmethod
    def together(cls, parts: list[Lessons]) -> Lessons:
        """Return the lessons of several games, one after another."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__))

    def __len__(self) -> int:
        return len(self.chosen)


def play(radius: int, seed: int, number: int) -> Lessons:
    """Play one game of two teachers and return their moves. The same radius, seed and number make the same game."""
    chance = Random(f"{seed} {radius} {number}")
    seats = [chance.choice(TEACHERS) for _ in range(2)]
    players: list[dict[str, Bot]] = [
        {name: create(name, chance.randrange(1 << 32)) for name in dict.fromkeys((teacher.opening, teacher.middle))}
        for teacher in seats
    ]
    random_plies = chance.randrange(OPENING + 1)
    order = {number: i for i, number in enumerate(cubes(radius))}
    numbers = cell_numbers(radius)
    state: BambooState = bamboo(load("bamboo", radius=radius).start())
    seen: list[tuple[BambooState, str]] = []
    ply = 0
    while state.outcome is None:
        teacher = seats[state.to_move]
        if ply < random_plies or chance.random() < SLIP:
            move = chance.choice(state.moves())
        else:
            free = len(order) - sum(stones.bit_count() for stones in state.stones())
            name = teacher.opening if free > CALCULATES else teacher.middle
            move = players[state.to_move][name].choose(state, Limit()).move
            seen.append((state, move))
        state = state.play(move)
        ply += 1
    winner = state.outcome.winner
    if not seen:
        return Lessons.none(radius)
    looks = [inputs(before) for before, _ in seen]
    return Lessons(
        np.array([x for x, _ in looks], np.int8),
        np.array([legal for _, legal in looks]),
        np.array([order[numbers[move]] for _, move in seen], np.int64),
        np.array([seats[b.to_move].repeats + (b.to_move == winner) for b, _ in seen], np.int64),
    )
