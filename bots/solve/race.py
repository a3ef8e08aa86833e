"""Retrograde analysis of the race between two pawns in one layout of walls, backwards from the goals.

A table has one byte for each (turn, cell of seat 0, cell of seat 1), cells counted row by row from a1, no gaps:

- 1 to 127: the mover wins, by its own move number `byte`, that is in 2 * byte - 1 plies;
- 129 to 255: the mover loses, by the opponent's move number 256 - byte, that is in 2 * (256 - byte) plies;
- 128: neither can force a win; 0: no position, or one whose pawns have no way home.

The larger the byte, the better for the player who moved there: the best of several moves has the greatest byte.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from cornered.bots.evaluate.paths import spread
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.maze import Four, far_side, has, step

__all__ = ["DRAW_BYTE", "LAST_WIN_MOVE", "UNSETTLED_BYTE", "settle"]

UNSETTLED_BYTE: Final = 0
DRAW_BYTE: Final = 128
LAST_WIN_MOVE: Final = 127
"""The greatest number of own moves of a win that fits into a byte."""

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]


@kernel
def homes(doors: Four, size: int, side: int, can: Bytes) -> None:
    """Mark the cells from which the side opposite `side` can be reached."""
    lo, hi = far_side(side, size)
    while True:
        next_lo, next_hi = spread(doors, lo, hi)
        if next_lo == lo and next_hi == hi:
            break
        lo, hi = next_lo, next_hi
    for cell in range(size * size):
        can[cell] = has(lo, hi, cell // size * 9 + cell % size)


@kernel
def exits(beside: Numbers, cell: int, other: int) -> int:
    """Return how many moves a pawn on `cell` has when the other pawn is on `other`."""
    count = 0
    for direction in range(4):
        near = beside[4 * cell + direction]
        if near < 0:
            continue
        if near != other or beside[4 * near + direction] >= 0:
            count += 1
        else:
            count += beside[4 * near + (direction + 1 & 3)] >= 0
            count += beside[4 * near + (direction + 3 & 3)] >= 0
    return count


@kernel
def origins(beside: Numbers, cell: int, other: int, found: Numbers) -> int:
    """Write the cells from which a pawn could have come to `cell` while the other pawn stood on `other`."""
    count = 0
    for direction in range(4):
        near = beside[4 * cell + direction]
        if near < 0:
            continue
        if near != other:
            found[count] = near
            count += 1
            continue
        for way in range(4):
            beyond = beside[4 * near + way]
            # A jump from there was straight, or there was nothing to land on straight behind the other pawn.
            if beyond >= 0 and beyond != cell and (way == direction or beside[4 * near + (way ^ 2)] < 0):
                found[count] = beyond
                count += 1
    return count


@kernel
def settle(doors: Four, size: int, outside: Bytes, table: Bytes, work: Numbers) -> bool:
    """Fill `table` for one layout of walls; `outside` has the best byte of the wall moves of each position, or 0.

    Positions are settled in the order of their lengths: wins by the mover's n-th move, then losses to the opponent's.
    `work` holds 6 numbers a position and 1,024 more. Returns False when some length does not fit into a byte.
    """
    cells = size * size
    places = cells * cells
    total = 2 * places
    order, left, follow = work[:total], work[total : 2 * total], work[2 * total : 3 * total]
    rest = work[3 * total :]
    beside, found = rest[: 4 * cells], rest[4 * cells : 4 * cells + 16]
    rest = rest[4 * cells + 16 :]
    wins, losses = rest[: LAST_WIN_MOVE + 3], rest[LAST_WIN_MOVE + 3 : 2 * LAST_WIN_MOVE + 6]
    can = np.zeros((2, cells), np.uint8)
    homes(doors, size, 0, can[0])
    homes(doors, size, 2, can[1])
    for cell in range(cells):
        for direction in range(4):
            near = step(doors, cell // size * 9 + cell % size, direction)
            beside[4 * cell + direction] = -1 if near < 0 else near // 9 * size + near % 9
    wins[:] = -1
    losses[:] = -1
    top, bottom = cells - size, size
    latest, n = 1, 0
    for a in range(cells):
        for b in range(cells):
            is_position = a != b and a < top and b >= bottom and can[0, a] != 0 and can[1, b] != 0
            for turn in range(2):
                at = turn * places + a * cells + b
                table[at] = UNSETTLED_BYTE
                left[at] = -1
                if not is_position:
                    continue
                here, there = (a, b) if turn == 0 else (b, a)
                left[at] = exits(beside, here, there)
                byte = int(np.int64(outside[at]))
                if byte > DRAW_BYTE:
                    won = 257 - byte
                    latest = max(latest, won)
                    follow[at] = wins[won]
                    wins[won] = at
    # Wins at once: every predecessor of a pawn on its far rank.
    for turn in range(2):
        for end in range(top, cells) if turn == 0 else range(bottom):
            for there in range(cells):
                if there == end or (there < bottom if turn == 0 else there >= top):
                    continue
                for i in range(origins(beside, end, there, found)):
                    from_cell = found[i]
                    at = turn * places + (from_cell * cells + there if turn == 0 else there * cells + from_cell)
                    if table[at] == UNSETTLED_BYTE and left[at] >= 0:
                        table[at] = 1
                        order[n] = at
                        n += 1
    begin, number = 0, 1
    while True:
        # order[begin:n] are the wins of this number.
        lost_from = n
        for i in range(begin, lost_from):
            at = order[i]
            turn, a, b = at // places, at % places // cells, at % cells
            here, there = (b, a) if turn == 0 else (a, b)
            for j in range(origins(beside, here, there, found)):
                before = (1 - turn) * places + (a * cells + found[j] if turn == 0 else found[j] * cells + b)
                if table[before] != UNSETTLED_BYTE or left[before] < 0:
                    continue
                left[before] -= 1
                if left[before] != 0 or outside[before] >= DRAW_BYTE:
                    continue
                lost = max(number, int(np.int64(outside[before])))
                if lost == number:
                    table[before] = 256 - number
                    order[n] = before
                    n += 1
                else:
                    latest = max(latest, lost)
                    follow[before] = losses[lost]
                    losses[lost] = before
        at = losses[number]
        while at >= 0:
            table[at] = 256 - number
            order[n] = at
            n += 1
            at = follow[at]
        begin = n
        number += 1
        if number > LAST_WIN_MOVE:
            return lost_from == begin and latest < number
        for i in range(lost_from, begin):
            at = order[i]
            turn, a, b = at // places, at % places // cells, at % cells
            here, there = (b, a) if turn == 0 else (a, b)
            for j in range(origins(beside, here, there, found)):
                before = (1 - turn) * places + (a * cells + found[j] if turn == 0 else found[j] * cells + b)
                if table[before] == UNSETTLED_BYTE and left[before] >= 0:
                    table[before] = number
                    order[n] = before
                    n += 1
        at = wins[number]
        while at >= 0:
            if table[at] == UNSETTLED_BYTE:
                table[at] = number
                order[n] = at
                n += 1
            at = follow[at]
        if n == begin and number > latest:
            break
    for at in range(total):
        if table[at] == UNSETTLED_BYTE and left[at] >= 0:
            table[at] = DRAW_BYTE
    return True
