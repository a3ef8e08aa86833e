"""Regions and longest paths against brute force over sets of cells."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import numpy as np

from cornered.bots.evaluate.regions import (
    UNDECIDED,
    fields,
    greedy_path,
    has_path,
    longest_path,
    region,
    separated_winner,
)
from cornered.engine.kernels.grid import CELL_BITS, word

RECORD = np.dtype(fields(1 << 10))


def work(limit: int = 1 << 60) -> Any:
    record = np.zeros(1, RECORD).view(np.recarray)[0]
    record.limit = limit
    return record


def scattered(chance: random.Random, share: float, width: int = 8, height: int = 8) -> tuple[int, int]:
    """Return random free cells, and a pawn beside them."""
    board = [8 * y + x for y in range(height) for x in range(width)]
    pawn = chance.choice(board)
    return sum(1 << bit for bit in board if bit != pawn and chance.random() < share), 1 << pawn


def seen(free: int, bit: int) -> list[int]:
    found = []
    for x, y in ((1, 0), (0, 1), (1, 1), (1, -1), (-1, 0), (0, -1), (-1, -1), (-1, 1)):
        file, rank = bit % 8 + x, bit // 8 + y
        while 0 <= file < 8 and 0 <= rank < 8 and free >> 8 * rank + file & 1:
            found.append(8 * rank + file)
            file, rank = file + x, rank + y
    return found


@cache
def longest(free: int, bit: int) -> int:
    """Return the length of the longest path by walking all of them."""
    return max((1 + longest(free & ~(1 << target), target) for target in seen(free, bit)), default=0)


def reachable(free: int, bit: int) -> int:
    found, waiting = 0, [bit]
    while waiting:
        for target in seen(free, waiting.pop()):
            if not found >> target & 1:
                found |= 1 << target
                waiting.append(target)
    return found


def test_a_region_is_all_that_slides_can_ever_reach() -> None:
    chance = random.Random(1)
    for number in range(300):
        free, pawn = scattered(chance, (0.2, 0.4, 0.7)[number % 3])
        assert region(word(free), word(pawn)) == reachable(free, pawn.bit_length() - 1)


def test_the_longest_path_is_the_longest_of_all_paths() -> None:
    chance, record = random.Random(2), work()
    lengths = set()
    for number in range(400):
        free, pawn = scattered(chance, (0.3, 0.4, 0.5)[number % 3], *((8, 4), (5, 5), (4, 4))[number % 3])
        if free.bit_count() > 14:
            continue
        expected = longest(free, pawn.bit_length() - 1)
        assert longest_path(word(free), word(pawn), record) == expected
        assert greedy_path(word(free), word(pawn)) <= expected
        for length in range(expected + 2):
            assert has_path(word(free), word(pawn), length, record) == (length <= expected)
        lengths.add((reachable(free, pawn.bit_length() - 1).bit_count(), expected))
    assert any(cells > length for cells, length in lengths), "somewhere, not every cell can be visited"


def test_a_path_may_pass_over_a_cell_and_come_back_to_it() -> None:
    free = sum(1 << CELL_BITS[cell] for cell in ("b1", "c1", "d1"))
    assert longest_path(word(free), word(1 << CELL_BITS["a1"]), work()) == 3
    assert has_path(word(free), word(1 << CELL_BITS["c2"]), 3, work()) == 1


def test_of_two_regions_the_longer_path_wins_and_a_tie_is_the_others() -> None:
    chance, record = random.Random(4), work()
    results: list[int] = []
    while len(results) < 150:
        left, mover = scattered(chance, 0.7, 3, 4)
        right, other = scattered(chance, 0.7, 3, 4)
        right, other = right << 5, other << 5
        lengths = longest(left, mover.bit_length() - 1), longest(right, other.bit_length() - 1)
        mine, theirs = (region(word(free), word(pawn)) for free, pawn in ((left, mover), (right, other)))
        found = separated_winner(word(mine), word(mover), word(other), word(theirs), record)
        assert found == (1 if lengths[0] > lengths[1] else -1)
        results.append(found)
    assert 20 < results.count(1) < 130


def test_a_search_for_a_path_gives_up_when_its_nodes_are_used_up() -> None:
    free, pawn = word((1 << 30) - 2), word(1)
    assert has_path(free, pawn, 12, work(limit=5)) == UNDECIDED
    assert longest_path(free, pawn, work(limit=0)) == UNDECIDED
    record = work(limit=5)
    has_path(free, pawn, 12, record)
    assert record.nodes == 5
