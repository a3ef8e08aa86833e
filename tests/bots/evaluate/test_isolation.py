"""Isolation's kernels against slower implementations."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.evaluate.isolation import SCRATCH, evaluate, exact_value, order_score, voronoi_zones
from cornered.bots.solve.isolation import prove
from cornered.engine.games.isolation import IsolationState
from cornered.engine.kernels.grid import CELL_BITS, names, word
from tests.bots.scenes import isolation, random_game

ISOLATION = engine.load("isolation")


def scratch() -> Any:
    return np.zeros(1, SCRATCH).view(np.recarray)[0]


def positions(size: int, games: int, seed: int) -> Iterator[IsolationState]:
    chance = random.Random(seed)
    for _ in range(games):
        yield from random_game(engine.load("isolation", width=size, height=size), chance)


def test_what_is_known_is_true_and_takes_no_longer_than_said() -> None:
    record, told = scratch(), 0
    for state in positions(5, 120, 1):
        plies = exact_value(state.position, record)
        if plies:
            told += 1
            assert prove(state, Limit(time=60_000)).value == ("win" if plies > 0 else "loss")
            assert abs(plies) <= 2 * int(state.position.free).bit_count() + 1
            assert plies % 2 == (1 if plies > 0 else 0)
    assert told > 50


def test_something_is_known_exactly_when_no_cell_is_within_reach_of_both() -> None:
    together = isolation("0.../xxx./...x/1... 0")
    apart = isolation("0.../xxxx/..../1... 0")
    assert exact_value(together.position, scratch()) == 0
    # Three slides against seven: the mover has lost within twice three plies.
    assert exact_value(apart.position, scratch()) == -6
    assert exact_value(isolation("0.../xxxx/..../1... 1").position, scratch()) == 7


def test_nothing_is_known_before_both_pawns_are_placed() -> None:
    start = ISOLATION.start()
    assert isinstance(start, IsolationState)
    assert exact_value(start.position, scratch()) == 0
    assert exact_value(start.play("d4").position, scratch()) == 0


def test_a_cell_is_the_movers_when_it_takes_no_more_slides_than_the_other() -> None:
    state = isolation("0.../..../..../...1 0")
    position = state.position
    mine, theirs = voronoi_zones(position.free, position.mover, position.second)
    # One slide takes both pawns to the corners and along the diagonal; what is not seen at once takes two.
    assert {"a1", "a3", "c4", "d4", "b3", "c2"} <= set(names(int(mine)))
    assert set(names(int(theirs))) == {"b1", "c1", "d2", "d3"}
    assert mine & theirs == 0


def test_every_cell_in_reach_is_given_to_one_of_the_two() -> None:
    for state in positions(6, 20, 2):
        free, mover, other, *_ = state.position
        if mover and other:
            mine, theirs = voronoi_zones(free, mover, other)
            theirs_too, mine_too = voronoi_zones(free, other, mover)
            assert mine | theirs == mine_too | theirs_too
            assert mine & theirs == 0
            # Only who moves next, and so has the ties, makes a difference.
            assert mine_too & ~mine == 0


def test_the_mover_with_more_cells_is_better_off() -> None:
    assert evaluate(isolation("0.../..../xx.x/.x1x 0").position) > 0
    assert evaluate(isolation("0.../..../xx.x/.x1x 1").position) < 0


def test_the_move_that_leaves_fewest_replies_comes_first() -> None:
    state = isolation("..0./..../xxx./1..x 0")
    best = max(state.moves(), key=lambda move: order_score(state.position, CELL_BITS[move]))
    replies = {move: len(state.play(move).moves()) for move in state.moves()}
    assert replies[best] == min(replies.values())


def test_words_of_whole_boards_do_not_confuse_the_kernels() -> None:
    state = engine.load("isolation", width=8, height=8).start().play("h8").play("a1")
    assert isinstance(state, IsolationState)
    mine, theirs = voronoi_zones(*(word(bits) for bits in state.position[:3]))
    assert int(mine | theirs).bit_count() == 62
    assert abs(evaluate(state.position)) < 90_000
