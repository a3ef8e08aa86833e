"""A PUCT search of one game: grows a tree to a limit or to a proof, and keeps it for the next move."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numba
import numpy as np
import numpy.typing as npt

from cornered import engine
from cornered.bots.bot import WIN, Limit, Line, Proven, Thought
from cornered.bots.evaluate import CENTIMOVES, evaluation_module, has_network
from cornered.bots.kernels.plies import MAX_PLY
from cornered.bots.kernels.specialise import specialise_template
from cornered.bots.kernels.timer import deadline_timer
from cornered.bots.nnue.layout import LOGIT_SCORE
from cornered.bots.puct.layout import (
    CANDIDATES,
    DEEPEST,
    DRAWN,
    EDGES,
    EXHAUSTED,
    NEVER,
    NODES,
    PLIES,
    STOP,
    WIDENING,
    Tree,
    Tuning,
)
from cornered.bots.puct.subtree import clear, copy_subtree
from cornered.bots.search.specialise import give_network, hooks, names_by_number
from cornered.engine import Game, State
from cornered.engine.compile.kernel import cache_of

__all__ = ["PuctSearch", "supports"]

TEMPLATE: Final = Path(__file__).with_name("template.py")
KERNELS: Final = ("gen", "advance", "lost", "drawn", "candidate_moves", "exact_value", "key")
NETWORK_KERNELS: Final = ("mark", "update", "forward", "preference", "WORDS", "HAS_DRAWS")
UNLIMITED_VISITS: Final = 1 << 40
FIRST_VISITS: Final = 1
"""It values the root and gives it its moves."""
DEFAULT_VISITS: Final = 10_000
UNSEARCHED_RANK: Final = 2
"""The rank of a root move without an edge: after those that are open, before the lost ones."""
COPIED_VISITS_PER_SECOND: Final = 200_000
"""A kept subtree has at most so many visits for each second of the limit: to copy it takes about a seventh of that."""
SLICE_VISITS: Final = 500
"""Visits between two looks at whether to stop: some milliseconds."""
CERTAIN: Final = 1e-6
"""Means are at least this far from a certain result before they are made scores."""


def supports(game: Game) -> bool:
    """Return whether a board has a network. All that ship have preferences for moves."""
    return has_network(game)


@cache
def _compiled(name: str) -> Any:
    """Return the search over a game's kernels, compiled now or loaded."""
    known = hooks(name)
    position: Any = engine.load(name).start().position  # type: ignore[attr-defined]  # every game of ours has one
    types = (
        numba.typeof(position),  # type: ignore[no-untyped-call]
        numba.int64,
        numba.int64,
        numba.typeof(Tree.empty()),  # type: ignore[no-untyped-call]
        numba.typeof(Tuning()),  # type: ignore[no-untyped-call]
        numba.from_dtype(evaluation_module(name).SCRATCH),  # type: ignore[union-attr]  # boards with networks have one
    )
    folder = cache_of(
        f"cornered.bots.puct.{name}",
        "cornered.bots.puct.template",
        "cornered.bots.kernels.specialise",
        "cornered.bots.nnue.inference",
        f"cornered.engine.games.{name}",
        f"cornered.bots.evaluate.{name}",
    )
    given = {kernel: known[kernel] for kernel in (*KERNELS, *NETWORK_KERNELS)}
    return specialise_template(TEMPLATE, "grow", name, given, types, folder)


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the tree is of: the last search's position and its move, and whether it searched every move."""

    state: State
    move: str
    is_whole: bool


