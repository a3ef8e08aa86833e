"""Quoridor: the race home counted in steps, and walls in hand. Also which of its 130 moves are worth a look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from bots.evaluate.mixing import mixed
from engine import State
from engine.compiled import kernel
from engine.games.quoridor import NUMBERS, QuoridorState
from engine.maze import CELLS, SPLIT, Four, bit, down, passages, up
from engine.walls import GONE, Position, goal, pawn, stock, walls_of

__all__ = ["SCRATCH", "candidates", "evaluate", "key", "known", "narrow", "quiet", "rank", "worth"]

SCRATCH: Final = np.dtype([("unused", np.int64)])

WALL: Final = 0.4
"""What a wall in hand is worth, in steps."""
TURN: Final = 0.5
"""What it is worth to move next."""
OUT: Final = 900.0
AHEAD: Final = 4
"""How many steps of an opponent's way candidates may close."""


class _Maze(NamedTuple):
    """The 81 cells that are open to the north, and those that are open to the east, one bit each."""

    north: int
    east: int

    @classmethod
    def of(cls, position: Position) -> _Maze:
        north_lo, north_hi, east_lo, east_hi = passages(walls_of(position), position.size)
        return cls(north_lo | north_hi << SPLIT, east_lo | east_hi << SPLIT)

    def spread(self, cells: int) -> int:
        """Return the cells one step from any of `cells`; pawns are not in the way."""
        north, east = self.north, self.east
        return (cells & north) << 9 | cells >> 9 & north | (cells & east) << 1 | cells >> 1 & east

    def rings(self, position: Position, seat: int) -> list[int]:
        """Return the cells at 0, 1, 2 ... steps from the seat's goal, up to those among which its pawn stands."""
        lo, hi = goal(position, seat)
        rings = [lo | hi << SPLIT]
        pawn = 1 << (position.pawns >> 8 * seat & 255)
        seen = rings[0]
        while not rings[-1] & pawn:
            rings.append(self.spread(rings[-1]) & ~seen)
            seen |= rings[-1]
        return rings


def evaluate(state: State, seat: int) -> float:
    """Return how many steps the seat is ahead of its nearest rival, with walls in hand and the turn counted in."""
    assert isinstance(state, QuoridorState)
    position = state.position
    maze = _Maze.of(position)
    racers = [other for other, pawn in enumerate(state.pawns()) if pawn != GONE]
    if seat not in racers:
        return -OUT
    walls = state.stocks()
    standing = {
        racer: WALL * walls[racer] - len(maze.rings(position, racer)) + (TURN if racer == position.turn else 0.0)
        for racer in racers
    }
    return standing[seat] - max((worth for racer, worth in standing.items() if racer != seat), default=0.0)


def candidates(state: State) -> Sequence[str]:
    """Return the pawn's moves, and the walls that close one of the next steps of an opponent's shortest way."""
    assert isinstance(state, QuoridorState)
    moves = state.moves()
    if not state.stocks()[state.to_move]:
        return moves
    position = state.position
    maze = _Maze.of(position)
    closing: set[int] = set()
    for seat, cell in enumerate(state.pawns()):
        if seat != state.to_move and cell != GONE:
            closing |= _closing(maze, maze.rings(position, seat), cell)
    return [move for move in moves if not CELLS <= NUMBERS[move] < 3 * CELLS or NUMBERS[move] in closing]


def _closing(maze: _Maze, rings: list[int], pawn: int) -> set[int]:
    """Return the numbers of the walls across the first steps of a shortest way from `pawn` inwards through `rings`."""
    walls: set[int] = set()
    for ring in rings[-2 : -2 - AHEAD : -1]:
        target = (maze.spread(1 << pawn) & ring).bit_length() - 1
        low, apart = min(pawn, target), abs(target - pawn)
        # A wall is named by its first cell: it closes the door of that cell and of the next one along the wall.
        walls |= {CELLS + low, CELLS + low - 1} if apart == 9 else {2 * CELLS + low, 2 * CELLS + low - 9}
        pawn = target
    return walls


@kernel
def steps_home(doors: Four, cell: int, goal_lo: int, goal_hi: int) -> int:
    """Return how many steps the shortest path from `cell` to its goal takes; pawns are not in the way."""
    north_lo, north_hi, east_lo, east_hi = doors
    lo, hi = bit(cell)
    steps = 0
    while lo & goal_lo == 0 and hi & goal_hi == 0:
        up_lo, up_hi = up(lo & north_lo, hi & north_hi)
        down_lo, down_hi = down(lo, hi)
        lo |= up_lo | down_lo & north_lo | (lo & east_lo) << 1 | (lo >> 1) & east_lo
        hi |= up_hi | down_hi & north_hi | (hi & east_hi) << 1 | (hi >> 1) & east_hi
        steps += 1
    return steps


@kernel
def worth(position: Position) -> int:
    """Return how many steps the mover is ahead, with walls in hand and the turn counted in; for two players."""
    doors = passages(walls_of(position), position.size)
    mover, other = position.turn, 1 - position.turn
    own_lo, own_hi = goal(position, mover)
    other_lo, other_hi = goal(position, other)
    ahead = steps_home(doors, pawn(position, other), other_lo, other_hi)
    ahead -= steps_home(doors, pawn(position, mover), own_lo, own_hi)
    return 100 * ahead + 40 * (stock(position, mover) - stock(position, other)) + 50


@kernel
def key(position: Position) -> int:
    seed = mixed(mixed(position.turn, position.h_lo), position.h_hi)
    seed = mixed(mixed(seed, position.v_lo), position.v_hi)
    return mixed(mixed(seed, position.pawns << 16 | position.left), position.ply << 16 | position.quiet)


@kernel
def quiet(position: Position) -> bool:
    return True


@kernel
def rank(position: Position, move: int) -> int:
    return 0


@kernel
def narrow(position: Position, buffer: npt.NDArray[np.int64], count: int) -> int:
    return count


@kernel
def known(position: Position, scratch: Any) -> int:
    return 0
