"""How much alpha-beta saves `trapgrid-classic`, beside what the reference claims of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import engine
from bots.evaluate.trapgrid_classic import Board
from bots.roster.trapgrid_classic import ClassicSearch, board_of
from engine.games.trapgrid import TrapGridState

__all__ = ["CLAIM", "Pruning", "lines", "pruning", "pruning_at_start"]

CLAIM: Final = "40-70%"
"""What move ordering and alpha-beta save of the nodes (trapgrid-deep-dive, section 5)."""


@dataclass(frozen=True, slots=True)
class Pruning:
    """Nodes visited and siblings pruned by alpha-beta, and the nodes of plain minimax, from one position."""

    depth: int
    nodes: int
    pruned: int
    plain_nodes: int
    score: float
    plain_score: float

    @property
    def efficiency(self) -> float:
        """The reference's figure: pruned / (visited + pruned), in percent (section 4)."""
        return 100 * self.pruned / (self.nodes + self.pruned)

    @property
    def saved(self) -> float:
        """How many percent of plain minimax's nodes were not visited: each pruned sibling stands for a whole tree."""
        return 100 * (1 - self.nodes / self.plain_nodes)


def pruning(board: Board, depth: int) -> Pruning:
    """Search a board to `depth` with and without pruning."""
    pruned, plain = ClassicSearch(), ClassicSearch(prunes=False)
    score, plain_score = pruned.root(board, depth), plain.root(board, depth)
    return Pruning(depth, pruned.nodes, pruned.pruned, plain.nodes, score, plain_score)


def pruning_at_start(depth: int) -> Pruning:
    """Search the start of 7x7."""
    start = engine.load("trapgrid").start()
    assert isinstance(start, TrapGridState)
    return pruning(board_of(start), depth)


def lines(depths: tuple[int, ...] = (5, 6, 7, 8)) -> Iterator[str]:
    """Return the figures as a table."""
    yield f"{'depth':>5} {'nodes':>7} {'pruned':>7} {'efficiency':>10} {'plain':>7} {'saved':>6}   claimed: {CLAIM}"
    for depth in depths:
        one = pruning_at_start(depth)
        shares = f"{one.efficiency:>9.1f}% {one.plain_nodes:>7} {one.saved:>5.1f}%"
        yield f"{depth:>5} {one.nodes:>7} {one.pruned:>7} {shares}"
