"""TrapGrid as the reference judges it (trapgrid-deep-dive, sections 2, 5, 6, 8), in plain Python and term by term.

Where the reference contradicts itself: the centre's table is printed with a weight of its own, 0.4, and again in the
formula without any; here the weight counts once. "Mobility" in the isolation terms is the size of the pocket, that is
the territory, which counts the own cell. The step from 80 down is 40 for the penalty, as the code says, and 35 for the
bonus. Boards of other sizes than 7 have their own centre, corners and edges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cornered.engine.kernels.grid import NOT_FILE_A, NOT_FILE_H

__all__ = [
    "WEIGHTS",
    "ClassicBoard",
    "ClassicWeights",
    "centre",
    "distance",
    "heuristic",
    "isolation",
    "neighbours",
    "quick_score",
    "reach",
    "terms",
    "wall_danger",
]

_NOT_A: Final = int(NOT_FILE_A)
_NOT_H: Final = int(NOT_FILE_H)


@dataclass(frozen=True, slots=True)
class ClassicWeights:
    """Section 6's weights and section 8's steps: (below this pocket size, this much), the first that applies."""

    territory: float = 2.5
    immediate: float = 3.0
    distance: float = 0.3
    centre: float = 0.4
    wall_danger: float = 1.5
    trapped_penalty: float = 200.0
    trapped_bonus: float = 300.0
    penalties: tuple[tuple[int, float], ...] = ((4, 80.0), (8, 40.0), (12, 15.0))
    bonuses: tuple[tuple[int, float], ...] = ((4, 80.0), (8, 35.0))
    ordering_centre: float = 0.2
    """How much the centre's table counts in the order of moves (section 5)."""


WEIGHTS: Final = ClassicWeights()


@dataclass(frozen=True, slots=True)
class ClassicBoard:
    """A position for one side: the words (see cornered.engine.kernels.grid) of the free cells and of both pawns'
    cells.
    """

    free: int
    ai: int
    opponent: int
    size: int

    def after(self, target: int, *, is_max: bool) -> ClassicBoard:
        """Return the board after a pawn stepped to a cell: the AI's, the maximiser's, or the opponent's."""
        ai, opponent = (target, self.opponent) if is_max else (self.ai, target)
        return ClassicBoard(self.free ^ target, ai, opponent, self.size)

    def targets(self, *, is_max: bool) -> list[int]:
        """Return the words of the cells that a pawn may step to."""
        rest = neighbours(self.ai if is_max else self.opponent) & self.free
        found = []
        while rest:
            found.append(rest & -rest)
            rest &= rest - 1
        return found


def neighbours(cells: int) -> int:
    """Return the cells one step from any of `cells`, on the board or beside it."""
    return cells << 8 | cells >> 8 | (cells & _NOT_H) << 1 | (cells & _NOT_A) >> 1


def reach(free: int, pawn: int) -> int:
    """Return the territory: how many cells a breadth-first search reaches, the pawn's own included (section 2)."""
    inside = edge = pawn
    while edge:
        edge = neighbours(edge) & free & ~inside
        inside |= edge
    return inside.bit_count()


def _place(pawn: int) -> tuple[int, int]:
    return divmod(pawn.bit_length() - 1, 8)


def distance(one: int, other: int) -> int:
    """Return the Manhattan distance between two cells."""
    (row, column), (other_row, other_column) = _place(one), _place(other)
    return abs(row - other_row) + abs(column - other_column)


def centre(pawn: int, size: int) -> float:
    """Return CENTER_BONUS: 6 in the centre of 7x7, 0 in the corners (section 6)."""
    row, column = _place(pawn)
    middle = (size - 1) / 2
    return size - 1 - abs(row - middle) - abs(column - middle)


def wall_danger(free: int, pawn: int, size: int) -> int:
    """Return 4 in a corner and 2 at an edge, and 3 for each step fewer than two (section 6)."""
    row, column = _place(pawn)
    at_edge, at_side = row in (0, size - 1), column in (0, size - 1)
    danger = 4 if at_edge and at_side else 2 if at_edge or at_side else 0
    return danger + 3 * max(0, 2 - immediate(free, pawn))


def immediate(free: int, pawn: int) -> int:
    """Return how many steps a pawn has."""
    return (neighbours(pawn) & free).bit_count()


def isolation(mobility: int, steps: int, trapped: float, below: tuple[tuple[int, float], ...]) -> float:
    """Return section 8's step function: `trapped` without a step, else the step for the size of the pocket."""
    if steps == 0:
        return trapped
    return next((worth for limit, worth in below if mobility < limit), 0.0)


def terms(board: ClassicBoard, weights: ClassicWeights = WEIGHTS) -> Mapping[str, float]:
    """Return the terms of the master formula, weighted (section 6); terminals, the eighth, are the search's."""
    free, ai, opponent, size = board.free, board.ai, board.opponent, board.size
    ai_mobility, opponent_mobility = reach(free, ai), reach(free, opponent)
    ai_steps, opponent_steps = immediate(free, ai), immediate(free, opponent)
    return {
        "territory": (ai_mobility - opponent_mobility) * weights.territory,
        "immediate": (ai_steps - opponent_steps) * weights.immediate,
        "distance": distance(ai, opponent) * weights.distance,
        "centre": (centre(ai, size) - centre(opponent, size)) * weights.centre,
        "wall danger": (wall_danger(free, opponent, size) - wall_danger(free, ai, size)) * weights.wall_danger,
        "isolation penalty": -isolation(ai_mobility, ai_steps, weights.trapped_penalty, weights.penalties),
        "isolation bonus": isolation(opponent_mobility, opponent_steps, weights.trapped_bonus, weights.bonuses),
    }


def heuristic(board: ClassicBoard, weights: ClassicWeights = WEIGHTS) -> float:
    """Return the master formula: positive is good for the AI."""
    return sum(terms(board, weights).values())


def quick_score(after: ClassicBoard, target: int, weights: ClassicWeights = WEIGHTS) -> float:
    """Return the order score of the board after the move to `target`: the maximiser sorts falling, the minimiser
    rising. Section 5 prints the same sum for both, so the minimiser searches the centre last.
    """
    ai, opponent = reach(after.free, after.ai), reach(after.free, after.opponent)
    return 2 * ai - opponent + weights.ordering_centre * centre(target, after.size)
