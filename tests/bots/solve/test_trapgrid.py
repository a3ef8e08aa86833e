"""The solver against brute force, oracles and published results, and under limits."""

from __future__ import annotations

import itertools
import random
import time
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.solve import Solution, solver
from cornered.bots.solve.trapgrid import is_within_reach, prove, solve
from cornered.bots.solve.trapgrid_proof import mirrored
from cornered.engine import State
from cornered.engine.kernels.grid import CELL_NAMES
from tests.bots.scenes import oracles, trapgrid
from tests.engine.programs import run_python

KNOWN = {3: "win", 4: "loss", 5: "win", 6: "loss", 7: "win", 8: "loss"}
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))

Cell = tuple[int, int]


def solved(state: State, limit: Limit) -> Solution:
    found = solve(state, limit)
    assert found is not None
    return found


@cache
def best(free: frozenset[Cell], mover: Cell, other: Cell) -> tuple[bool, int]:
    """Return whether the mover wins, and the plies, by brute force."""
    replies = [best(free - {target}, other, target) for target in around(mover) if target in free]
    winning = [plies + 1 for wins, plies in replies if not wins]
    if winning:
        return True, min(winning)
    return False, max((plies + 1 for _, plies in replies), default=0)


def around(cell: Cell) -> list[Cell]:
    return [(cell[0] + right, cell[1] + up) for right, up in STEPS]


def cells(size: int) -> list[Cell]:
    return [(file, rank) for rank in range(size) for file in range(size)]


def state_of(size: int, free: frozenset[Cell], mover: Cell, other: Cell) -> State:
    marks = dict.fromkeys(free, ".") | {mover: "0", other: "1"}
    rows = ("".join(marks.get((file, rank), "x") for file in range(size)) for rank in reversed(range(size)))
    return trapgrid("/".join(rows) + " 0", size)


def compare(size: int, free: frozenset[Cell], mover: Cell, other: Cell) -> None:
    """Compare the solver with brute force on a position and on all its moves."""
    state = state_of(size, free, mover, other)
    wins, plies = best(free, mover, other)
    solution = solved(state, Limit())
    assert (solution.value, solution.plies) == ("win" if wins else "loss", plies), str(state)
    for target in around(mover):
        if target in free:
            loses, rest = best(free - {target}, other, target)
            move = CELL_NAMES[target[0] + 8 * target[1]]
            assert (solution.moves[move], solution.lengths[move]) == ("loss" if loses else "win", rest + 1), str(state)
    assert len(solution.moves) == len(state.moves())


def test_all_positions_of_nine_cells_are_what_brute_force_says() -> None:
    for mover, other in itertools.permutations(cells(3), 2):
        rest = [cell for cell in cells(3) if cell not in (mover, other)]
        for count in range(len(rest) + 1):
            for free in itertools.combinations(rest, count):
                # Corner, edge and centre: the mover's other cells are their rotations and mirror images.
                if mover[0] <= mover[1] <= 1:
                    compare(3, frozenset(free), mover, other)


@pytest.mark.parametrize(
    ("size", "count", "blocked"), [(4, 200, 0.15), (4, 200, 0.4), (5, 200, 0.4), (6, 150, 0.55), (8, 150, 0.7)]
)
def test_random_positions_are_what_brute_force_says(size: int, count: int, blocked: float) -> None:
    chance = random.Random(size)
    for _ in range(count):
        mover, other = chance.sample(cells(size), 2)
        free = frozenset(c for c in cells(size) if c not in (mover, other) and chance.random() >= blocked)
        compare(size, free, mover, other)
    best.cache_clear()


def test_values_and_winning_moves_are_the_oracles() -> None:
    entries = oracles("trapgrid")
    assert len(entries) > 200
    for state, entry in entries:
        solution = solved(state, Limit())
        assert solution.value == {1: "win", -1: "loss"}[entry["value"]], entry
        assert sorted(solution.winning) == sorted(entry["winning"]), entry


@pytest.mark.parametrize(("size", "value"), KNOWN.items())
def test_the_start_is_worth_what_is_known(size: int, value: str) -> None:
    solution = solved(engine.load("trapgrid", size=size).start(), Limit())
    assert solution.value == value
    # The board is symmetric in the diagonal of the pawns, so both first moves are the same.
    assert len(set(solution.moves.values())) == len(set(solution.lengths.values())) == 1
    assert size % 2 or solution.plies == size * size - 2, "an even start lasts until every cell is used"


