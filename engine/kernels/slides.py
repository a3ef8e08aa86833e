"""Pawns that slide like queens: Isolation's rules as kernels, for two to four players, with and without dice.

A slide of one cell is short enough for any roll, so a pawn that can slide at all can slide whatever is rolled: whether
a player is out never depends on the dice.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cornered.engine.compile.arrays import Buffer, uint64
from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.bits import popcount
from cornered.engine.kernels.grid import NOT_FILE_A, NOT_FILE_H, listed, word

__all__ = [
    "DICE_SIDES",
    "MAX_MOVES",
    "ROLL",
    "SLIDE_STEPS_MAX",
    "Position",
    "advance",
    "awaits_roll",
    "gen",
    "leave",
    "lost",
    "perft",
    "settled",
    "slides",
    "targets",
    "typed",
    "without",
]

MAX_MOVES: Final = 64
ROLL: Final = 64
"""A roll of n is move number ROLL + n; the other moves are the bit numbers of their target cells."""
DICE_SIDES: Final = 3
SLIDE_STEPS_MAX: Final = 7


class Position(NamedTuple):
    """The board as words (see cornered.engine.kernels.grid), the pawns in playing order from the mover's on; 0 is a
    pawn not yet placed.

    `places` holds the final place of each seat that is out in three bits, 0 for a seat still in; `standing` counts the
    seats still in. With three or four players the mover always has a move unless the game is over.
    """

    free: uint64
    mover: uint64
    second: uint64
    third: uint64
    fourth: uint64
    turn: int
    players: int
    places: int
    standing: int
    dice: int
    roll: int


@kernel
def slides(free: uint64, pawn: uint64, longest: int) -> uint64:
    """Return the cells that `pawn` slides to over `free` cells, at most `longest` steps in one of eight directions."""
    eastward, westward = free & NOT_FILE_A, free & NOT_FILE_H
    n = s = e = w = ne = nw = se = sw = pawn
    reached = uint64(0)
    for _ in range(longest):
        n = n << uint64(8) & free
        s = s >> uint64(8) & free
        e = e << uint64(1) & eastward
        w = w >> uint64(1) & westward
        ne = ne << uint64(9) & eastward
        nw = nw << uint64(7) & westward
        se = se >> uint64(7) & eastward
        sw = sw >> uint64(9) & westward
        front = n | s | e | w | ne | nw | se | sw
        if not front:
            break
        reached |= front
    return reached


@kernel
def targets(position: Position) -> uint64:
    """Return the cells that the mover may place on or slide to; before the roll, those that some roll allows."""
    if position.standing == 1:
        return uint64(0)
    if not position.mover:
        return position.free
    longest = position.roll
    if longest == 0:
        longest = DICE_SIDES if position.dice else SLIDE_STEPS_MAX
    return slides(position.free, position.mover, longest)


@kernel
def lost(position: Position) -> bool:
    """Return whether the mover, one of two players, has lost."""
    return not targets(position)


@kernel
def awaits_roll(position: Position) -> bool:
    """Return whether chance has to roll before the mover slides."""
    return position.dice != 0 and position.roll == 0 and bool(position.mover) and bool(targets(position))


@kernel
def gen(position: Position, buffer: Buffer) -> int:
    """Write the mover's moves, or chance's rolls, into `buffer`; return how many there are."""
    if awaits_roll(position):
        for index in range(DICE_SIDES):
            buffer[index] = ROLL + 1 + index
        return DICE_SIDES
    return listed(targets(position), buffer)


@kernel
def rolled(position: Position, roll: int) -> Position:
    """Return the position after chance rolled `roll`; 0 takes a roll back."""
    free, mover, second, third, fourth, turn, players, places, standing, dice, _ = position
    return Position(free, mover, second, third, fourth, turn, players, places, standing, dice, roll)


@kernel
def passed(position: Position) -> Position:
    """Return the position with the next seat to move, whether that seat is in or out."""
    free, mover, second, third, fourth, turn, players, places, standing, dice, _ = position
    turn = turn + 1 if turn + 1 < players else 0
    if players == 2:
        return Position(free, second, mover, third, fourth, turn, players, places, standing, dice, 0)
    if players == 3:
        return Position(free, second, third, mover, fourth, turn, players, places, standing, dice, 0)
    return Position(free, second, third, fourth, mover, turn, players, places, standing, dice, 0)


@kernel
def without(position: Position, seat: int) -> Position:
    """Return the position with `seat` out in the last place that is left."""
    free, mover, second, third, fourth, turn, players, places, standing, dice, roll = position
    places |= standing << 3 * seat
    return Position(free, mover, second, third, fourth, turn, players, places, standing - 1, dice, roll)


@kernel
def settled(position: Position) -> Position:
    """Return the position with the turn at the next seat that can move; seats that cannot are out on the way."""
    while True:
        if not position.places >> 3 * position.turn & 7:
            if position.standing == 1 or targets(position):
                return position
            position = without(position, position.turn)
        position = passed(position)


@kernel
def step(position: Position, target: uint64) -> Position:
    """Return the position after the mover placed on, or slid to, the one cell of `target`."""
    free, _, second, third, fourth, turn, players, places, standing, dice, _ = position
    moved = passed(
        Position(free ^ target, target, second, third, fourth, turn, players, places, standing, dice, 0),
    )
    return settled(moved) if players > 2 else moved


@kernel
def advance(position: Position, move: int) -> Position:
    """Return the position after move number `move`."""
    if move > ROLL:
        return rolled(position, move - ROLL)
    return step(position, uint64(1) << uint64(move))


@kernel
def leave(position: Position, seat: int) -> Position:
    """Return the position after `seat`, which is still in, left; its cell stays blocked."""
    return settled(without(position, seat))


@kernel
def sequences(free: uint64, mover: uint64, other: uint64, depth: int) -> int:
    """Count the move sequences of `depth` plies, 1 or more, of two players without dice; a pawn of 0 is not placed.

    It is `perft` without the parts of a position that cannot matter then.
    """
    rest = slides(free, mover, SLIDE_STEPS_MAX) if mover else free
    if depth == 1:
        return popcount(rest)
    leaves = 0
    while rest:
        target = rest & (~rest + uint64(1))
        leaves += sequences(free ^ target, other, target, depth - 1)
        rest ^= target
    return leaves


@kernel
def perft(position: Position, depth: int) -> int:
    """Count the move sequences of `depth` plies, rolls among them; the last ply is counted, not played."""
    if depth == 0:
        return 1
    if position.players == 2 and position.dice == 0 and position.standing == 2:
        return sequences(position.free, position.mover, position.second, depth)
    leaves = 0
    if awaits_roll(position):
        if depth == 1:
            return DICE_SIDES
        for roll in range(1, DICE_SIDES + 1):
            leaves += perft(rolled(position, roll), depth - 1)
        return leaves
    rest = targets(position)
    if depth == 1:
        return popcount(rest)
    while rest:
        target = rest & (~rest + uint64(1))
        leaves += perft(step(position, target), depth - 1)
        rest ^= target
    return leaves


def typed(position: Position) -> Position:
    """Return a position that came out of a kernel in the types that go into one."""
    free, mover, second, third, fourth, *rest = position
    return Position(word(free), word(mover), word(second), word(third), word(fourth), *rest)
