"""Boards with walls as pairs of words: steps, floods and the paths that a new wall might cut.

`lo` holds ranks 1 to 5 and `hi` ranks 6 to 9, nine bits a rank whatever the board's size: cell (row, column), counted
from a1, is bit `9 * row + column` of the 81. A wall's slot has the number of the cell that names it. No word uses more
than 54 bits, so a shift never meets the sign, and plain Python agrees with machine words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.bits import lowest

__all__ = [
    "CELL_COUNT",
    "SPLIT",
    "Four",
    "Pair",
    "bit",
    "closing",
    "cuts",
    "far_side",
    "has",
    "passages",
    "propped",
    "reaches",
    "step",
    "unblocked",
]

CELL_COUNT: Final = 81
"""A wall's number is this plus its slot when it lies between ranks, twice this plus its slot between files."""
SPLIT: Final = 45
"""How many cells `lo` holds."""
LOW_HALF: Final = (1 << SPLIT) - 1

Pair: TypeAlias = tuple[int, int]
Four: TypeAlias = tuple[int, int, int, int]
Table: TypeAlias = tuple[int, ...]


def boards(holds: Callable[[int, int, int], bool]) -> tuple[Table, Table]:
    """Return the words of all cells for which `holds(row, column, last row)`, each indexed by the board's size."""
    whole = [
        sum(1 << (9 * row + column) for row in range(size) for column in range(size) if holds(row, column, size - 1))
        for size in range(10)
    ]
    return tuple(board & LOW_HALF for board in whole), tuple(board >> SPLIT for board in whole)


NORTH_LO, NORTH_HI = boards(lambda row, _column, last: row < last)
EAST_LO, EAST_HI = boards(lambda _row, column, last: column < last)
SLOTS_LO, SLOTS_HI = boards(lambda row, column, last: row < last and column < last)
TOP_LO, TOP_HI = boards(lambda row, _column, last: row == last)
RIGHT_LO, RIGHT_HI = boards(lambda _row, column, last: column == last)
BOTTOM_LO, BOTTOM_HI = boards(lambda row, _column, _last: row == 0)
LEFT_LO, LEFT_HI = boards(lambda _row, column, _last: column == 0)


@kernel
def up(lo: int, hi: int) -> Pair:
    return (lo << 9) & LOW_HALF, hi << 9 | lo >> (SPLIT - 9)


@kernel
def down(lo: int, hi: int) -> Pair:
    return lo >> 9 | (hi << (SPLIT - 9)) & LOW_HALF, hi >> 9


@kernel
def bit(cell: int) -> Pair:
    if cell < SPLIT:
        return 1 << cell, 0
    return 0, 1 << (cell - SPLIT)


@kernel
def has(lo: int, hi: int, cell: int) -> bool:
    if cell < SPLIT:
        return (lo >> cell) & 1 != 0
    return (hi >> (cell - SPLIT)) & 1 != 0


@kernel
def passages(walls: Four, size: int) -> Four:
    """Return the doors that walls leave: the cells that are open to the north, and those that are open to the east."""
    h_lo, h_hi, v_lo, v_hi = walls
    v_up_lo, v_up_hi = up(v_lo, v_hi)
    return (
        NORTH_LO[size] & ~(h_lo | h_lo << 1),
        NORTH_HI[size] & ~(h_hi | h_hi << 1),
        EAST_LO[size] & ~(v_lo | v_up_lo),
        EAST_HI[size] & ~(v_hi | v_up_hi),
    )


@kernel
def far_side(side: int, size: int) -> Pair:
    """Return the edge cells that lie opposite the south, west, north or east side (0 to 3)."""
    if side == 0:
        return TOP_LO[size], TOP_HI[size]
    if side == 1:
        return RIGHT_LO[size], RIGHT_HI[size]
    if side == 2:
        return BOTTOM_LO[size], BOTTOM_HI[size]
    return LEFT_LO[size], LEFT_HI[size]


@kernel
def step(doors: Four, cell: int, direction: int) -> int:
    """Return the next cell to the north, east, south or west (0 to 3), or -1 behind a wall or the edge."""
    north_lo, north_hi, east_lo, east_hi = doors
    if direction == 0:
        return cell + 9 if has(north_lo, north_hi, cell) else -1
    if direction == 1:
        return cell + 1 if has(east_lo, east_hi, cell) else -1
    if direction == 2:
        return cell - 9 if cell >= 9 and has(north_lo, north_hi, cell - 9) else -1
    return cell - 1 if cell >= 1 and has(east_lo, east_hi, cell - 1) else -1


