"""The figures that the references quote about these searches, counted on any position."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from cornered.bots.evaluate import evaluator
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.korf import NO_SEAT_ABOVE, max_n_shallow
from cornered.bots.textbook.maxn import max_n
from cornered.bots.textbook.minimax import depth_limited
from cornered.bots.textbook.ordered import sorted_alpha_beta
from cornered.bots.textbook.search import TextbookSearch
from cornered.engine import State

__all__ = ["Saving", "alpha_beta_saving", "deepening_overhead", "korf_saving", "uniform_overhead"]


@dataclass(frozen=True, slots=True)
class Saving:
    """Nodes below the root without pruning and with it, and the number of pruned moves."""

    plain: int
    pruned: int
    left_out: int

    @property
    def percent(self) -> float:
        """The share of nodes that pruning saves."""
        return 100.0 * (1.0 - self.pruned / self.plain) if self.plain else 0.0

    @property
    def efficiency(self) -> float:
        """The pruning efficiency in percent, which counts moves: pruned / (nodes + pruned) (trapgrid-deep-dive)."""
        return 100.0 * self.left_out / (self.pruned + self.left_out) if self.left_out else 0.0


def korf_saving(state: State, depth: int) -> Saving:
    """Return what shallow pruning saves max^n (Korf, "Multi-player alpha-beta pruning", 1991)."""
    plain = _count(state, lambda search: max_n(state, depth, 0, search))
    return _saving(plain, _count(state, lambda search: max_n_shallow(state, depth, 0, NO_SEAT_ABOVE, 0, search)))


def alpha_beta_saving(state: State, depth: int, *, is_sorted: bool = False) -> Saving:
    """Return what alpha-beta saves minimax, with the moves sorted by the evaluation or as the game lists them."""
    pruning = sorted_alpha_beta if is_sorted else alpha_beta
    plain = _count(state, lambda search: depth_limited(state, depth, 0, search))
    return _saving(plain, _count(state, lambda search: pruning(state, depth, -math.inf, math.inf, 0, search)))


def deepening_overhead(state: State, depth: int) -> float:
    """Return how many percent more positions minimax looks at when it deepens to `depth` ply by ply."""

    def nodes(to: int) -> int:
        return _count(state, lambda search: depth_limited(state, to, 0, search)).nodes

    each = [nodes(to) for to in range(1, depth + 1)]
    return 100.0 * (sum(each) / each[-1] - 1.0)


def uniform_overhead(branching: int, depth: int) -> float:
    """Return the same for a tree in which every position has `branching` moves.

    It tends to 1 / (branching - 1): 50% for 3, the figure in game-playing-notes, "Iterative Deepening".
    """
    each = [float(sum(branching**ply for ply in range(to + 1))) for to in range(depth + 1)]
    return 100.0 * (sum(each) / each[-1] - 1.0)


def _count(state: State, run: Callable[[TextbookSearch], object]) -> TextbookSearch:
    search = TextbookSearch(state.to_move, evaluator(state.game.name).evaluate)
    run(search)
    # The root was looked at too, and is not counted.
    search.nodes -= 1
    return search


def _saving(plain: TextbookSearch, pruned: TextbookSearch) -> Saving:
    return Saving(plain.nodes, pruned.nodes, pruned.pruned)
