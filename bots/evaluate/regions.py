"""Regions: the cells that a sliding pawn can ever reach, and its longest path when no other pawn can enter.

A region is the word of the free cells that a pawn can ever slide to, one slide after another: those connected to it by
free cells, corners included. Passing over a cell does not block it, so a path may cross itself.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from cornered.engine.compile.kernel import kernel
from cornered.engine.hashing import mixed
from cornered.engine.kernels.bits import lowest, popcount
from cornered.engine.kernels.grid import NOT_FILE_A, NOT_FILE_H
from cornered.engine.kernels.slides import SLIDE_STEPS_MAX, slides

__all__ = [
    "UNDECIDED",
    "fields",
    "greedy_path",
    "has_path",
    "longest_path",
    "region",
    "separated_winner",
    "sort_in",
    "spread",
]

UNDECIDED: Final = -1
MEMO_LENGTH_MIN: Final = 4
"""Length from which on failed searches are memoised; shorter ones are quicker to repeat."""
DEAD_END_LENGTH_MIN: Final = 6
"""Length from which on counting dead ends pays."""
AFTER_ALL_MOVES: Final = 1 << 20
"""Sorts behind every move."""


def fields(slots: int) -> list[tuple[str, Any] | tuple[str, Any, tuple[int, ...]]]:
    """Return the fields of a record that `has_path` takes: it gives up when `nodes` reaches `limit`.

    `failed` remembers `slots`, a power of two, of the paths that there are not: (region XOR the rest, the rest), so
    that an entry written by two at once does not match. `steps` is where moves wait, a row for each length.
    """
    return [
        ("nodes", np.int64),
        ("limit", np.int64),
        ("failed", np.int64, (slots, 2)),
        ("steps", np.int64, (65, 33)),
    ]


@kernel
def spread(cells: np.uint64) -> np.uint64:
    """Return `cells` and all that touch them, corners included, on the board or beside it."""
    rows = cells | (cells & NOT_FILE_H) << np.uint64(1) | (cells & NOT_FILE_A) >> np.uint64(1)
    return rows | rows << np.uint64(8) | rows >> np.uint64(8)


@kernel
def region(free: np.uint64, pawn: np.uint64) -> np.uint64:
    """Return the free cells that the pawn can ever slide to."""
    inside = spread(pawn) & free
    before = np.uint64(0)
    while inside != before:
        before = inside
        inside = spread(inside) & free
    return inside


@kernel
def sort_in(row: Any, count: int, entry: int) -> int:
    """Put `entry` among the first `count` numbers of a row, the smallest first; return how many there are then."""
    place = count
    while place > 0 and row[place - 1] > entry:
        row[place] = row[place - 1]
        place -= 1
    row[place] = entry
    return count + 1


@kernel
def greedy_path(free: np.uint64, pawn: np.uint64) -> int:
    """Return the length of one path, which always goes where it is narrowest (Warnsdorff's rule): a lower bound."""
    length = 0
    while True:
        rest = slides(free, pawn, SLIDE_STEPS_MAX)
        if not rest:
            return length
        best, narrowest = pawn, AFTER_ALL_MOVES
        while rest:
            target = np.uint64(1) << np.uint64(lowest(rest))
            rest ^= target
            onward = popcount(slides(free ^ target, target, SLIDE_STEPS_MAX))
            if onward == 0:
                onward = AFTER_ALL_MOVES - 1
            if onward < narrowest:
                best, narrowest = target, onward
        free ^= best
        pawn = best
        length += 1


@kernel
def dead_ends(inside: np.uint64, near: np.uint64) -> int:
    """Return at least how many cells a path cannot visit, because they have one neighbour by a slide or none.

    A path can end in one of them, and begin in one that is among `near`, the pawn's own targets.
    """
    count, entry, rest = 0, 0, inside
    while rest:
        cell = np.uint64(1) << np.uint64(lowest(rest))
        rest ^= cell
        seen = slides(inside ^ cell, cell, SLIDE_STEPS_MAX)
        if popcount(seen) < 2:
            count += 1
            if near & cell:
                entry = 1
    return count - 1 - entry


@kernel
def has_path(free: np.uint64, pawn: np.uint64, length: int, work: Any) -> int:
    """Return whether the pawn can slide `length` times over `free` cells: 1, 0, or UNDECIDED when `work` is used up."""
    if length <= 0:
        return 1
    if work.nodes >= work.limit:
        return UNDECIDED
    work.nodes += 1
    inside = region(free, pawn)
    size = popcount(inside)
    if size < length:
        return 0
    if length == 1:
        return 1
    rest = slides(inside, pawn, SLIDE_STEPS_MAX)
    slot, what = 0, 0
    if length >= MEMO_LENGTH_MIN:
        what = 1 << 20 | length << 8 | lowest(pawn)
        slot = mixed(what, np.int64(inside)) & (work.failed.shape[0] - 1)
        if work.failed[slot, 1] == what and work.failed[slot, 0] ^ what == np.int64(inside):
            return 0
    found = 0
    if length < DEAD_END_LENGTH_MIN or dead_ends(inside, rest) <= size - length:
        row = work.steps[length]
        count = 0
        while rest:
            bit = lowest(rest)
            target = np.uint64(1) << np.uint64(bit)
            rest ^= target
            onward = popcount(slides(inside ^ target, target, SLIDE_STEPS_MAX))
            if onward > 0:
                count = sort_in(row, count, onward << 6 | bit)
        for index in range(count):
            target = np.uint64(1) << np.uint64(row[index] & 63)
            found = has_path(inside ^ target, target, length - 1, work)
            if found != 0:
                return found
    if length >= MEMO_LENGTH_MIN:
        work.failed[slot, 0] = np.int64(inside) ^ what
        work.failed[slot, 1] = what
    return 0


@kernel
def longest_path(free: np.uint64, pawn: np.uint64, work: Any) -> int:
    """Return how many times the pawn can slide over `free` cells, or UNDECIDED when `work` is used up."""
    length = popcount(region(free, pawn))
    while True:
        found = has_path(free, pawn, length, work)
        if found != 0:
            return length if found == 1 else UNDECIDED
        length -= 1


@kernel
def separated_winner(mine: np.uint64, mover: np.uint64, other: np.uint64, theirs: np.uint64, work: Any) -> int:
    """Return the winner when each of two pawns has a region, `mine` and `theirs`, to itself: the longer path decides.

    1 is the mover, -1 the other, which wins a tie; 0 when `work` is used up. Most are clear from one path of the one
    and the size of the other's region.
    """
    own, others = popcount(mine), popcount(theirs)
    if own > others:
        if others == 0 or greedy_path(mine, mover) > others:
            return 1
        length = longest_path(theirs, other, work)
        if length == UNDECIDED:
            return 0
        found = has_path(mine, mover, length + 1, work)
        return 0 if found == UNDECIDED else 2 * found - 1
    if own == 0 or greedy_path(theirs, other) >= own:
        return -1
    length = longest_path(mine, mover, work)
    if length == UNDECIDED:
        return 0
    found = has_path(theirs, other, length, work)
    return 0 if found == UNDECIDED else 1 - 2 * found