@kernel
def reaches(doors: Four, cell: int, goal_lo: int, goal_hi: int) -> bool:
    """Flood from `cell`, whole ranks at a time, until the goal is wet or nothing more gets wet."""
    north_lo, north_hi, east_lo, east_hi = doors
    lo, hi = bit(cell)
    while lo & goal_lo == 0 and hi & goal_hi == 0:
        wide_lo = lo | (lo & east_lo) << 1 | (lo >> 1) & east_lo
        wide_hi = hi | (hi & east_hi) << 1 | (hi >> 1) & east_hi
        up_lo, up_hi = up(wide_lo & north_lo, wide_hi & north_hi)
        down_lo, down_hi = down(wide_lo, wide_hi)
        next_lo = wide_lo | up_lo | down_lo & north_lo
        next_hi = wide_hi | up_hi | down_hi & north_hi
        if next_lo == lo and next_hi == hi:
            return False
        lo, hi = next_lo, next_hi
    return True


@kernel
def cuts(doors: Four, cell: int, goal_lo: int, goal_hi: int) -> Four:
    """Return the slots (horizontal, then vertical) whose wall would cut one shortest path from `cell` to its goal.

    The flood remembers by which step each cell got wet first; the way back then needs no list of cells. Bits that are
    no slots may be set as well, and all of them are when there is no path.
    """
    north_lo, north_hi, east_lo, east_hi = doors
    north_steps_lo, north_steps_hi, south_steps_lo, south_steps_hi = 0, 0, 0, 0
    east_steps_lo, east_steps_hi = 0, 0
    edge_lo, edge_hi = bit(cell)
    seen_lo, seen_hi = edge_lo, edge_hi
    while edge_lo & goal_lo == 0 and edge_hi & goal_hi == 0:
        new_lo, new_hi = up(edge_lo & north_lo, edge_hi & north_hi)
        new_lo &= ~seen_lo
        new_hi &= ~seen_hi
        north_steps_lo |= new_lo
        north_steps_hi |= new_hi
        wet_lo, wet_hi = new_lo, new_hi
        new_lo, new_hi = down(edge_lo, edge_hi)
        new_lo &= north_lo & ~(seen_lo | wet_lo)
        new_hi &= north_hi & ~(seen_hi | wet_hi)
        south_steps_lo |= new_lo
        south_steps_hi |= new_hi
        wet_lo |= new_lo
        wet_hi |= new_hi
        new_lo = (edge_lo & east_lo) << 1 & ~(seen_lo | wet_lo)
        new_hi = (edge_hi & east_hi) << 1 & ~(seen_hi | wet_hi)
        east_steps_lo |= new_lo
        east_steps_hi |= new_hi
        wet_lo |= new_lo | (edge_lo >> 1) & east_lo & ~seen_lo
        wet_hi |= new_hi | (edge_hi >> 1) & east_hi & ~seen_hi
        if wet_lo == 0 and wet_hi == 0:
            return LOW_HALF, LOW_HALF, LOW_HALF, LOW_HALF
        seen_lo |= wet_lo
        seen_hi |= wet_hi
        edge_lo, edge_hi = wet_lo, wet_hi
    home_lo, home_hi = edge_lo & goal_lo, edge_hi & goal_hi
    at = lowest(home_lo) if home_lo != 0 else SPLIT + lowest(home_hi)
    crossed_north_lo, crossed_north_hi, crossed_east_lo, crossed_east_hi = 0, 0, 0, 0
    while at != cell:
        if has(north_steps_lo, north_steps_hi, at):
            at -= 9
            bit_lo, bit_hi = bit(at)
            crossed_north_lo |= bit_lo
            crossed_north_hi |= bit_hi
        elif has(south_steps_lo, south_steps_hi, at):
            bit_lo, bit_hi = bit(at)
            crossed_north_lo |= bit_lo
            crossed_north_hi |= bit_hi
            at += 9
        elif has(east_steps_lo, east_steps_hi, at):
            at -= 1
            bit_lo, bit_hi = bit(at)
            crossed_east_lo |= bit_lo
            crossed_east_hi |= bit_hi
        else:
            bit_lo, bit_hi = bit(at)
            crossed_east_lo |= bit_lo
            crossed_east_hi |= bit_hi
            at += 1
    below_lo, below_hi = down(crossed_east_lo, crossed_east_hi)
    return (
        crossed_north_lo | crossed_north_lo >> 1,
        crossed_north_hi | crossed_north_hi >> 1,
        crossed_east_lo | below_lo,
        crossed_east_hi | below_hi,
    )


