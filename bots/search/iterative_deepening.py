"""The root of the compiled search: iterative deepening, aspiration windows, and the thought that comes of it."""

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
from cornered.bots.search.layout import TABLE_ENTRIES
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.specialise import SpecialisedSearch, names_by_number
from cornered.bots.search.style import Style
from cornered.bots.search.template import INFINITE_SCORE, MATE_SCORE, PROVEN_SCORE
from cornered.engine import Game, State

__all__ = ["IterativeDeepening", "key_salt"]

MAX_DEPTH_PLIES: Final = 100
"""Nominal depth of the last iteration without any other limit."""
ASPIRATION_WINDOW: Final = 60
"""Half width of the aspiration window around the previous iteration's score, in hundredths."""
SINGLE_MOVE_DEPTH: Final = 4
"""Depth of the search under a clock when there is only one legal move."""
FULL_DEPTH_ROOT_MOVES: Final = 4
"""Root moves before late-move reductions begin."""
SETTLED_ITERATIONS: Final = 3
"""Iterations with the same best move after which a clock is spared."""
SETTLED_SCORE: Final = 30
"""Hundredths by which the score of a settled search changes at most from one iteration to the next."""
SETTLED_SHARE: Final = 0.5
"""The part of the time from which on a settled search ends."""
UNLIMITED_NODES: Final = (1 << 62) - 1


@dataclass(slots=True, eq=False)
class _RootMove:
    """A root move and its newest result. `line` are the move numbers of the principal variation from the reply on."""

    name: str
    state: State
    position: Any
    score: int | None = None
    is_bound: bool = False
    depth: int = 0
    effort: int = 0
    line: list[int] = field(default_factory=list)


class _SearchStopped(Exception):
    """The limit is used up, or the memory's stop flag is set."""


