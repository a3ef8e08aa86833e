"""Quoridor's evaluation: the race home in steps, and walls in hand; and the candidates among its 130 moves."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cornered.bots.evaluate.paths import closing_slots, spread, steps_home, ways
from cornered.bots.evaluate.quoridor_features import (
    MOST_WALLS,
    SIZE,
    STEPS,
    STEPS_WORD,
    STOCK_WORD,
    WORDS,
    exclusive,
    mark,
    symmetries,
    turned,
)
from cornered.bots.evaluate.rings import evaluate_state, state_candidates
from cornered.bots.nnue.features import FeatureSet
from cornered.bots.nnue.layout import network_layout
from cornered.engine import Game
from cornered.engine.compile.kernel import kernel
from cornered.engine.hashing import mixed
from cornered.engine.kernels.maze import CELL_COUNT, Four, bit, doors_beside, down, has, passages, up
from cornered.engine.kernels.walls import Position, goal, pawn, stock, walls_of

__all__ = [
    "FEATURES",
    "SCRATCH",
    "candidate_moves",
    "evaluate",
    "evaluate_state",
    "exact_value",
    "key",
    "network_name",
    "order_score",
    "quiet",
    "state_candidates",
]

SCRATCH: Final = network_layout(WORDS)
NETWORK: Final = "quoridor-9x9"

STEP_SCORE: Final = 100
WALL_SCORE: Final = 100
"""Hundredths for a wall in hand: as much as a step. With less, the search spends walls too early."""
TURN_SCORE: Final = 50
"""Hundredths for the turn."""
UNOPPOSED_LEAD_SCORE: Final = 400
"""Hundredths for a lead over an opponent without walls in hand."""
GAIN_ORDER_SCORE: Final = 100
"""Order score of a step that a move gains."""


@kernel
def evaluate(position: Position) -> int:
    """Return how many steps the mover is ahead, with walls in hand and the turn counted in; for two players."""
    doors = passages(walls_of(position), position.size)
    mover, other = position.turn, 1 - position.turn
    own_lo, own_hi = goal(position, mover)
    other_lo, other_hi = goal(position, other)
    ahead = steps_home(doors, pawn(position, other), other_lo, other_hi)
    ahead -= steps_home(doors, pawn(position, mover), own_lo, own_hi)
    own, others = stock(position, mover), stock(position, other)
    score = STEP_SCORE * ahead + WALL_SCORE * (own - others) + TURN_SCORE
    if others == 0 and ahead >= 0:
        score += UNOPPOSED_LEAD_SCORE
    if own == 0 and ahead < 0:
        score -= UNOPPOSED_LEAD_SCORE
    return score


def prior() -> npt.NDArray[np.float64]:
    """Return the hand-written evaluation as direct weights of the steps and of the walls left."""
    weights = np.zeros(64 * WORDS)
    for own in range(STEPS):
        for other in range(STEPS):
            weights[64 * STEPS_WORD + STEPS * own + other] = STEP_SCORE * (other - own) + TURN_SCORE
    for own in range(MOST_WALLS + 1):
        for other in range(MOST_WALLS + 1):
            weights[64 * STOCK_WORD + (MOST_WALLS + 1) * own + other] = WALL_SCORE * (own - other)
    return weights


FEATURES: Final = FeatureSet(WORDS, mark, turned, symmetries, prior, exclusive)


def network_name(game: Game) -> str | None:
    """Return the name of the network for a board, None where none is."""
    size, walls = game.options["size"], game.options["walls"]
    return NETWORK if size == SIZE and walls is not None and walls <= MOST_WALLS else None


@kernel
def key(position: Position) -> int:
    seed = mixed(mixed(position.turn, position.h_lo), position.h_hi)
    seed = mixed(mixed(seed, position.v_lo), position.v_hi)
    return mixed(mixed(seed, position.pawns << 16 | position.left), position.ply << 16 | position.quiet)


@kernel
def quiet(position: Position) -> bool:
    return True


@kernel
def order_score(position: Position, move: int) -> int:
    """Return 0: `candidate_moves` sorts by the gain of each move."""
    return 0


@kernel
def slots_around(cell: int) -> tuple[int, int]:
    """Return the slots of the walls that touch a cell; some may be no slots."""
    lo, hi = bit(cell)
    lo, hi = lo | lo >> 1, hi | hi >> 1
    down_lo, down_hi = down(lo, hi)
    return lo | down_lo, hi | down_hi


@kernel
def touching_slots(walls: Four) -> Four:
    """Return the slots (horizontal, then vertical) whose wall would touch a standing one; some may be no slots."""
    h_lo, h_hi, v_lo, v_hi = walls
    above_lo, above_hi = up(v_lo, v_hi)
    below_lo, below_hi = down(v_lo, v_hi)
    wide_lo, wide_hi = v_lo | above_lo | below_lo, v_hi | above_hi | below_hi
    long_lo, long_hi = h_lo | h_lo << 1 | h_lo >> 1, h_hi | h_hi << 1 | h_hi >> 1
    north_lo, north_hi = up(long_lo, long_hi)
    south_lo, south_hi = down(long_lo, long_hi)
    up_lo, up_hi = up(above_lo, above_hi)
    down_lo, down_hi = down(below_lo, below_hi)
    return (
        h_lo << 2 | h_lo >> 2 | wide_lo | wide_lo << 1 | wide_lo >> 1,
        h_hi << 2 | h_hi >> 2 | wide_hi | wide_hi << 1 | wide_hi >> 1,
        up_lo | down_lo | long_lo | north_lo | south_lo,
        up_hi | down_hi | long_hi | north_hi | south_hi,
    )


@kernel
def holds(slots: Four, wall: int) -> bool:
    """Return whether `slots` hold the wall of this number."""
    h_lo, h_hi, v_lo, v_hi = slots
    return has(h_lo, h_hi, wall - CELL_COUNT) if wall < 2 * CELL_COUNT else has(v_lo, v_hi, wall - 2 * CELL_COUNT)


@kernel
def candidate_moves(position: Position, buffer: npt.NDArray[np.int64], count: int) -> int:
    """Keep the pawn's moves and the walls that matter soon, those first that gain most steps on the opponent.

    A wall matters when it makes the opponent's way longer by more than the own one, or closes one of several equal
    ways near a pawn or another wall.
    """
    mover, other = position.turn, 1 - position.turn
    walls = walls_of(position)
    doors = passages(walls, position.size)
    own_lo, own_hi = goal(position, mover)
    other_lo, other_hi = goal(position, other)
    here, there = pawn(position, mover), pawn(position, other)
    own_way = ways(doors, here, own_lo, own_hi)
    other_way = ways(doors, there, other_lo, other_hi)
    on_own, on_other = closing_slots(own_way), closing_slots(other_way)
    touching = touching_slots(walls)
    here_lo, here_hi = slots_around(here)
    there_lo, there_hi = slots_around(there)
    near_lo, near_hi = here_lo | there_lo, here_hi | there_hi
    kept = 0
    for i in range(count):
        move = int(buffer[i])
        if move < CELL_COUNT:
            score = 40 + GAIN_ORDER_SCORE * (own_way[0] - steps_home(doors, move, own_lo, own_hi))
        elif move < 3 * CELL_COUNT:
            gain, is_near = 0, has(near_lo, near_hi, move % CELL_COUNT)
            hinders = holds(on_other, move)
            if hinders:
                gain = steps_home(doors_beside(doors, move), there, other_lo, other_hi) - other_way[0]
            if holds(on_own, move):
                gain -= steps_home(doors_beside(doors, move), here, own_lo, own_hi) - own_way[0]
            if gain < 0 or (gain == 0 and not (is_near or (hinders and holds(touching, move)))):
                continue
            score = GAIN_ORDER_SCORE * gain - 30 + (20 if hinders else 0) + (10 if is_near else 0)
        else:
            score = 0
        buffer[i] = buffer[kept]
        at = kept
        while at > 0 and buffer[at - 1] >> 10 < score:
            buffer[at] = buffer[at - 1]
            at -= 1
        buffer[at] = score << 10 | move
        kept += 1
    for i in range(kept):
        buffer[i] &= 1023
    return kept


@kernel
def loud_moves(position: Position, buffer: npt.NDArray[np.int64], count: int) -> int:
    """Keep the walls that make the opponent's way longer than the own one by two steps or more."""
    mover, other = position.turn, 1 - position.turn
    doors = passages(walls_of(position), position.size)
    own_lo, own_hi = goal(position, mover)
    other_lo, other_hi = goal(position, other)
    here, there = pawn(position, mover), pawn(position, other)
    own_way = ways(doors, here, own_lo, own_hi)
    other_way = ways(doors, there, other_lo, other_hi)
    on_own, on_other = closing_slots(own_way), closing_slots(other_way)
    kept = 0
    for i in range(count):
        move = int(buffer[i])
        if move < CELL_COUNT or move >= 3 * CELL_COUNT or not holds(on_other, move):
            continue
        gain = steps_home(doors_beside(doors, move), there, other_lo, other_hi) - other_way[0]
        if gain >= 2 and holds(on_own, move):
            gain -= steps_home(doors_beside(doors, move), here, own_lo, own_hi) - own_way[0]
        if gain >= 2:
            buffer[i] = buffer[kept]
            buffer[kept] = move
            kept += 1
    return kept


