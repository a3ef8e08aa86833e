"""Square boards of up to 8 x 8 cells in one 64-bit word.

Bit 8 * rank + file is the cell, whatever the board's size: cells beside a smaller board are simply never free. So
every shift is by a constant, and only steps across the a- or h-file need a mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cornered.engine.compile.arrays import Buffer, Planes, uint64
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.bits import lowest
from cornered.engine.text import PositionText, square_name

__all__ = [
    "CELL_BITS",
    "CELL_NAMES",
    "NOT_FILE_A",
    "NOT_FILE_H",
    "board",
    "cells",
    "draw",
    "listed",
    "names",
    "read_cells",
    "word",
    "write_rows",
]

NOT_FILE_A: Final = uint64(0xFEFE_FEFE_FEFE_FEFE)
NOT_FILE_H: Final = uint64(0x7F7F_7F7F_7F7F_7F7F)

CELL_NAMES: Final = tuple(square_name(bit % 8, bit // 8) for bit in range(64))
"""The cell of each bit."""

CELL_BITS: Final = {name: bit for bit, name in enumerate(CELL_NAMES)}
"""The bit of each cell."""

_RANK_TEXTS: Final = tuple("".join(".x"[~bits >> file & 1] for file in range(8)) for bits in range(256))
"""How eight cells in a row read, by which of them are free."""

word = uint64
"""Kernels take boards as this type and give them back as int: wrap them before they go in again."""


def board(width: int, height: int) -> int:
    """Return the word in which every cell of the board is set."""
    return int(sum(((1 << width) - 1) << 8 * rank for rank in range(height)))


def cells(bits: int) -> Iterator[int]:
    """Iterate over the set bits of a word, from a1 along the ranks."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


@kernel
def listed(bits: uint64, buffer: Buffer) -> int:
    """Write the numbers of a word's bits into `buffer`, from a1 along the ranks; return how many there are."""
    count = 0
    while bits:
        buffer[count] = lowest(bits)
        bits &= bits - uint64(1)
        count += 1
    return count


@kernel
def draw(planes: Planes, start: int, word: uint64, rows: int, columns: int) -> int:
    """Write a word's cells as a plane that begins at `start`; return where the next plane begins."""
    for row in range(rows):
        for column in range(columns):
            planes[start + row * columns + column] = word >> uint64(8 * row + column) & uint64(1)
    return start + rows * columns


def names(bits: int) -> list[str]:
    """Return the names of a word's cells in the order of their bits."""
    return [CELL_NAMES[bit] for bit in cells(bits)]


def write_rows(width: int, height: int, free: int, pawns: tuple[int, ...]) -> tuple[str, ...]:
    """Return the rows of a position text; `pawns[seat]` is the word of that seat's cell, or 0 before it is placed."""
    rows = [_RANK_TEXTS[free >> 8 * rank & 255][:width] for rank in range(height)]
    for seat, pawn in enumerate(pawns):
        if pawn:
            rank, file = divmod(pawn.bit_length() - 1, 8)
            rows[rank] = f"{rows[rank][:file]}{seat}{rows[rank][file + 1 :]}"
    rows.reverse()
    return tuple(rows)


def read_cells(text: PositionText, character: str) -> int:
    """Return the word of the cells that show `character`."""
    height = len(text.rows)
    return sum(
        1 << 8 * (height - 1 - row) + column
        for row, line in enumerate(text.rows)
        for column, found in enumerate(line)
        if found == character
    )
