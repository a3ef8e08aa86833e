"""Bamboo's evaluation: groups, which let a colour grow, then room to found new ones and cells that would join them.

Late in a game all free cells touch groups, and the side with many small ones can fill more of them. The weights were
fitted to the results of self-play games, as probabilities of winning.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from cornered.bots.evaluate.bamboo_features import GROUPS, GROUPS_WORD, RADIUS, WORDS, exclusive, mark, symmetries
from cornered.bots.nnue.features import FeatureSet, Images
from cornered.bots.nnue.layout import network_layout
from cornered.engine import Game
from cornered.engine.compile.kernel import kernel
from cornered.engine.hashing import mixed
from cornered.engine.kernels.hexagon import MAX_MOVES, Position, around, bit, first, size_of, turned

__all__ = [
    "FEATURES",
    "SCRATCH",
    "candidate_moves",
    "evaluate",
    "exact_value",
    "key",
    "network_name",
    "order_score",
    "quiet",
]

SCRATCH: Final = network_layout(WORDS)
NETWORK: Final = "bamboo-radius5"

GROUP: Final = 100
"""The value of a group, in hundredths: the unit of all other weights."""
ENDGAME_FREE_CELLS: Final = 18
MIDGAME_FREE_CELLS: Final = 30
"""Up to how many free cells a game is in its last and in its middle part."""

OPENING_FREE_CELLS: Final = 45
"""Free cells above which a selective search keeps the `CANDIDATE_MOVES_MAX` best ordered moves only."""
CANDIDATE_MOVES_MAX: Final = 20
EVEN_ORDER_SCORE: Final = 5_000
EARLY_OWN: Final = (160, -50, -90, -150, 0, 0, 0)
EARLY_OTHER: Final = (200, 0, -150, -150, 0, 0, 0)
EARLY_FREE: Final = (100, 270, 380, 250, 20, -350, -630)
LATER_OWN: Final = (40, -20, -25, -80, 70, 70, 70)
LATER_OTHER: Final = (0, -20, -30, -50, 90, 90, 90)
LATER_FREE: Final = (-10, 60, 80, 50, 10, -60, -110)
"""Ranks by how many of a cell's neighbours are own stones, the other's, or free: logarithms of odds, times 100, fitted
to 4,000 choices of the search at full width."""


@kernel
def side_score(position: Position, free: int) -> int:
    """Return how the mover's stones stand on a board with `free` free cells, whatever the other's do.

    Each group weighs on each free cell beside it with the stones that it would have there. Cells beside no group can
    found one; on cells beside two or more they are joined.
    """
    own_a, own_b, own_c = position.own_a, position.own_b, position.own_c
    rest_a, rest_b, rest_c = own_a, own_b, own_c
    once_a, once_b, once_c, twice_a, twice_b, twice_c = 0, 0, 0, 0, 0, 0
    groups, weight = 0, 0
    while rest_a | rest_b | rest_c != 0:
        a, b, c = first((rest_a, rest_b, rest_c))
        while True:
            near_a, near_b, near_c = around((a, b, c))
            next_a, next_b, next_c = a | near_a & own_a, b | near_b & own_b, c | near_c & own_c
            if next_a == a and next_b == b and next_c == c:
                break
            a, b, c = next_a, next_b, next_c
        rest_a, rest_b, rest_c = rest_a ^ a, rest_b ^ b, rest_c ^ c
        near_a, near_b, near_c = near_a & position.free_a, near_b & position.free_b, near_c & position.free_c
        groups += 1
        weight += (size_of((a, b, c)) + 1) * size_of((near_a, near_b, near_c))
        twice_a, twice_b, twice_c = twice_a | once_a & near_a, twice_b | once_b & near_b, twice_c | once_c & near_c
        once_a, once_b, once_c = once_a | near_a, once_b | near_b, once_c | near_c
    joining = size_of((twice_a, twice_b, twice_c))
    if free <= ENDGAME_FREE_CELLS:
        return GROUP * groups - 13 * weight
    if free <= MIDGAME_FREE_CELLS:
        return GROUP * groups - 9 * weight - 40 * joining
    return GROUP * groups - 2 * weight - 30 * joining + 28 * (free - size_of((once_a, once_b, once_c)))


@kernel
def evaluate(position: Position) -> int:
    """Return the difference between the sides, less half a group for the turn: a move is a burden here."""
    free = size_of((position.free_a, position.free_b, position.free_c))
    return side_score(position, free) - side_score(turned(position), free) - GROUP // 2


def prior() -> npt.NDArray[np.float64]:
    """Return the value of groups as direct weights."""
    weights = np.zeros(64 * WORDS)
    for own in range(GROUPS):
        for other in range(GROUPS):
            weights[64 * GROUPS_WORD + GROUPS * own + other] = GROUP * (own - other) - GROUP // 2
    return weights


FEATURES: Final = FeatureSet(WORDS, mark, lambda: Images.identity(WORDS), symmetries, prior, exclusive)


def network_name(game: Game) -> str | None:
    """Return the name of the network for a board, None where none is."""
    return NETWORK if game.options["radius"] == RADIUS else None


@kernel
def key(position: Position) -> int:
    seed = mixed(mixed(mixed(position.turn, position.own_a), position.own_b), position.own_c)
    return mixed(mixed(mixed(seed, position.other_a), position.other_b), position.other_c)


@kernel
def quiet(position: Position) -> bool:
    """Return True: no single stone changes the evaluation by much."""
    return True


@kernel
def order_score(position: Position, move: int) -> int:
    """Return EVEN_ORDER_SCORE plus the log odds that a deep search chooses a cell with such neighbours."""
    a, b, c = bit(move)
    near_a, near_b, near_c = around((a, b, c))
    own = size_of((near_a & position.own_a, near_b & position.own_b, near_c & position.own_c))
    other = size_of((near_a & position.other_a, near_b & position.other_b, near_c & position.other_c))
    free = size_of((near_a & position.free_a, near_b & position.free_b, near_c & position.free_c))
    if size_of((position.free_a, position.free_b, position.free_c)) > OPENING_FREE_CELLS:
        return EVEN_ORDER_SCORE + EARLY_OWN[own] + EARLY_OTHER[other] + EARLY_FREE[free]
    return EVEN_ORDER_SCORE + LATER_OWN[own] + LATER_OTHER[other] + LATER_FREE[free]


@kernel
def candidate_moves(position: Position, buffer: npt.NDArray[np.int64], count: int) -> int:
    """Keep the best ordered moves early in the game, sorted; later all."""
    if (
        count <= CANDIDATE_MOVES_MAX
        or size_of((position.free_a, position.free_b, position.free_c)) <= OPENING_FREE_CELLS
    ):
        return count
    ranked = np.empty(MAX_MOVES, np.int64)
    for i in range(count):
        move = int(buffer[i])
        entry = order_score(position, move) << 8 | move
        j = i
        if i >= CANDIDATE_MOVES_MAX:
            if entry <= ranked[CANDIDATE_MOVES_MAX - 1]:
                ranked[i] = entry
                continue
            j = CANDIDATE_MOVES_MAX - 1
            ranked[i] = ranked[j]
        while j > 0 and ranked[j - 1] < entry:
            ranked[j] = ranked[j - 1]
            j -= 1
        ranked[j] = entry
    for i in range(count):
        buffer[i] = ranked[i] & 255
    return CANDIDATE_MOVES_MAX


@kernel
def exact_value(position: Position, scratch: Any) -> int:
    """Return 0: until the last stones nothing is certain without looking ahead."""
    return 0
