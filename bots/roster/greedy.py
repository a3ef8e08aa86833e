"""Takes what looks best right after the move, and never thinks about the answer."""

from __future__ import annotations

import random

from bots.bot import Bot, Limit, Thought
from bots.evaluate import judgement
from bots.search.alphabeta import search
from engine import State

__all__ = ["BOT", "GreedyBot"]


class GreedyBot(Bot):
    name = "greedy"
    description = "Looks one move ahead and takes what looks best."

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(seed)
        self._chance = random.Random(seed)

    def choose(self, state: State, limit: Limit) -> Thought:
        one_ply = Limit(limit.time, 1, limit.nodes, limit.started)
        return search(state, one_ply, judgement(state.game.name), self._chance)


BOT = GreedyBot
