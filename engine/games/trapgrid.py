"""TrapGrid: step to a neighbouring cell; the cell left is blocked for ever; the mover without a step has lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, Self

from cornered.engine.compile.arrays import Buffer, uint64
from cornered.engine.compile.kernel import kernel
from cornered.engine.duel import Duel, read_turn
from cornered.engine.game import Ending, Game, Option
from cornered.engine.kernels.bits import popcount
from cornered.engine.kernels.grid import (
    CELL_BITS,
    CELL_NAMES,
    NOT_FILE_A,
    NOT_FILE_H,
    board,
    listed,
    names,
    read_cells,
    word,
    write_rows,
)
from cornered.engine.text import PositionText

__all__ = ["GAME", "MAX_MOVES", "Position", "TrapGrid", "TrapGridState", "advance", "gen", "lost", "perft", "targets"]

MAX_MOVES: Final = 4


class Position(NamedTuple):
    """The board as words (see cornered.engine.kernels.grid). A pawn's own cell is not free, so leaving it blocks it by
    itself.
    """

    free: uint64
    mover: uint64
    other: uint64
    turn: int


@kernel
def neighbours(cells: uint64) -> uint64:
    """Return the cells one step from any of `cells`, on the board or beside it."""
    east, west = (cells & NOT_FILE_H) << uint64(1), (cells & NOT_FILE_A) >> uint64(1)
    return cells << uint64(8) | cells >> uint64(8) | east | west


@kernel
def targets(position: Position) -> uint64:
    """Return the cells that the mover may step to."""
    return neighbours(position.mover) & position.free


@kernel
def gen(position: Position, buffer: Buffer) -> int:
    """Write the mover's moves, as bit numbers of target cells, into `buffer`; return how many there are."""
    return listed(targets(position), buffer)


@kernel
def step(position: Position, target: uint64) -> Position:
    """Return the position after the mover stepped to the one cell of `target`."""
    return Position(position.free ^ target, position.other, target, 1 - position.turn)


@kernel
def advance(position: Position, move: int) -> Position:
    """Return the position after the mover stepped to the cell with bit number `move`."""
    return step(position, uint64(1) << uint64(move))


@kernel
def lost(position: Position) -> bool:
    """Return whether the mover has lost."""
    return not targets(position)


@kernel
def perft(position: Position, depth: int) -> int:
    """Count the move sequences of `depth` plies; the last ply is counted, not played."""
    if depth == 0:
        return 1
    rest = targets(position)
    if depth == 1:
        return popcount(rest)
    leaves = 0
    while rest:
        target = rest & (~rest + uint64(1))
        # The same as asking for depth 1, without the call: C compilers do this by themselves.
        if depth == 2:
            leaves += popcount(targets(step(position, target)))
        else:
            leaves += perft(step(position, target), depth - 1)
        rest ^= target
    return leaves


@kernel
def reach(free: uint64, pawn: uint64) -> int:
    """Count the cells that steps over free cells can ever reach, the pawn's own cell included."""
    inside = pawn
    edge = pawn
    while edge:
        edge = neighbours(edge) & free & ~inside
        inside |= edge
    return popcount(inside)


@dataclass(frozen=True, slots=True, eq=False)
class TrapGridState(Duel):
    """A TrapGrid position. `open_cells` is `targets(position)`, worked out once; `left` is the seat that gave up."""

    game: TrapGrid
    position: Position

    def moves(self) -> list[str]:
        return names(self.open_cells) if self.left is None else []

    def is_legal(self, move: str) -> bool:
        bit = CELL_BITS.get(move)
        return bit is not None and self.left is None and bool(self.open_cells >> bit & 1)

    def play(self, move: str) -> Self:
        free, mover, other, turn = advance(self.position, CELL_BITS[move])
        position = Position(word(free), word(mover), word(other), turn)
        return type(self)(self.game, position, int(targets(position)))

    def explain(self, move: str) -> str:
        bit = CELL_BITS.get(move)
        if bit is None or not self.game.board >> bit & 1:
            return f"a move is the name of a cell, {CELL_NAMES[0]} to {self.game.far_corner}"
        if self.position.mover >> word(bit) & word(1):
            return f"your pawn already stands on {move}"
        if self.position.other >> word(bit) & word(1):
            return f"the other pawn stands on {move}"
        if not self.position.free >> word(bit) & word(1):
            return f"{move} is blocked"
        return "a pawn moves one step up, down, left or right"

    def perft(self, depth: int) -> int:
        if self.left is not None:
            return int(depth == 0)
        return int(perft(self.position, depth))

    def pawns(self) -> tuple[int, int]:
        """Return the word of each seat's cell."""
        mover, other = int(self.position.mover), int(self.position.other)
        return (mover, other) if self.position.turn == 0 else (other, mover)

    def territory(self) -> tuple[int, int]:
        """Return how many cells each seat could reach if the other stood still, its own cell included."""
        first, second = self.pawns()
        free = self.position.free
        return int(reach(free, word(first))), int(reach(free, word(second)))

    def gauges(self) -> tuple[tuple[str, int], ...]:
        reached = (count - 1 for count in self.territory())
        return tuple(("cells in reach", count) if count else ("no cell left", 0) for count in reached)

    def ending(self) -> Ending | None:
        if self.left is not None or self.open_cells:
            return None
        trapped = tuple(names(int(self.position.mover)))
        return Ending(self.to_move, "You have no cell left to step to", "has no cell left to step to", trapped)

    def __str__(self) -> str:
        size = self.game.size
        rows = write_rows(size, size, int(self.position.free), self.pawns())
        return str(PositionText(rows, str(self.position.turn), self.facts()))


class TrapGrid(Game):
    name = "trapgrid"
    title = "TrapGrid"
    summary = "Step one cell at a time; every cell you leave is gone for ever. Whoever cannot step loses."
    OPTIONS = (Option("size", "Board size", "int", tuple(range(3, 9)), default=7),)

    @property
    def size(self) -> int:
        """The board's width and height."""
        return int(self.options["size"] or 0)

    @property
    def board(self) -> int:
        """The word of all the board's cells."""
        return board(self.size, self.size)

    @property
    def far_corner(self) -> str:
        """The name of the top right cell."""
        return CELL_NAMES[9 * (self.size - 1)]

    @property
    def seats(self) -> int:
        return 2

    def start(self) -> TrapGridState:
        return self._state(1 << 8 * (self.size - 1), 1 << self.size - 1, turn=0)

    def parse(self, text: str) -> TrapGridState:
        parts = PositionText.parse(text)
        parts.check(self.size, self.size, ".x01", ("out",))
        pawns = [read_cells(parts, str(seat)) for seat in (0, 1)]
        if any(pawn.bit_count() != 1 for pawn in pawns):
            raise ValueError("a position has one pawn of each seat, 0 and 1")
        turn, left = read_turn(parts)
        blocked = read_cells(parts, "x")
        return self._state(*pawns, turn=turn, blocked=blocked, left=left)

    def _state(self, first: int, second: int, *, turn: int, blocked: int = 0, left: int | None = None) -> TrapGridState:
        free = word(self.board & ~(first | second | blocked))
        mover, other = (first, second) if turn == 0 else (second, first)
        position = Position(free, word(mover), word(other), turn)
        return TrapGridState(self, position, int(targets(position)), left)


GAME = TrapGrid
