"""The longest path of a pawn that has a part of a TrapGrid board to itself: that many steps it has left.

A pocket is the word of the free cells that the pawn can ever reach, without its own cell. The longest path is found by
depth-first search under an upper bound: a path changes colour with every step, and ends at the first dead end.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cornered.engine.compile.kernel import kernel
from cornered.engine.games.trapgrid import neighbours
from cornered.engine.hashing import mixed
from cornered.engine.kernels.bits import lowest, popcount
from cornered.engine.kernels.grid import NOT_FILE_A, NOT_FILE_H

__all__ = [
    "DARK_CELLS",
    "NO_MOVE",
    "POCKETS",
    "alternating",
    "cell_of",
    "inserted",
    "longest_path",
    "path_bound",
    "pocket_of",
    "separated_value",
]

MEMO_SLOTS: Final = 1 << 15
STEPS_BEYOND_BOARD: Final = 64
"""More steps than any board has cells."""

POCKETS: Final = np.dtype(
    [
        ("nodes", np.int64),
        ("most", np.int64),
        ("stop", np.int64),
        ("age", np.int64),
        ("best", np.int64),
        ("goal", np.int64),
        ("memo", np.uint64, (MEMO_SLOTS, 2)),
    ]
)
"""The record of the search for longest paths. It ends unfinished after `most` nodes or when another thread sets `stop`;
then `stop` is set. `memo` holds pockets, and beside each the pawn's bit in bits 0 to 5, the least and the
greatest length that is possible from bits 6 and 12, and the age above: entries of another age are void."""

DARK_CELLS: Final = np.uint64(0xAA55_AA55_AA55_AA55)
"""The cells of one colour of the chessboard."""
NO_MOVE: Final = 1 << 40
"""Sorts behind every move."""


@kernel
def pocket_of(free: np.uint64, pawn: np.uint64) -> np.uint64:
    """Return the free cells that a pawn can ever reach."""
    inside = neighbours(pawn) & free
    edge = inside
    while edge:
        edge = neighbours(edge) & free & ~inside
        inside |= edge
    return inside


@kernel
def alternating(other_colour: int, own_colour: int) -> int:
    """Return how many steps are possible at most with so many cells of the pawn's colour and of the other."""
    return min(2 * other_colour, 2 * own_colour + 1)


@kernel
def path_bound(pocket: np.uint64, pawn: np.uint64) -> int:
    """Return a number of steps that no path of the pawn through its pocket exceeds.

    Cells with one way in, beside which the pawn does not stand, are dead ends: a path can only end there, so it uses
    one of them at most.
    """
    alike = DARK_CELLS if pawn & DARK_CELLS else ~DARK_CELLS
    same = popcount(pocket & alike)
    other = popcount(pocket & ~alike)
    north, south = pocket << np.uint64(8), pocket >> np.uint64(8)
    east, west = (pocket & NOT_FILE_H) << np.uint64(1), (pocket & NOT_FILE_A) >> np.uint64(1)
    two_ways = (north & south) | (east & west) | ((north | south) & (east | west))
    ends = pocket & ~two_ways & ~neighbours(pawn)
    same_ends = popcount(ends & alike)
    other_ends = popcount(ends & ~alike)
    if same_ends + other_ends < 2:
        return alternating(other, same)
    same -= same_ends
    other -= other_ends
    on_same = alternating(other, same + 1) if same_ends else 0
    on_other = alternating(other + 1, same) if other_ends else 0
    return max(on_same, on_other)


@kernel
def inserted(pick: int, first: int, second: int, third: int, fourth: int) -> tuple[int, int, int, int]:
    """Return four numbers in order after `pick` joined three of them; NO_MOVE stands for those that are not there."""
    if pick < first:
        return pick, first, second, third
    if pick < second:
        return first, pick, second, third
    if pick < third:
        return first, second, pick, third
    return first, second, third, min(pick, fourth)


@kernel
def cell_of(pick: int) -> np.uint64:
    """Return the word of the cell whose bit number is in the lowest six bits of `pick`."""
    return np.uint64(1) << np.uint64(pick & 63)


@kernel
def search_path(record: Any, free: np.uint64, pawn: np.uint64, steps: int) -> int:
    """Set `best` to the longest path there is on from here, `steps` included, or to `goal` as soon as one is as long.

    Cells with few ways on come first (Warnsdorff's rule for knight's tours): left for later, they are cut off.
    """
    if record["stop"] or record["nodes"] >= record["most"]:
        record["stop"] = 1
        return 0
    record["nodes"] += 1
    record["best"] = max(steps, record["best"])
    targets = neighbours(pawn) & free
    if not targets or record["best"] >= record["goal"]:
        return 0
    pocket = pocket_of(free, pawn)
    if steps + path_bound(pocket, pawn) <= record["best"]:
        return 0
    first = second = third = fourth = NO_MOVE
    while targets:
        bit = lowest(targets)
        ways = popcount(neighbours(cell_of(bit)) & pocket)
        first, second, third, fourth = inserted(ways << 6 | bit, first, second, third, fourth)
        targets &= targets - np.uint64(1)
    while first != NO_MOVE and record["best"] < record["goal"] and not record["stop"]:
        target = cell_of(first)
        search_path(record, pocket ^ target, target, steps + 1)
        first, second, third, fourth = second, third, fourth, NO_MOVE
    return 0


@kernel
def longest_path(record: Any, pocket: np.uint64, pawn: np.uint64, wanted: int) -> int:
    """Return the pawn's longest path through its pocket, or some length of at least `wanted`; -1 when stopped."""
    least, most = 0, path_bound(pocket, pawn)
    if most == 0:
        return 0
    tag = np.uint64(record["age"]) << np.uint64(18) | np.uint64(lowest(pawn))
    slot = mixed(mixed(1, np.int64(pocket)), np.int64(pawn)) & (MEMO_SLOTS - 1)
    memo = record["memo"]
    word = memo[slot, 1]
    if memo[slot, 0] == pocket and word & ~np.uint64(0x3FFC0) == tag:
        least, most = int(np.int64(word >> np.uint64(6))) & 63, int(np.int64(word >> np.uint64(12))) & 63
    if least == most or least >= wanted:
        return least
    record["best"] = least
    record["goal"] = min(most, wanted)
    # A literal would give the recursion a type of its own, which crashes when it comes out of the cache.
    search_path(record, pocket, pawn, int(np.int64(0)))
    if record["stop"]:
        return -1
    least = int(record["best"])
    if least < wanted:
        most = least
    memo[slot, 0] = pocket
    memo[slot, 1] = tag | np.uint64(least) << np.uint64(6) | np.uint64(most) << np.uint64(12)
    return least


@kernel
def separated_value(record: Any, pocket: np.uint64, mover: np.uint64, others: np.uint64, other: np.uint64) -> int:
    """Return how a game ends whose pawns have a pocket each: n > 0, the mover, who can step, wins in n plies; n < 0, it
    loses in -n; 0 when stopped. Only the loser's longest path has to be exact."""
    if path_bound(pocket, mover) <= path_bound(others, other):
        mine = longest_path(record, pocket, mover, STEPS_BEYOND_BOARD)
        theirs = longest_path(record, others, other, mine) if mine > 0 else 0
    else:
        theirs = longest_path(record, others, other, STEPS_BEYOND_BOARD)
        mine = longest_path(record, pocket, mover, theirs + 1) if theirs >= 0 else 0
    if record["stop"]:
        return 0
    return 2 * theirs + 1 if mine > theirs else -2 * mine
