"""Quoridor solved: races against plain retrograde analysis, tables against independent values and against search."""

from __future__ import annotations

import random
from itertools import pairwise
from math import inf

import numpy as np
import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.solve import Solution
from cornered.bots.solve import quoridor as solver
from cornered.bots.solve.layers import canonical, extend, joined, place
from cornered.bots.solve.race import DRAW_BYTE, UNSETTLED_BYTE, settle
from cornered.engine import State
from cornered.engine.games.quoridor import QuoridorState
from cornered.engine.kernels.maze import CELL_COUNT, passages
from cornered.engine.kernels.walls import has_paths, verdict
from tests.bots.scenes import oracles

LEAST_5X5 = {1: 332_500, 2: 17_950_000}
"""Bytes of the two largest neighbouring layers of 5x5, by walls each."""

Placement = tuple[int, int, int]


def solved(state: State, limit: Limit) -> Solution:
    found = solver.solve(state, limit)
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def forget() -> None:
    """Each test solves its own tables."""
    solver.LAYOUTS.clear()


def walk(start: State, number: int, plies: int, *, walls: float = 0.6) -> QuoridorState:
    """Return an unfinished position after random moves, a share of them walls."""
    chance, state = random.Random(number), start
    for _ in range(plies):
        moves = state.moves()
        wanted = 3 if chance.random() < walls else 2
        after = state.play(chance.choice([move for move in moves if len(move) == wanted] or moves))
        if after.outcome is None:
            state = after
    assert isinstance(state, QuoridorState)
    return state


def with_pawns(state: QuoridorState, turn: int, first: int, second: int) -> QuoridorState:
    position = state.position._replace(turn=turn, pawns=first | second << 8, left=0)
    return QuoridorState(state.game, position, verdict(position))


def retrograde(state: QuoridorState) -> dict[Placement, int]:
    """Return, for every race on the walls of `state`, the plies to the mover's win (+) or loss (-), 0 for a draw."""
    size = state.game.size
    cells = [9 * rank + file for rank in range(size) for file in range(size)]
    after: dict[Placement, list[Placement | None]] = {}
    for turn in (0, 1):
        for first in cells:
            for second in cells:
                race = with_pawns(state, turn, first, second)
                if first == second or race.outcome is not None or not has_paths(race.position):
                    continue
                children = [race.play(move) for move in race.moves()]
                after[turn, first, second] = [
                    None if child.outcome else (child.to_move, *child.pawns()[:2])  # type: ignore[misc]
                    for child in children
                ]
    plies = dict.fromkeys(after, 0)
    for ply in range(1, 200):
        for placement, following in after.items():
            if plies[placement] != 0:
                continue
            if ply % 2:
                if any(child is None or 0 > plies[child] == 1 - ply for child in following):
                    plies[placement] = ply
            elif all(child is not None and 0 < plies[child] < ply for child in following):
                plies[placement] = -ply
    return plies


def table_of(state: QuoridorState) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    total = 2 * state.game.size**4
    table = np.empty(total, np.uint8)
    doors = passages(state.position[:4], state.game.size)
    assert settle(doors, state.game.size, np.zeros(total, np.uint8), table, np.empty(6 * total + 1024, np.int64))
    return table.reshape(2, state.game.size**2, state.game.size**2)


def in_plies(byte: int) -> int:
    if byte in (UNSETTLED_BYTE, DRAW_BYTE):
        return 0
    return 2 * byte - 1 if byte < DRAW_BYTE else 2 * (byte - 256)


