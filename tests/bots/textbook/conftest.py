"""Positions of random games."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from cornered.engine import CHANCE, Game, State

Positions = Callable[[Game, int, int], list[State]]


@pytest.fixture(scope="session")
def positions() -> Positions:
    """Return a function that yields `count` positions of random games in which a player is to move."""

    def some(game: Game, seed: int, count: int) -> list[State]:
        chance = random.Random(f"{game!r} {seed}")
        found: list[State] = []
        while len(found) < count:
            state = game.start()
            played: list[State] = []
            while state.outcome is None and len(played) < 60:
                if state.to_move != CHANCE:
                    played.append(state)
                state = state.play(chance.choice(state.moves()))
            found += chance.sample(played, min(4, len(played)))
        return found[:count]

    return some
