"""Every game's module has the same kernels, and playing by them plays the game."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from cornered import engine
from cornered.engine import Game, State

GAMES = [
    *(game() for game in engine.games()),
    engine.load("trapgrid", size=3),
    engine.load("isolation", width=4, height=3, dice=True),
    engine.load("isolation", width=4, height=4, players=3),
    engine.load("isolation", width=8, height=8, players=4, dice=True),
    engine.load("bamboo", radius=1),
    engine.load("quoridor", size=3),
    engine.load("quoridor", size=5, players=4, walls=1),
]


def kernels(state: State) -> Any:
    return import_module(type(state).__module__)


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_gen_advance_and_lost_say_what_the_state_says(game: Game) -> None:
    rng = random.Random(11)
    state: Any = game.start()
    rules = kernels(state)
    buffer = np.zeros(rules.MAX_MOVES, np.int64)
    while state.outcome is None:
        legal = state.moves()
        count = rules.gen(state.position, buffer)
        assert count == len(legal) <= rules.MAX_MOVES
        assert not rules.lost(state.position)
        chosen = rng.randrange(count)
        following = state.play(legal[chosen])
        assert tuple(rules.advance(state.position, int(buffer[chosen]))) == tuple(following.position)
        state = following
    if game.seats == 2:
        assert rules.lost(state.position)
        assert state.outcome.winner == 1 - state.to_move


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_perft_counts_what_gen_and_advance_reach(game: Game) -> None:
    state: Any = game.start()
    rng = random.Random(12)
    for _ in range(min(12, game.seats * 3)):
        assert state.perft(2) == sum(state.play(move).perft(1) for move in state.moves())
        state = state.play(rng.choice(state.moves()))
        if state.outcome is not None:
            break