@pytest.mark.parametrize(("size", "walls", "number"), [(3, 0, 0), (3, 3, 1), (5, 0, 2), (5, 6, 3), (5, 14, 4)])
def test_every_race_is_as_long_as_plain_retrograde_analysis_says(size: int, walls: int, number: int) -> None:
    state = walk(engine.load("quoridor", size=size, walls=20).start(), number, walls, walls=1)
    table, expected = table_of(state), retrograde(state)
    found = {
        (turn, first // size * 9 + first % size, second // size * 9 + second % size): in_plies(int(byte))
        for (turn, first, second), byte in np.ndenumerate(table)
        if byte != UNSETTLED_BYTE
    }
    assert found == expected


def test_a_table_tells_draws_from_positions_that_cannot_be() -> None:
    state = walk(engine.load("quoridor", size=3).start(), 0, 0)
    table = table_of(state)
    assert {int(byte) for byte in table[0, 6:].flat} == {UNSETTLED_BYTE}
    assert table[1, 4, 4] == UNSETTLED_BYTE


def test_exact_values_agree_with_an_independent_program() -> None:
    exact = oracles("quoridor")
    assert len(exact) > 100
    for state, line in exact:
        solver.LAYOUTS.clear()
        solution = solved(state, Limit())
        sign = {"win": 1, "loss": -1, "draw": 0}
        values = {move: sign[value] * solution.lengths.get(move, 0) for move, value in solution.moves.items()}
        assert (sign[solution.value], solution.plies) == (line["value"], line["plies"])
        assert sorted(solution.winning) == sorted(line["winning"])
        assert values == line["move_values"]


def test_the_second_player_wins_from_the_start_of_small_boards() -> None:
    for size, walls in ((3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (5, 0), (5, 1), (5, 2)):
        solution = solved(engine.load("quoridor", size=size, walls=walls).start(), Limit())
        assert (solution.value, solution.winning) == ("loss", ()), (size, walls)


def test_best_play_takes_exactly_as_many_plies_as_promised() -> None:
    state: State = engine.load("quoridor", size=5, walls=2).start()
    first = solved(state, Limit())
    plies = 0
    while state.outcome is None:
        solution = solved(state, Limit())
        assert solution.plies == (first.plies or 0) - plies
        state = state.play(solution.best[-1])
        plies += 1
    assert (plies, state.outcome.winner) == (first.plies, 1)


def test_a_position_is_worth_the_same_from_tables_of_its_own_and_from_those_of_an_earlier_one() -> None:
    start = engine.load("quoridor", size=5, walls=2).start()
    states = [walk(start, number, 6) for number in range(25)]
    own = []
    for state in states:
        solver.LAYOUTS.clear()
        own.append(solver.solve(state, Limit()))
    solver.LAYOUTS.clear()
    solver.solve(start, Limit())
    for state, expected in zip(states, own, strict=True):
        again = solved(state, Limit())
        assert expected is not None
        assert (again.value, again.plies, again.moves, again.lengths) == (
            expected.value,
            expected.plies,
            expected.moves,
            expected.lengths,
        )
        assert again.nodes == 0


def test_5x5_has_tables_for_as_many_walls_as_can_stand_there() -> None:
    start = engine.load("quoridor", size=5, walls=10).start()
    assert isinstance(start, QuoridorState)
    layouts = solver.Layouts.of(start.position, 2**34)
    assert layouts is not None
    # Sets of the 32 slots without a clash, one of two mirror images, counted by another program.
    kept = [1, 16, 234, 1912, 10536, 39900, 107617, 208240, 289808, 286792, 197723, 91520, 26982, 4732, 478, 28, 1]
    assert [len(layer.layouts) for layer in layouts.layers] == kept
    full = layouts.layers[14]
    for _ in layouts.settle():
        if full.settled == len(full.layouts):
            break
    # Both pawns go near their goals, since few walls leave them paths from afar.
    near: State = start
    for move in ("b1", "d5", "b2", "d4", "b3", "d3", "b4", "d2"):
        near = near.play(move)
    compared = 0
    for layout in full.layouts:
        state = near
        for wall in layouts.walls[layout]:
            name = f"{'abcdefghi'[wall % 9]}{wall % CELL_COUNT // 9 + 1}{' hv'[wall // CELL_COUNT]}"
            if name in state.moves():
                state = state.play(name)
        assert isinstance(state, QuoridorState)
        if state.stocks() != (3, 3):
            continue
        own = solved(state, Limit())
        sign = {"win": 1, "loss": -1, "draw": 0}[own.value]
        assert in_plies(layouts.byte(state.position)) == sign * (own.plies or 0)
        compared += 1
    assert compared == 24


def test_9x9_without_walls_in_hand_is_a_race_that_is_solved() -> None:
    state = walk(engine.load("quoridor", walls=6).start(), 5, 40)
    while sum(state.stocks()):
        state = walk(state, 6, 1, walls=1)
    solution = solver.solve(state, Limit())
    assert solver.is_within_reach(state)
    assert solution is not None
    assert solution.nodes == 2 * 81 * 81


def test_draw_rules_are_obeyed_or_nothing_is_said() -> None:
    free = engine.load("quoridor", size=3)
    solution = solved(free.start(), Limit())
    longest = max(solution.lengths.values())
    long = engine.load("quoridor", size=3, max_plies=longest)
    short = engine.load("quoridor", size=3, max_plies=longest - 1)
    solver.LAYOUTS.clear()
    kept = solved(long.start(), Limit())
    assert kept.moves == solution.moves
    assert solver.solve(short.start(), Limit()) is None
    assert solver.solve(engine.load("quoridor", size=3, no_progress=longest - 1).start(), Limit()) is None


def test_what_is_too_much_is_refused() -> None:
    start = engine.load("quoridor").start()
    assert not solver.is_within_reach(start)
    assert solver.solve(start, Limit(time=1000)) is None
    assert solver.solve(engine.load("quoridor", size=5, walls=2).start(), Limit(nodes=1000)) is None
    assert not solver.is_within_reach(engine.load("quoridor", size=5, players=4).start())
    ended = engine.load("quoridor", size=3).start().leave(0)
    assert not solver.is_within_reach(ended)


@pytest.mark.parametrize("memory", [None, LEAST_5X5[2]])
def test_time_stops_the_tables_and_what_is_settled_stays(monkeypatch: pytest.MonkeyPatch, memory: int | None) -> None:
    start = engine.load("quoridor", size=5, walls=2).start()
    heard: list[int] = []
    # The time is up at the first look after something is settled.
    monkeypatch.setattr(solver, "monotonic", lambda: inf if heard else 0.0)
    assert solver.solve(start, Limit(time=5, memory=memory), heard.append) is None
    assert len(heard) == 1
    monkeypatch.undo()
    rest = solved(start, Limit(memory=memory))
    assert heard[0] + rest.nodes == 18_868_750


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "BOUND", 200_000)
    start = engine.load("quoridor", size=5, walls=3).start()
    for number in range(12):
        solver.solve(walk(start, number, 14), Limit())
    assert sum(layouts.memory for layouts in solver.LAYOUTS) <= 200_000


@pytest.mark.parametrize("walls", [1, 2])
def test_tables_that_leave_the_memory_find_what_those_that_stay_find(walls: int) -> None:
    start = engine.load("quoridor", size=5, walls=walls).start()
    expected = solver.solve(start, Limit())
    solver.LAYOUTS.clear()
    taken: list[int] = []

    def measure(nodes: int) -> None:
        taken.append(sum(len(layer.tables) for layouts in solver.LAYOUTS for layer in layouts.layers))

    assert solver.solve(start, Limit(memory=LEAST_5X5[walls] - 1)) is None
    assert solver.solve(start, Limit(memory=LEAST_5X5[walls]), measure) == expected
    assert max(taken) == LEAST_5X5[walls]


def test_tables_that_leave_the_memory_answer_for_the_walls_of_their_first_position_alone() -> None:
    start = engine.load("quoridor", size=5, walls=2).start()
    limit = Limit(memory=LEAST_5X5[2])
    first = solved(start, limit)
    for move, is_settled in (("c2", True), ("c2h", False)):
        after = solved(start.play(move), limit)
        assert (after.nodes == 0) == is_settled
        assert (after.plies or 0) + 1 == first.lengths[move]


def test_what_leaves_the_memory_counts_for_the_time_that_tables_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "REACH_POSITIONS", LEAST_5X5[2])
    assert not solver.is_within_reach(engine.load("quoridor", size=5, walls=2).start())


