"""Quoridor for two, solved with all lengths: tables of every layout that the walls in hand can still make.

Settling backwards needs no draw rules. Where they are on, a solution stands only when every decided move ends before
they could: a drawn race stays drawn under them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from time import monotonic
from typing import Final, TypeGuard

import numpy as np
import numpy.typing as npt

from cornered import engine
from cornered.bots.bot import Limit, Proven
from cornered.bots.solve import Solution, ignore
from cornered.bots.solve.layers import canonical, extend, keep_canonical, place, settle_layouts
from cornered.bots.solve.race import DRAW_BYTE, UNSETTLED_BYTE
from cornered.engine import State
from cornered.engine.games.quoridor import QuoridorState
from cornered.engine.kernels.maze import CELL_COUNT, SPLIT, Four, unblocked
from cornered.engine.kernels.walls import Position, walls_of

__all__ = ["LAYOUTS", "Layouts", "is_within_reach", "solve", "warm"]

BOUND: Final = 320_000_000
"""Bytes of tables that one process keeps, one byte a position, where the limit does not say."""
REACH_POSITIONS: Final = 40_000_000
"""Positions settled in about a second."""
CLOCK_CHECK_POSITIONS: Final = 100_000
"""Positions settled between two checks of the clock: some milliseconds."""

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]
NO_NUMBERS: Final = np.empty(0, np.int64)
NO_LAYOUTS: Final = np.empty((0, 0), np.uint8)
NO_BYTES: Final = np.empty(0, np.uint8)


@dataclass(slots=True)
class Layer:
    """The layouts with `depth` walls more than the first, and their tables; the last `settled` have theirs."""

    depth: int
    layouts: Bytes
    lowest_share: int
    shares: int
    tables: Bytes
    settled: int = 0


@dataclass(slots=True)
class Layouts:
    """All layouts of walls reachable from one position. `settle` fills their tables, in slices."""

    first: Four
    size: int
    stocks: tuple[int, int]
    walls: Numbers
    clashes: Bytes
    mirror: Numbers
    layers: list[Layer]
    keeps_all: bool
    """Whether all tables stay in memory; otherwise those of the third layer on go when the layer before is settled."""
    is_sound: bool = True
    """Whether all lengths found so far fit into a byte."""
    index: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, position: Position, bound: int, most_positions: float = inf) -> Layouts | None:
        """Return the layouts of a position, None when they have more than `most_positions`, or when the tables of two
        neighbouring layers would take more than `bound` bytes.
        """
        first, size = walls_of(position), position.size
        stocks = position.left & 255, position.left >> 8 & 255
        total = 2 * size**4
        # A seat's walls can be more than the board has room for.
        slots = np.array(_wall_numbers(unblocked(first, size)), np.int64)
        kind, rank, file = slots // CELL_COUNT, slots % CELL_COUNT // 9, slots % 9
        apart_rank, apart_file = abs(rank[:, None] - rank), abs(file[:, None] - file)
        along = np.where(kind == 1, apart_file, apart_rank)
        aside = np.where(kind == 1, apart_rank, apart_file)
        same_kind = kind[:, None] == kind
        clashes = np.where(same_kind, (aside == 0) & (along <= 1), (aside == 0) & (along == 0)).astype(np.uint8)
        index = {int(wall): number for number, wall in enumerate(slots)}
        mirror = NO_NUMBERS
        if sorted(_reflected(wall, size) for wall in _wall_numbers(first)) == _wall_numbers(first):
            mirror = np.array([index[_reflected(int(wall), size)] for wall in slots], np.int64)
        layers: list[Layer] = []
        layouts, positions, before = np.empty((1, 0), np.uint8), 0, 0
        for depth in range(sum(stocks) + 1):
            lowest = max(0, depth - stocks[1])
            shares = min(depth, stocks[0]) - lowest + 1
            kept = layouts
            if len(mirror):
                kept = layouts.copy()
                kept = kept[: int(keep_canonical(kept, mirror))].copy()
            here = total * shares * len(kept)
            positions += here
            if before + here > bound or positions > most_positions:
                return None
            layers.append(Layer(depth, kept, lowest, shares, NO_BYTES))
            if depth == sum(stocks):
                break
            most_here = int(min(bound - here, most_positions - positions))
            room = min(2 * most_here // total + 1, len(layouts) * len(slots))
            longer = np.empty((room, depth + 1), np.uint8)
            count = int(extend(layouts, clashes, longer))
            if count < 0:
                return None
            if count == 0:
                break
            layouts, before = longer[:count], here
        return cls(first, size, stocks, slots, clashes, mirror, layers, positions <= bound, index=index)

    @property
    def positions(self) -> int:
        """How many positions there are to settle in all."""
        return sum(self._sizes())

    @property
    def memory(self) -> int:
        """How many bytes the tables take at most at a time, one byte a position."""
        return self.positions if self.keeps_all else max(here + after for here, after in pairwise(self._sizes()))

    def settle(self) -> Iterator[int]:
        """Settle the remaining layouts; yield the number of positions after every slice of some milliseconds."""
        total = 2 * self.size**4
        after: Layer | None = None
        for layer in reversed(self.layers):
            if layer.settled == 0:
                layer.tables = np.empty(total * layer.shares * len(layer.layouts), np.uint8)
            while layer.settled < len(layer.layouts) and self.is_sound:
                begin = layer.settled
                end = min(len(layer.layouts), begin + max(1, CLOCK_CHECK_POSITIONS // (total * layer.shares)))
                self.is_sound = bool(
                    settle_layouts(
                        self.first,
                        self.size,
                        self.stocks,
                        self.walls,
                        self.clashes,
                        self.mirror,
                        layer.layouts,
                        begin,
                        end,
                        layer.tables,
                        after.layouts if after else NO_LAYOUTS,
                        after.tables if after else NO_BYTES,
                    )
                )
                layer.settled = end
                yield (end - begin) * total * layer.shares
            # The tables of the first two layers hold the positions after the first position's moves.
            if after and layer.depth > 0 and not self.keeps_all:
                after.tables = NO_BYTES
            after = layer

    def covers(self, position: Position) -> bool:
        """Return whether a position is reachable from the first layout and has tables that stay, its moves too."""
        added = self._added(position) if position.size == self.size else None
        return added is not None and (self.keeps_all or not added)

    def _sizes(self) -> list[int]:
        """Return the positions of each layer."""
        return [2 * self.size**4 * layer.shares * len(layer.layouts) for layer in self.layers]

    def _added(self, position: Position) -> list[int] | None:
        """Return the walls that a position has more than the first layout, None when it did not grow out of it."""
        standing = walls_of(position)
        if any(old & ~new for old, new in zip(self.first, standing, strict=True)):
            return None
        h_lo, h_hi, v_lo, v_hi = (new & ~old for old, new in zip(self.first, standing, strict=True))
        added = _wall_numbers((h_lo, h_hi, v_lo, v_hi))
        used = [self.stocks[seat] - (position.left >> 8 * seat & 255) for seat in range(2)]
        grew = min(used) >= 0 and sum(used) == len(added) < len(self.layers)
        return added if grew and all(wall in self.index for wall in added) else None

    def byte(self, position: Position) -> int:
        """Return the table byte (`cornered.bots.solve.race`) of a position that is not over."""
        added = self._added(position)
        assert added is not None
        layout = np.array(sorted(self.index[wall] for wall in added), np.uint8)
        layer = self.layers[len(added)]
        kept = np.empty_like(layout)
        is_reflected = bool(canonical(layout, self.mirror, kept))
        cells = [cell // 9 * self.size + cell % 9 for cell in (position.pawns & 255, position.pawns >> 8 & 255)]
        if is_reflected:
            cells = [cell + self.size - 1 - 2 * (cell % self.size) for cell in cells]
        used = self.stocks[0] - (position.left & 255)
        number = int(place(layer.layouts, kept)) * layer.shares + used - layer.lowest_share
        return int(layer.tables[((number * 2 + position.turn) * self.size**2 + cells[0]) * self.size**2 + cells[1]])


LAYOUTS: Final[list[Layouts]] = []
"""Layouts settled or begun by this process, the last used at the end, all together within BOUND or the last limit."""


def is_within_reach(state: State) -> bool:
    """Return whether every layout reachable with the walls in hand is settled in about a second."""
    if not _is_duel(state):
        return False
    position = state.position
    if _found(position) is not None:
        return True
    return Layouts.of(position, BOUND, REACH_POSITIONS) is not None


def solve(state: State, limit: Limit, report: Callable[[int], None] = ignore) -> Solution | None:
    """Return the solution of a position with every length; None beyond `limit`, its memory or else BOUND.

    Nodes are positions of the tables. Settled layouts are kept when the time is up. Tables that the memory cannot hold
    all together leave it once no layer needs them, and answer only for positions with the walls of `state`.
    """
    started = monotonic()
    if not _is_duel(state):
        return None
    bound = BOUND if limit.memory is None else limit.memory
    layouts = _found(state.position) or Layouts.of(state.position, bound)
    if layouts is None or (limit.nodes is not None and layouts.positions > limit.nodes):
        return None
    _keep(layouts, bound)
    nodes = 0
    if limit.deadline is not None and monotonic() > limit.deadline:
        return None
    for settled in layouts.settle():
        nodes += settled
        report(nodes)
        if limit.deadline is not None and monotonic() > limit.deadline:
            return None
    return _solution(state, layouts, nodes, started) if layouts.is_sound else None


def warm() -> None:
    """Compile or load the kernels of the tables, and keep no table."""
    kept = list(LAYOUTS)
    solve(engine.load("quoridor", size=3, walls=1).start(), Limit())
    LAYOUTS[:] = kept


def _is_duel(state: State) -> TypeGuard[QuoridorState]:
    return isinstance(state, QuoridorState) and state.position.players == 2 and state.outcome is None


def _found(position: Position) -> Layouts | None:
    return next((layouts for layouts in reversed(LAYOUTS) if layouts.covers(position)), None)


def _keep(layouts: Layouts, bound: int) -> None:
    """Put the layouts behind those that were used before; the longest unused go when the bound is passed."""
    LAYOUTS[:] = [*(other for other in LAYOUTS if other is not layouts), layouts]
    while sum(kept.memory for kept in LAYOUTS) > bound and len(LAYOUTS) > 1:
        del LAYOUTS[0]


def _solution(state: QuoridorState, layouts: Layouts, nodes: int, started: float) -> Solution | None:
    moves: dict[str, Proven] = {}
    lengths: dict[str, int] = {}
    for move in state.moves():
        after = state.play(move)
        # A draw rule may have ended the game; the tables ignore draw rules, so that is checked below.
        is_home = after.ended == state.to_move
        byte = 256 if is_home else layouts.byte(after.position)
        assert byte != UNSETTLED_BYTE
        if byte == DRAW_BYTE:
            moves[move] = "draw"
        elif byte > DRAW_BYTE:
            moves[move], lengths[move] = "win", 2 * (256 - byte) + 1
        else:
            moves[move], lengths[move] = "loss", 2 * byte
    position = state.position
    longest = max(lengths.values(), default=0)
    if 0 < position.max_plies < position.ply + longest or 0 < position.no_progress < position.quiet + longest:
        return None
    return Solution.of(moves, lengths, nodes, monotonic() - started)


def _wall_numbers(slots: Four) -> list[int]:
    """Return the numbers of the walls in a set of slots, rising."""
    h_lo, h_hi, v_lo, v_hi = slots
    bits = (h_lo | h_hi << SPLIT) << CELL_COUNT | (v_lo | v_hi << SPLIT) << 2 * CELL_COUNT
    return [number for number in range(CELL_COUNT, 3 * CELL_COUNT) if bits >> number & 1]


def _reflected(wall: int, size: int) -> int:
    """Return the wall's mirror image, left and right."""
    return wall + size - 2 - 2 * (wall % 9)
