"""Isolation of two without dice, proven: `solve` for all moves, and `prove`, much cheaper, for one that wins.

Within reach are boards of up to 25 cells from the start, and later positions of larger ones (see `is_within_reach`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from time import monotonic, perf_counter
from typing import Any, Final

from cornered import engine
from cornered.bots.bot import Limit, Proven
from cornered.bots.evaluate import is_duel
from cornered.bots.evaluate.regions import region
from cornered.bots.solve import Proof, Solution, ignore
from cornered.bots.solve.isolation_proof import PLIES_BEYOND_GAME, distance, forget, outcome, workspace
from cornered.engine import State
from cornered.engine.games.isolation import IsolationState
from cornered.engine.kernels.grid import CELL_BITS, word

__all__ = ["is_within_reach", "is_worth_a_try", "prove", "solve", "warm"]

REPORT_INTERVAL_NODES: Final = 12_000
"""Nodes between two checks of the clock: two or three milliseconds."""
SOLVED_CELLS_MAX: Final = 31
"""Cells in reach that are mostly solved within a second, once both pawns are placed."""
SOLVED_FROM_START_CELLS_MAX: Final = 25
TRIED_CELLS_MAX: Final = 37
"""Cells in reach up to which a proof is tried in a part of the time."""
DISTANCE_CELLS_MAX: Final = 14
"""Cells left up to which distances are counted as well as wins."""
DISTANCE_NODES_MAX: Final = 40_000
"""Nodes of that count at most, some milliseconds."""
UNLIMITED_NODES: Final = 1 << 62


class _UsedUp(Exception):
    """The time or the nodes are over."""


def solve(state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Solution | None:
    """Return the solution of `state`; None when the limit is used up, with dice, and for more than two players."""
    if state.outcome is not None:
        return Solution.over(state)
    proof = _look(state, limit, report, every=True)
    return Solution.of(proof.values, proof.lengths, proof.nodes, proof.seconds) if proof.is_whole else None


def prove(state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Proof:
    """Return the first move of `state` that is found to win, or that all of them lose, or how far the limit led."""
    return _look(state, limit, report, every=False)


def is_within_reach(state: State) -> bool:
    """Return whether few enough cells are left that `solve` will probably take less than a second."""
    if not isinstance(state, IsolationState) or not is_duel(state.game):
        return False
    _, mover, other, *_ = state.position
    left = int(_in_reach(state)).bit_count()
    return left <= (SOLVED_CELLS_MAX if mover and other else SOLVED_FROM_START_CELLS_MAX)


def is_worth_a_try(state: State) -> bool:
    """Return whether `prove` may find something within a part of a second, if only losing moves."""
    if not isinstance(state, IsolationState) or not is_duel(state.game) or not state.position.second:
        return False
    return int(_in_reach(state)).bit_count() <= TRIED_CELLS_MAX


def _in_reach(state: IsolationState) -> Any:
    """Return the free cells that one of the two can ever get to."""
    free, mover, other, *_ = state.position
    return word(int(region(free, mover)) | int(region(free, other))) if mover and other else free


def _look(state: State, limit: Limit, report: Callable[[int], None], *, every: bool) -> Proof:
    if not isinstance(state, IsolationState) or not is_duel(state.game):
        return Proof(tuple(state.moves()))
    started = perf_counter()
    free, _, other, *_ = state.position
    ordered = _ordered(state)
    values: dict[str, Proven] = {}
    with _workspace(state.game.width, state.game.height) as work:
        if limit.time is None:
            # Where no clock rules, the same question gets the same answer after the same nodes.
            forget(work)
        budget = _Budget(work, limit, report)
        with suppress(_UsedUp):
            for move in ordered:
                target = word(1 << CELL_BITS[move])
                values[move] = "win" if budget.loses(free ^ target, other, target) else "loss"
                if values[move] == "win" and not every:
                    break
        lengths = budget.lengths(state) if every and len(values) == len(ordered) else {}
        nodes = budget.nodes
    listed = {move: values[move] for move in state.moves() if move in values}
    return Proof(tuple(ordered), listed, lengths, nodes=nodes, seconds=perf_counter() - started)


def _ordered(state: IsolationState) -> list[str]:
    """Return the moves, those first that leave the other the fewest replies."""
    return sorted(state.moves(), key=lambda move: state.play(move).open_cells.bit_count())


class _Budget:
    """The budget of one proof. The kernel runs in slices, so the deadline is kept within some milliseconds."""

    def __init__(self, work: Any, limit: Limit, report: Callable[[int], None]) -> None:
        self.work = work
        self.most = limit.nodes or UNLIMITED_NODES
        self.deadline = limit.deadline
        self.report = report
        work.nodes = 0

    @property
    def nodes(self) -> int:
        return int(self.work.nodes)

    def loses(self, free: Any, mover: Any, other: Any) -> bool:
        """Return whether the mover of a position loses. Raises _UsedUp at the limit."""
        while True:
            if self.nodes >= self.most or (self.deadline is not None and monotonic() >= self.deadline):
                raise _UsedUp
            self.work.limit = min(self.nodes + REPORT_INTERVAL_NODES, self.most)
            result = outcome(free, mover, other, self.work)
            self.report(self.nodes)
            if result:
                return bool(result < 0)

    def lengths(self, state: IsolationState) -> dict[str, int]:
        """Return in how many plies each move wins or loses, or nothing where that takes too long."""
        free, other = _in_reach(state), state.position.second
        if int(free).bit_count() > DISTANCE_CELLS_MAX or (self.deadline is not None and monotonic() >= self.deadline):
            return {}
        self.work.limit = min(self.nodes + DISTANCE_NODES_MAX, self.most)
        found = {}
        for move in state.moves():
            target = word(1 << CELL_BITS[move])
            score = distance(free ^ target, other, target, 1, -PLIES_BEYOND_GAME, PLIES_BEYOND_GAME, self.work)
            if self.nodes >= self.work.limit:
                return {}
            found[move] = PLIES_BEYOND_GAME - abs(int(score))
        return found


def warm() -> None:
    """Compile or load the kernels of the proof, and keep no workspace."""
    state: State = engine.load("isolation", width=3, height=3).start()
    for move in ("a1", "c3"):
        state = state.play(move)
    if is_within_reach(state):
        solve(state, Limit())
    _memory.cache_clear()


_at_work: Final = threading.Lock()


@cache
def _memory() -> Any:
    """Return this process's only workspace: its proofs hold for every board."""
    return workspace(8, 8)


@contextmanager
def _workspace(width: int, height: int) -> Iterator[Any]:
    with _at_work:
        work = _memory()
        work.width, work.height = width, height
        yield work