@kernel
def two_of(first: int, second: int, third: int) -> int:
    return first & second | (first | second) & third


@kernel
def unblocked(walls: Four, size: int) -> Four:
    """Return the slots (horizontal, then vertical) where a wall neither overlaps nor crosses another."""
    h_lo, h_hi, v_lo, v_hi = walls
    slots_lo, slots_hi = SLOTS_LO[size], SLOTS_HI[size]
    above_lo, above_hi = up(v_lo, v_hi)
    below_lo, below_hi = down(v_lo, v_hi)
    return (
        slots_lo & ~(h_lo | h_lo << 1 | h_lo >> 1 | v_lo),
        slots_hi & ~(h_hi | h_hi << 1 | h_hi >> 1 | v_hi),
        slots_lo & ~(v_lo | above_lo | below_lo | h_lo),
        slots_hi & ~(v_hi | above_hi | below_hi | h_hi),
    )


@kernel
def propped(walls: Four, size: int) -> Four:
    """Return the slots whose wall would touch walls or the edge with two of its three joints: its ends and its middle.

    Only such a wall can close a path. A shift along a rank that runs into the next one lands on the edge, where
    the joint touches anyway, or outside the slots.
    """
    h_lo, h_hi, v_lo, v_hi = walls
    above_lo, above_hi = up(v_lo, v_hi)
    below_lo, below_hi = down(v_lo, v_hi)
    tips_lo, tips_hi = above_lo | below_lo, above_hi | below_hi
    wide_lo, wide_hi = tips_lo | v_lo, tips_hi | v_hi
    last_lo, last_hi = RIGHT_LO[size] >> 1, RIGHT_HI[size] >> 1
    across_lo = two_of(tips_lo, wide_lo << 1 | h_lo << 2 | LEFT_LO[size], wide_lo >> 1 | h_lo >> 2 | last_lo)
    across_hi = two_of(tips_hi, wide_hi << 1 | h_hi << 2 | LEFT_HI[size], wide_hi >> 1 | h_hi >> 2 | last_hi)

    tips_lo, tips_hi = h_lo << 1 | h_lo >> 1, h_hi << 1 | h_hi >> 1
    south_lo, south_hi = up(tips_lo | h_lo | above_lo, tips_hi | h_hi | above_hi)
    north_lo, north_hi = down(tips_lo | h_lo | below_lo, tips_hi | h_hi | below_hi)
    last_lo, last_hi = down(TOP_LO[size], TOP_HI[size])
    upright_lo = two_of(tips_lo, south_lo | BOTTOM_LO[size], north_lo | last_lo)
    upright_hi = two_of(tips_hi, south_hi | BOTTOM_HI[size], north_hi | last_hi)
    return across_lo, across_hi, upright_lo, upright_hi


@kernel
def doors_beside(doors: Four, wall: int) -> Four:
    """Return the doors that stay open when the wall of this number stands."""
    north_lo, north_hi, east_lo, east_hi = doors
    if wall < 2 * CELL_COUNT:
        lo, hi = bit(wall - CELL_COUNT)
        return north_lo & ~(lo | lo << 1), north_hi & ~(hi | hi << 1), east_lo, east_hi
    lo, hi = bit(wall - 2 * CELL_COUNT)
    up_lo, up_hi = up(lo, hi)
    return north_lo, north_hi, east_lo & ~(lo | up_lo), east_hi & ~(hi | up_hi)


@kernel
def closing(doors: Four, suspects: int, offset: int, cell: int, goal_lo: int, goal_hi: int) -> int:
    """Return those bits of `suspects` whose wall, number `offset` + bit, closes every path from `cell` to its goal."""
    closed = 0
    while suspects != 0:
        slot = lowest(suspects)
        suspects &= suspects - 1
        if not reaches(doors_beside(doors, offset + slot), cell, goal_lo, goal_hi):
            closed |= 1 << slot
    return closed
