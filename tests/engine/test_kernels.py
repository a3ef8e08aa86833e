"""Every game's module has the same kernels, and playing by them plays the game."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any, Final

import numpy as np
import pytest

from cornered import engine
from cornered.engine import Game

FURTHER: Final[dict[str, list[dict[str, Any]]]] = {
    "trapgrid": [{"size": 3}],
    "isolation": [
        {"width": 4, "height": 3, "dice": True},
        {"width": 4, "height": 4, "players": 3},
        {"width": 8, "height": 8, "players": 4, "dice": True},
    ],
    "bamboo": [{"radius": 1}],
    "quoridor": [{"size": 3}, {"size": 5, "players": 4, "walls": 1}],
}


@pytest.mark.parametrize("kind", engine.games(), ids=lambda kind: kind.name)
def test_gen_advance_lost_and_perft_say_what_the_state_says(kind: type[Game], subtests: pytest.Subtests) -> None:
    rules: Any = import_module(kind.__module__)
    buffer = np.zeros(rules.MAX_MOVES, np.int64)
    for game in [kind(**options) for options in ({}, *FURTHER.get(kind.name, []))]:
        with subtests.test(repr(game)):
            rng, plies = random.Random(11), 0
            state: Any = game.start()
            while state.outcome is None:
                legal = state.moves()
                count = rules.gen(state.position, buffer)
                assert count == len(legal) <= rules.MAX_MOVES
                assert not rules.lost(state.position)
                if plies < min(12, game.seats * 3):
                    assert state.perft(2) == sum(state.play(move).perft(1) for move in legal)
                chosen = rng.randrange(count)
                following = state.play(legal[chosen])
                assert tuple(rules.advance(state.position, int(buffer[chosen]))) == tuple(following.position)
                state, plies = following, plies + 1
            if game.seats == 2:
                assert rules.lost(state.position)
                assert state.outcome.winner == 1 - state.to_move
