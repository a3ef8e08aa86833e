"""The compiled search at full width, minimax, alpha-beta and sorted alpha-beta: one value, on every game."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import evaluator
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import FULL_WIDTH, Searcher
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.minimax import depth_limited
from cornered.bots.textbook.ordered import sorted_alpha_beta
from cornered.bots.textbook.search import TextbookSearch, proof
from cornered.clients.sdk import Limit
from cornered.engine import Game, State

Positions = Callable[[Game, int, int], list[State]]

GAMES = [
    (engine.load("trapgrid", size=3), 120),
    (engine.load("trapgrid", size=5), 200),
    (engine.load("trapgrid", size=6), 120),
    (engine.load("trapgrid"), 120),
    (engine.load("trapgrid", size=8), 40),
    (engine.load("isolation", width=3, height=3), 160),
    (engine.load("isolation", width=4, height=3), 120),
    (engine.load("isolation", width=5, height=5), 120),
    (engine.load("isolation"), 80),
    (engine.load("isolation", width=8, height=2), 80),
    (engine.load("bamboo", radius=1), 160),
    (engine.load("bamboo", radius=2), 120),
    (engine.load("bamboo", radius=3), 60),
    (engine.load("bamboo"), 24),
    (engine.load("quoridor", size=3), 160),
    (engine.load("quoridor", size=3, walls=1, max_plies=12), 120),
    (engine.load("quoridor", size=5, walls=0), 100),
    (engine.load("quoridor", size=5, walls=2, no_progress=8), 60),
    (engine.load("quoridor", size=7, walls=1), 40),
    (engine.load("quoridor"), 16),
]
LEAVES = 700
"""Nodes of minimax, roughly, above which a position is searched to less depth."""


def test_these_are_thousands_of_positions() -> None:
    assert sum(count for _, count in GAMES) >= 2_000


@pytest.mark.parametrize(("game", "count"), GAMES, ids=str)
def test_all_come_to_the_same_value(game: Game, count: int, positions: Positions) -> None:
    searcher, chance = Searcher(game, SearchMemory.private()), random.Random(1)
    evaluate = evaluator(game.name).evaluate
    for state in positions(game, 11, count):
        deepest = next(depth for depth in range(6, 0, -1) if len(state.moves()) ** depth <= LEAVES or depth == 1)
        depth = chance.randint(1, deepest)
        search = TextbookSearch(state.to_move, evaluate)
        value, _ = depth_limited(state, depth, 0, search)
        for pruned in (alpha_beta, sorted_alpha_beta):
            assert pruned(state, depth, -math.inf, math.inf, 0, TextbookSearch(state.to_move, evaluate))[0] == value
        compiled = searcher.search(state, Limit(depth=depth), FULL_WIDTH)
        assert compiled.score == pytest.approx(value), (str(state), depth)
        sure = proof(value, 2, saw_horizon=True)
        assert compiled.proven == sure, (str(state), depth)
        if sure:
            assert compiled.plies == WIN - abs(value)
