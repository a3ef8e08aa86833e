"""Quoridor in numbers. An action is a cell of the pawn, row by row from a1, then a horizontal and then a vertical wall
by its slot: 17, 57, 121 and 209 actions. With four players one more is to pass."""

from __future__ import annotations

from cornered.engine.compile.arrays import Planes
from cornered.engine.compile.kernel import kernel
from cornered.engine.games.quoridor import MOVE_NAMES, Quoridor
from cornered.engine.kernels.bits import popcount
from cornered.engine.kernels.maze import CELL_COUNT, bit, has
from cornered.engine.kernels.walls import GONE, PASS, Position, goal, pawn, stock, verdict
from cornered.engine.symmetry import Symmetry

__all__ = ["board_shape", "move_numbers", "observe", "plane_names", "rolls", "stuck", "symmetries", "verdict"]


def move_numbers(game: Quoridor) -> dict[str, int]:
    """Return the kernel's number of each move, by its notation and in the order of actions."""
    kinds = ((0, game.size), (CELL_COUNT, game.size - 1), (2 * CELL_COUNT, game.size - 1))
    numbers = [first + 9 * row + column for first, width in kinds for row in range(width) for column in range(width)]
    if game.seats > 2:
        numbers.append(PASS)
    return {MOVE_NAMES[number]: number for number in numbers}


def board_shape(game: Quoridor) -> tuple[int, int]:
    """Return the rows and columns of each plane."""
    return game.size, game.size


def plane_names(game: Quoridor) -> tuple[str, ...]:
    """Return what each plane shows; seats count from the mover on, and a wall stands on the cell that names it."""
    order = ("mover", "next", "third", "fourth")[: game.seats]
    limits = [name for name in ("max_plies", "no_progress") if game.options[name] is not None]
    return (
        *order,
        *(f"goal of {seat}" for seat in order),
        "horizontal walls",
        "vertical walls",
        *(f"share of walls left to {seat} (all cells)" for seat in order),
        *(f"share of {name} used (all cells)" for name in limits),
    )


@kernel
def draw(planes: Planes, start: int, lo: int, hi: int, size: int) -> int:
    """Write the cells of a pair of words as a plane that begins at `start`; return where the next plane begins."""
    for row in range(size):
        for column in range(size):
            planes[start + row * size + column] = 1 if has(lo, hi, 9 * row + column) else 0
    return start + size * size


@kernel
def flood(planes: Planes, start: int, value: float, size: int) -> int:
    """Write `value` on all cells of a plane that begins at `start`; return where the next plane begins."""
    for cell in range(start, start + size * size):
        planes[cell] = value
    return start + size * size


@kernel
def observe(position: Position, planes: Planes, rows: int, columns: int) -> None:
    """Write the planes as the mover sees them. The board is not turned: the goals tell who goes where."""
    players, turn, at = position.players, position.turn, 0
    for offset in range(players):
        cell = pawn(position, (turn + offset) % players)
        lo, hi = 0, 0
        if cell != GONE:
            lo, hi = bit(cell)
        at = draw(planes, at, lo, hi, rows)
    for offset in range(players):
        lo, hi = goal(position, (turn + offset) % players)
        at = draw(planes, at, lo, hi, rows)
    at = draw(planes, at, position.h_lo, position.h_hi, rows)
    at = draw(planes, at, position.v_lo, position.v_hi, rows)
    walls = popcount(position.h_lo) + popcount(position.h_hi) + popcount(position.v_lo) + popcount(position.v_hi)
    for seat in range(players):
        walls += stock(position, seat)
    for offset in range(players):
        # Each seat began with an equal share of all walls.
        left = stock(position, (turn + offset) % players) * players / max(1, walls)
        at = flood(planes, at, left, rows)
    if position.max_plies > 0:
        at = flood(planes, at, position.ply / position.max_plies, rows)
    if position.no_progress > 0:
        flood(planes, at, position.quiet / position.no_progress, rows)


@kernel
def stuck(position: Position) -> int:
    """Return the seat that wins where the mover has no move: never, since the mover passes then."""
    return -1


@kernel
def rolls(position: Position) -> bool:
    """Return whether chance is to move."""
    return False


def symmetries(game: Quoridor) -> tuple[Symmetry, ...]:
    """Return the identity and, for two players, left and right exchanged.

    With four players every other way to turn the board changes the seats' order or their goals.
    """
    size, planes = game.size, len(plane_names(game))
    actions = len(move_numbers(game))
    identity = Symmetry("identity", tuple(range(actions)), tuple(range(planes * size * size)))
    if game.seats > 2:
        return (identity,)

    def mirrored(width: int) -> list[int]:
        return [row * width + width - 1 - column for row in range(width) for column in range(width)]

    slots = mirrored(size - 1)
    moves = [*mirrored(size), *(size**2 + slot for slot in slots), *(size**2 + len(slots) + slot for slot in slots)]
    # A slot is on its left cell, so mirrored slots are one cell further left; the last column has none.
    walls = [
        row * size + (size - 2 - column if column < size - 1 else column)
        for row in range(size)
        for column in range(size)
    ]
    first_wall_plane = 2 * game.seats
    numbers = [
        plane * size * size + cell
        for plane in range(planes)
        for cell in (walls if plane in (first_wall_plane, first_wall_plane + 1) else mirrored(size))
    ]
    return identity, Symmetry("left and right exchanged", tuple(moves), tuple(numbers))
