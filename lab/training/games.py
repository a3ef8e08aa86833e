"""The games of the training data (Bamboo paper, section IV.D.2): several teachers, the stronger ones more often.

The paper mixes minimax, tree search and human games, and repeats those of the stronger players; here the stronger have
a seat more often, and teachers that play an opening by a heuristic before they search replace humans. The hybrid
follows a network trained on the other teachers' games of the same run, not the network that ships with the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from cornered.bots.bamboo.cells import bamboo, cubes
from cornered.bots.bot import Bot, Limit
from cornered.bots.neural.network import Network
from cornered.bots.neural.player import think
from cornered.bots.neural.views import Views
from cornered.bots.roster import create
from cornered.engine import load
from cornered.engine.games.bamboo import BambooState, cell_numbers
from cornered.engine.kernels.hexagon import size_of

__all__ = ["HYBRID", "MIX", "TEACHERS", "Lessons", "Mix", "play", "read_mix", "seated", "spell"]

Mix: TypeAlias = Mapping[str, int]
"""Relative frequency of each teacher at a seat."""

HYBRID: Final = "hybrid"
NETWORK_TEACHER: Final = "network"
TEACHERS: Final[Mapping[str, tuple[str, str]]] = {
    "minimax": ("bamboo-minimax", "bamboo-minimax"),
    "mcts": ("bamboo-mcts:iterations=150", "bamboo-mcts:iterations=150"),
    HYBRID: (NETWORK_TEACHER, "bamboo-minimax"),
    "outer": ("bamboo-outer", "bamboo-minimax"),
}
"""The bot of each teacher above the threshold of free cells, and the bot from there on."""
MIX: Final[Mix] = {"minimax": 3, "mcts": 1, HYBRID: 1, "outer": 2}
SEARCH_SHARE: Final = 40 / 91
"""Share of free cells at which two of the teachers start to search: 40 cells at radius 5, as in the paper's hybrid."""
MAX_OPENING_PLIES: Final = 8
"""Maximum number of random plies at the start of a game, so that games differ."""
RANDOM_MOVE_PROBABILITY: Final = 0.05
"""Probability that a random move replaces a teacher's; such a move is excluded from the training data."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """Training data, one position a row: the mover's input planes, the index of the cell that its teacher chose, and
    the outcome, 1 for a win of the mover and -1 for a loss."""

    views: Views
    chosen: npt.NDArray[np.int64]
    outcomes: npt.NDArray[np.int8]

    @classmethod
    def together(cls, parts: list[Lessons], radius: int) -> Lessons:
        """Concatenate the training data of several games on one board."""
        parts = [cls(Views.of([], radius), np.zeros(0, np.int64), np.zeros(0, np.int8)), *parts]
        return cls(
            Views(*(np.concatenate([getattr(part.views, name) for part in parts]) for name in Views.__slots__)),
            np.concatenate([part.chosen for part in parts]),
            np.concatenate([part.outcomes for part in parts]),
        )

    def __len__(self) -> int:
        return len(self.chosen)


def read_mix(text: str) -> Mix:
    """Return the mix of a text like minimax=3,mcts=1. Raises ValueError that shows the format."""
    found = dict.fromkeys(TEACHERS, 0)
    for part in text.split(","):
        name, _, count = part.strip().partition("=")
        if name not in found or not count.isdecimal():
            raise ValueError(f"a mix looks like {spell(MIX)}, with the names {', '.join(TEACHERS)}, not {text!r}")
        found[name] = int(count)
    if not any(count for name, count in found.items() if name != HYBRID):
        raise ValueError("the hybrid follows a network that learns from other games; mix in minimax, mcts or outer")
    return {name: count for name, count in found.items() if count}


def spell(mix: Mix) -> str:
    """Return a mix as text in the order of the teachers; the inverse of `read_mix`."""
    return ",".join(f"{name}={mix[name]}" for name in TEACHERS if mix.get(name))


def _chance(radius: int, seed: int, number: int) -> Random:
    return Random(f"{seed} {radius} {number}")


def _seated(mix: Mix, chance: Random) -> tuple[str, str]:
    names = [name for name in TEACHERS if mix.get(name)]
    first, second = chance.choices(names, [mix[name] for name in names], k=2)
    return first, second


def seated(radius: int, seed: int, mix: Mix, number: int) -> tuple[str, str]:
    """Return the teachers of a game, by seat."""
    return _seated(mix, _chance(radius, seed, number))


def play(radius: int, seed: int, mix: Mix, network: Network | None, number: int) -> Lessons:
    """Play one game of two teachers and return their moves; `network` is the hybrid's, None where no hybrid plays.
    Deterministic: equal arguments give equal games."""
    chance = _chance(radius, seed, number)
    seats = [TEACHERS[name] for name in _seated(mix, chance)]
    players: list[dict[str, Bot]] = [
        {spec: create(spec, chance.randrange(1 << 32)) for spec in dict.fromkeys(seat) if spec != NETWORK_TEACHER}
        for seat in seats
    ]
    random_plies = chance.randrange(MAX_OPENING_PLIES + 1)
    order = {number: i for i, number in enumerate(cubes(radius))}
    numbers = cell_numbers(radius)
    state: BambooState = bamboo(load("bamboo", radius=radius).start())
    seen: list[tuple[BambooState, str]] = []
    ply = 0
    while state.outcome is None:
        if ply < random_plies or chance.random() < RANDOM_MOVE_PROBABILITY:
            move = chance.choice(state.moves())
        else:
            opening, middle = seats[state.to_move]
            spec = opening if size_of(state.position[6:9]) > SEARCH_SHARE * len(order) else middle
            if spec == NETWORK_TEACHER:
                assert network is not None, "a hybrid plays with a network"
                move = think(state, network).move
            else:
                move = players[state.to_move][spec].choose(state, Limit()).move
            seen.append((state, move))
        state = state.play(move)
        ply += 1
    winner = state.outcome.winner
    return Lessons(
        Views.of([before for before, _ in seen], radius),
        np.array([order[numbers[move]] for _, move in seen], np.int64),
        np.array([1 if before.to_move == winner else -1 for before, _ in seen], np.int8),
    )
