"""TrapGrid in numbers. An action is the target cell, row by row from a1."""

from __future__ import annotations

from cornered.engine.compile.arrays import Planes
from cornered.engine.compile.kernel import kernel
from cornered.engine.games.trapgrid import Position, TrapGrid
from cornered.engine.kernels.grid import CELL_NAMES, cells, draw
from cornered.engine.symmetry import Symmetry, of_rectangle

__all__ = ["board_shape", "move_numbers", "observe", "plane_names", "rolls", "stuck", "symmetries", "verdict"]


def move_numbers(game: TrapGrid) -> dict[str, int]:
    """Return the kernel's number of each move, by its notation and in the order of actions."""
    return {CELL_NAMES[cell]: cell for cell in cells(game.board)}


def board_shape(game: TrapGrid) -> tuple[int, int]:
    """Return the rows and columns of each plane."""
    return game.size, game.size


def plane_names(game: TrapGrid) -> tuple[str, ...]:
    """Return what each plane shows."""
    del game
    return "mover", "opponent", "free cells"


@kernel
def observe(position: Position, planes: Planes, rows: int, columns: int) -> None:
    """Write the planes as the mover sees them."""
    at = draw(planes, 0, position.mover, rows, columns)
    at = draw(planes, at, position.other, rows, columns)
    draw(planes, at, position.free, rows, columns)


@kernel
def verdict(position: Position) -> int:
    """Return the winner of a game that ends before anybody is stuck: -1, since there is none."""
    return -1


@kernel
def stuck(position: Position) -> int:
    """Return the seat that wins where the mover has no move."""
    return 1 - position.turn


@kernel
def rolls(position: Position) -> bool:
    """Return whether chance is to move."""
    return False


def symmetries(game: TrapGrid) -> tuple[Symmetry, ...]:
    """Return the eight symmetries of the square."""
    return of_rectangle(game.size, game.size, planes=3)
