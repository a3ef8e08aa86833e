"""The Bamboo paper's sparse player: far from all its stones on average (section III.A.3)."""

from __future__ import annotations

from cornered.bots.bamboo.heuristics import HeuristicBot, sparsity
from cornered.engine.games.bamboo import BambooState

__all__ = ["BOT", "BambooSparsityBot"]


class BambooSparsityBot(HeuristicBot):
    name = "bamboo-sparsity"
    description = "Bamboo: places as far from its own stones as it can, at random among those cells."

    def rate(self, state: BambooState, cell: int) -> float:
        return sparsity(state, cell)


BOT = BambooSparsityBot
