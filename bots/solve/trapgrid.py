"""TrapGrid, solved: every position of every board size has a proven value and an exact length."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from time import perf_counter
from typing import Any, Final

import numpy as np

from cornered import engine
from cornered.bots.bot import Limit, Proven
from cornered.bots.evaluate.pockets import POCKETS
from cornered.bots.evaluate.trapgrid import voronoi_lead
from cornered.bots.kernels.timer import deadline_timer
from cornered.bots.solve import Proof, Solution, ignore
from cornered.bots.solve.trapgrid_proof import PROOF, STOPPED, distance, wins
from cornered.engine import State
from cornered.engine.games.trapgrid import TrapGridState
from cornered.engine.kernels.grid import word

__all__ = ["is_within_reach", "prove", "solve", "warm"]

MEMO_AGES: Final = 1 << 18
"""Ages of the memo before it has to be wiped."""
UNLIMITED_NODES: Final = 1 << 62
PLIES_BEYOND_GAME: Final = 64
"""More plies than any game lasts."""


class ProofMemory:
    """The kernels' records: tens of megabytes of address space, resident only where they are written."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.proof: Any = np.zeros(1, PROOF)[0]
        self.pockets: Any = np.zeros(1, POCKETS)[0]
        self.age = 0

    @contextmanager
    def search(self, size: int, limit: Limit) -> Iterator[None]:
        """Prepare the records for one search: a new age of the memo, the node limit and the deadline."""
        with self.lock:
            self.age += 1
            if self.age == MEMO_AGES:
                self.age = 1
                self.proof["memo"][:] = 0
                self.pockets["memo"][:] = 0
            self.proof["age"] = self.pockets["age"] = self.age
            self.proof["shift"] = 9 * (8 - size)
            self.pockets["nodes"] = self.pockets["stop"] = 0
            self.pockets["most"] = limit.nodes or UNLIMITED_NODES
            with deadline_timer(limit.remaining, self.stop):
                yield

    def stop(self) -> None:
        self.pockets["stop"] = 1

    @property
    def nodes(self) -> int:
        """Nodes of the search so far."""
        return int(self.pockets["nodes"])

    def wins(self, state: TrapGridState) -> bool | None:
        """Return whether the mover wins; None when stopped."""
        answer = int(wins(self.proof, self.pockets, *_words(state)))
        return None if answer == STOPPED else bool(answer)

    def distance(self, state: TrapGridState, *, won: bool) -> int | None:
        """Return the plies to the end of a position of known value; None when stopped."""
        plies = int(distance(self.proof, self.pockets, *_words(state), -1, PLIES_BEYOND_GAME, int(won)))
        return None if plies == STOPPED else plies

    def line(self, state: TrapGridState, plies: int) -> list[str]:
        """Return best play of a position that lasts so long; less of it when stopped."""
        line: list[str] = []
        while plies:
            for move in state.moves():
                following = state.play(move)
                won = self.wins(following)
                if won is None:
                    return line
                # The winner needs an odd number of plies, the loser an even one, so the parity of a length gives the
                # turn.
                if won == (plies % 2 == 0) and self.distance(following, won=won) == plies - 1:
                    break
            else:
                return line
            line.append(move)
            state, plies = following, plies - 1
        return line


def _words(state: TrapGridState) -> tuple[np.uint64, np.uint64, np.uint64]:
    free, mover, other, _ = state.position
    return word(free), word(mover), word(other)


@cache
def _memory() -> ProofMemory:
    return ProofMemory()


def prove(state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Proof:
    """Return a proof of a position that is not over: all values, then all lengths, then best play after the
    `limit.lines` best moves.

    The same position and nodes give the same answer, whatever was searched before.
    """
    assert isinstance(state, TrapGridState)
    started = perf_counter()
    memory = _memory()
    children = {move: state.play(move) for move in state.moves()}
    # Promising moves first: at the deadline those are proven.
    moves = tuple(sorted(children, key=lambda move: int(voronoi_lead(*_words(children[move])))))
    values: dict[str, Proven] = {}
    lengths: dict[str, int] = {}
    lines: dict[str, tuple[str, ...]] = {}
    with memory.search(state.game.size, limit):
        for move in moves:
            if (won := memory.wins(children[move])) is None:
                break
            values[move] = "loss" if won else "win"
            report(memory.nodes)
        for move in moves if len(values) == len(moves) else ():
            if (plies := memory.distance(children[move], won=values[move] == "loss")) is None:
                break
            lengths[move] = plies + 1
            report(memory.nodes)
        proof = Proof(moves, values, lengths, lines, memory.nodes)
        for move in proof.best[: limit.lines] if len(lengths) == len(moves) else ():
            lines[move] = (move, *memory.line(children[move], lengths[move] - 1))
        return replace(proof, nodes=memory.nodes, seconds=perf_counter() - started)


def solve(state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Solution | None:
    """Return the proven value of a position and of each of its moves; lengths where `limit` allowed them all."""
    if state.outcome is not None:
        return Solution.over(state)
    proof = prove(state, limit, report)
    if not proof.is_whole:
        return None
    values = {move: proof.values[move] for move in state.moves()}
    lengths = {move: proof.lengths[move] for move in values if move in proof.lengths}
    return Solution.of(values, lengths if len(lengths) == len(values) else {}, proof.nodes, proof.seconds, proof.lines)


def is_within_reach(state: State) -> bool:
    """Return True: the slowest start, 8x8, takes less than a second."""
    return isinstance(state, TrapGridState)


def warm() -> None:
    """Compile or load the kernels of the proof. Every later search voids its entries."""
    prove(engine.load("trapgrid", size=4).start(), Limit())
