"""Retrograde analysis: tables for every layout of walls reachable from a position, from the fullest layouts down.

A layer holds the layouts with a given number of walls more than the first. A layout is a number: `slot_bits` bits a
wall, its index among the free slots, the lowest index in the highest bits, so that a layer's layouts rise. Where the
first layout is its own mirror image, left and right, only one of two images is kept. A layer has a table
(`cornered.bots.solve.race`) for each layout and each way in which the seats can have shared its new walls out.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from cornered.bots.solve.race import UNSETTLED_BYTE, settle
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.maze import CELL_COUNT, Four, bit, passages

__all__ = ["LAYOUT_BITS", "MOST_SLOTS", "canonical", "extend", "place", "settle_layouts", "slot_bits"]

MOST_SLOTS: Final = 128
LAYOUT_BITS: Final = 63

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]


@kernel
def slot_bits(slots: int) -> int:
    """Return the bits of a wall in the number of a layout on a board with so many slots."""
    bits = 1
    while 1 << bits < slots:
        bits += 1
    return bits


@kernel
def extend(layouts: Numbers, depth: int, clashes: npt.NDArray[np.uint8], longer: Numbers) -> int:
    """Write the layouts with one wall more, rising; return how many, or -1 when `longer` has no room for them."""
    slots = clashes.shape[0]
    bits = slot_bits(slots)
    mask = (1 << bits) - 1
    count = 0
    for layout in layouts:
        first = (layout & mask) + 1 if depth > 0 else 0
        for slot in range(first, slots):
            fits = True
            for i in range(depth):
                if clashes[(layout >> (bits * i)) & mask, slot] != 0:
                    fits = False
                    break
            if fits:
                if count == longer.shape[0]:
                    return -1
                longer[count] = layout << bits | slot
                count += 1
    return count


@kernel
def joined(layout: int, depth: int, slot: int, bits: int) -> int:
    """Return the layout with `slot` put in its place among the others."""
    shift = 0
    while shift < bits * depth and (layout >> shift) & ((1 << bits) - 1) > slot:
        shift += bits
    return ((layout >> shift) << bits | slot) << shift | layout & ((1 << shift) - 1)


@kernel
def canonical(layout: int, depth: int, mirror: Numbers) -> int:
    """Return the lower of a layout and its mirror image; `mirror` is empty where the first layout is lopsided."""
    if mirror.shape[0] == 0:
        return layout
    bits = slot_bits(mirror.shape[0])
    image = 0
    for i in range(depth):
        image = joined(image, i, int(mirror[(layout >> (bits * i)) & ((1 << bits) - 1)]), bits)
    return min(layout, image)


@kernel
def keep_canonical(layouts: Numbers, depth: int, mirror: Numbers) -> int:
    """Move the canonical layouts to the front, still rising; return how many they are."""
    count = 0
    for layout in layouts:
        if canonical(layout, depth, mirror) == layout:
            layouts[count] = layout
            count += 1
    return count


@kernel
def place(layouts: Numbers, layout: int) -> int:
    """Return where in the rising layouts this one is, or -1."""
    low, high = 0, layouts.shape[0]
    while low < high:
        middle = (low + high) // 2
        if layouts[middle] < layout:
            low = middle + 1
        else:
            high = middle
    return low if low < layouts.shape[0] and layouts[low] == layout else -1


@kernel
def doors_of(first: Four, size: int, layout: int, depth: int, walls: Numbers) -> Four:
    h_lo, h_hi, v_lo, v_hi = first
    bits = slot_bits(walls.shape[0])
    for i in range(depth):
        wall = walls[(layout >> (bits * i)) & ((1 << bits) - 1)]
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
    depth: int,
    walls: Numbers,
    clashes: npt.NDArray[np.uint8],
    mirror: Numbers,
    layouts: Numbers,
    begin: int,
    end: int,
    tables: Bytes,
    next_layouts: Numbers,
    next_tables: Bytes,
) -> bool:
    """Fill `tables` for the layouts number `begin` to `end` of the layer at `depth` from the next layer's tables.

    `first` are the walls of the first layout, `stocks` the seats' walls in hand there, `walls` the wall of each slot,
    `clashes[i, j]` whether two slots exclude each other, `mirror` the mirror image of each slot. Returns False when a
    length does not fit into a byte.
    """
    cells = size * size
    places = cells * cells
    total = 2 * places
    bits = slot_bits(walls.shape[0])
    mask = (1 << bits) - 1
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
        doors = doors_of(first, size, layout, depth, walls)
        for share in range(shares):
            used = lowest_share + share
            outside[:] = UNSETTLED_BYTE
            for slot in range(walls.shape[0] if stocks[0] + stocks[1] > depth else 0):
                fits = True
                for i in range(depth):
                    if clashes[(layout >> (bits * i)) & mask, slot] != 0:
                        fits = False
                        break
                if not fits:
                    continue
                fuller = joined(layout, depth, slot, bits)
                child = canonical(fuller, depth + 1, mirror)
                where = place(next_layouts, child) * next_shares - lowest_next
                for turn in range(2):
                    if stocks[turn] - (used if turn == 0 else depth - used) == 0:
                        continue
                    at = (where + used + (1 - turn)) * total + (1 - turn) * places
                    to = turn * places
                    if child == fuller:
                        for i in range(places):
                            outside[to + i] = max(outside[to + i], next_tables[at + i])
                    else:
                        for i in range(places):
                            outside[to + i] = max(outside[to + i], next_tables[at + reflected[i]])
            at = (number * shares + share) * total
            if not settle(doors, size, outside, tables[at : at + total], work):
                return False
    return True


@kernel
def share_range(stocks: tuple[int, int], depth: int) -> tuple[int, int]:
    """Return how many of `depth` walls seat 0 has put up at least, and how many numbers there are for that."""
    low = max(0, depth - stocks[1])
    return low, min(depth, stocks[0]) - low + 1
