"""One position for all that have the same value by a symmetry of the board, or by cells that no pawn can reach: the
table of a proof search has an entry for the representative alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from cornered.bots.evaluate.regions import region
from cornered.bots.solve.isolation_proof import MIRROR_CELLS_GONE_MAX, canonical
from cornered.bots.solve.trapgrid_proof import mirrored
from cornered.engine.compile.kernel import kernel
from cornered.engine.games.trapgrid import Position as TrapGridPosition
from cornered.engine.kernels.bits import popcount
from cornered.engine.kernels.slides import Position as IsolationPosition
from cornered.engine.kernels.walls import Position as QuoridorPosition

__all__ = ["REPRESENTATIVES", "itself"]

FILE_BITS: Final = sum(1 << 9 * row for row in range(5))
"""The cells of the first file in a word of `cornered.engine.kernels.maze`."""


@kernel
def itself(position: Any, columns: int, rows: int) -> Any:
    return position


@kernel
def flipped(word: int, columns: int) -> int:
    """Return a word with its first `columns` files in reverse order, and nothing in the others."""
    image = 0
    for column in range(columns):
        image |= (word >> column & FILE_BITS) << (columns - 1 - column)
    return image


@kernel
def of_quoridor(position: QuoridorPosition, columns: int, rows: int) -> QuoridorPosition:
    """Return the lower of a position and its mirror image, left and right, for two players."""
    p = position
    h_lo, h_hi = flipped(p.h_lo, columns - 1), flipped(p.h_hi, columns - 1)
    v_lo, v_hi = flipped(p.v_lo, columns - 1), flipped(p.v_hi, columns - 1)
    first, second = p.pawns & 255, p.pawns >> 8 & 255
    first += columns - 1 - 2 * (first % 9)
    second += columns - 1 - 2 * (second % 9)
    pawns = first | second << 8
    if (h_lo, h_hi, v_lo, v_hi, pawns) >= (p.h_lo, p.h_hi, p.v_lo, p.v_hi, p.pawns):
        return position
    return QuoridorPosition(
        h_lo, h_hi, v_lo, v_hi, pawns, p.left, p.turn, p.size, p.players, p.ply, p.quiet, p.max_plies, p.no_progress
    )


@kernel
def of_isolation(position: IsolationPosition, columns: int, rows: int) -> IsolationPosition:
    """Return a position without the cells that neither pawn can reach, early in the game under all symmetries."""
    p = position
    free, mover, other = p.free, p.mover, p.second
    if mover and other:
        free &= region(free, mover) | region(free, other)
    if columns * rows - popcount(free) <= MIRROR_CELLS_GONE_MAX:
        free, mover, other = canonical(free, mover, other, columns, rows)
    return IsolationPosition(
        free, mover, other, p.third, p.fourth, p.turn, p.players, p.places, p.standing, p.dice, p.roll
    )


@kernel
def of_trapgrid(position: TrapGridPosition, columns: int, rows: int) -> TrapGridPosition:
    """Return the lower of a position and its image in the diagonal on which both pawns start."""
    shift = 9 * (8 - columns)
    free, mover, other = (
        mirrored(position.free, shift),
        mirrored(position.mover, shift),
        mirrored(position.other, shift),
    )
    if free > position.free or (free == position.free and mover >= position.mover):
        return position
    return TrapGridPosition(free, mover, other, position.turn)


REPRESENTATIVES: Final[dict[str, Callable[[Any, int, int], Any]]] = {
    "isolation": of_isolation,
    "quoridor": of_quoridor,
    "trapgrid": of_trapgrid,
}
