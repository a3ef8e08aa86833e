"""The root of a search: it looks at each move there, keeps the best so far, and reports what was found."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Final, TypeAlias

from cornered.bots.bot import WIN, Limit, Line, Proven, Thought
from cornered.bots.textbook.search import OutOfLimit, PvMoves, TextbookSearch, ValuedLine, proof
from cornered.engine import State

__all__ = ["MAX_DEPTH_PLIES", "RootIteration", "SearchMove", "depths", "think"]

MAX_DEPTH_PLIES: Final = 200
"""No search looks further; most games are over by then."""

SearchMove: TypeAlias = Callable[[State, int, float, PvMoves], ValuedLine]
"""Returns the value of the position after a move, for who made it, and the line that follows. It is asked with the
depth that is left, the value above which alone it has to be exact, and the line that it found the last time."""


@dataclass(slots=True)
class RootIteration:
    """The moves of one iteration with what they are worth, in the order in which they were looked at."""

    wanted: int
    """How many moves need an exact value."""
    values: list[tuple[float, Line]] = field(default_factory=list)

    @property
    def least(self) -> float:
        """The value that a move has to beat, to be among those wanted."""
        best = sorted((value for value, line in self.values if not line.is_bound), reverse=True)
        return best[self.wanted - 1] if len(best) >= self.wanted else -math.inf

    def ranked(self) -> tuple[Line, ...]:
        """Return the best move first; of equal ones the first that was found, and exact values before bounds."""
        return tuple(line for _, line in sorted(self.values, key=lambda entry: (-entry[0], entry[1].is_bound)))


def depths(limit: Limit, setting: int) -> Iterable[int]:
    """Return the depths to search for a bot of fixed depth, 0 for to the end.

    It goes straight to that depth where nothing can stop it. Under a clock it deepens up to it, to have a move ready.
    """
    depth = min(setting or MAX_DEPTH_PLIES, limit.depth or MAX_DEPTH_PLIES)
    return (depth,) if limit.time is None and limit.nodes is None else range(1, depth + 1)


def think(
    state: State,
    limit: Limit,
    search: TextbookSearch,
    look: SearchMove,
    depths: Iterable[int],
    moves: Sequence[str],
    *,
    exact: bool = False,
    score: Callable[[float], float] = lambda value: value,
    prove: Callable[[float, bool], Proven | None] | None = None,
) -> Thought:
    """Return the best of `moves` that the last of `depths`, or the part of it within the limit, finds by `look`.

    The best move so far is looked at first in the next iteration, so even half of one can only improve on it. `exact`
    says that `look` is exact for every move. `score` turns its values into scores, `prove` says what a
    score proves, and whether the horizon was seen.
    """
    prove = prove or (lambda found, saw_horizon: proof(found, state.game.seats, saw_horizon=saw_horizon))
    order = list(moves)
    found = Thought(order[0], pv=(order[0],), lines=tuple(Line(move) for move in order))
    for depth in depths:
        root, saw_horizon, cut_short = RootIteration(min(limit.lines, len(order))), False, False
        known = {line.move: line.pv[1:] for line in found.lines}
        try:
            for move in order:
                search.saw_horizon, least = False, -math.inf if exact else root.least
                value, rest = look(state.play(move), depth - 1, least, known[move])
                line = _line((move, *rest), score(value), depth, prove, search, is_bound=value <= least)
                root.values.append((value, line))
                saw_horizon |= search.saw_horizon
        except OutOfLimit:
            cut_short = True
        if root.values and (len(root.values) >= root.wanted or found.score is None):
            found = _thought(root.ranked(), order, prove, saw_horizon=saw_horizon)
        order.sort(key=lambda move: move != found.move)
        if cut_short or found.proven is not None or not saw_horizon:
            break
    seconds = monotonic() - search.started
    return replace(found, nodes=search.nodes, pruned=search.pruned, deepest=search.deepest, seconds=seconds)


def _line(
    pv: PvMoves,
    score: float,
    depth: int,
    prove: Callable[[float, bool], Proven | None],
    search: TextbookSearch,
    *,
    is_bound: bool,
) -> Line:
    proven = prove(score, search.saw_horizon)
    if is_bound and proven != "loss":
        return Line(pv[0], score, depth=depth, pv=pv, is_bound=True)
    # An average over dice proves a result, but no number of plies.
    countable = proven in ("win", "loss") and not is_bound and score == int(score)
    plies = int(WIN - abs(score)) if countable else None
    return Line(pv[0], score, proven, plies, depth, pv, is_bound)


def _thought(
    ranked: tuple[Line, ...], moves: Sequence[str], prove: Callable[[float, bool], Proven | None], *, saw_horizon: bool
) -> Thought:
    """Return what the lines of one iteration come to, with the moves that it did not reach after them."""
    best = ranked[0]
    searched = {line.move for line in ranked}
    missed = tuple(Line(move) for move in moves if move not in searched)
    # One winning move is enough. A draw or a loss is certain only when that is known of every other move as well.
    is_certain = best.proven == "win" or (
        not missed and best.score is not None and best.proven == prove(best.score, saw_horizon)
    )
    proven, plies = (best.proven, best.plies) if is_certain else (None, None)
    return Thought(best.move, best.score, best.depth, pv=best.pv, proven=proven, plies=plies, lines=(*ranked, *missed))