def test_lines_of_best_play_end_when_the_proof_says() -> None:
    for size in (5, 6, 7):
        state = engine.load("trapgrid", size=size).start()
        proof = prove(state, Limit(lines=4))
        assert set(proof.lines) == set(proof.moves)
        for move, line in proof.lines.items():
            end = state
            for played in line:
                end = engine.apply(end, played)
            assert line[0] == move
            assert len(line) == proof.lengths[move]
            assert end.outcome is not None
            assert (end.outcome.winner == 0) == (proof.values[move] == "win")


def test_what_was_proven_before_the_nodes_ran_out_is_true() -> None:
    state = engine.load("trapgrid", size=6).start().play("a5").play("f2")
    whole = prove(state, Limit())
    halves = set()
    for nodes in range(1, whole.nodes, 37):
        part = prove(state, Limit(nodes=nodes))
        assert part.nodes <= nodes
        assert part.values.items() <= whole.values.items()
        assert part.lengths.items() <= whole.lengths.items()
        assert (solve(state, Limit(nodes=nodes)) is not None) == part.is_whole
        halves.add((len(part.values), len(part.lengths)))
    assert {(0, 0), (2, 0), (2, 2)} <= halves


def test_a_proof_does_not_depend_on_what_was_proven_before() -> None:
    state = engine.load("trapgrid", size=6).start()
    first = prove(state, Limit(nodes=2000))
    prove(engine.load("trapgrid", size=7).start(), Limit())
    assert prove(state, Limit(nodes=2000)) == first


def test_a_proof_ends_at_its_deadline() -> None:
    # Without a limit this takes a second or more.
    state = engine.load("trapgrid", size=8).parse(
        "/".join(["......../........", "...0....", "........", "........", "........", "....1...", "........"]) + " 0"
    )
    solve(state, Limit(nodes=1))

    for milliseconds in (1, 5, 20):
        began = time.process_time()
        assert not prove(state, Limit(time=milliseconds)).lines
        assert time.process_time() - began < milliseconds / 1000 + 0.2


def test_a_finished_game_is_solved() -> None:
    state = engine.load("trapgrid", size=3).parse("0x./x../..1 0")
    solution = solved(state, Limit())
    assert (solution.value, solution.moves, solution.plies) == ("loss", {}, 0)


def test_trapgrid_has_a_solver_that_reaches_every_position() -> None:
    found = solver("trapgrid")
    assert found is not None
    assert found.is_within_reach is is_within_reach
    assert all(is_within_reach(engine.load("trapgrid", size=size).start()) for size in range(3, 9))


def test_the_mirror_image_swaps_ranks_and_files_across_the_diagonal_of_the_pawns() -> None:
    for size in range(3, 9):
        for file, rank in cells(size):
            image = int(mirrored(np.uint64(1 << 8 * rank + file), 9 * (8 - size)))
            assert image == 1 << 8 * (size - 1 - file) + size - 1 - rank


PLAIN = """
from cornered import engine
from cornered.bots.bot import Limit
from cornered.bots.evaluate import pockets
from cornered.bots.solve import trapgrid_proof
from cornered.bots.solve.trapgrid import solve
{before}
for size in (3, 4, 5):
    solution = solve(engine.load("trapgrid", size=size).start(), Limit())
    print(solution.value, solution.plies)
"""
EXPECTED = "win 5\nloss 14\nwin 21\n"


def test_plain_python_proves_the_same_with_a_memo_that_overflows_all_the_time_too() -> None:
    # Reads the names first: an assignment alone would make new ones after a rename.
    before = "trapgrid_proof.PROOF_SLOTS, pockets.MEMO_SLOTS; trapgrid_proof.PROOF_SLOTS, pockets.MEMO_SLOTS = 8, 2"
    for overflowing in ("", before):
        assert run_python(PLAIN.format(before=overflowing), NUMBA_DISABLE_JIT="1") == EXPECTED


def test_kernels_out_of_the_cache_prove_the_same(tmp_path: Path) -> None:
    for _ in range(2):
        assert run_python(PLAIN.format(before=""), CORNERED_KERNELS=str(tmp_path)) == EXPECTED
