"""Alpha-beta with iterative deepening, in plain Python."""

from __future__ import annotations

from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.evaluate import evaluator
from cornered.bots.textbook.deepening import search
from cornered.engine import State

__all__ = ["BOT", "MinimaxBot"]


class MinimaxBot(Bot):
    name = "minimax"
    description = "Looks ahead with alpha-beta, deeper and deeper until its time is up."

    def choose(self, state: State, limit: Limit) -> Thought:
        return search(state, limit, evaluator(state.game.name), self.chance)


BOT = MinimaxBot
