"""At full width the compiled search returns the value of plain minimax."""

from __future__ import annotations

import functools
import random

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import evaluator
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import FULL_WIDTH, Limit, Searcher
from cornered.engine import Game, State

GAMES = [
    (engine.load("trapgrid", size=3), 300),
    (engine.load("trapgrid"), 500),
    (engine.load("isolation", width=3, height=3), 300),
    (engine.load("isolation"), 100),
    (engine.load("bamboo", radius=1), 200),
    (engine.load("bamboo"), 60),
    (engine.load("quoridor", size=3), 300),
    (engine.load("quoridor"), 40),
]
MORE_GAMES = [
    (engine.load("trapgrid", size=5), 500),
    (engine.load("trapgrid", size=8), 300),
    (engine.load("isolation", width=4, height=3), 300),
    (engine.load("isolation", width=5, height=5), 200),
    (engine.load("bamboo", radius=2), 200),
    (engine.load("quoridor", size=3, walls=1, max_plies=12), 300),
    (engine.load("quoridor", size=5, walls=1, no_progress=5), 200),
    (engine.load("quoridor", size=5, walls=0), 300),
]
NODES = 2_500
"""Nodes of plain minimax, roughly, above which a test reduces the depth."""


def minimax(state: State, depth: int, ply: int = 0) -> float:
    """Return the value for the mover."""
    outcome = state.outcome
    if outcome is not None:
        if outcome.winner is None:
            return 0.0
        return WIN - ply if outcome.winner == state.to_move else ply - WIN
    if depth == 0:
        return evaluate(state)
    return max(-minimax(state.play(move), depth - 1, ply + 1) for move in state.moves())


@functools.lru_cache(100_000)
def evaluate(state: State) -> float:
    return evaluator(state.game.name).evaluate(state, state.to_move)


def positions(game: Game, number: int, count: int) -> list[State]:
    """Return unfinished positions of random games."""
    chance = random.Random(f"{game!r} {number}")
    found: list[State] = []
    while len(found) < count:
        state = game.start()
        played: list[State] = []
        while state.outcome is None and len(played) < 60:
            played.append(state)
            state = state.play(chance.choice(state.moves()))
        found += chance.sample(played, min(4, len(played)))
    return found[:count]


def depth_for(state: State, chance: random.Random) -> int:
    moves = len(state.moves())
    affordable = next(depth for depth in range(8, 0, -1) if moves**depth <= NODES or depth == 1)
    return chance.randint(1, affordable)


@pytest.mark.parametrize(
    ("game", "count"),
    [*GAMES, *(pytest.param(*each, marks=pytest.mark.thorough) for each in MORE_GAMES)],
    ids=str,
)
def test_at_full_width_the_value_is_that_of_minimax(game: Game, count: int) -> None:
    searcher, chance = Searcher(game, SearchMemory.private()), random.Random(1)
    for state in positions(game, 1, count):
        depth = depth_for(state, chance)
        thought = searcher.search(state, Limit(depth=depth), FULL_WIDTH)
        expected = minimax(state, depth)
        assert thought.score == pytest.approx(expected), (str(state), depth, thought)
        after = state.play(thought.move)
        assert -minimax(after, depth - 1, 1) == pytest.approx(expected), (str(state), depth, thought)
