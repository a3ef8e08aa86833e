"""Quoridor as its specification prints it: the evaluation of three heuristics, and at most so many walls a node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cornered.bots.evaluate.paths import both_ways
from cornered.engine.games.quoridor import MOVE_NUMBERS, QuoridorState
from cornered.engine.kernels.maze import CELL_COUNT
from cornered.engine.kernels.walls import GONE, PASS

__all__ = ["DRAW_PENALTY", "WIN_SCORE", "PrintedWeights", "choice", "printed"]

WIN_SCORE: Final = 1_000_000.0
DRAW_PENALTY: Final = -0.05
"""The draw penalty (quoridor-specification, "Win/Loss/Draw Conditions")."""


@dataclass(frozen=True, slots=True)
class PrintedWeights:
    """The weights of the heuristics (quoridor-specification, "Core Algorithm")."""

    path: float = 12.0
    progress: float = 1.5
    walls: float = 2.0


def printed(state: QuoridorState, seat: int, depth_left: int, weights: PrintedWeights) -> float:
    """Return the evaluation of a position of two players for `seat` (quoridor-specification, "Evaluation Function").

    The path heuristic uses true shortest paths: the printed A* orders by its estimate alone.
    """
    outcome = state.outcome
    if outcome is not None:
        if outcome.winner is None:
            return DRAW_PENALTY
        return WIN_SCORE + depth_left if outcome.winner == seat else -WIN_SCORE - depth_left
    position, last = state.position, state.game.size - 1
    steps = both_ways(position)
    ranks = [cell // 9 for cell in state.pawns()]
    progress = ranks[0], last - ranks[1]
    stocks = state.stocks()
    other = 1 - seat
    return (
        weights.path * (steps[other] - steps[seat])
        + weights.progress * (progress[seat] - progress[other])
        + weights.walls * (stocks[seat] - stocks[other])
    )


def choice(state: QuoridorState, walls: int) -> list[str]:
    """Return the pawn's moves, nearest to the goal's side first, and then at most `walls` walls, those nearest to an
    opponent first; of equals the one that comes first in the order of the game's moves (quoridor-specification,
    "Move Ordering Optimization").
    """
    mover, last = state.to_move, state.game.size - 1
    side = mover * 4 // state.game.seats
    others = [divmod(cell, 9) for seat, cell in enumerate(state.pawns()) if seat != mover and cell != GONE]

    def to_goal(number: int) -> int:
        rank, file = divmod(number, 9)
        return (last - rank, last - file, rank, file)[side]

    def to_opponent(number: int) -> int:
        rank, file = divmod(number % CELL_COUNT, 9)
        return min(abs(rank - other_rank) + abs(file - other_file) for other_rank, other_file in others)

    numbered = [(MOVE_NUMBERS[move], move) for move in state.moves()]
    if numbered[0][0] == PASS:
        return [numbered[0][1]]
    steps = sorted(
        (to_goal(number), place, move) for place, (number, move) in enumerate(numbered) if number < CELL_COUNT
    )
    near = sorted(
        (to_opponent(number), place, move) for place, (number, move) in enumerate(numbered) if number >= CELL_COUNT
    )
    return [move for _, _, move in steps] + [move for _, _, move in near[:walls]]
