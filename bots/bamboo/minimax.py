"""The Bamboo paper's minimax (sections III.B and IV.B, appendices A to D), compiled: plain, pruned, sorted and pruned.

It is the paper's on purpose: red maximises and blue minimises one number, and a finished game is estimated like any
other position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cornered.engine.compile.kernel import kernel
from cornered.engine.kernels.hexagon import MAX_MOVES, STRIDE, Position, advance, around, gen, size_of, survey, turned

__all__ = [
    "STOP",
    "GroupKind",
    "PruningKind",
    "RootValues",
    "alpha_beta",
    "estimate",
    "new_counters",
    "search",
    "sort_moves",
]

PruningKind: TypeAlias = Literal["plain", "pruned", "sorted"]
GroupKind: TypeAlias = Literal["all", "pairs"]
"""Which groups the estimate counts: all, as the rules do, or those of two stones or more, the paper's section II."""
SearchCounters: TypeAlias = npt.NDArray[np.int64]

INFINITE_ESTIMATE: Final = 1 << 20
NODES, PRUNED, MOST_NODES, STOP, ONLY_PAIRS = range(5)
"""Indices of the counters: nodes, pruned moves, the bound on nodes, the stop flag, and whether groups of one stone are
left out of the estimate."""
SQUARE_SUM_MAX: Final = 72
"""The largest sum of squares there is: at a corner of radius 6."""


@kernel
def single_stones(position: Position) -> int:
    """Return the number of the mover's stones without a neighbour of their colour."""
    near_a, near_b, near_c = around((position.own_a, position.own_b, position.own_c))
    return size_of((position.own_a & ~near_a, position.own_b & ~near_b, position.own_c & ~near_c))


@kernel
def estimate(position: Position, only_pairs: int) -> int:
    """Return E = (groups of red + moves of red) - (groups of blue + moves of blue) (equation 7), without the groups of
    one stone where `only_pairs` is 1."""
    other = turned(position)
    own_cells, own_groups = survey(position)
    other_cells, other_groups = survey(other)
    ahead = own_groups + size_of(own_cells) - other_groups - size_of(other_cells)
    if only_pairs != 0:
        ahead += single_stones(other) - single_stones(position)
    return ahead if position.turn == 0 else -ahead


@kernel
def sort_moves(moves: npt.NDArray[np.int64], count: int, radius: int) -> None:
    """Put the first `count` moves in falling order of their vectors' sums of squares, equal ones left in their order.

    The radix sort of appendix D with a single digit, since no sum has more than 72 values.
    """
    starts = np.zeros(SQUARE_SUM_MAX + 2, np.int64)
    keys = np.empty(MAX_MOVES, np.int64)
    before = moves[:count].copy()
    for i in range(count):
        x, z = before[i] % STRIDE - radius, radius - before[i] // STRIDE
        keys[i] = SQUARE_SUM_MAX - 2 * (x * x + x * z + z * z)
        starts[keys[i] + 1] += 1
    for value in range(SQUARE_SUM_MAX):
        starts[value + 1] += starts[value]
    for i in range(count):
        moves[starts[keys[i]]] = before[i]
        starts[keys[i]] += 1


@kernel
def alpha_beta(
    position: Position,
    depth: int,
    alpha: int,
    beta: int,
    is_pruned: int,
    is_sorted: int,
    radius: int,
    counters: SearchCounters,
) -> int:
    """Return the minimax value for red, exact between `alpha` and `beta`; meaningless once the counters' stop flag is
    set."""
    if counters[NODES] >= counters[MOST_NODES]:
        counters[STOP] = 1
    if counters[STOP] != 0:
        return 0
    counters[NODES] += 1
    if depth == 0:
        return estimate(position, counters[ONLY_PAIRS])
    moves = np.empty(MAX_MOVES, np.int64)
    count = gen(position, moves)
    if count == 0:
        return estimate(position, counters[ONLY_PAIRS])
    if is_sorted != 0:
        sort_moves(moves, count, radius)
    maximising = position.turn == 0
    best = -INFINITE_ESTIMATE if maximising else INFINITE_ESTIMATE
    for i in range(count):
        value = alpha_beta(
            advance(position, int(moves[i])), depth - 1, alpha, beta, is_pruned, is_sorted, radius, counters
        )
        if counters[STOP] != 0:
            return 0
        if maximising:
            best = max(best, value)
            alpha = max(alpha, best) if is_pruned != 0 else alpha
        else:
            best = min(best, value)
            beta = min(beta, best) if is_pruned != 0 else beta
        if alpha >= beta:
            counters[PRUNED] += count - i - 1
            break
    return best


@dataclass(frozen=True, slots=True)
class RootValues:
    """The moves that a search finished, each with its value for red; the later values may be bounds."""

    move: int
    value: int | None
    values: dict[int, int]
    exact: frozenset[int]
    nodes: int
    pruned: int


def new_counters(most_nodes: int | None, groups: GroupKind = "all") -> SearchCounters:
    """Return counters at zero. Another thread may stop a search by setting its STOP entry."""
    bound = INFINITE_ESTIMATE**3 if most_nodes is None else most_nodes
    return np.array([0, 0, bound, 0, groups == "pairs"], np.int64)


def search(
    position: Position, radius: int, depth: int, pruning: PruningKind, counters: SearchCounters, lines: int = 1
) -> RootValues:
    """Search all moves of a position that is not over, to `depth` plies from 1, until it is done or the counters' stop
    flag is set.

    The first of the best moves is chosen, and so many of the best as there are `lines` get exact values. A stopped
    search returns the best of the finished moves.
    """
    is_pruned, is_sorted = int(pruning != "plain"), int(pruning == "sorted")
    moves = np.empty(MAX_MOVES, np.int64)
    count = gen(position, moves)
    if is_sorted:
        sort_moves(moves, count, radius)
    counters[NODES] += 1
    sign = 1 if position.turn == 0 else -1
    best, value = int(moves[0]), None
    values: dict[int, int] = {}
    exact: list[int] = []
    for move in moves[:count].tolist():
        ranked = sorted((sign * values[other] for other in exact), reverse=True)
        floor = ranked[lines - 1] if is_pruned and len(exact) >= lines else -INFINITE_ESTIMATE
        window = (floor, INFINITE_ESTIMATE) if sign == 1 else (-INFINITE_ESTIMATE, -floor)
        found = alpha_beta(advance(position, move), depth - 1, *window, is_pruned, is_sorted, radius, counters)
        if counters[STOP]:
            break
        values[move] = found
        if sign * found > floor:
            exact.append(move)
        if value is None or sign * found > sign * value:
            best, value = move, found
    return RootValues(best, value, values, frozenset(exact), int(counters[NODES]), int(counters[PRUNED]))
