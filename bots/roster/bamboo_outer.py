"""The Bamboo paper's best heuristic: the outermost cells first (section III.A.1)."""

from __future__ import annotations

from cornered.bots.bamboo.heuristics import HeuristicBot, outer
from cornered.engine.games.bamboo import BambooState

__all__ = ["BOT", "BambooOuterBot"]


class BambooOuterBot(HeuristicBot):
    name = "bamboo-outer"
    description = "Bamboo: places as far out as it can, at random among those cells."

    def rate(self, state: BambooState, cell: int) -> float:
        return outer(state, cell)


BOT = BambooOuterBot
