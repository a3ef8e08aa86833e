"""The Bamboo paper's combination: sparse first, then as far out as possible (section III.A.4)."""

from __future__ import annotations

from cornered.bots.bamboo.heuristics import COLOURS, DISTANCE, SparseBot, outer
from cornered.bots.bot import Setting
from cornered.engine.games.bamboo import BambooState

__all__ = ["BOT", "BambooSparsityOuterBot"]


class BambooSparsityOuterBot(SparseBot):
    name = "bamboo-sparsity-outer"
    description = "Bamboo: places far from its own stones, and of those cells on the outermost."
    SETTINGS = (
        DISTANCE,
        COLOURS,
        Setting(
            "combination", "Ties of sparsity go to the outermost, or both are added", "ties", choices=("ties", "sum")
        ),
    )

    def rate(self, state: BambooState, cell: int) -> float | tuple[float, ...]:
        sparse, far_out = self.sparsity(state, cell), outer(state, cell)
        return sparse + far_out if self.settings["combination"] == "sum" else (sparse, far_out)


BOT = BambooSparsityOuterBot
