"""Bamboo's rules, compiled: stones on a hexagon, and groups that may not outgrow their number.

A board is three words of 61 bits. Cell (row, column) is bit `14 * row + column` of the 183, where row 0 is the bottom
and a column runs up and to the right: the six neighbours are 1, 14 and 15 bits away on either side. Every row ends with
a bit that is no cell, so a shift never brings a stone round the edge; no word meets the sign, and plain Python agrees.

A move is the number of its cell.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from cornered.engine.compile.arrays import Buffer, empty, int64
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.bits import fill, popcount

__all__ = [
    "MAX_MOVES",
    "STRIDE",
    "WORD",
    "WORD_MASK",
    "Position",
    "Three",
    "advance",
    "gen",
    "group_at",
    "lost",
    "perft",
    "placements",
    "survey",
    "turned",
]

STRIDE: Final = 14
MAX_MOVES: Final = 127
WORD: Final = 61
WORD_MASK: Final = (1 << WORD) - 1

Three: TypeAlias = tuple[int, int, int]
Counters: TypeAlias = tuple[int, int, int, int, int, int]


class Position(NamedTuple):
    """The mover's stones, the other's and the free cells, three words each."""

    own_a: int
    own_b: int
    own_c: int
    other_a: int
    other_b: int
    other_c: int
    free_a: int
    free_b: int
    free_c: int
    turn: int


@kernel
def bit(cell: int) -> Three:
    if cell < WORD:
        return 1 << cell, 0, 0
    if cell < 2 * WORD:
        return 0, 1 << (cell - WORD), 0
    return 0, 0, 1 << (cell - 2 * WORD)


@kernel
def size_of(cells: Three) -> int:
    a, b, c = cells
    return popcount(a) + popcount(b) + popcount(c)


@kernel
def first(cells: Three) -> Three:
    """Return the lowest of some cells."""
    a, b, c = cells
    if a != 0:
        return a & -a, 0, 0
    if b != 0:
        return 0, b & -b, 0
    return 0, 0, c & -c


@kernel
def up(cells: Three, by: int) -> Three:
    a, b, c = cells
    return (a << by) & WORD_MASK, (b << by) & WORD_MASK | a >> (WORD - by), (c << by) & WORD_MASK | b >> (WORD - by)


@kernel
def down(cells: Three, by: int) -> Three:
    a, b, c = cells
    return a >> by | (b << (WORD - by)) & WORD_MASK, b >> by | (c << (WORD - by)) & WORD_MASK, c >> by


@kernel
def around(cells: Three) -> Three:
    """Return the neighbours of some cells, and perhaps some of the cells themselves."""
    a, b, c = cells
    right_a, right_b, right_c = up(cells, 1)
    left_a, left_b, left_c = down(cells, 1)
    up_a, up_b, up_c = up((a | right_a, b | right_b, c | right_c), STRIDE)
    down_a, down_b, down_c = down((a | left_a, b | left_b, c | left_c), STRIDE)
    return right_a | left_a | up_a | down_a, right_b | left_b | up_b | down_b, right_c | left_c | up_c | down_c


@kernel
def group_at(seed: Three, stones: Three) -> Three:
    """Return the stones that are connected to those of `seed`, which are among them."""
    stones_a, stones_b, stones_c = stones
    a, b, c = seed
    while True:
        near_a, near_b, near_c = around((a, b, c))
        next_a, next_b, next_c = a | near_a & stones_a, b | near_b & stones_b, c | near_c & stones_c
        if next_a == a and next_b == b and next_c == c:
            return a, b, c
        a, b, c = next_a, next_b, next_c


@kernel
def add(counters: Counters, cells: int, amount: int) -> Counters:
    """Add `amount` to the six-bit counters of some cells; bit i of every cell's counter is in word i."""
    n0, n1, n2, n3, n4, n5 = counters
    carry = n0 & cells & -(amount & 1)
    n0 ^= cells & -(amount & 1)
    term = cells & -(amount >> 1 & 1)
    n1, carry = n1 ^ term ^ carry, n1 & term | (n1 | term) & carry
    term = cells & -(amount >> 2 & 1)
    n2, carry = n2 ^ term ^ carry, n2 & term | (n2 | term) & carry
    term = cells & -(amount >> 3 & 1)
    n3, carry = n3 ^ term ^ carry, n3 & term | (n3 | term) & carry
    term = cells & -(amount >> 4 & 1)
    n4, carry = n4 ^ term ^ carry, n4 & term | (n4 | term) & carry
    return n0, n1, n2, n3, n4, n5 ^ carry ^ cells & -(amount >> 5 & 1)


