"""The Bamboo paper's strongest player: minimax of fixed depth over groups and moves (sections III.B, IV.B and V.C)."""

from __future__ import annotations

from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bamboo.players import DEPTH_SETTING, GROUPS, PRUNING, MinimaxPlayer
from cornered.bots.bot import Limit, Thought
from cornered.engine import State

__all__ = ["BOT", "BambooMinimaxBot"]


class BambooMinimaxBot(MinimaxPlayer):
    name = "bamboo-minimax"
    description = "Bamboo: looks two plies ahead and counts groups and moves, as the paper's best player does."
    SETTINGS = (PRUNING, DEPTH_SETTING, GROUPS)

    def choose(self, state: State, limit: Limit) -> Thought:
        return self.look_ahead(bamboo(state), limit)


BOT = BambooMinimaxBot
