"""At full width the compiled search returns the value of plain minimax."""

from __future__ import annotations

import random

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import FULL_WIDTH, Limit, Searcher
from cornered.engine import State
from tests.bots.scenes import minimax, positions

GAMES = [
    ("trapgrid", {"size": 3}, 40),
    ("trapgrid", {"size": 5}, 60),
    ("trapgrid", {}, 50),
    ("trapgrid", {"size": 8}, 24),
    ("isolation", {"width": 3, "height": 3}, 40),
    ("isolation", {"width": 4, "height": 3}, 40),
    ("isolation", {"width": 5, "height": 5}, 40),
    ("isolation", {"width": 8, "height": 2}, 40),
    ("isolation", {}, 24),
    ("bamboo", {"radius": 1}, 60),
    ("bamboo", {"radius": 2}, 40),
    ("bamboo", {"radius": 3}, 30),
    ("bamboo", {}, 20),
    ("quoridor", {"size": 3}, 40),
    ("quoridor", {"size": 3, "walls": 1, "max_plies": 12}, 40),
    ("quoridor", {"size": 5, "walls": 0}, 40),
    ("quoridor", {"size": 5, "walls": 1, "no_progress": 5}, 40),
    ("quoridor", {"size": 7, "walls": 1}, 16),
    ("quoridor", {}, 12),
]
NODES = 800
"""Nodes of plain minimax, roughly, above which a test reduces the depth."""


def depth_for(state: State, chance: random.Random) -> int:
    moves = len(state.moves())
    affordable = next(depth for depth in range(8, 0, -1) if moves**depth <= NODES or depth == 1)
    return chance.randint(1, affordable)


@pytest.mark.parametrize("name", ["trapgrid", "isolation", "bamboo", "quoridor"])
def test_at_full_width_the_value_is_that_of_minimax(name: str, subtests: pytest.Subtests) -> None:
    for game, count in ((engine.load(name, **options), count) for each, options, count in GAMES if each == name):
        with subtests.test(repr(game)):
            searcher, chance = Searcher(game, SearchMemory.private()), random.Random(1)
            for state in positions(game, 1, count):
                depth = depth_for(state, chance)
                thought = searcher.search(state, Limit(depth=depth), FULL_WIDTH)
                expected = minimax(state, seat := state.to_move, depth)
                assert thought.score == pytest.approx(expected), (str(state), depth, thought)
                after = state.play(thought.move)
                assert minimax(after, seat, depth - 1, 1) == pytest.approx(expected), (str(state), depth, thought)
                is_sure = abs(expected) > 1_000
                assert thought.proven == (("win" if expected > 0 else "loss") if is_sure else None), (str(state), depth)
                assert not is_sure or thought.plies == WIN - abs(expected)