@kernel
def at_most(counters: Counters, limit: int) -> int:
    """Return the cells whose counter is at most `limit`, and bits that are no cells."""
    less, equal = 0, WORD_MASK
    for i in (5, 4, 3, 2, 1, 0):
        wanted = -(limit >> i & 1)
        less |= equal & ~counters[i] & wanted
        equal &= ~(counters[i] ^ wanted)
    return less | equal


@kernel
def survey(position: Position) -> tuple[Three, int]:
    """Return the cells where the mover may put a stone, and how many groups the mover has.

    Of g groups a stone joins k with s stones in all: a group of s + 1 among g + 1 - k is allowed, so each group counts
    its stones and one more towards g on the cells next to it. The largest group, joined or not, may not exceed the new
    number either, which only matters when it falls. (Three groups at most touch a cell, each no larger than g: with 64
    stones the sum stays below 52.)
    """
    rest_a, rest_b, rest_c = position.own_a, position.own_b, position.own_c
    own = rest_a, rest_b, rest_c
    count_a = count_b = count_c = (0, 0, 0, 0, 0, 0)
    once_a, once_b, once_c, twice_a, twice_b, twice_c, thrice_a, thrice_b, thrice_c = 0, 0, 0, 0, 0, 0, 0, 0, 0
    groups, largest = 0, 0
    while rest_a | rest_b | rest_c != 0:
        group = group_at(first((rest_a, rest_b, rest_c)), own)
        group_a, group_b, group_c = group
        rest_a ^= group_a
        rest_b ^= group_b
        rest_c ^= group_c
        size = size_of(group)
        groups += 1
        largest = max(largest, size)
        near_a, near_b, near_c = around(group)
        near_a &= position.free_a
        near_b &= position.free_b
        near_c &= position.free_c
        count_a = add(count_a, near_a, size + 1)
        count_b = add(count_b, near_b, size + 1)
        count_c = add(count_c, near_c, size + 1)
        thrice_a |= twice_a & near_a
        thrice_b |= twice_b & near_b
        thrice_c |= twice_c & near_c
        twice_a |= once_a & near_a
        twice_b |= once_b & near_b
        twice_c |= once_c & near_c
        once_a |= near_a
        once_b |= near_b
        once_c |= near_c
    if largest == groups:
        thrice_a, thrice_b, thrice_c = twice_a, twice_b, twice_c
    elif largest < groups - 1:
        thrice_a, thrice_b, thrice_c = 0, 0, 0
    cells = (
        position.free_a & at_most(count_a, groups) & ~thrice_a,
        position.free_b & at_most(count_b, groups) & ~thrice_b,
        position.free_c & at_most(count_c, groups) & ~thrice_c,
    )
    return cells, groups


@kernel
def placements(position: Position) -> Three:
    """Return the cells where the mover may put a stone."""
    return survey(position)[0]


@kernel
def lost(position: Position) -> bool:
    """Return whether the mover has lost."""
    a, b, c = placements(position)
    return a | b | c == 0


@kernel
def gen(position: Position, buffer: Buffer) -> int:
    """Write the mover's moves in rising order; return how many."""
    a, b, c = placements(position)
    n = fill(buffer, 0, a, 0)
    n = fill(buffer, n, b, WORD)
    return fill(buffer, n, c, 2 * WORD)


@kernel
def advance(position: Position, move: int) -> Position:
    """Return the position after the mover put a stone on cell `move`."""
    own_a, own_b, own_c, other_a, other_b, other_c, free_a, free_b, free_c, turn = position
    a, b, c = bit(move)
    return Position(
        other_a, other_b, other_c, own_a | a, own_b | b, own_c | c, free_a ^ a, free_b ^ b, free_c ^ c, 1 - turn
    )


@kernel
def perft(position: Position, depth: int) -> int:
    """Count the move sequences of `depth` plies; the last ply is counted, not played."""
    if depth == 0:
        return 1
    if depth == 1:
        return size_of(placements(position))
    buffer = empty(MAX_MOVES, int64)
    leaves = 0
    for i in range(gen(position, buffer)):
        leaves += perft(advance(position, int(buffer[i])), depth - 1)
    return leaves


@kernel
def turned(position: Position) -> Position:
    """Return the same board with the other to move."""
    own_a, own_b, own_c, other_a, other_b, other_c, free_a, free_b, free_c, turn = position
    return Position(other_a, other_b, other_c, own_a, own_b, own_c, free_a, free_b, free_c, 1 - turn)
