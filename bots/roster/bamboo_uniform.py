"""The Bamboo paper's baseline: entirely random (section IV.A)."""

from __future__ import annotations

from cornered.bots.bamboo.heuristics import HeuristicBot
from cornered.engine.games.bamboo import BambooState

__all__ = ["BOT", "BambooUniformBot"]


class BambooUniformBot(HeuristicBot):
    name = "bamboo-uniform"
    description = "Bamboo: any legal placement is as likely as another."

    def rate(self, state: BambooState, cell: int) -> float:
        return 0.0


BOT = BambooUniformBot
