"""Records the steps of a search as lines of text, to be watched step by step, and runs the searches that are watched.

The lines are those of `cornered.protocol.traces.TraceLine`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from time import monotonic
from typing import Final, TypeAlias

from cornered.bots.bot import Limit, Line, Thought
from cornered.bots.evaluate import evaluator
from cornered.bots.textbook import deepening, expectiminimax, mcts
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.korf import NO_SEAT_ABOVE, max_n_shallow
from cornered.bots.textbook.maxn import max_n
from cornered.bots.textbook.minimax import depth_limited
from cornered.bots.textbook.ordered import sorted_alpha_beta
from cornered.bots.textbook.search import OutOfLimit, PvMoves, TextbookSearch
from cornered.bots.textbook.shares import score as score_of_share
from cornered.bots.textbook.star1 import star1
from cornered.bots.textbook.trace import Trace, TraceValue
from cornered.engine import State
from cornered.engine.kernels.slides import DICE_SIDES
from cornered.protocol.traces import MAX_TRACE_LINES, TraceSettings

__all__ = ["ENDED_EARLY", "MCTS_C", "Recorded", "Recording", "record"]

MCTS_C: Final = 0.7
"""The constant of exploration, as the bot `mcts` has it by default."""
ENDED_EARLY: Final = "~"
"""The last line of a recording that is full."""

Searched: TypeAlias = tuple[TraceValue, float, PvMoves]
"""The root's value as the search has it, as a score, and its line."""


@dataclass(slots=True)
class Recording(Trace):
    """Records up to `most` lines; where there are more, the last one is ENDED_EARLY."""

    most: int = MAX_TRACE_LINES
    stop: Event = field(default_factory=Event)
    """Set, in any thread, when nobody waits for the recording any more."""
    lines: list[str] = field(default_factory=list)
    _path: list[int] = field(default_factory=list)
    _children: dict[tuple[int, str], int] = field(default_factory=dict)
    """Nodes that can be selected again, by their parent and move."""
    _entered: int = 0

    @property
    def is_full(self) -> bool:
        """Whether steps are missing."""
        return bool(self.lines) and self.lines[-1] == ENDED_EARLY

    def has_left(self) -> bool:
        return self.stop.is_set()

    def _write(self, *words: object) -> None:
        if self.is_full:
            return
        self.lines.append(ENDED_EARLY if len(self.lines) + 1 >= self.most else " ".join(map(str, words)))

    def iteration(self, depth: int) -> None:
        self._path.clear()
        self._write("d", depth)

    def enter(
        self, move: str, after: State, alpha: float = math.nan, beta: float = math.nan, *, rolls: int = 0
    ) -> None:
        parent = self._path[-1] if self._path else -1
        chance = (f"1/{rolls}",) if rolls else ()
        self._write("+", parent, move or ".", _text(alpha), _text(beta), *chance)
        self._children[parent, move] = self._entered
        self._path.append(self._entered)
        self._entered += 1

    def leave(
        self, value: TraceValue, best: TraceValue = math.nan, alpha: float = math.nan, beta: float = math.nan
    ) -> None:
        self._write("-", self._path.pop(), _text(value), _text(best), _text(alpha), _text(beta))

    def cut(self, remaining: int) -> None:
        # A window that closes with the last move leaves nothing out.
        if remaining:
            self._write("x", self._path[-1], remaining)

    def select(self, move: str, bound: float = math.nan) -> None:
        if not move:
            self._path = [0]
            return
        self._path.append(self._children[self._path[-1], move])
        self._write("s", self._path[-1], _text(bound))

    def playout(self, plies: int, rewards: Sequence[float]) -> None:
        self._write("p", self._path[-1], plies, _text(rewards))

    def back_up(self, visits: int, mean: float) -> None:
        self._write("b", self._path.pop(), visits, _text(mean))


def _text(value: TraceValue) -> str:
    if isinstance(value, Sequence):
        return ",".join(map(_text, value)) or "*"
    if math.isnan(value):
        return "*"
    return str(value) if isinstance(value, int) else f"{value:.9g}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A search that was watched: its steps, and what it found and counted."""

    lines: tuple[str, ...]
    thought: Thought


