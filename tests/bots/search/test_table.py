"""Every entry of the transposition table is true of its position, whenever and at whatever ply it was written."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest

from cornered import engine
from cornered.bots.bot import WIN
from cornered.bots.evaluate import CENTIMOVES, evaluator
from cornered.bots.search.iterative_deepening import key_salt
from cornered.bots.search.layout import TABLE_ENTRIES
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import FULL_WIDTH, Limit, Searcher
from cornered.bots.search.template import (
    DEPTH_OFFSET,
    EXACT_SCORE,
    LOWER_BOUND,
    MATE_SCORE,
    PLY_COUNTING_SCORE,
    SCORE_OFFSET,
    UPPER_BOUND,
)
from cornered.engine import Game, State

GAMES = [
    engine.load("trapgrid", size=3),
    engine.load("isolation", width=3, height=2),
    engine.load("bamboo", radius=1),
    engine.load("quoridor", size=3, walls=0),
    engine.load("quoridor", size=3, walls=1),
    engine.load("quoridor", size=3, walls=1, max_plies=7),
]
DEPTH = 7


@functools.lru_cache(1_000_000)
def minimax(state: State, depth: int) -> float:
    """Return the value for the mover; a win or a loss is worth one point less for each ply to it."""
    outcome = state.outcome
    if outcome is not None:
        return 0.0 if outcome.winner is None else WIN if outcome.winner == state.to_move else -WIN
    if depth == 0:
        return evaluator(state.game.name).evaluate(state, state.to_move)
    return max(earlier(-minimax(state.play(move), depth - 1)) for move in state.moves())


def earlier(score: float) -> float:
    return score - 1 if score > 1_000 else score + 1 if score < -1_000 else score


def entries(searcher: Searcher, state: State, plies: int) -> Iterator[tuple[State, int, int, float]]:
    """Yield position, depth, bound and score of the table's entries up to `plies` plies below the position."""
    seen, waiting = {state}, [(state, plies)]
    while waiting:
        found, left = waiting.pop()
        if found.outcome is not None or left == 0:
            continue
        here = searcher.made.hooks["key"](found.position) ^ key_salt(state.game, FULL_WIDTH)  # type: ignore[attr-defined]
        slot = here & (TABLE_ENTRIES - 2)
        for place in (slot, slot + 1):
            check, data = map(int, searcher.memory.table.words[place])
            if data and check ^ data == here:
                score = (data >> 25) - SCORE_OFFSET
                points = score / CENTIMOVES
                if abs(score) > PLY_COUNTING_SCORE:
                    points = WIN - (MATE_SCORE - score) if score > 0 else -WIN + (MATE_SCORE + score)
                yield found, (data >> 9 & 255) - DEPTH_OFFSET, data >> 17 & 3, points
        for after in map(found.play, found.moves()):
            if after not in seen:
                seen.add(after)
                waiting.append((after, left - 1))


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_every_entry_bounds_the_value_of_its_position(game: Game) -> None:
    searcher = Searcher(game, SearchMemory.private())
    start = game.start()
    for depth in range(1, DEPTH + 1):
        # Also from further on, so that the same positions occur at other plies.
        searcher.search(start, Limit(depth=depth, lines=20), FULL_WIDTH)
        for after in map(start.play, start.moves()):
            searcher.search(after, Limit(depth=depth, lines=20), FULL_WIDTH)
    bounds = set()
    for state, depth, bound, score in entries(searcher, start, DEPTH + 1):
        value = minimax(state, depth)
        bounds.add(bound)
        if bound & LOWER_BOUND:
            assert value >= score - 1e-9, (str(state), depth, bound)
        if bound & UPPER_BOUND:
            assert value <= score + 1e-9, (str(state), depth, bound)
    assert LOWER_BOUND in bounds
    assert EXACT_SCORE in bounds
