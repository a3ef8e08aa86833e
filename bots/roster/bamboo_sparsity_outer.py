"""The Bamboo paper's combination: sparse first, then as far out as possible (section III.A.4)."""

from __future__ import annotations

from cornered.bots.bamboo.heuristics import HeuristicBot, outer, sparsity
from cornered.engine.games.bamboo import BambooState

__all__ = ["BOT", "BambooSparsityOuterBot"]


class BambooSparsityOuterBot(HeuristicBot):
    name = "bamboo-sparsity-outer"
    description = "Bamboo: places far from its own stones, and of those cells on the outermost."

    def rate(self, state: BambooState, cell: int) -> tuple[float, ...]:
        return sparsity(state, cell), outer(state, cell)


BOT = BambooSparsityOuterBot
