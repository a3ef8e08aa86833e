"""Quoridor's rules, compiled: pawns that step and jump, walls that leave every pawn a path home.

Boards are the pairs of words of `cornered.engine.kernels.maze`. A move is a number: the target cell, a wall's number,
or PASS.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cornered.engine.compile.arrays import Buffer, empty, int64
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.bits import fill, popcount
from cornered.engine.kernels.maze import (
    CELL_COUNT,
    SPLIT,
    Four,
    Pair,
    bit,
    closing,
    cuts,
    far_side,
    has,
    passages,
    propped,
    reaches,
    step,
    unblocked,
)

__all__ = [
    "DRAWN_GAME",
    "GOES_ON",
    "GONE",
    "MAX_MOVES",
    "PASS",
    "Position",
    "advance",
    "drawn",
    "gen",
    "goal",
    "has_paths",
    "legal",
    "lost",
    "pawn",
    "perft",
    "stock",
    "verdict",
    "wall_slots",
]

PASS: Final = 3 * CELL_COUNT
GOES_ON: Final = -1
DRAWN_GAME: Final = -2
GONE: Final = 255
"""Where the pawn of a seat that left the game stands."""
MAX_MOVES: Final = 136
"""128 walls on an empty 9x9 board, and a pawn between four others jumps to eight cells at most."""


class Position(NamedTuple):
    """The whole state of the rules. `pawns` and `left` hold eight bits a seat; a draw rule whose limit is 0 is off."""

    h_lo: int
    h_hi: int
    v_lo: int
    v_hi: int
    pawns: int
    left: int
    turn: int
    size: int
    players: int
    ply: int
    quiet: int
    max_plies: int
    no_progress: int


@kernel
def walls_of(position: Position) -> Four:
    """Return the standing walls' slots: horizontal, then vertical."""
    return position.h_lo, position.h_hi, position.v_lo, position.v_hi


@kernel
def pawn(position: Position, seat: int) -> int:
    """Return the cell of a seat's pawn, or GONE."""
    return (position.pawns >> (8 * seat)) & 255


@kernel
def stock(position: Position, seat: int) -> int:
    """Return how many walls a seat has left."""
    return (position.left >> (8 * seat)) & 255


