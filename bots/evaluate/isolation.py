"""Isolation: cells to slide to, cells to get to before the other does, and pawns that have come apart."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cornered.bots.evaluate.isolation_features import (
    SIZE,
    SLIDES,
    SLIDES_WORD,
    WORDS,
    ZONES,
    ZONES_WORD,
    exclusive,
    mark,
    symmetries,
)
from cornered.bots.evaluate.regions import fields, region, separated_winner, spread
from cornered.bots.nnue.features import FeatureSet, Images
from cornered.bots.nnue.layout import network_layout
from cornered.engine import Game, State
from cornered.engine.compile.kernel import kernel
from cornered.engine.games.isolation import IsolationState
from cornered.engine.hashing import mixed
from cornered.engine.kernels.bits import popcount
from cornered.engine.kernels.slides import SLIDE_STEPS_MAX, Position, slides

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
    "voronoi_zones",
]

SCRATCH: Final = network_layout(WORDS, fields(1 << 12))
NETWORK: Final = "isolation-7x7"

PROOF_NODES_MAX: Final = 60
"""After so many nodes without a verdict, pawns that have come apart are left to the search."""

MOBILITY: Final = 30
"""Hundredths for each cell to slide to, counted as a difference (game-playing-notes)."""
TERRITORY: Final = 50
"""Hundredths for each cell that a pawn reaches in fewer slides than the other."""

ELIMINATED_PENALTY = 900.0
"""Evaluation, negated, of a seat that is out of a game for three or four."""


def evaluate_state(state: State, seat: int) -> float:
    """Return the seat's number of moves less the greatest of its opponents', for any number of players."""
    assert isinstance(state, IsolationState)
    reach = state.mobility()
    still_in = [other for other in range(len(reach)) if not state.position.places >> 3 * other & 7]
    if seat not in still_in:
        return -ELIMINATED_PENALTY
    others = [reach[other] for other in still_in if other != seat]
    return float(reach[seat] - max(others, default=0))


@kernel
def voronoi_zones(free: np.uint64, mover: np.uint64, other: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the cells that the mover gets to in no more slides than the other, and those where the other is sooner."""
    mine = theirs = np.uint64(0)
    front, back, left = mover, other, free
    while front | back:
        front = slides(free, front, SLIDE_STEPS_MAX) & left if front else front
        mine |= front
        left ^= front
        back = slides(free, back, SLIDE_STEPS_MAX) & left if back else back
        theirs |= back
        left ^= back
    return mine, theirs


@kernel
def evaluate(position: Position) -> int:
    """Return the mover's cells to slide to and cells that it gets to first, less the other's."""
    free, mover, other = position.free, position.mover, position.second
    if not mover or not other:
        # Until both pawns are placed, only the placed pawn's mobility counts.
        return -MOBILITY * popcount(slides(free, other, SLIDE_STEPS_MAX)) if other else 0
    score = MOBILITY * (popcount(slides(free, mover, SLIDE_STEPS_MAX)) - popcount(slides(free, other, SLIDE_STEPS_MAX)))
    mine, theirs = voronoi_zones(free, mover, other)
    return score + TERRITORY * (popcount(mine) - popcount(theirs))


def prior() -> npt.NDArray[np.float64]:
    """Return the hand-written evaluation as direct weights of the slides and of the cells reached first."""
    weights = np.zeros(64 * WORDS)
    for own in range(SLIDES):
        for other in range(SLIDES):
            weights[64 * SLIDES_WORD + SLIDES * own + other] = MOBILITY * (own - other)
    for ahead in range(ZONES):
        weights[64 * ZONES_WORD + ahead] = TERRITORY * (ahead - ZONES // 2)
    return weights


FEATURES: Final = FeatureSet(WORDS, mark, lambda: Images.identity(WORDS), symmetries, prior, exclusive)


def network_name(game: Game) -> str | None:
    """Return the name of the network for a board, None where none is."""
    return NETWORK if game.options["width"] == game.options["height"] == SIZE else None


@kernel
def key(position: Position) -> int:
    seed = mixed(position.turn, np.int64(position.free))
    return mixed(mixed(seed, np.int64(position.mover)), np.int64(position.second))


@kernel
def quiet(position: Position) -> bool:
    return True


@kernel
def order_score(position: Position, move: int) -> int:
    """Prefer the fewest replies for the other, then the most further moves for the mover."""
    target = np.uint64(1) << np.uint64(move)
    free = position.free ^ target
    onward = popcount(slides(free, target, SLIDE_STEPS_MAX))
    replies = popcount(slides(free, position.second, SLIDE_STEPS_MAX)) if position.second else 0
    return 80 * (28 - min(replies, 28)) + 20 * onward


@kernel
def candidate_moves(position: Position, buffer: npt.NDArray[np.int64], count: int) -> int:
    return count


@kernel
def exact_value(position: Position, scratch: Any) -> int:
    """Return how long it takes at most to win or lose where the pawns have come apart: the longer path decides."""
    free, mover, other = position.free, position.mover, position.second
    if not mover or not other:
        return 0
    mine = region(free, mover)
    if mine & spread(other):
        return 0
    theirs = region(free, other)
    if mine & theirs:
        return 0
    scratch.nodes, scratch.limit = 0, PROOF_NODES_MAX
    winner = separated_winner(mine, mover, other, theirs, scratch)
    if winner > 0:
        return 2 * popcount(theirs) + 1
    return -2 * max(1, popcount(mine)) if winner < 0 else 0
