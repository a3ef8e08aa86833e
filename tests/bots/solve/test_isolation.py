"""The solver against brute force, oracles and published results, and under limits."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from functools import cache

import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.evaluate.regions import region
from cornered.bots.solve import Solution, solver
from cornered.bots.solve.isolation import is_within_reach, prove, solve
from cornered.bots.solve.isolation_proof import SET_BIT, WON_BIT, canonical, forget, outcome, workspace
from cornered.engine import State
from cornered.engine.games.isolation import IsolationState
from cornered.engine.kernels.grid import word
from tests.bots.scenes import oracles, random_game
from tests.engine.programs import run_python

KNOWN = {(2, 2): "loss", (3, 3): "win", (3, 4): "loss", (4, 3): "loss", (4, 4): "loss", (4, 5): "loss", (5, 5): "loss"}

Cell = tuple[int, int]
DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]


def solved(state: State, limit: Limit) -> Solution:
    found = solve(state, limit)
    assert found is not None
    return found


def long_limit() -> Limit:
    """Return a limit by time, with which the solver keeps its memory; its time runs from now on."""
    return Limit(time=600_000)


@cache
def wins(free: frozenset[Cell], mover: Cell | None, other: Cell | None) -> bool:
    """Return whether the mover wins, by brute force over sets of cells."""
    return any(not wins(free - {target}, other, target) for target in around(free, mover))


@cache
def plies(free: frozenset[Cell], mover: Cell | None, other: Cell | None) -> int:
    """Return the length of the game in plies when the winner minimises and the loser maximises it."""
    after = [(free - {target}, other, target) for target in around(free, mover)]
    winning = [1 + plies(*child) for child in after if not wins(*child)]
    return min(winning) if winning else max((1 + plies(*child) for child in after), default=0)


def around(free: frozenset[Cell], pawn: Cell | None) -> Iterator[Cell]:
    if pawn is None:
        yield from sorted(free)
        return
    for x, y in DIRECTIONS:
        cell = (pawn[0] + x, pawn[1] + y)
        while cell in free:
            yield cell
            cell = (cell[0] + x, cell[1] + y)


def unpacked(state: State) -> tuple[frozenset[Cell], Cell | None, Cell | None]:
    assert isinstance(state, IsolationState)
    free, mover, other = (int(bits) for bits in state.position[:3])
    cells = [frozenset((bit % 8, bit // 8) for bit in range(64) if bits >> bit & 1) for bits in (free, mover, other)]
    return cells[0], *(next(iter(pawn), None) for pawn in cells[1:])  # type: ignore[return-value]


def value(state: State) -> str:
    return "win" if wins(*unpacked(state)) else "loss"


def flipped(value: str) -> str:
    return "loss" if value == "win" else "win"


def later(width: int, height: int, plies: int, chance: random.Random) -> IsolationState:
    """Return an unfinished position after random moves."""
    while True:
        states: list[IsolationState] = random_game(
            engine.load("isolation", width=width, height=height), chance, plies + 1
        )
        if len(states) > plies:
            return states[plies]


def test_every_position_of_3x3_is_right() -> None:
    seen: set[State] = set()
    counted = 0
    start: State = engine.load("isolation", width=3, height=3).start()
    # The other first moves are mirror images of these.
    waiting = [start, *(start.play(move) for move in ("a1", "b1", "b2"))]
    while waiting:
        state = waiting.pop()
        if state in seen or state.outcome is not None:
            continue
        seen.add(state)
        after = {move: state.play(move) for move in state.moves()}
        solution = solved(state, long_limit())
        assert solution.value == value(state)
        assert dict(solution.moves) == {move: flipped(value(child)) for move, child in after.items()}
        if solution.lengths:
            counted += 1
            assert solution.plies == plies(*unpacked(state))
            assert dict(solution.lengths) == {move: 1 + plies(*unpacked(child)) for move, child in after.items()}
        waiting += after.values() if state != start else ()
    assert len(seen) > 2_000
    assert counted >= len(seen) - 5


@pytest.mark.parametrize(
    ("width", "height", "plies"), [(4, 3, 2), (3, 4, 3), (4, 4, 5), (5, 4, 8), (2, 8, 6), (5, 5, 13)]
)
def test_random_positions_of_small_boards_are_right(width: int, height: int, plies: int) -> None:
    chance = random.Random(plies)
    for _ in range(20):
        state = later(width, height, plies, chance)
        solution, proof = solve(state, long_limit()), prove(state, long_limit())
        assert solution is not None
        assert solution.value == proof.value == value(state)
        assert dict(solution.moves) == {move: flipped(value(state.play(move))) for move in state.moves()}
        if proof.value == "win":
            assert proof.best[0] in solution.winning
        else:
            assert dict(proof.values) == dict(solution.moves)


def test_plies_are_counted_where_few_cells_are_left_and_within_the_limit() -> None:
    chance = random.Random(12)
    for _ in range(20):
        state = later(5, 5, 14, chance)
        solution = solved(state, long_limit())
        assert set(solution.lengths) == set(state.moves())
        assert solution.plies == plies(*unpacked(state))
        few = solve(state, Limit(nodes=solution.nodes - 1))
        assert few is None or not few.lengths
    # Of this board, only the upper part can still be reached.
    late = engine.load("isolation").parse("0....1./......./xxxxxxx/......./......./......./....... 0")
    solution = solved(late, long_limit())
    assert solution.plies == plies(*unpacked(late))
    early = solved(later(7, 7, 20, chance), long_limit())
    assert early.plies is None
    assert not early.lengths


def test_it_agrees_with_what_an_independent_program_proved() -> None:
    exact = oracles("isolation")
    assert len(exact) >= 200
    for state, line in exact:
        solution = solved(state, long_limit())
        assert (solution.value == "win") == (line["value"] == 1)
        assert sorted(solution.winning) == sorted(line["winning"])


def test_boards_of_known_value_are_solved_from_the_start(subtests: pytest.Subtests) -> None:
    for (width, height), expected in KNOWN.items():
        with subtests.test(f"{width}x{height}"):
            start = engine.load("isolation", width=width, height=height).start()
            solution = solved(start, long_limit())
            assert solution.value == expected
            assert set(solution.moves) == set(start.moves())
            assert solution.winning == (("b2",) if (width, height) == (3, 3) else ())


def test_an_entry_about_the_same_cells_but_other_pawns_is_not_believed() -> None:
    chance, work = random.Random(5), workspace(5, 5)
    work.limit = 1 << 60
    for _ in range(20):
        state = later(5, 5, 13, chance)
        free, mover, other, *_ = state.position
        forget(work)
        expected = outcome(free, mover, other, work)
        # Every place in the memory says the opposite of these very cells with the pawns exchanged.
        pawns = word((int(other).bit_length() - 1) | (int(mover).bit_length() - 1) << 7)
        forget(work)
        seen = word(region(free, mover)) | word(region(free, other))
        work.memory[:, 0] = seen
        work.memory[:, 1] = pawns | SET_BIT | (word(0) if expected > 0 else WON_BIT)
        assert outcome(free, mover, other, work) == expected


def test_the_mirrors_of_a_position_have_one_key_and_one_value() -> None:
    chance = random.Random(2)
    for width, height in ((5, 5), (4, 6)):
        work = workspace(width, height)
        work.limit = 1 << 60
        for _ in range(10):
            state = later(width, height, 9, chance)
            turned = [
                [word(mirrored(int(bits), turn, width, height)) for bits in state.position[:3]]
                for turn in range(8 if width == height else 4)
            ]
            assert len({canonical(free, mover, other, width, height) for free, mover, other in turned}) == 1
            values = set()
            for free, mover, other in turned:
                forget(work)
                values.add(outcome(free, mover, other, work))
            assert values in ({1}, {-1})


def mirrored(cells: int, turn: int, width: int, height: int) -> int:
    """Return the cells of a board in one of the ways in which it can be mirrored and turned."""
    total = 0
    for bit in range(64):
        if cells >> bit & 1:
            x, y = bit % 8, bit // 8
            x, y = (width - 1 - x if turn & 1 else x), (height - 1 - y if turn & 2 else y)
            x, y = (y, x) if turn & 4 else (x, y)
            total |= 1 << 8 * y + x
    return total


def test_when_the_nodes_are_used_up_there_is_no_solution_but_what_was_proven_stands() -> None:
    start = engine.load("isolation", width=5, height=5).start()
    assert solve(start, Limit(nodes=1_000)) is None
    part = prove(start, Limit(nodes=600_000))
    assert part.value is None
    assert part.nodes <= 600_000
    assert 0 < len(part.values) < 25
    assert set(part.values.values()) == {"loss"}


def test_the_same_nodes_lead_equally_far_whatever_was_proven_before() -> None:
    state = later(6, 6, 9, random.Random(1))
    first = prove(state, Limit(nodes=30_000))
    prove(state, long_limit())
    assert prove(state, Limit(nodes=30_000)) == first


def test_it_stops_when_its_time_is_up() -> None:
    start = engine.load("isolation", width=8, height=8).start()
    prove(start, Limit(time=1))

    for milliseconds in (1, 50):
        # Without a limit it would take for ever.
        began = time.process_time()
        assert prove(start, Limit(time=milliseconds)).value is None
        assert time.process_time() - began < milliseconds / 1000 + 0.2


def test_it_reports_its_nodes_as_they_grow() -> None:
    heard: list[int] = []
    solution = solve(engine.load("isolation", width=5, height=5).start(), Limit(), heard.append)
    assert solution is not None
    assert heard == sorted(heard)
    assert len(heard) > 25
    assert heard[-1] == solution.nodes


def test_dice_and_more_than_two_players_are_beyond_it() -> None:
    assert solver("isolation") is not None
    for options in ({"dice": True}, {"players": 3}, {"players": 4}):
        start = engine.load("isolation", width=3, height=3, **options).start()
        assert not is_within_reach(start)
        assert solve(start, long_limit()) is None
        assert prove(start, long_limit()).value is None


def test_small_boards_and_late_positions_are_within_reach() -> None:
    chance = random.Random(3)
    assert is_within_reach(engine.load("isolation", width=5, height=5).start())
    assert not is_within_reach(engine.load("isolation").start())
    assert not is_within_reach(later(7, 7, 4, chance))
    assert all(is_within_reach(later(7, 7, 22, chance)) for _ in range(20))


def test_a_finished_game_has_a_value_and_no_moves() -> None:
    state = engine.load("isolation", width=3, height=3).start().play("a1").leave(1)
    solution = solved(state, long_limit())
    assert not solution.moves
    assert solution.value == ("win" if state.outcome is not None and state.outcome.winner == state.to_move else "loss")


PLAIN = """
import random
from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.solve.isolation import solve
from cornered.engine.compile.kernel import IS_COMPILED

state, chance = engine.load("isolation", width=4, height=4).start(), random.Random(6)
for _ in range(7):
    state = state.play(chance.choice(state.moves()))
solution = solve(state, Limit())
print(IS_COMPILED, solution.nodes, solution.value, sorted(solution.moves.items()))
"""


def test_plain_python_and_a_fresh_process_find_the_same() -> None:
    said = [run_python(PLAIN, NUMBA_DISABLE_JIT=plain).partition(" ") for plain in ("1", "0")]
    assert [is_compiled for is_compiled, _, _ in said] == ["False", "True"]
    assert said[0][2] == said[1][2] != ""
