"""Bamboo's evaluation by hand, its order of moves, and how it plays with the compiled search."""

from __future__ import annotations

import numpy as np

from cornered import engine
from cornered.bots.evaluate.bamboo import (
    CANDIDATE_MOVES_MAX,
    GROUP,
    OPENING_FREE_CELLS,
    candidate_moves,
    evaluate,
    exact_value,
    key,
    order_score,
    side_score,
)
from cornered.engine.games.bamboo import BambooState, cell_numbers
from cornered.engine.kernels.hexagon import MAX_MOVES, gen, turned
from tests.bots.scenes import bamboo, random_game


def played(radius: int, seed: int) -> list[BambooState]:
    return random_game(engine.load("bamboo", radius=radius), seed)


def test_standing_is_groups_and_the_weight_on_the_cells_beside_them() -> None:
    # Red's a1 and a3 have three free neighbours each, two stones in the making on each; both touch a2.
    position = bamboo(2, "a1 e1 a3 e3").position
    assert side_score(position, 15) == 2 * GROUP - 13 * (2 * 3 + 2 * 3)
    assert side_score(position, 25) == 2 * GROUP - 9 * 12 - 40
    # Of 15 free cells 10 touch no red stone: a1 and a3 have five neighbours together.
    assert side_score(position, 50) == 2 * GROUP - 2 * 12 - 30 + 28 * (50 - 5)
    # Late in a game three groups are better than two.
    two, three = bamboo(3, "a1 d4 a3 g1 a4 g3").position, bamboo(3, "a1 d4 a3 g1 c1 g3").position
    assert side_score(two, 15) < side_score(three, 15)


def test_both_sides_are_judged_alike_and_the_turn_is_a_burden() -> None:
    for state in played(5, 1):
        assert evaluate(state.position) + evaluate(turned(state.position)) == -GROUP
        assert abs(evaluate(state.position)) < 90_000


def test_the_choice_is_the_best_ranked_and_leaves_nothing_out_for_good() -> None:
    # Small boards are looked at whole.
    for state in (*played(3, 2), *played(5, 2)):
        buffer = np.zeros(MAX_MOVES, np.int64)
        count = gen(state.position, buffer)
        moves = buffer[:count].tolist()
        kept = candidate_moves(state.position, buffer, count)
        radius = state.game.radius
        free = 3 * radius * (radius + 1) + 1 - sum(stones.bit_count() for stones in state.stones())
        is_narrowed = radius == 5 and free > OPENING_FREE_CELLS
        assert kept == (min(count, CANDIDATE_MOVES_MAX) if is_narrowed else count)
        assert sorted(buffer[:count].tolist()) == moves
        ranks = [order_score(state.position, move) for move in buffer[:count].tolist()]
        if kept < count:
            assert min(ranks[:kept]) >= max(ranks[kept:])
        assert all(0 <= found <= 9_999 for found in ranks)


def test_a_corner_is_ranked_above_the_centre_at_first() -> None:
    position, numbers = bamboo(5, "").position, cell_numbers(5)
    assert order_score(position, numbers["a1"]) > order_score(position, numbers["f6"])


def test_different_positions_have_different_keys_and_nothing_is_known_for_certain() -> None:
    states = [state for seed in range(20) for state in played(5, seed)]
    assert len({key(state.position) for state in states}) == len(set(states))
    scratch = np.zeros(1, np.dtype([("unused", np.int64)]))[0]
    assert all(exact_value(state.position, scratch) == 0 for state in states[:50])