def test_layouts_are_in_order_and_none_is_missing() -> None:
    clashes = np.eye(5, dtype=np.uint8)
    clashes[0, 1] = clashes[1, 0] = 1
    layouts = np.empty((1, 0), np.uint8)
    for depth, expected in ((0, 5), (1, 9), (2, 7)):
        room = np.empty((50, depth + 1), np.uint8)
        count = extend(layouts, clashes, room)
        assert count == expected
        layouts = room[:count]
        assert all(low < high for low, high in pairwise(layouts.tolist()))
        assert [place(layouts, layout) for layout in layouts] == list(range(count))
    assert place(layouts, np.array([0, 1, 2], np.uint8)) == -1
    assert extend(np.empty((1, 0), np.uint8), clashes, np.empty((4, 1), np.uint8)) == -1


def test_a_wall_finds_its_place_in_a_layout_and_a_mirror_keeps_one_of_two() -> None:
    layout, longer = np.array([2, 5], np.uint8), np.empty(3, np.uint8)
    for slot, expected in ((1, [1, 2, 5]), (3, [2, 3, 5]), (9, [2, 5, 9])):
        joined(layout, slot, longer)
        assert longer.tolist() == expected
    mirror, kept = np.arange(10)[::-1].copy(), np.empty(2, np.uint8)
    for found, is_reflected, expected in (([2, 5], False, [2, 5]), ([4, 7], True, [2, 5]), ([2, 7], False, [2, 7])):
        assert canonical(np.array(found, np.uint8), mirror, kept) == is_reflected
        assert kept.tolist() == expected
