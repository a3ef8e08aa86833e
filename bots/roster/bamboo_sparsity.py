"""The Bamboo paper's sparse player: far from its stones, on average (section III.A.3) or from the closest (Table I)."""

from __future__ import annotations

from cornered.bots.bamboo.heuristics import COLOURS, DISTANCE, SparseBot
from cornered.engine.games.bamboo import BambooState

__all__ = ["BOT", "BambooSparsityBot"]


class BambooSparsityBot(SparseBot):
    name = "bamboo-sparsity"
    description = "Bamboo: places as far from its own stones as it can, at random among those cells."
    SETTINGS = (DISTANCE, COLOURS)

    def rate(self, state: BambooState, cell: int) -> float:
        return self.sparsity(state, cell)


BOT = BambooSparsityBot