@kernel
def goal(position: Position, seat: int) -> Pair:
    """Return the goal cells of a seat; two players sit south and north, four go round from the south."""
    return far_side(seat * 4 // position.players, position.size)


@kernel
def at_goal(position: Position, seat: int) -> bool:
    cell = pawn(position, seat)
    if cell == GONE:
        return False
    goal_lo, goal_hi = goal(position, seat)
    return has(goal_lo, goal_hi, cell)


@kernel
def winner(position: Position) -> int:
    """Return the seat whose pawn is home, or GOES_ON."""
    for seat in range(position.players):
        if at_goal(position, seat):
            return seat
    return GOES_ON


@kernel
def lost(position: Position) -> bool:
    """Return whether another seat has won already."""
    return winner(position) >= 0


@kernel
def drawn(position: Position) -> bool:
    """Return whether a draw rule ends the game; a pawn that gets home on the last ply wins all the same."""
    return (0 < position.max_plies <= position.ply) or (0 < position.no_progress <= position.quiet)


@kernel
def verdict(position: Position) -> int:
    """Return the seat that has won, DRAWN_GAME, or GOES_ON."""
    seat = winner(position)
    if seat >= 0:
        return seat
    return DRAWN_GAME if drawn(position) else GOES_ON


@kernel
def targets(position: Position) -> Pair:
    """Return the cells that the mover's pawn can go to."""
    doors = passages(walls_of(position), position.size)
    taken_lo, taken_hi = 0, 0
    for seat in range(position.players):
        cell = pawn(position, seat)
        if cell != GONE:
            bit_lo, bit_hi = bit(cell)
            taken_lo |= bit_lo
            taken_hi |= bit_hi
    start = pawn(position, position.turn)
    lo, hi = 0, 0
    for direction in range(4):
        near = step(doors, start, direction)
        if near < 0:
            continue
        bit_lo, bit_hi = bit(near)
        if has(taken_lo, taken_hi, near):
            bit_lo, bit_hi = 0, 0
            behind = step(doors, near, direction)
            if behind >= 0:
                bit_lo, bit_hi = bit(behind)
            else:
                for turn in (1, 3):
                    beside = step(doors, near, (direction + turn) & 3)
                    if beside >= 0:
                        beside_lo, beside_hi = bit(beside)
                        bit_lo |= beside_lo
                        bit_hi |= beside_hi
        lo |= bit_lo & ~taken_lo
        hi |= bit_hi & ~taken_hi
    return lo, hi


@kernel
def has_paths(position: Position) -> bool:
    """Return whether every pawn on the board can still get home; pawns are not in each other's way."""
    doors = passages(walls_of(position), position.size)
    for seat in range(position.players):
        cell = pawn(position, seat)
        if cell != GONE:
            goal_lo, goal_hi = goal(position, seat)
            if not reaches(doors, cell, goal_lo, goal_hi):
                return False
    return True


@kernel
def wall_slots(position: Position) -> Four:
    """Return the slots (horizontal, then vertical) where the mover may put a wall.

    A path is flooded again only for a propped wall that cuts the one path found before.
    """
    if stock(position, position.turn) == 0:
        return 0, 0, 0, 0
    walls = walls_of(position)
    h_lo, h_hi, v_lo, v_hi = unblocked(walls, position.size)
    across_lo, across_hi, upright_lo, upright_hi = propped(walls, position.size)
    across_lo &= h_lo
    across_hi &= h_hi
    upright_lo &= v_lo
    upright_hi &= v_hi
    if across_lo | across_hi | upright_lo | upright_hi == 0:
        return h_lo, h_hi, v_lo, v_hi
    doors = passages(walls, position.size)
    for seat in range(position.players):
        cell = pawn(position, seat)
        if cell == GONE:
            continue
        goal_lo, goal_hi = goal(position, seat)
        cut_across_lo, cut_across_hi, cut_upright_lo, cut_upright_hi = cuts(doors, cell, goal_lo, goal_hi)
        h_lo &= ~closing(doors, across_lo & cut_across_lo & h_lo, CELL_COUNT, cell, goal_lo, goal_hi)
        h_hi &= ~closing(doors, across_hi & cut_across_hi & h_hi, CELL_COUNT + SPLIT, cell, goal_lo, goal_hi)
        v_lo &= ~closing(doors, upright_lo & cut_upright_lo & v_lo, 2 * CELL_COUNT, cell, goal_lo, goal_hi)
        v_hi &= ~closing(doors, upright_hi & cut_upright_hi & v_hi, 2 * CELL_COUNT + SPLIT, cell, goal_lo, goal_hi)
    return h_lo, h_hi, v_lo, v_hi


@kernel
def gen(position: Position, buffer: Buffer) -> int:
    """Write the mover's moves in rising order; return how many. A mover without any other move must pass.

    Two players can always move: a path home leads through the other pawn at worst, and whatever stops the jump over
    it, straight and to both sides, would stop the path there as well.
    """
    lo, hi = targets(position)
    n = fill(buffer, 0, lo, 0)
    n = fill(buffer, n, hi, SPLIT)
    h_lo, h_hi, v_lo, v_hi = wall_slots(position)
    n = fill(buffer, n, h_lo, CELL_COUNT)
    n = fill(buffer, n, h_hi, CELL_COUNT + SPLIT)
    n = fill(buffer, n, v_lo, 2 * CELL_COUNT)
    n = fill(buffer, n, v_hi, 2 * CELL_COUNT + SPLIT)
    if n == 0:
        buffer[0] = PASS
        n = 1
    return n


@kernel
def count(position: Position) -> int:
    lo, hi = targets(position)
    h_lo, h_hi, v_lo, v_hi = wall_slots(position)
    walls = popcount(h_lo) + popcount(h_hi) + popcount(v_lo) + popcount(v_hi)
    return max(1, popcount(lo) + popcount(hi) + walls)


@kernel
def legal(position: Position, move: int) -> bool:
    """Return whether `gen` would list this move of a game that goes on."""
    if move < CELL_COUNT:
        lo, hi = targets(position)
        return has(lo, hi, move)
    if move == PASS:
        lo, hi = targets(position)
        h_lo, h_hi, v_lo, v_hi = wall_slots(position)
        return lo | hi | h_lo | h_hi | v_lo | v_hi == 0
    h_lo, h_hi, v_lo, v_hi = wall_slots(position)
    if move < 2 * CELL_COUNT:
        return has(h_lo, h_hi, move - CELL_COUNT)
    return has(v_lo, v_hi, move - 2 * CELL_COUNT)


@kernel
def next_seat(position: Position) -> int:
    """Return the seat to move after the mover; seats that left are skipped."""
    seat = (position.turn + 1) % position.players
    while pawn(position, seat) == GONE and seat != position.turn:
        seat = (seat + 1) % position.players
    return seat


@kernel
def advance(position: Position, move: int) -> Position:
    """Return the position after a legal move."""
    h_lo, h_hi, v_lo, v_hi = walls_of(position)
    pawns, left = position.pawns, position.left
    ply = position.ply + 1 if position.max_plies > 0 else 0
    quiet = position.quiet + 1 if position.no_progress > 0 else 0
    if move < CELL_COUNT:
        pawns ^= (pawn(position, position.turn) ^ move) << (8 * position.turn)
    elif move != PASS:
        left -= 1 << (8 * position.turn)
        quiet = 0
        if move < 2 * CELL_COUNT:
            lo, hi = bit(move - CELL_COUNT)
            h_lo |= lo
            h_hi |= hi
        else:
            lo, hi = bit(move - 2 * CELL_COUNT)
            v_lo |= lo
            v_hi |= hi
    turn = next_seat(position)
    size, players = position.size, position.players
    limits = position.max_plies, position.no_progress
    return Position(h_lo, h_hi, v_lo, v_hi, pawns, left, turn, size, players, ply, quiet, limits[0], limits[1])


@kernel
def perft(position: Position, depth: int) -> int:
    """Count the move sequences of exactly `depth` plies; the last ply is counted without being played."""
    if depth == 0:
        return 1
    if verdict(position) != GOES_ON:
        return 0
    if depth == 1:
        return count(position)
    buffer = empty(MAX_MOVES, int64)
    total = 0
    for i in range(gen(position, buffer)):
        total += perft(advance(position, int(buffer[i])), depth - 1)
    return total
