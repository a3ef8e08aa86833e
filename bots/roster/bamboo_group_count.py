"""The Bamboo paper's group counter: as many groups as possible after the move (section III.A.2)."""

from __future__ import annotations

from cornered.bots.bamboo.heuristics import COLOURS, HeuristicBot, components_after, groups_after
from cornered.engine.games.bamboo import BambooState

__all__ = ["BOT", "BambooGroupCountBot"]


class BambooGroupCountBot(HeuristicBot):
    name = "bamboo-group-count"
    description = "Bamboo: keeps as many groups as it can, at random among those cells."
    SETTINGS = (COLOURS,)

    def rate(self, state: BambooState, cell: int) -> float:
        return groups_after(state, cell) if self.settings["colours"] == "own" else components_after(state, cell)


BOT = BambooGroupCountBot
