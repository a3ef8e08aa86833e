"""Longest paths: the bound is never too low, and the search finds what trying everything finds."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from cornered.bots.evaluate.pockets import POCKETS, longest_path, path_bound, pocket_of, separated_value
from cornered.engine.kernels.grid import CELL_BITS, board, word

Cell = tuple[int, int]


@pytest.fixture
def record() -> Any:
    fresh = np.zeros(1, POCKETS)[0]
    fresh["most"] = 10**9
    return fresh


def by_trying(free: int, pawn: int) -> int:
    """Return the longest path from bit `pawn`, by trying every step."""
    file, rank = pawn % 8, pawn // 8
    steps = [(file + 1, rank), (file - 1, rank), (file, rank + 1), (file, rank - 1)]
    onto = [f + 8 * r for f, r in steps if 0 <= f < 8 and 0 <= r < 8 and free >> f + 8 * r & 1]
    return max((1 + by_trying(free & ~(1 << bit), bit) for bit in onto), default=0)


def shape(chance: random.Random, width: int, height: int, blocked: float, corner: int) -> tuple[int, int]:
    """Return the word of some free cells in a rectangle somewhere on the board, and the bit of a pawn."""
    bits = [corner + file + 8 * rank for rank in range(height) for file in range(width)]
    pawn = chance.choice(bits)
    return sum(1 << bit for bit in bits if bit != pawn and chance.random() >= blocked), pawn


@pytest.mark.parametrize(("width", "height", "blocked"), [(4, 4, 0.1), (5, 4, 0.25), (8, 3, 0.25), (6, 5, 0.4)])
def test_the_longest_path_is_what_trying_everything_finds(record: Any, width: int, height: int, blocked: float) -> None:
    chance = random.Random(width)
    for _ in range(150):
        free, bit = shape(chance, width, height, blocked, corner=8 * (8 - height) + 8 - width)
        pawn = word(1 << bit)
        pocket = word(pocket_of(word(free), pawn))
        length = by_trying(free, bit)
        assert longest_path(record, pocket, pawn, 64) == length <= path_bound(pocket, pawn)
        record["age"] += 1
        for wanted in range(1, length + 2):
            # An inexact result must not be stored as an exact one.
            found = longest_path(record, pocket, pawn, wanted)
            assert (found >= wanted) == (length >= wanted)
            assert found <= length


def test_dead_ends_count_once() -> None:
    # A row from a1 to g1 with twigs on b2 and e2, which with g1 are the ends. Colours alone would allow 8 steps.
    free = sum(1 << CELL_BITS[name] for name in ("b1", "c1", "d1", "e1", "f1", "g1", "b2", "e2"))
    pawn = word(1 << CELL_BITS["a1"])
    assert path_bound(word(free), pawn) == by_trying(free, 0) == 6
    # Beside the pawn a dead end may be the first step as well as the last: that is no reason to count it out.
    assert path_bound(word(1 << CELL_BITS["b2"] | 1 << CELL_BITS["a1"]), word(1 << CELL_BITS["b1"])) == 1


def test_a_search_that_runs_out_of_nodes_says_so(record: Any) -> None:
    record["most"] = 3
    pawn = word(1)
    pocket = word(pocket_of(word(board(4, 4) & ~1), pawn))
    assert longest_path(record, pocket, pawn, 64) == -1
    assert record["stop"] == 1
    assert record["nodes"] == 3


def test_of_two_pawns_apart_the_one_with_the_longer_path_wins(record: Any) -> None:
    def ends_in(mover: tuple[str, ...], other: tuple[str, ...]) -> int:
        first, second = (sum(1 << CELL_BITS[name] for name in names[1:]) for names in (mover, other))
        return int(
            separated_value(
                record, word(first), word(1 << CELL_BITS[mover[0]]), word(second), word(1 << CELL_BITS[other[0]])
            )
        )

    assert ends_in(("a1", "a2", "a3"), ("h1", "h2")) == 3
    assert ends_in(("a1", "a2"), ("h1", "h2")) == -2
    assert ends_in(("a1", "a2"), ("h1", "h2", "h3")) == -2
    # Three cells, but two of them exclude each other: the number of cells, and whether it is odd, proves nothing.
    assert ends_in(("a1", "a2", "b1"), ("h1", "h2")) == -2
