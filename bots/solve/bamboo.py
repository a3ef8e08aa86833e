"""Solves Bamboo: any position up to radius 2, and larger boards once few cells are open to either side."""

from __future__ import annotations

import functools
from collections.abc import Callable
from time import monotonic
from typing import Any, Final

from cornered import engine
from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bamboo.proof import END_VALUE, new_memory, value
from cornered.bots.bot import Limit, Proven
from cornered.bots.kernels.timer import deadline_timer
from cornered.bots.solve import Solution, ignore
from cornered.engine import State
from cornered.engine.games.bamboo import BambooState, cell_names, whole
from cornered.engine.kernels.hexagon import Position, advance, placements, turned

__all__ = ["is_within_reach", "solve", "warm"]

REACH_CELLS: Final = 16
"""Open cells with which a position of a larger board is solved in about a second."""
REPORT_INTERVAL_NODES: Final = 20_000
"""Nodes between two calls of `report`."""
SMALL: Final = 2
"""Up to this radius every position is within reach."""
LENGTH_NODES_MAX: Final = 1_000_000, 100_000
"""Nodes spent on the lengths after the values, on small boards and on larger ones."""


class _OutOfLimit(Exception):
    """The time or the nodes are used up."""


class _Proof:
    """One run of the solver. The memory outlives it, so a repeated search resumes where a limit ended it."""

    def __init__(self, memory: Any, limit: Limit, report: Callable[[int], None]) -> None:
        self.memory = memory
        self.most = limit.nodes
        self.limit = limit
        self.report = report
        self.nodes = 0
        self.is_late = False

    def ring(self) -> None:
        self.is_late = True
        self.memory["most_nodes"] = 0

    def value(self, position: Position, alpha: int, beta: int, most: int | None) -> int:
        """Return the value of `position` to its mover. Raises _OutOfLimit, also after `most` nodes in all."""
        bounds = [bound for bound in (self.most, most) if bound is not None]
        while True:
            share = min([REPORT_INTERVAL_NODES, *(bound - self.nodes for bound in bounds)])
            if share <= 0:
                raise _OutOfLimit
            self.memory["nodes"] = 0
            self.memory["most_nodes"] = share
            if self.is_late:
                raise _OutOfLimit
            found = value(position, alpha, beta, self.memory)
            self.nodes += int(self.memory["nodes"])
            self.report(self.nodes)
            if found:
                return int(found)


@functools.cache
def _memory(radius: int) -> Any:
    return new_memory(radius)


def solve(state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Solution | None:
    """Return the solution of a position that is not over, None when the limit is used up first.

    The lengths come last, where they are cheap enough.
    """
    here = bamboo(state)
    started = monotonic()
    # With a limit on nodes the answer must not depend on earlier searches.
    proof = _Proof(new_memory(here.game.radius) if limit.nodes else _memory(here.game.radius), limit, report)
    with deadline_timer(limit.remaining, proof.ring):
        try:
            values = _values(here, proof)
        except _OutOfLimit:
            return None
        try:
            lengths = _lengths(here, proof)
        except _OutOfLimit:
            lengths = {}
    return Solution.of(values, lengths, proof.nodes, monotonic() - started)


def _children(state: BambooState) -> dict[str, Position]:
    names = cell_names(state.game.radius)
    return {move: advance(state.position, number) for number, move in names.items() if state.open_cells >> number & 1}


def _values(state: BambooState, proof: _Proof) -> dict[str, Proven]:
    """Return the value of each move for its player: a win where the position after it is lost."""
    children = _children(state).items()
    return {move: "win" if proof.value(child, -1, 1, None) < 0 else "loss" for move, child in children}


def _lengths(state: BambooState, proof: _Proof) -> dict[str, int]:
    """Return for each move in how many plies the game ends with best play, the move itself included."""
    stones = sum(side.bit_count() for side in state.stones())
    most = proof.nodes + LENGTH_NODES_MAX[state.game.radius > SMALL]
    return {
        move: END_VALUE - abs(proof.value(child, -END_VALUE, END_VALUE, most)) - stones
        for move, child in _children(state).items()
    }


def is_within_reach(state: State) -> bool:
    """Return whether `solve` will probably answer within about a second."""
    here = bamboo(state)
    if here.game.radius <= SMALL:
        return True
    other = whole(placements(turned(here.position)))
    return (here.open_cells | other).bit_count() <= REACH_CELLS


def warm() -> None:
    """Compile or load the kernels of the proof. With a limit on nodes it keeps nothing."""
    solve(engine.load("bamboo", radius=1).start(), Limit(nodes=REPORT_INTERVAL_NODES))
    is_within_reach(engine.load("bamboo", radius=SMALL + 1).start())