@kernel
def has_free_run(doors: Four, position: Position, seat: int, steps: int) -> bool:
    """Return whether a seat can walk home in `steps` steps, its shortest path, without ever meeting the other pawn.

    The other pawn counts as being on every cell that it could have reached by then: the path avoids those cells and
    the jumps over them.
    """
    lo, hi = bit(pawn(position, seat))
    away_lo, away_hi = bit(pawn(position, 1 - seat))
    goal_lo, goal_hi = goal(position, seat)
    if position.turn != seat:
        away_lo, away_hi = spread(doors, away_lo, away_hi)
        if lo & away_lo | hi & away_hi != 0:
            return False
    for _ in range(steps - 1):
        away_lo, away_hi = spread(doors, away_lo, away_hi)
        lo, hi = spread(doors, lo, hi)
        lo, hi = lo & ~away_lo, hi & ~away_hi
    lo, hi = spread(doors, lo, hi)
    return lo & ~away_lo & goal_lo | hi & ~away_hi & goal_hi != 0


@kernel
def exact_value(position: Position, scratch: Any) -> int:
    """Return the result of a decided race: the leader's opponent has no walls and cannot get in the way."""
    mover, other = position.turn, 1 - position.turn
    if stock(position, mover) != 0 and stock(position, other) != 0:
        return 0
    doors = passages(walls_of(position), position.size)
    own_lo, own_hi = goal(position, mover)
    other_lo, other_hi = goal(position, other)
    own = steps_home(doors, pawn(position, mover), own_lo, own_hi)
    others = steps_home(doors, pawn(position, other), other_lo, other_hi)
    leader = mover if own <= others else other
    plies = 2 * own - 1 if leader == mover else 2 * others
    if stock(position, 1 - leader) != 0:
        return 0
    if 0 < position.max_plies < position.ply + plies or 0 < position.no_progress < position.quiet + plies:
        return 0
    if not has_free_run(doors, position, leader, min(own, others)):
        return 0
    return plies if leader == mover else -plies