class PuctSearch:
    """Searches positions of one game. Not for two threads at once."""

    def __init__(self, game: Game, tuning: Tuning | None = None, *, nodes: int = NODES, edges: int = EDGES) -> None:
        """Load the game's search, or compile it. Raises ValueError for a board without a network."""
        if not supports(game):
            raise ValueError(f"no network ships for {game!r}")
        self.game = game
        self._tuning = Tuning() if tuning is None else tuning
        self._grow = _compiled(game.name)
        self._gen = hooks(game.name)["gen"]
        layout: np.dtype[Any] = evaluation_module(game.name).SCRATCH  # type: ignore[union-attr]
        self._scratch: Any = np.zeros(1, layout).view(np.recarray)[0]
        give_network(game, self._scratch)
        self._tree, self._spare = Tree.empty(nodes, edges), Tree.empty(nodes, edges)
        # Compiled or loaded here, before a clock runs.
        clear(self._tree)
        copy_subtree(self._tree, 0, self._spare)
        self._kept: _Kept | None = None
        """None also while a search runs, so that one that failed leaves nothing."""

    def stop(self) -> None:
        """End the search that runs, from another thread."""
        self._tree.control[STOP] = 1

    def search(
        self,
        state: State,
        limit: Limit,
        without: Collection[str] = (),
        has_to_stop: Callable[[], bool] = lambda: False,
    ) -> Thought:
        """Return the most visited move of a position that is not over; nodes of the limit are visits, and the depth of
        the thought is their mean.

        Among moves without a visit the one of the greatest prior is best. Moves of `without` have to be lost; not all
        can be left out. No visit goes deeper than a limit of depth. Where that is the only limit, there are
        DEFAULT_VISITS, since no depth of the tree is whole. Under a clock the subtree of the move before is reused;
        else the search starts empty, so that its answers are deterministic. `has_to_stop` is asked every few
        milliseconds.
        """
        if state.game != self.game:
            raise ValueError(f"this search plays {self.game!r}, not {state.game!r}")
        if state.outcome is not None:
            raise ValueError("the game is over, so there is nothing to search")
        if set(without).issuperset(state.moves()):
            raise ValueError("there is no move left besides those to leave out")
        started = perf_counter()
        position: Any = state.position  # type: ignore[attr-defined]  # every game of ours has one
        self._begin(state, limit, is_whole=not without)
        visits, deepest = UNLIMITED_VISITS, min(limit.depth or MAX_PLY, MAX_PLY - 1)
        if limit.nodes is not None:
            visits = limit.nodes
        elif limit.time is None and limit.depth is not None:
            visits = DEFAULT_VISITS
        # Before the clock runs: an answer needs the root's moves, whatever the time.
        done = self._grow(position, FIRST_VISITS, deepest, self._tree, self._tuning, self._scratch)
        names = self._names(state)
        if without:
            self._leave_out(names, without)
            if self._tree.stage[0] == WIDENING:
                done += self._grow(position, min(1, visits - done), deepest, self._tree, self._tuning, self._scratch)
                self._leave_out(names, without)
        begun = perf_counter(), done
        with deadline_timer(limit.remaining, self.stop):
            while done < visits and self._has_open_moves() and not has_to_stop():
                if limit.clocks is not None and self._is_decided(limit, *begun, done):
                    break
                asked = min(SLICE_VISITS, visits - done)
                grown = self._grow(position, asked, deepest, self._tree, self._tuning, self._scratch)
                done += grown
                if grown < asked:
                    break
        lines = self._lines(state, names, without, limit.lines)
        best = lines[0]
        # A lost move is not a lost position while others are open.
        is_settled = best.proven == "win" or self._tree.result[0] < 0
        self._kept = _Kept(state, best.move, is_whole=not without)
        return Thought(
            best.move,
            best.score,
            depth=round(int(self._tree.control[PLIES]) / done) if done else 0,
            nodes=done,
            pv=best.pv,
            proven=best.proven if is_settled else None,
            plies=best.plies if is_settled else None,
            deepest=int(self._tree.control[DEEPEST]),
            seconds=perf_counter() - started,
            lines=lines,
        )

    def _is_decided(self, limit: Limit, since: float, first: int, done: int) -> bool:
        """Return whether the time that is left is too short for another move to get the most visits."""
        if limit.remaining is None or done == first:
            return False
        visits = sorted(self._open_visits().tolist(), reverse=True)
        expected = limit.remaining * (done - first) / (perf_counter() - since)
        return len(visits) > 1 and visits[0] - visits[1] > expected

    def _open_visits(self) -> npt.NDArray[Any]:
        """Return the visits of the root's moves, -1 where one is proven or left out."""
        edges = self._edges(0)
        open_ = self._tree.prior[edges.start : edges.stop] >= 0
        return np.where(open_, self._tree.edge_visits[edges.start : edges.stop], -1)

    def _begin(self, state: State, limit: Limit, *, is_whole: bool) -> None:
        """Set the tree to what is known of a position, under a clock."""
        kept, self._kept = self._kept, None
        root = None
        if kept is not None and limit.nodes is None:
            root = self._known(state, kept, is_whole=is_whole)
        if root == 0:
            self._tree.control[[STOP, DEEPEST, EXHAUSTED, PLIES]] = 0
        elif root is not None and self._is_worth_copying(root, limit):
            copy_subtree(self._tree, root, self._spare)
            self._tree, self._spare = self._spare, self._tree
        else:
            clear(self._tree)

    def _is_worth_copying(self, root: int, limit: Limit) -> bool:
        """Return whether a node has moves, and whether its subtree is copied in a small part of the time."""
        is_small = limit.remaining is None or self._tree.visits[root] <= COPIED_VISITS_PER_SECOND * limit.remaining
        return bool(self._tree.width[root] > 0 and is_small)

    def _has_open_moves(self) -> bool:
        """Return whether a visit of the root could choose a move."""
        edges = self._edges(0)
        return self._tree.stage[0] == WIDENING or bool((self._tree.prior[edges.start : edges.stop] >= 0).any())

    def _known(self, state: State, kept: _Kept, *, is_whole: bool) -> int | None:
        """Return the node of the position of the last search, or of a reply to its move; None where there is none."""
        if state == kept.state:
            # The moves that are left out may be others now.
            return 0 if is_whole and kept.is_whole else None
        between, after = self._child(0, self._names(kept.state), kept.move), kept.state.play(kept.move)
        if between is None or after.outcome is not None:
            return None
        names = self._names(after)
        for edge in self._edges(between):
            if self._tree.child[edge] >= 0 and after.play(names[int(self._tree.move[edge])]) == state:
                return int(self._tree.child[edge])
        return None

    def _child(self, node: int, names: Mapping[int, str], move: str) -> int | None:
        """Return the node after a move, None where there is none."""
        for edge in self._edges(node):
            if names[int(self._tree.move[edge])] == move:
                return int(self._tree.child[edge]) if self._tree.child[edge] >= 0 else None
        return None

    def _edges(self, node: int) -> range:
        first = int(self._tree.first[node])
        return range(first, first + int(self._tree.width[node]))

    def _leave_out(self, names: Mapping[int, str], without: Collection[str]) -> None:
        """Have no visit choose moves of the root, as if they were proven to lose."""
        tree = self._tree
        edges = slice(int(tree.first[0]), int(tree.first[0] + tree.width[0]))
        tree.prior[edges][[names[move] in without for move in tree.move[edges].tolist()]] = NEVER
        if tree.width[0] and (tree.prior[edges] < 0).all() and tree.stage[0] == CANDIDATES:
            tree.stage[0] = WIDENING

    def _lines(self, state: State, names: Mapping[int, str], without: Collection[str], wanted: int) -> tuple[Line, ...]:
        """Return the root's moves: won ones, then by visits, those without an edge, lost ones, the longest first, and
        those of `without`. The first `wanted` have a whole line."""
        edges = {names[int(self._tree.move[edge])]: edge for edge in self._edges(0)}

        def place(move: str) -> tuple[bool, int, float, float]:
            return move in without, *(self._rank(edges[move]) if move in edges else (UNSEARCHED_RANK, 0.0, 0.0))

        return tuple(
            self._line(state, move, edges[move], is_whole=i < wanted) if move in edges else Line(move, pv=(move,))
            for i, move in enumerate(sorted(state.moves(), key=place))
        )

    def _ranked(self, node: int) -> list[int]:
        """Return the edges of a node, the best first."""
        return sorted(self._edges(node), key=self._rank)

    def _rank(self, edge: int) -> tuple[int, float, float]:
        result = self._result(edge)
        if result < 0:
            return 0, -result, 0.0
        if result > 0:
            return UNSEARCHED_RANK + 1, -result, 0.0
        return 1, -float(self._tree.edge_visits[edge]), -float(self._tree.prior[edge])

    def _result(self, edge: int) -> int:
        """Return the result of an edge's child, 0 where it is open or drawn."""
        child = int(self._tree.child[edge])
        result = 0 if child < 0 else int(self._tree.result[child])
        return 0 if result == DRAWN else result

    def _line(self, state: State, move: str, edge: int, *, is_whole: bool) -> Line:
        tree, result = self._tree, self._result(edge)
        replies = self._principal_variation(state.play(move), int(tree.child[edge])) if is_whole else ()
        pv = (move, *replies)
        if result != 0:
            proven: Proven = "win" if result < 0 else "loss"
            plies = abs(result)
            return Line(move, WIN - plies if result < 0 else plies - WIN, proven, plies, pv=pv)
        visits = int(tree.edge_visits[edge])
        if visits == 0:
            return Line(move, pv=pv)
        chance = (1.0 + float(tree.edge_total[edge]) / visits) / 2.0
        chance = min(max(chance, CERTAIN), 1.0 - CERTAIN)
        return Line(move, math.log(chance / (1.0 - chance)) * LOGIT_SCORE / CENTIMOVES, pv=pv)

    def _principal_variation(self, state: State, node: int) -> Iterator[str]:
        """Iterate over the best replies, from a node on."""
        tree = self._tree
        while node >= 0 and tree.width[node] > 0 and state.outcome is None:
            edge = self._ranked(node)[0]
            if tree.edge_visits[edge] == 0:
                return
            name = self._names(state)[int(tree.move[edge])]
            yield name
            state, node = state.play(name), int(tree.child[edge])

    def _names(self, state: State) -> dict[int, str]:
        return names_by_number(self._gen, state)