def record(
    state: State, settings: TraceSettings, limit: Limit, *, most: int = MAX_TRACE_LINES, stop: Event | None = None
) -> Recorded:
    """Run a search and record up to `most` lines; the search goes on to its end, to that of `limit`, or until `stop`.

    Moves are looked at in the order of the rules, and random games come from a fixed seed: equal questions have equal
    answers. Raises a ValueError where the search is not for this game.
    """
    check_plays(state, settings)
    trace = Recording(most, stop or Event())
    name = settings.search
    if name == "mcts":
        thought = mcts.think(state, limit, settings.playouts, MCTS_C, random.Random(1), trace)
    elif name == "deepening":
        deepest = replace(limit, depth=settings.depth)
        thought = deepening.search(state, deepest, evaluator(state.game.name), random.Random(1), trace)
    else:
        thought = _to_depth(state, settings, limit, trace)
    return Recorded(tuple(trace.lines), thought)


def check_plays(state: State, settings: TraceSettings) -> None:
    """Raise a ValueError where the search is not for this game."""
    has_dice, is_for_two = bool(state.game.options.get("dice")), state.game.seats == 2
    if settings.search in ("expectiminimax", "star1"):
        if not is_for_two:
            other = "Monte Carlo tree search" if has_dice else "max^n"
            raise ValueError(f"this search is for two players; choose {other}")
    elif settings.search not in ("mcts", "deepening") and has_dice:
        others = "expectiminimax or Monte Carlo tree search" if is_for_two else "Monte Carlo tree search"
        raise ValueError(f"this search is for games without dice; choose {others}")


def _to_depth(state: State, settings: TraceSettings, limit: Limit, trace: Trace) -> Thought:
    """Return the thought of a search to a fixed depth from the root itself."""
    search = TextbookSearch.within(limit, state.to_move, evaluator(state.game.name).evaluate, trace)
    is_bounded = settings.search in ("alphabeta", "sorted", "star1")
    alpha, beta = (-math.inf, math.inf) if is_bounded else (math.nan, math.nan)
    if settings.search == "star1":
        beta = expectiminimax.farthest(0)
        alpha = -beta
    trace.enter("", state, alpha, beta)
    score, depth = None, 0
    line: PvMoves = (state.moves()[0],)
    try:
        # The root is looked at too, and is not counted.
        search.nodes = -1
        value, score, line = _SEARCHES[settings.search](state, settings.depth, search)
        trace.leave(value)
        depth = settings.depth
    except OutOfLimit:
        pass
    return Thought(
        line[0],
        score,
        depth,
        nodes=max(0, search.nodes),
        pruned=search.pruned,
        deepest=search.deepest,
        seconds=monotonic() - search.started,
        pv=line,
        lines=(Line(line[0], score, depth=depth, pv=line),),
    )


def _minimax(state: State, depth: int, search: TextbookSearch) -> Searched:
    value, line = depth_limited(state, depth, 0, search)
    return value, value, line


def _alpha_beta(state: State, depth: int, search: TextbookSearch) -> Searched:
    value, line = alpha_beta(state, depth, -math.inf, math.inf, 0, search)
    return value, value, line


def _sorted(state: State, depth: int, search: TextbookSearch) -> Searched:
    value, line = sorted_alpha_beta(state, depth, -math.inf, math.inf, 0, search)
    return value, value, line


def _expectiminimax(state: State, depth: int, search: TextbookSearch) -> Searched:
    value, line = expectiminimax.expectiminimax(state, depth, 0, search)
    return value, _utility_score(state, value, search), line


def _star1(state: State, depth: int, search: TextbookSearch) -> Searched:
    most = expectiminimax.farthest(0)
    value, line = star1(state, depth, -most, most, 0, search)
    return value, _utility_score(state, value, search), line


def _utility_score(state: State, value: float, search: TextbookSearch) -> float:
    return expectiminimax.score(value, search.deepest, DICE_SIDES if state.game.options.get("dice") else 1)


def _max_n(state: State, depth: int, search: TextbookSearch) -> Searched:
    shares, line = max_n(state, depth, 0, search)
    return shares, score_of_share(shares[state.to_move], state.game.seats), line


def _korf(state: State, depth: int, search: TextbookSearch) -> Searched:
    shares, line = max_n_shallow(state, depth, 0, NO_SEAT_ABOVE, 0, search)
    return shares, score_of_share(shares[state.to_move], state.game.seats), line


_SEARCHES: Final[dict[str, Callable[[State, int, TextbookSearch], Searched]]] = {
    "minimax": _minimax,
    "alphabeta": _alpha_beta,
    "sorted": _sorted,
    "expectiminimax": _expectiminimax,
    "star1": _star1,
    "maxn": _max_n,
    "korf": _korf,
}
