"""Isolation in numbers. An action is the target cell, row by row from a1; with dice the last three are the rolls."""

from __future__ import annotations

from cornered.engine.compile.arrays import Planes, uint64
from cornered.engine.compile.kernel import kernel
from cornered.engine.games.isolation import Isolation, Position
from cornered.engine.kernels.grid import CELL_NAMES, cells, draw
from cornered.engine.kernels.slides import DICE_SIDES, ROLL, awaits_roll
from cornered.engine.symmetry import Symmetry, of_rectangle

__all__ = ["board_shape", "move_numbers", "observe", "plane_names", "rolls", "stuck", "symmetries", "verdict"]


def move_numbers(game: Isolation) -> dict[str, int]:
    """Return the kernel's number of each move, by its notation and in the order of actions."""
    dice = {str(side): ROLL + side for side in range(1, DICE_SIDES + 1)} if game.dice else {}
    return {CELL_NAMES[cell]: cell for cell in cells(game.board)} | dice


def board_shape(game: Isolation) -> tuple[int, int]:
    """Return the rows and columns of each plane."""
    return game.height, game.width


def plane_names(game: Isolation) -> tuple[str, ...]:
    """Return what each plane shows; seats count from the mover on."""
    order = ("mover", "next", "third", "fourth")[: game.seats]
    still_in = tuple(f"{seat} still in (all cells)" for seat in order) if game.seats > 2 else ()
    dice = tuple(f"roll {side} (all cells)" for side in range(1, DICE_SIDES + 1)) if game.dice else ()
    return (*order, "free cells", *still_in, *dice)


@kernel
def observe(position: Position, planes: Planes, rows: int, columns: int) -> None:
    """Write the planes as the mover sees them."""
    everywhere = ~uint64(0)
    nowhere = uint64(0)
    players = position.players
    at = draw(planes, 0, position.mover, rows, columns)
    at = draw(planes, at, position.second, rows, columns)
    if players > 2:
        at = draw(planes, at, position.third, rows, columns)
    if players > 3:
        at = draw(planes, at, position.fourth, rows, columns)
    at = draw(planes, at, position.free, rows, columns)
    if players > 2:
        for offset in range(players):
            seat = (position.turn + offset) % players
            is_in = position.places >> 3 * seat & 7 == 0
            at = draw(planes, at, everywhere if is_in else nowhere, rows, columns)
    if position.dice:
        for side in range(1, DICE_SIDES + 1):
            at = draw(planes, at, everywhere if position.roll == side else nowhere, rows, columns)


@kernel
def verdict(position: Position) -> int:
    """Return the winner of a game that ends before anybody is stuck: -1, since there is none."""
    return -1


@kernel
def stuck(position: Position) -> int:
    """Return the seat that wins where the mover has no move: the last one standing has the turn."""
    return position.turn if position.standing == 1 else 1 - position.turn


@kernel
def rolls(position: Position) -> bool:
    """Return whether chance is to move."""
    return awaits_roll(position)


def symmetries(game: Isolation) -> tuple[Symmetry, ...]:
    """Return the symmetries of the board: eight of a square, four of another rectangle."""
    rows, columns = board_shape(game)
    others = DICE_SIDES if game.dice else 0
    return of_rectangle(rows, columns, planes=len(plane_names(game)), others=others)
