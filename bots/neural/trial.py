"""What a network is worth: games against players that learn nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from bots.bamboo.cells import bamboo
from bots.neural.network import Layers
from bots.neural.player import think
from bots.roster import create
from clients.sdk import Limit
from engine import load

__all__ = ["OPPONENTS", "trials"]

OPPONENTS: Final = ("bamboo-uniform", "bamboo-outer", "bamboo-minimax")
TRIALS: Final = 100
OPENING: Final = 2
"""How many random plies a trial begins with, the same for both colours: two fixed players would repeat one game."""


def trials(layers: Layers, radius: int, report: Callable[[int, int], None]) -> Iterator[tuple[str, int, int]]:
    """Play against each opponent, half of the games with each colour; yield its name, the wins, and the games."""
    for o, name in enumerate(OPPONENTS):
        wins = 0
        for number in range(TRIALS):
            wins += _wins(layers, radius, name, number)
            report(o * TRIALS + number + 1, len(OPPONENTS) * TRIALS)
        yield name, wins, TRIALS


def _wins(layers: Layers, radius: int, name: str, number: int) -> bool:
    chance = Random(f"{radius} {name} {number // 2}")
    state = bamboo(load("bamboo", radius=radius).start())
    opponent, seat = create(name, number), number % 2
    for _ in range(OPENING):
        state = state.play(chance.choice(state.moves()))
    while state.outcome is None:
        thought = think(state, layers) if state.to_move == seat else opponent.choose(state, Limit())
        state = state.play(thought.move)
    return state.outcome.winner == seat
