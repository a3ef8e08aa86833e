"""Bamboo in numbers. An action is the cell of the stone, row by row from a1.

The planes are the hexagon in a square of `2 * radius + 1` rows and columns, sheared: a column runs up and to the right
(see `cornered.engine.kernels.hexagon`), so the neighbours of a cell are at (0, 1), (1, 0), (1, 1) and opposite.
"""

from __future__ import annotations

from itertools import permutations

from cornered.engine.compile.arrays import Planes
from cornered.engine.compile.kernel import kernel
from cornered.engine.games.bamboo import Bamboo, Position, cell_numbers
from cornered.engine.kernels.hexagon import STRIDE, WORD
from cornered.engine.symmetry import Symmetry, of_cells

__all__ = ["board_shape", "move_numbers", "observe", "plane_names", "rolls", "stuck", "symmetries", "verdict"]


def move_numbers(game: Bamboo) -> dict[str, int]:
    """Return the kernel's number of each move, by its notation and in the order of actions."""
    return cell_numbers(game.radius)


def board_shape(game: Bamboo) -> tuple[int, int]:
    """Return the rows and columns of each plane."""
    return 2 * game.radius + 1, 2 * game.radius + 1


def plane_names(game: Bamboo) -> tuple[str, ...]:
    """Return what each plane shows."""
    del game
    return "mover's stones", "opponent's stones", "free cells"


@kernel
def draw(planes: Planes, start: int, a: int, b: int, c: int, size: int) -> int:
    """Write the cells of three words as a plane that begins at `start`; return where the next plane begins."""
    for row in range(size):
        for column in range(size):
            cell = STRIDE * row + column
            if cell < WORD:
                word = a >> cell
            elif cell < 2 * WORD:
                word = b >> (cell - WORD)
            else:
                word = c >> (cell - 2 * WORD)
            planes[start + row * size + column] = word & 1
    return start + size * size


@kernel
def observe(position: Position, planes: Planes, rows: int, columns: int) -> None:
    """Write the planes as the mover sees them."""
    at = draw(planes, 0, position.own_a, position.own_b, position.own_c, rows)
    at = draw(planes, at, position.other_a, position.other_b, position.other_c, rows)
    draw(planes, at, position.free_a, position.free_b, position.free_c, rows)


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


def symmetries(game: Bamboo) -> tuple[Symmetry, ...]:
    """Return the twelve symmetries of the hexagon: the orders and the sign of its three cube coordinates.

    Cells of the square that are not on the hexagon stay where they are: every plane has 0 there.
    """
    radius, size = game.radius, 2 * game.radius + 1
    squares = [divmod(number, STRIDE) for number in cell_numbers(radius).values()]
    index = {square: action for action, square in enumerate(squares)}
    found = []
    for sign in (1, -1):
        for order in permutations(range(3)):
            actions, cells = [], list(range(size * size))
            for row, column in squares:
                x, z = column - radius, radius - row
                cube = (x, -x - z, z)
                x, _, z = (sign * cube[axis] for axis in order)
                image = (radius - z, x + radius)
                actions.append(index[image])
                cells[row * size + column] = image[0] * size + image[1]
            name = f"{'' if sign > 0 else '-'}({', '.join('xyz'[axis] for axis in order)})"
            found.append(of_cells(name, cells, actions, planes=3))
    return tuple(found)
