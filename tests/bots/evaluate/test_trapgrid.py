"""The kernels of TrapGrid's evaluation."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.evaluate.trapgrid import SCRATCH, evaluate, exact_value, key, order_score, quiet, voronoi_lead
from cornered.bots.solve.trapgrid import solve
from cornered.engine.games.trapgrid import Position
from cornered.engine.kernels.grid import CELL_BITS, word
from tests.bots.scenes import random_game, trapgrid


def positions(count: int, size: int = 6) -> Iterator[Any]:
    """Yield unfinished positions of random games."""
    chance = random.Random(size)
    for _ in range(count):
        yield random_game(engine.load("trapgrid", size=size), chance, 1 + chance.randrange(size * size))[-1]


def test_what_is_known_is_what_the_solver_proves() -> None:
    scratch = np.zeros(1, SCRATCH)[0]
    told = 0
    for state in positions(400):
        solution = solve(state, Limit())
        assert solution is not None
        plies = int(exact_value(state.position, scratch))
        if plies:
            told += 1
            assert (plies > 0) == (solution.value == "win"), str(state)
            assert abs(plies) == solution.plies, str(state)
    assert told > 100


def test_nothing_is_known_while_both_can_reach_the_same_cell() -> None:
    scratch = np.zeros(1, SCRATCH)[0]
    assert exact_value(trapgrid("0...../....../....../....../....../.....1 0", 6).position, scratch) == 0
    assert exact_value(trapgrid("0../xx./1.. 0").position, scratch) == 0
    assert exact_value(trapgrid("0../xxx/1.. 0").position, scratch) == -4
    assert exact_value(trapgrid("0../xxx/1.x 0").position, scratch) == 3
    assert exact_value(trapgrid("0../x.x/1x. 0").position, scratch) != 0
    # A shut-in opponent has lost at once.
    assert exact_value(trapgrid("0../..x/.x1 0").position, scratch) == 1


def test_zones_are_cells_that_one_player_reaches_first() -> None:
    position = trapgrid("0..../...../...../...../....1 0", 5).position
    # Of 25 cells, the mover has the five of the middle diagonal too.
    assert voronoi_lead(position.free, position.mover, position.other) == 5
    assert voronoi_lead(position.free, position.other, position.mover) == 5
    row = trapgrid("xxx/0.1/xxx 0").position
    assert voronoi_lead(row.free, row.mover, row.other) == 1


def test_worth_is_room_by_colours_and_open_steps() -> None:
    # The mover's zone is a2 and b1, of one colour: room for one step, and two are open. The other has nothing.
    corner = trapgrid("xx1/.xx/0.x 0").position
    assert evaluate(corner) == 100 * 1 + 50 * 2
    # Two cells in a row are two steps.
    row = trapgrid("1xx/xxx/0.. 0").position
    assert evaluate(row) == 100 * 2 + 50 * 1
    assert evaluate(trapgrid("1xx/xxx/0.. 1").position) == -evaluate(row)


def test_a_position_is_quiet_when_the_mover_has_a_choice() -> None:
    assert quiet(trapgrid("0../.../..1 0").position)
    assert not quiet(trapgrid("0../x../..1 0").position)


def test_narrow_cells_come_first_and_dead_ends_last() -> None:
    position = trapgrid("..x/.0./xx1 0").position
    order = {name: order_score(position, CELL_BITS[name]) for name in ("a2", "b3", "c2")}
    assert order["a2"] == order["b3"] > order["c2"] == 0
    side = trapgrid("...../0..../...../...../....1 0", 5).position
    assert (
        order_score(side, CELL_BITS["a5"]) > order_score(side, CELL_BITS["a3"]) > order_score(side, CELL_BITS["b4"]) > 0
    )


def test_different_positions_have_different_keys() -> None:
    seen: dict[int, tuple[int, int, int]] = {}
    for state in positions(3000, size=8):
        free, mover, other, _ = map(int, state.position)
        assert seen.setdefault(int(key(state.position)), (free, mover, other)) == (free, mover, other)
    # Neighbouring pawns, pawns that swap, and the corner that is the highest bit.
    at = [Position(word(0), word(1 << a), word(1 << b), 0) for a in range(64) for b in range(64) if a != b]
    at += [Position(word(1 << bit), word(2), word(4), 0) for bit in (0, *range(3, 64))]
    assert len({int(key(position)) for position in at}) == len(at)
    # Whose turn it is makes no difference.
    assert key(trapgrid("0../.../..1 0").position) == key(trapgrid("1../.../..0 1").position)
