"""Retrograde analysis: tables for every layout of walls reachable from a position, from the fullest layouts down.

A layer holds the layouts with a given number of walls more than the first. A layout is a row of bytes, the indices of
these walls among the free slots, rising; the rows of a layer are in lexicographic order. Where the first layout is its
own mirror image, left and right, only one of two images is kept. A layer has a table (`cornered.bots.solve.race`) for
each layout and each way in which the seats can have shared its new walls out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cornered.bots.solve.race import UNSETTLED_BYTE, settle
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.maze import CELL_COUNT, Four, bit, passages

__all__ = ["canonical", "extend", "keep_canonical", "place", "settle_layouts"]

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]


@kernel
def precedes(layout: Bytes, other: Bytes) -> bool:
    """Return whether a layout comes before another of its layer."""
    for i in range(layout.shape[0]):
        if layout[i] != other[i]:
            return bool(layout[i] < other[i])
    return False


@kernel
def fits(layout: Bytes, slot: int, clashes: Bytes) -> bool:
    """Return whether a wall can be put up in `slot` beside the walls of a layout."""
    clash = 0
    for wall in layout:
        clash |= clashes[wall, slot]
    return clash == 0


@kernel
def extend(layouts: Bytes, clashes: Bytes, longer: Bytes) -> int:
    """Write the layouts with one wall more, in order; return how many, or -1 when `longer` has no room for them."""
    depth, slots = layouts.shape[1], clashes.shape[0]
    count = 0
    for layout in layouts:
        first = int(layout[depth - 1]) + 1 if depth > 0 else 0
        for slot in range(first, slots):
            if fits(layout, slot, clashes):
                if count == longer.shape[0]:
                    return -1
                longer[count, :depth] = layout
                longer[count, depth] = slot
                count += 1
    return count


@kernel
def joined(layout: Bytes, slot: int, longer: Bytes) -> None:
    """Write a layout with `slot` put in its place among the others; `longer` may begin with the layout itself."""
    at = layout.shape[0]
    while at > 0 and layout[at - 1] > slot:
        longer[at] = layout[at - 1]
        at -= 1
    longer[at] = slot
    for i in range(at):
        longer[i] = layout[i]


@kernel
def canonical(layout: Bytes, mirror: Numbers, kept: Bytes) -> bool:
    """Write the first in order of a layout and its mirror image; return whether that is the image alone.

    `mirror` is empty where the first layout is lopsided.
    """
    if mirror.shape[0] > 0:
        for i in range(layout.shape[0]):
            joined(kept[:i], mirror[layout[i]], kept)
        if precedes(kept, layout):
            return True
    kept[:] = layout
    return False


@kernel
def keep_canonical(layouts: Bytes, mirror: Numbers) -> int:
    """Move the canonical layouts to the front, in their order; return how many they are."""
    kept = np.empty(layouts.shape[1], np.uint8)
    count = 0
    for layout in layouts:
        if not canonical(layout, mirror, kept):
            layouts[count] = layout
            count += 1
    return count


@kernel
def place(layouts: Bytes, layout: Bytes) -> int:
    """Return where among the layouts, which are in order, this one is, or -1."""
    low, high = 0, layouts.shape[0]
    while low < high:
        middle = (low + high) // 2
        if precedes(layouts[middle], layout):
            low = middle + 1
        else:
            high = middle
    return low if low < layouts.shape[0] and not precedes(layout, layouts[low]) else -1


@kernel
def doors_of(first: Four, size: int, layout: Bytes, walls: Numbers) -> Four:
    h_lo, h_hi, v_lo, v_hi = first
    for slot in layout:
        wall = walls[slot]
        lo, hi = bit(wall % CELL_COUNT)
        if wall < 2 * CELL_COUNT:
            h_lo, h_hi = h_lo | lo, h_hi | hi
        else:
            v_lo, v_hi = v_lo | lo, v_hi | hi
    return passages((h_lo, h_hi, v_lo, v_hi), size)


@kernel
def settle_layouts(
    first: Four,
    size: int,
    stocks: tuple[int, int],
    walls: Numbers,
    clashes: Bytes,
    mirror: Numbers,
    layouts: Bytes,
    begin: int,
    end: int,
    tables: Bytes,
    next_layouts: Bytes,
    next_tables: Bytes,
) -> bool:
    """Fill `tables` for the layouts number `begin` to `end` of a layer from the next layer's tables.

    `first` are the walls of the first layout, `stocks` the seats' walls in hand there, `walls` the wall of each slot,
    `clashes[i, j]` whether two slots exclude each other, `mirror` the mirror image of each slot. Returns False when a
    length does not fit into a byte.
    """
    cells = size * size
    places = cells * cells
    total = 2 * places
    depth = layouts.shape[1]
    fuller, child = np.empty(depth + 1, np.uint8), np.empty(depth + 1, np.uint8)
    outside = np.zeros(total, np.uint8)
    work = np.empty(6 * total + 1024, np.int64)
    reflected = np.empty(places if mirror.shape[0] > 0 else 0, np.int64)
    for at in range(reflected.shape[0]):
        a, b = at // cells, at % cells
        a += size - 1 - 2 * (a % size)
        b += size - 1 - 2 * (b % size)
        reflected[at] = a * cells + b
    lowest_share, shares = share_range(stocks, depth)
    lowest_next, next_shares = share_range(stocks, depth + 1)
    for number in range(begin, end):
        layout = layouts[number]
        doors = doors_of(first, size, layout, walls)
        for share in range(shares):
            used = lowest_share + share
            outside[:] = UNSETTLED_BYTE
            for slot in range(walls.shape[0] if stocks[0] + stocks[1] > depth else 0):
                if not fits(layout, slot, clashes):
                    continue
                joined(layout, slot, fuller)
                is_reflected = canonical(fuller, mirror, child)
                where = place(next_layouts, child) * next_shares - lowest_next
                for turn in range(2):
                    if stocks[turn] - (used if turn == 0 else depth - used) == 0:
                        continue
                    at = (where + used + (1 - turn)) * total + (1 - turn) * places
                    to = turn * places
                    if is_reflected:
                        for i in range(places):
                            outside[to + i] = max(outside[to + i], next_tables[at + reflected[i]])
                    else:
                        for i in range(places):
                            outside[to + i] = max(outside[to + i], next_tables[at + i])
            at = (number * shares + share) * total
            if not settle(doors, size, outside, tables[at : at + total], work):
                return False
    return True


@kernel
def share_range(stocks: tuple[int, int], depth: int) -> tuple[int, int]:
    """Return how many of `depth` walls seat 0 has put up at least, and how many numbers there are for that."""
    low = max(0, depth - stocks[1])
    return low, min(depth, stocks[0]) - low + 1
