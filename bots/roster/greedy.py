"""One ply of search: plays the move with the best evaluation after it."""

from __future__ import annotations

from dataclasses import replace

from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.evaluate import evaluator
from cornered.bots.textbook.deepening import search
from cornered.engine import State

__all__ = ["BOT", "GreedyBot"]


class GreedyBot(Bot):
    name = "greedy"
    description = "Looks one move ahead and takes what looks best."

    def choose(self, state: State, limit: Limit) -> Thought:
        one_ply = replace(limit, depth=1)
        return search(state, one_ply, evaluator(state.game.name), self.chance)


BOT = GreedyBot
