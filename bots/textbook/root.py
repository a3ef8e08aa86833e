"""The root of a textbook search: iterative deepening over its moves, the best line so far, and the thought."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final, TypeAlias

from cornered.bots.bot import WIN, Limit, Line, Proven, Thought
from cornered.bots.textbook.search import OutOfLimit, PvMoves, TextbookSearch, ValuedLine, proof
from cornered.engine import State

__all__ = ["MAX_DEPTH_PLIES", "RootIteration", "RootSearch", "SearchMove", "depths"]

MAX_DEPTH_PLIES: Final = 200
"""Depth of a search without any other limit; most games are over by then."""

SearchMove: TypeAlias = Callable[[State, int, float, PvMoves], ValuedLine]
"""Returns the value of the position after a move, for its mover, and the line that follows. Arguments: that position,
the depth left, the value above which alone the result has to be exact, and the move's line of the last iteration."""
Prove: TypeAlias = Callable[[float, bool], Proven | None]
"""Returns what a score proves, given whether the search below it reached its horizon."""


@dataclass(slots=True)
class RootIteration:
    """The moves of one iteration with their values, in the order of the search."""

    wanted: int
    """How many moves need an exact value."""
    values: list[tuple[float, Line]] = field(default_factory=list)

    @property
    def best(self) -> float:
        """The best value so far."""
        return max((value for value, line in self.values if not line.is_bound), default=-math.inf)

    @property
    def least(self) -> float:
        """The value that a move has to beat to be among the `wanted` best."""
        best = sorted((value for value, line in self.values if not line.is_bound), reverse=True)
        return best[self.wanted - 1] if len(best) >= self.wanted else -math.inf

    def ranked(self) -> tuple[Line, ...]:
        """Return the best move first; of equal ones the first that was found, and exact values before bounds."""
        return tuple(line for _, line in sorted(self.values, key=lambda entry: (-entry[0], entry[1].is_bound)))


def depths(limit: Limit, setting: int) -> Iterable[int]:
    """Return the depths of the iterations of a bot of fixed depth, 0 for to the end of the game.

    One iteration where nothing can stop it; under a clock or a node limit every depth, to have a move ready.
    """
    depth = min(setting or MAX_DEPTH_PLIES, limit.depth or MAX_DEPTH_PLIES)
    return (depth,) if limit.time is None and limit.nodes is None else range(1, depth + 1)


@dataclass(frozen=True, slots=True)
class RootSearch:
    """A search of the root's moves by iterative deepening, with `search_move` below each of them."""

    state: State
    limit: Limit
    search: TextbookSearch
    search_move: SearchMove
    is_exact: bool = False
    """Whether `search_move` is exact for every move."""
    score: Callable[[float], float] = lambda value: value
    """Turns its values into scores."""
    prove: Prove | None = None
    """By default `proof`: every move is searched on the way to the score."""

    def think(self, depths: Iterable[int], moves: Sequence[str]) -> Thought:
        """Return the best of `moves` by the last of `depths`, or by the part of it within the limit.

        Each iteration searches the best move of the last one first, so a cut-off iteration can only improve on it.
        """
        search, order = self.search, list(moves)
        found = Thought(order[0], pv=(order[0],), lines=tuple(Line(move) for move in order))
        for depth in depths:
            root, saw_horizon, cut_short = RootIteration(min(self.limit.lines, len(order))), False, False
            hints = {line.move: line.pv[1:] for line in found.lines}
            search.trace.iteration(depth)
            search.trace.enter("", self.state, -math.inf, math.inf)
            try:
                for move in order:
                    search.saw_horizon, least = False, -math.inf if self.is_exact else root.least
                    after = self.state.play(move)
                    search.trace.enter(move, after, least, math.inf)
                    value, rest = self.search_move(after, depth - 1, least, hints[move])
                    line = self._line((move, *rest), self.score(value), depth, is_bound=value <= least)
                    root.values.append((value, line))
                    search.trace.leave(value, root.best, root.least, math.inf)
                    saw_horizon |= search.saw_horizon
                search.trace.leave(root.best)
            except OutOfLimit:
                cut_short = True
            if root.values and (len(root.values) >= root.wanted or found.score is None):
                found = self._thought(root.ranked(), order, saw_horizon=saw_horizon)
            order.sort(key=lambda move: move != found.move)
            if cut_short or found.proven is not None or not saw_horizon:
                break
        seconds = monotonic() - search.started
        return replace(found, nodes=search.nodes, pruned=search.pruned, deepest=search.deepest, seconds=seconds)

    def _proven(self, score: float, *, saw_horizon: bool) -> Proven | None:
        if self.prove is not None:
            return self.prove(score, saw_horizon)
        return proof(score, self.state.game.seats, saw_horizon=saw_horizon)

    def _line(self, pv: PvMoves, score: float, depth: int, *, is_bound: bool) -> Line:
        proven = self._proven(score, saw_horizon=self.search.saw_horizon)
        if is_bound and proven != "loss":
            return Line(pv[0], score, depth=depth, pv=pv, is_bound=True)
        # An average over dice proves a result, but no number of plies.
        countable = proven in ("win", "loss") and not is_bound and score == int(score)
        plies = int(WIN - abs(score)) if countable else None
        return Line(pv[0], score, proven, plies, depth, pv, is_bound)

    def _thought(self, ranked: tuple[Line, ...], moves: Sequence[str], *, saw_horizon: bool) -> Thought:
        """Return the thought of one iteration, its unsearched moves last."""
        best = ranked[0]
        searched = {line.move for line in ranked}
        missed = tuple(Line(move) for move in moves if move not in searched)
        # One winning move is enough. A draw or a loss is certain only with that result for every other move as well.
        is_certain = best.proven == "win" or (
            not missed and best.score is not None and best.proven == self._proven(best.score, saw_horizon=saw_horizon)
        )
        proven, plies = (best.proven, best.plies) if is_certain else (None, None)
        return Thought(
            best.move, best.score, best.depth, pv=best.pv, proven=proven, plies=plies, lines=(*ranked, *missed)
        )
