"""Quiescence search: minimax's value where every position is quiet, and exact values where none is."""

from __future__ import annotations

import math

import pytest

from cornered import engine
from cornered.bots.bot import WIN, Limit
from cornered.bots.evaluate import evaluator
from cornered.bots.solve import solver
from cornered.bots.textbook.minimax import depth_limited
from cornered.bots.textbook.quiescence import IsQuiet, few_moves, quiescence, swing, swings
from cornered.bots.textbook.search import CERTAIN_SCORE, TextbookSearch
from cornered.engine import State
from tests.bots.scenes import fresh, positions

GAMES = [
    engine.load("trapgrid", size=4),
    engine.load("isolation", width=3, height=3),
    engine.load("bamboo", radius=1),
]


def value(state: State, depth: int, is_quiet: IsQuiet, extension: int) -> float:
    return quiescence(state, depth, -math.inf, math.inf, 0, fresh(state), is_quiet, extension)[0]


def selective(state: State, depth: int, ply: int, search: TextbookSearch, is_quiet: IsQuiet, extension: int) -> float:
    """The definition without pruning: minimax over the tree that ends at quiet positions."""
    is_leaf = depth <= 0 and (depth <= -extension or is_quiet(state, ply, search))
    if state.outcome is not None or is_leaf:
        found = search.leaf(state, depth, ply)
        assert found is not None
        return found
    values = [selective(state.play(move), depth - 1, ply + 1, search, is_quiet, extension) for move in state.moves()]
    return max(values) if state.to_move == search.seat else min(values)


def test_where_every_position_is_quiet_it_is_minimax() -> None:
    for state in (state for game in GAMES for state in positions(game, 1, 10)):
        expected, _ = depth_limited(state, 2, 0, fresh(state))
        assert value(state, 2, few_moves(0), 6) == expected
        assert value(state, 2, few_moves(100), 0) == expected


@pytest.mark.parametrize("is_quiet", [few_moves(4), swings(0.5)], ids=["moves", "swing"])
def test_pruning_keeps_the_value_of_the_selective_tree(is_quiet: IsQuiet) -> None:
    for game in GAMES:
        extended = 0
        for state in positions(game, 2, 10):
            expected = selective(state, 1, 0, fresh(state), is_quiet, 3)
            assert value(state, 1, is_quiet, 3) == expected
            extended += expected != depth_limited(state, 1, 0, fresh(state))[0]
        assert extended > 0


def test_where_none_is_quiet_it_finds_the_exact_value() -> None:
    for state in (state for game in GAMES for state in positions(game, 3, 8)):
        of_game = solver(state.game.name)
        assert of_game is not None
        solved = of_game.solve(state, Limit())
        assert solved is not None
        found = value(state, 1, few_moves(100), 20)
        assert abs(found) > CERTAIN_SCORE
        assert (found > 0) == (solved.value == "win")
        if solved.plies is not None:
            assert WIN - abs(found) == solved.plies


def test_it_stops_at_the_extension_and_counts_what_the_test_looks_at() -> None:
    state = engine.load("trapgrid", size=5).start()
    search = fresh(state)
    quiescence(state, 1, -math.inf, math.inf, 0, search, few_moves(100), 2)
    assert search.deepest == 3
    assert search.saw_horizon
    before = search.nodes
    swing(state, 0, search)
    assert search.nodes == before + len(state.moves())


def test_a_swing_is_what_the_best_move_changes() -> None:
    state = engine.load("isolation", width=3, height=3).start().play("a1").play("c3")
    evaluate = evaluator("isolation").evaluate
    after = [evaluate(state.play(move), 0) for move in state.moves()]
    assert swing(state, 0, fresh(state)) == abs(max(after) - evaluate(state, 0))
    assert swings(swing(state, 0, fresh(state)))(state, 0, fresh(state))
    assert not swings(swing(state, 0, fresh(state)) - 0.01)(state, 0, fresh(state))
    assert few_moves(4)(state, 0, fresh(state))
    assert not few_moves(5)(state, 0, fresh(state))
