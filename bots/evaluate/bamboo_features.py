"""The features of a Bamboo position of radius 5, as the mover sees it.

In boards of three words each, laid out as in `cornered.engine.kernels.hexagon`: for the mover and for the other the
stones in groups of one, two, three and more, and the free cells beside no own group and beside two or more; then the
free cells. After these the numbers of groups of both as a pair, by how much each number exceeds the largest group as a
pair, how many more cells than the other's are beside no group of the mover, and the number of free cells. Where a stone
may be put is left out: `survey` takes longer than all of these together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from cornered import engine
from cornered.bots.nnue.features import Images, board_symmetries
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.hexagon import WORD, Position, around, first, group_at, size_of, turned

__all__ = ["GROUPS", "GROUPS_WORD", "RADIUS", "WORDS", "exclusive", "mark", "symmetries"]

RADIUS: Final = 5
SIDE_BOARDS: Final = 6
BOARDS: Final = 2 * SIDE_BOARDS + 1
SIZES: Final = 4
"""Groups are told apart by their stones up to so many."""
GROUPS: Final = 32
"""Groups are counted to below this."""
ROOMS: Final = 16
"""How much the number of groups exceeds the largest one is counted to below this."""
ROOTS: Final = 256
"""More than twice the cells: a difference is counted from half of it."""
FREE: Final = 128
GROUPS_WORD: Final = 3 * BOARDS
ROOMS_WORD: Final = GROUPS_WORD + GROUPS * GROUPS // 64
ROOTS_WORD: Final = ROOMS_WORD + ROOMS * ROOMS // 64
FREE_WORD: Final = ROOTS_WORD + ROOTS // 64
WORDS: Final = FREE_WORD + FREE // 64


@kernel
def mark_side(position: Position, marked: Any, start: int) -> tuple[int, int, int]:
    """Write the boards of the mover from word `start` on; return how many groups there are, by how much that exceeds
    the largest one, and how many free cells are beside none."""
    own = rest_a, rest_b, rest_c = position.own_a, position.own_b, position.own_c
    for word in range(start, start + 3 * SIZES):
        marked[word] = 0
    once_a, once_b, once_c, twice_a, twice_b, twice_c = 0, 0, 0, 0, 0, 0
    groups, largest = 0, 0
    while rest_a | rest_b | rest_c != 0:
        group = group_at(first((rest_a, rest_b, rest_c)), own)
        a, b, c = group
        rest_a, rest_b, rest_c = rest_a ^ a, rest_b ^ b, rest_c ^ c
        size = size_of(group)
        groups += 1
        largest = max(largest, size)
        at = start + 3 * (min(size, SIZES) - 1)
        marked[at] |= a
        marked[at + 1] |= b
        marked[at + 2] |= c
        a, b, c = around(group)
        twice_a, twice_b, twice_c = twice_a | once_a & a, twice_b | once_b & b, twice_c | once_c & c
        once_a, once_b, once_c = once_a | a, once_b | b, once_c | c
    free_a, free_b, free_c = position.free_a, position.free_b, position.free_c
    at = start + 3 * SIZES
    away = free_a & ~once_a, free_b & ~once_b, free_c & ~once_c
    marked[at], marked[at + 1], marked[at + 2] = away
    marked[at + 3], marked[at + 4], marked[at + 5] = free_a & twice_a, free_b & twice_b, free_c & twice_c
    # A position that is read from a text may have a group that no game comes to.
    return groups, max(0, groups - largest), size_of(away)


@kernel
def mark(position: Position, marked: Any) -> None:
    """Write the features of a position. `marked` has WORDS words."""
    own_groups, own_room, own_roots = mark_side(position, marked, 0)
    others_groups, others_room, others_roots = mark_side(turned(position), marked, 3 * SIDE_BOARDS)
    at = 6 * SIDE_BOARDS
    marked[at], marked[at + 1], marked[at + 2] = position.free_a, position.free_b, position.free_c
    for word in range(GROUPS_WORD, WORDS):
        marked[word] = 0
    groups = GROUPS * min(own_groups, GROUPS - 1) + min(others_groups, GROUPS - 1)
    marked[GROUPS_WORD + (groups >> 6)] = 1 << (groups & 63)
    rooms = ROOMS * min(own_room, ROOMS - 1) + min(others_room, ROOMS - 1)
    marked[ROOMS_WORD + (rooms >> 6)] = 1 << (rooms & 63)
    roots = ROOTS // 2 + own_roots - others_roots
    marked[ROOTS_WORD + (roots >> 6)] = 1 << (roots & 63)
    free = size_of((position.free_a, position.free_b, position.free_c))
    marked[FREE_WORD + (free >> 6)] = 1 << (free & 63)


def feature(board: int, cell: int) -> int:
    """Return the number of the feature of a cell of a board."""
    return 64 * (3 * board + cell // WORD) + cell % WORD


def exclusive() -> list[Sequence[int]]:
    """Return the sets of features of which a position has at most one.

    A cell is free or has a stone in a group of one size, and is beside no group of a side or beside two or more.
    """
    cells = range(3 * WORD)
    own, other, free = range(SIZES), range(SIDE_BOARDS, SIDE_BOARDS + SIZES), 2 * SIDE_BOARDS
    boards = (*own, *other, free), (SIZES, SIZES + 1), (SIDE_BOARDS + SIZES, SIDE_BOARDS + SIZES + 1)
    words = (GROUPS_WORD, ROOMS_WORD, ROOTS_WORD, FREE_WORD, WORDS)
    return [
        *([feature(board, cell) for board in group] for group in boards for cell in cells),
        *(range(64 * first, 64 * end) for first, end in pairwise(words)),
    ]


def symmetries() -> list[Images]:
    """Return where features and moves go by each of the twelve symmetries of the hexagon."""
    return board_symmetries(engine.load("bamboo", radius=RADIUS), WORDS, BOARDS, feature)