class IterativeDeepening:
    """One search by iterative deepening, to its limit or to a proof."""

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
        self._style = style
        self._report = report
        self._hooks = made.hooks
        self._compiled = made.search
        self._memory = memory
        self._workspace = memory.own
        self._table = memory.table
        self._scratch = memory.scratch(state.game, made.scratch)
        if style.learnt:
            # Only here: a network takes up to 2 ms to write, as long as the whole search of a low level.
            made.prepare(state.game, self._scratch)
        self._has_network = bool(self._hooks["HAS_NETWORK"] and self._scratch.has_network)
        self._has_preferences = self._has_network and bool(self._scratch.has_preferences)
        self._position: Any = state.position  # type: ignore[attr-defined]  # every game of ours has one
        self._salt = key_salt(state.game, style)
        self._depth = 0
        self._best: list[tuple[str, int]] = []
        """The best move of each iteration, with its score."""
        self._has_fallen = False
        """Whether the best move's score is below the aspiration window in this iteration."""
        self._roots, self._left_out = self._root_moves(without)
        if not self._roots:
            # `without` holds every candidate move.
            self._roots, self._left_out = [self._root(name) for name in self._left_out], []
        if not self._roots:
            raise ValueError("there is no move left besides those to leave out")
        self._covers_all_moves = len(self._roots) + len(self._left_out) == len(state.moves())

    def run(self) -> Thought:
        """Search to the limit or to a proof."""
        self._reset_workspace()
        # A timer thread sets the stop flag: the compiled search releases the GIL and reads no clock.
        timer = deadline_timer(self._limit.remaining, self._expire, self._limit.extension, self._is_unsettled)
        with timer, suppress(_SearchStopped):
            self._deepen()
        return self._thought()

    def _root_moves(self, without: Collection[str]) -> tuple[list[_RootMove], list[str]]:
        """Return the root moves of this style in search order, and the names of the moves that it leaves out; their
        states are made only when the search widens to them."""
        position, state = self._position, self._state
        names = names_by_number(self._hooks["gen"], state)
        count, buffer = len(names), np.array(list(names), np.int64)
        chosen = self._hooks["candidate_moves"](position, buffer, count) if self._style.selective else count
        numbers = buffer[:count].tolist()
        table_move = self._table_move(position)
        order_score = self._hooks["order_score"]
        numbers[:chosen] = sorted(
            numbers[:chosen], key=lambda number: (number != table_move, -order_score(position, number), number)
        )
        chosen_now = [self._root(names[number]) for number in numbers[:chosen] if names[number] not in without]
        return chosen_now, [names[number] for number in numbers[chosen:] if names[number] not in without]

    def _root(self, name: str) -> _RootMove:
        after = self._state.play(name)
        position: Any = after.position  # type: ignore[attr-defined]  # every game of ours has one
        return _RootMove(name, after, position)

    def _table_move(self, position: Any) -> int:
        """Return the transposition table's move, or -1. With a symmetric key it may be illegal here."""
        here = self._hooks["key"](position) ^ self._salt
        slot = here & (TABLE_ENTRIES - 2)
        for place in (slot, slot + 1):
            check, data = map(int, self._table.words[place])
            if data and check ^ data == here:
                return (data & 511) - 1
        return -1

    def _reset_workspace(self) -> None:
        workspace, number = self._workspace, self._memory.workspace
        self._style.write(workspace, has_network=self._has_network, has_preferences=self._has_preferences)
        workspace.salt = self._salt
        workspace.age = self._memory.next_age()
        # Lazy SMP: helpers add noise to the move order, or they would repeat the main search.
        workspace.order_noise = 0 if number == 0 else 2 * (number * 0x9E3779B1 & 0xFFFF) + 1
        workspace.limit = UNLIMITED_NODES if self._limit.nodes is None else self._limit.nodes
        workspace.stopped = workspace.nodes = workspace.pruned = 0
        workspace.table_hits = workspace.selective_depth = 0
        workspace.killers[:] = -1
        workspace.history[:] = 0
        workspace.path_keys[0] = self._hooks["key"](self._position) ^ self._salt

    def _expire(self) -> None:
        self._workspace.stopped = 1

    def _deepen(self) -> None:
        deepest = min(self._limit.depth or MAX_DEPTH_PLIES, MAX_DEPTH_PLIES)
        if len(self._roots) + len(self._left_out) == 1 and self._limit.time is not None:
            deepest = min(deepest, SINGLE_MOVE_DEPTH)
        for depth in range(1, deepest + 1):
            # Lazy SMP: half of the helpers search one ply deeper.
            ahead = self._memory.workspace & 1
            self._search_depth(min(depth + ahead, deepest))
            self._depth = depth
            self._best.append((self._roots[0].name, self._roots[0].score or 0))
            self._has_fallen = False
            if self._report is not None:
                self._report(self._thought())
            if self._is_proven() or self._is_settled():
                break

    def _is_settled(self) -> bool:
        """Return whether to spare the clock: half of the time is used, and the last iterations agree on the move, the
        last two on its score."""
        if self._limit.time is None or self._limit.clocks is None or len(self._best) < SETTLED_ITERATIONS:
            return False
        is_late = (self._limit.remaining or 0.0) <= (1 - SETTLED_SHARE) * self._limit.time / 1000
        (_, before), (move, score) = self._best[-2:]
        are_one = all(name == move for name, _ in self._best[-SETTLED_ITERATIONS:])
        return is_late and are_one and abs(score - before) <= SETTLED_SCORE

    def _is_unsettled(self) -> bool:
        """Return whether the search is worth more than its time: the last two iterations disagree, or the best move
        turns out worse than it was. Asked by the timer's thread."""
        return self._has_fallen or (len(self._best) > 1 and self._best[-1][0] != self._best[-2][0])

    def _is_proven(self) -> bool:
        wanted = self._roots[: self._limit.lines]
        return all(root.score is not None and abs(root.score) > PROVEN_SCORE for root in wanted)

    def _search_depth(self, depth: int) -> None:
        """Search every root move to `depth` and sort them, also when the search stops before the last."""
        done: list[_RootMove] = []
        try:
            for root in self._roots:
                self._search_root_move(root, depth, done)
            if self._left_out and max(root.score or 0 for root in done) < -PROVEN_SCORE:
                # All candidate moves lose: the root widens to all moves before that counts as a proof.
                rest, self._left_out = [self._root(name) for name in self._left_out], []
                self._roots += rest
                for root in rest:
                    self._search_root_move(root, depth, done)
        finally:
            self._roots = _best_first(self._roots, done)

    def _search_root_move(self, root: _RootMove, depth: int, done: list[_RootMove]) -> None:
        """Search a root move: a null window first, reduced late in the list; exact if it is among the best `lines`."""
        exact = sorted((other.score or 0 for other in done if not other.is_bound), reverse=True)
        lines = self._limit.lines
        nodes = int(self._workspace.nodes)
        if len(exact) < lines:
            score, is_bound = self._aspirate(root, depth, -INFINITE_SCORE), False
        else:
            floor = exact[lines - 1]
            reduction = 1 if self._style.selective and depth >= 4 and len(done) >= FULL_DEPTH_ROOT_MOVES + lines else 0
            score = self._search(root, depth - reduction, floor, floor + 1)
            if reduction and score > floor:
                score = self._search(root, depth, floor, floor + 1)
            is_bound = score <= floor
            if not is_bound:
                score = self._aspirate(root, depth, floor)
                is_bound = score <= floor
        root.line = [] if is_bound else self._principal_variation()
        root.score, root.is_bound, root.depth = score, is_bound, depth
        root.effort = int(self._workspace.nodes) - nodes
        done.append(root)

    def _aspirate(self, root: _RootMove, depth: int, floor: int) -> int:
        """Return the exact score of a move, or at most `floor`, from an aspiration window around its previous score."""
        guess = root.score
        if guess is None or root.is_bound or abs(guess) > PROVEN_SCORE or depth < 3:
            return self._search(root, depth, floor, INFINITE_SCORE)
        low, high = max(floor, guess - ASPIRATION_WINDOW), guess + ASPIRATION_WINDOW
        if low >= high:
            return self._search(root, depth, floor, INFINITE_SCORE)
        score = self._search(root, depth, low, high)
        if root is self._roots[0]:
            self._has_fallen = score <= low
        if score >= high:
            return self._search(root, depth, max(floor, low), INFINITE_SCORE)
        if score <= low and low > floor:
            return self._search(root, depth, floor, INFINITE_SCORE)
        return score

    def _search(self, root: _RootMove, depth: int, alpha: int, beta: int) -> int:
        score = -self._compiled(root.position, depth - 1, -beta, -alpha, 1, self._workspace, self._table, self._scratch)
        if self._workspace.stopped:
            raise _SearchStopped
        return score

    def _principal_variation(self) -> list[int]:
        """Return the principal variation of the last search, from the reply on."""
        workspace = self._workspace
        return [int(number) for number in workspace.pv[1, 1 : int(workspace.pv_length[1])]]

    def _thought(self) -> Thought:
        workspace = self._workspace
        lines = (
            *(self._as_line(root) for root in self._roots),
            *(Line(name, pv=(name,)) for name in self._left_out),
        )
        best = lines[0]
        proven = best.proven
        if proven == "loss" and not self._is_proven_loss():
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
            deepest=max(int(workspace.selective_depth), self._depth),
            hits=int(workspace.table_hits),
            seconds=perf_counter() - self._started,
            lines=lines,
        )

    def _is_proven_loss(self) -> bool:
        """Return whether every legal move is proven lost; a stopped search may not have reached all of them."""
        are_lost = all(root.score is not None and root.score < -PROVEN_SCORE for root in self._roots)
        return are_lost and self._covers_all_moves and not self._left_out

    def _as_line(self, root: _RootMove) -> Line:
        if root.score is None:
            return Line(root.name, pv=(root.name,))
        proven: Proven | None = None
        plies = None
        score = root.score / CENTIMOVES
        if abs(root.score) > PROVEN_SCORE:
            distance = MATE_SCORE - abs(root.score)
            score = WIN - distance if root.score > 0 else distance - WIN
            # An upper bound proves a loss but no win.
            if root.score < 0 or not root.is_bound:
                plies = distance
                proven = "win" if root.score > 0 else "loss"
        pv = (root.name, *self._names(root.state, root.line))
        return Line(root.name, score, proven, plies, root.depth, pv, root.is_bound)

    def _names(self, state: State, numbers: list[int]) -> Iterator[str]:
        """Iterate over the moves of a line in notation, up to the first that is not legal."""
        for number in numbers:
            if state.outcome is not None:
                return
            names = names_by_number(self._hooks["gen"], state)
            if number not in names:
                return
            yield names[number]
            state = state.play(names[number])


def _best_first(roots: list[_RootMove], done: list[_RootMove]) -> list[_RootMove]:
    """Return the root moves sorted by this iteration's exact scores, the others behind them.

    In a stopped iteration, proven losses sort behind moves that it did not reach.
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
    """Return the salt of a search's keys: games, options and styles share one table, but no entries."""
    name = f"{game!r} {style!r}".encode()
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big") >> 1
