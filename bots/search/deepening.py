"""The root of a search: depth after depth, move after move, and what to say about it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Final

import numpy as np

from cornered.bots.bot import WIN, Limit, Line, Proven, Thought
from cornered.bots.evaluate import CENTIMOVES
from cornered.bots.kernels.timer import deadline_timer
from cornered.bots.search.layout import MAX_MOVES_PER_POSITION, TABLE_ENTRIES
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.specialise import SpecialisedSearch
from cornered.bots.search.style import Style
from cornered.bots.search.template import INFINITE_SCORE, MATE_SCORE, PROVEN_SCORE
from cornered.engine import Game, State

__all__ = ["IterativeDeepening", "key_salt"]

MAX_DEPTH_PLIES: Final = 100
"""No search is deeper, however much time there is."""
ASPIRATION_WINDOW: Final = 60
"""How far from the last score the next is expected, in hundredths."""
SINGLE_MOVE_DEPTH: Final = 4
"""How deep to look at the only move there is, when time counts."""
FULL_DEPTH_ROOT_MOVES: Final = 4
UNLIMITED_NODES: Final = (1 << 62) - 1


@dataclass(slots=True, eq=False)
class _RootMove:
    """A move that can be played now, and what is known about it. `line` are move numbers from the reply on."""

    name: str
    state: State
    position: Any
    score: int | None = None
    is_bound: bool = False
    depth: int = 0
    effort: int = 0
    line: list[int] = field(default_factory=list)


class _SearchStopped(Exception):
    """The limit is used up, or somebody stopped the search."""


class IterativeDeepening:
    """One search: depth after depth, until something says that it is over."""

    def __init__(
        self,
        made: SpecialisedSearch,
        memory: SearchMemory,
        state: State,
        limit: Limit,
        style: Style,
        without: Collection[str],
        report: Callable[[Thought], None] | None,
    ) -> None:
        if state.outcome is not None:
            raise ValueError("the game is over, so there is nothing to search")
        self._started = perf_counter()
        self._state = state
        self._limit = limit
        self._selective = style.selective
        self._report = report
        self._hooks = made.hooks
        self._compiled = made.search
        self._memory = memory
        self._workspace = memory.own
        self._table = memory.table
        self._scratch = memory.scratch(state.game, made.scratch)
        self._position: Any = state.position  # type: ignore[attr-defined]  # every game of ours has one
        self._salt = key_salt(state.game, style)
        self._depth = 0
        self._roots, self._rest = self._choices(without)
        if not self._roots:
            # All that is promising was to be left out.
            self._roots, self._rest = [self._root(name) for name in self._rest], []
        if not self._roots:
            raise ValueError("there is no move left besides those to leave out")
        self._is_all = len(self._roots) + len(self._rest) == len(state.moves())

    def run(self) -> Thought:
        """Search until it is over, and return what came of it."""
        self._sit_down()
        # Another thread watches the time: the compiled search lets others run and asks no clock.
        with deadline_timer(self._limit.remaining, self._end), suppress(_SearchStopped):
            self._deepen()
        return self._thought()

    def _choices(self, without: Collection[str]) -> tuple[list[_RootMove], list[str]]:
        """Return the moves that a search of this style looks at, the most promising first, and the others' names: there
        may be a hundred of them, and mostly nothing more is asked about them."""
        position, state = self._position, self._state
        buffer = np.zeros(MAX_MOVES_PER_POSITION, np.int64)
        count = self._hooks["gen"](position, buffer)
        names = dict(zip(buffer[:count].tolist(), state.moves(), strict=True))
        chosen = self._hooks["narrow"](position, buffer, count) if self._selective else count
        numbers = buffer[:count].tolist()
        remembered = self._remembered(position)
        rank = self._hooks["rank"]
        numbers[:chosen] = sorted(
            numbers[:chosen], key=lambda number: (number != remembered, -rank(position, number), number)
        )
        chosen_now = [self._root(names[number]) for number in numbers[:chosen] if names[number] not in without]
        return chosen_now, [names[number] for number in numbers[chosen:] if names[number] not in without]

    def _root(self, name: str) -> _RootMove:
        after = self._state.play(name)
        position: Any = after.position  # type: ignore[attr-defined]  # every game of ours has one
        return _RootMove(name, after, position)

    def _remembered(self, position: Any) -> int:
        """Return the best move that the table knows, or -1. With a symmetric key it may be one that is not legal."""
        here = self._hooks["key"](position) ^ self._salt
        slot = here & (TABLE_ENTRIES - 2)
        for place in (slot, slot + 1):
            check, data = map(int, self._table.words[place])
            if data and check ^ data == here:
                return (data & 511) - 1
        return -1

    def _sit_down(self) -> None:
        workspace, number = self._workspace, self._memory.workspace
        workspace.selective = int(self._selective)
        workspace.salt = self._salt
        workspace.age = self._memory.turn_page()
        # Helpers order moves differently, or they would do the main search's work a second time.
        workspace.noise = 0 if number == 0 else 2 * (number * 0x9E3779B1 & 0xFFFF) + 1
        workspace.limit = UNLIMITED_NODES if self._limit.nodes is None else self._limit.nodes
        workspace.over = workspace.nodes = workspace.pruned = workspace.hits = workspace.deepest = 0
        workspace.killers[:] = -1
        workspace.history[:] = 0
        workspace.path[0] = self._hooks["key"](self._position) ^ self._salt

    def _end(self) -> None:
        self._workspace.over = 1

    def _deepen(self) -> None:
        deepest = min(self._limit.depth or MAX_DEPTH_PLIES, MAX_DEPTH_PLIES)
        if len(self._roots) + len(self._rest) == 1 and self._limit.time is not None:
            deepest = min(deepest, SINGLE_MOVE_DEPTH)
        for depth in range(1, deepest + 1):
            # Half of the helpers are a ply ahead, for the same reason that their moves are in another order.
            ahead = self._memory.workspace & 1
            self._iterate(min(depth + ahead, deepest))
            self._depth = depth
            if self._report is not None:
                self._report(self._thought())
            if self._is_decided():
                break

    def _is_decided(self) -> bool:
        wanted = self._roots[: self._limit.lines]
        return all(root.score is not None and abs(root.score) > PROVEN_SCORE for root in wanted)

    def _iterate(self, depth: int) -> None:
        """Search every move to `depth`, and put them in order, also when it is over before the last."""
        done: list[_RootMove] = []
        try:
            for root in self._roots:
                self._look_at(root, depth, done)
            if self._rest and max(root.score or 0 for root in done) < -PROVEN_SCORE:
                # What was chosen loses: before that counts as a proof, the others have their turn.
                rest, self._rest = [self._root(name) for name in self._rest], []
                self._roots += rest
                for root in rest:
                    self._look_at(root, depth, done)
        finally:
            self._roots = _best_first(self._roots, done)

    def _look_at(self, root: _RootMove, depth: int, done: list[_RootMove]) -> None:
        """Find the score of a move, exact if it is one of the best, and add it to what is done at this depth."""
        exact = sorted((other.score or 0 for other in done if not other.is_bound), reverse=True)
        lines = self._limit.lines
        nodes = int(self._workspace.nodes)
        if len(exact) < lines:
            score, is_bound = self._exactly(root, depth, -INFINITE_SCORE), False
        else:
            floor = exact[lines - 1]
            less = 1 if self._selective and depth >= 4 and len(done) >= FULL_DEPTH_ROOT_MOVES + lines else 0
            score = self._score(root, depth - less, floor, floor + 1)
            if less and score > floor:
                score = self._score(root, depth, floor, floor + 1)
            is_bound = score <= floor
            if not is_bound:
                score = self._exactly(root, depth, floor)
                is_bound = score <= floor
        root.line = [] if is_bound else self._line()
        root.score, root.is_bound, root.depth = score, is_bound, depth
        root.effort = int(self._workspace.nodes) - nodes
        done.append(root)

    def _exactly(self, root: _RootMove, depth: int, floor: int) -> int:
        """Return the exact score of a move, or at most `floor`; first in a window about what it was before."""
        guess = root.score
        if guess is None or root.is_bound or abs(guess) > PROVEN_SCORE or depth < 3:
            return self._score(root, depth, floor, INFINITE_SCORE)
        low, high = max(floor, guess - ASPIRATION_WINDOW), guess + ASPIRATION_WINDOW
        if low >= high:
            return self._score(root, depth, floor, INFINITE_SCORE)
        score = self._score(root, depth, low, high)
        if score >= high:
            return self._score(root, depth, max(floor, low), INFINITE_SCORE)
        if score <= low and low > floor:
            return self._score(root, depth, floor, INFINITE_SCORE)
        return score

    def _score(self, root: _RootMove, depth: int, alpha: int, beta: int) -> int:
        score = -self._compiled(root.position, depth - 1, -beta, -alpha, 1, self._workspace, self._table, self._scratch)
        if self._workspace.over:
            raise _SearchStopped
        return score

    def _line(self) -> list[int]:
        """Return the best line that the workspace holds, from the reply on."""
        workspace = self._workspace
        return [int(number) for number in workspace.line[1, 1 : int(workspace.length[1])]]

    def _thought(self) -> Thought:
        workspace = self._workspace
        lines = (
            *(self._as_line(root) for root in self._roots),
            *(Line(name, pv=(name,)) for name in self._rest),
        )
        best = lines[0]
        proven = best.proven
        if proven == "loss" and not self._is_lost():
            proven = None
        return Thought(
            best.move,
            best.score,
            depth=self._depth,
            nodes=int(workspace.nodes),
            pruned=int(workspace.pruned),
            pv=best.pv,
            proven=proven,
            plies=best.plies if proven else None,
            deepest=max(int(workspace.deepest), self._depth),
            hits=int(workspace.hits),
            seconds=perf_counter() - self._started,
            lines=lines,
        )

    def _is_lost(self) -> bool:
        """Say whether every move there is loses: the search may have been over before it looked at the last."""
        are_lost = all(root.score is not None and root.score < -PROVEN_SCORE for root in self._roots)
        return are_lost and self._is_all and not self._rest

    def _as_line(self, root: _RootMove) -> Line:
        if root.score is None:
            return Line(root.name, pv=(root.name,))
        proven: Proven | None = None
        plies = None
        score = root.score / CENTIMOVES
        if abs(root.score) > PROVEN_SCORE:
            distance = MATE_SCORE - abs(root.score)
            score = WIN - distance if root.score > 0 else distance - WIN
            # No better than a win says nothing; no better than a loss says all.
            if root.score < 0 or not root.is_bound:
                plies = distance
                proven = "win" if root.score > 0 else "loss"
        pv = (root.name, *self._names(root.state, root.line))
        return Line(root.name, score, proven, plies, root.depth, pv, root.is_bound)

    def _names(self, state: State, numbers: list[int]) -> Iterator[str]:
        """Iterate over the moves of a line in notation, for as long as they are legal."""
        buffer = np.zeros(MAX_MOVES_PER_POSITION, np.int64)
        for number in numbers:
            if state.outcome is not None:
                return
            count = self._hooks["gen"](state.position, buffer)  # type: ignore[attr-defined]
            names = dict(zip(buffer[:count].tolist(), state.moves(), strict=True))
            if number not in names:
                return
            yield names[number]
            state = state.play(names[number])


def _best_first(roots: list[_RootMove], done: list[_RootMove]) -> list[_RootMove]:
    """Return the moves, the best first: those that were looked at now, as far as it is known how good they are.

    When the search was over before the last, those that turned out to lose go behind those that it never came to.
    """
    is_whole = len(done) == len(roots)
    exact = [root for root in done if not root.is_bound and (is_whole or (root.score or 0) > -PROVEN_SCORE)]
    exact.sort(key=lambda root: -(root.score or 0))
    others = [root for root in roots if root not in exact]
    if is_whole:
        others.sort(key=lambda root: (-(root.score or 0), -root.effort))
    else:
        others.sort(key=lambda root: root.score is not None and root.score < -PROVEN_SCORE)
    return exact + others


def key_salt(game: Game, style: Style) -> int:
    """Return what is mixed into keys, so that searches of other games, options and styles do not meet."""
    name = f"{game!r} {style!r}".encode()
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big") >> 1
