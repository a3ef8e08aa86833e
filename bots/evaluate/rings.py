"""Quoridor's evaluation and candidate moves for any number of players, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from cornered.engine import State
from cornered.engine.games.quoridor import MOVE_NUMBERS, QuoridorState
from cornered.engine.kernels.maze import CELL_COUNT, SPLIT, passages
from cornered.engine.kernels.walls import GONE, Position, goal, walls_of

__all__ = ["Maze", "evaluate_state", "state_candidates"]

WALL_STEPS: Final = 0.4
"""The value of a wall in hand, in steps."""
TURN_STEPS: Final = 0.5
"""The value of the turn, in steps."""
ELIMINATED_PENALTY: Final = 900.0
CLOSED_STEPS_MAX: Final = 4
"""Steps of an opponent's way, counted from its pawn, that candidate walls may close."""


class Maze(NamedTuple):
    """The 81 cells that are open to the north, and those that are open to the east, one bit each."""

    north: int
    east: int

    @classmethod
    def of(cls, position: Position) -> Maze:
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


def evaluate_state(state: State, seat: int) -> float:
    """Return how many steps the seat is ahead of its nearest rival, with walls in hand and the turn counted in."""
    assert isinstance(state, QuoridorState)
    position = state.position
    maze = Maze.of(position)
    racers = [other for other, pawn in enumerate(state.pawns()) if pawn != GONE]
    if seat not in racers:
        return -ELIMINATED_PENALTY
    walls = state.stocks()
    standing = {
        racer: WALL_STEPS * walls[racer]
        - len(maze.rings(position, racer))
        + (TURN_STEPS if racer == position.turn else 0.0)
        for racer in racers
    }
    return standing[seat] - max((worth for racer, worth in standing.items() if racer != seat), default=0.0)


def state_candidates(state: State) -> Sequence[str]:
    """Return the pawn's moves, and the walls that close one of the next steps of an opponent's shortest way."""
    assert isinstance(state, QuoridorState)
    moves = state.moves()
    if not state.stocks()[state.to_move]:
        return moves
    position = state.position
    maze = Maze.of(position)
    closing: set[int] = set()
    for seat, cell in enumerate(state.pawns()):
        if seat != state.to_move and cell != GONE:
            closing |= _closing(maze, maze.rings(position, seat), cell)
    return [
        move for move in moves if not CELL_COUNT <= MOVE_NUMBERS[move] < 3 * CELL_COUNT or MOVE_NUMBERS[move] in closing
    ]


def _closing(maze: Maze, rings: list[int], pawn: int) -> set[int]:
    """Return the numbers of the walls across the first steps of a shortest way from `pawn` inwards through `rings`."""
    walls: set[int] = set()
    for ring in rings[-2 : -2 - CLOSED_STEPS_MAX : -1]:
        target = (maze.spread(1 << pawn) & ring).bit_length() - 1
        low, apart = min(pawn, target), abs(target - pawn)
        # A wall is named by its first cell: it closes the door of that cell and of the next one along the wall.
        walls |= (
            {CELL_COUNT + low, CELL_COUNT + low - 1} if apart == 9 else {2 * CELL_COUNT + low, 2 * CELL_COUNT + low - 9}
        )
        pawn = target
    return walls
