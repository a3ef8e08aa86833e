"""Any legal move is as good as another."""

from __future__ import annotations

from bots.bot import Bot, Limit, Thought
from engine import State

__all__ = ["BOT", "RandomBot"]


class RandomBot(Bot):
    name = "random"
    description = "Plays any legal move. Good for a first win."

    def choose(self, state: State, limit: Limit) -> Thought:
        move = self.chance.choice(state.moves())
        return Thought(move, nodes=1, pv=(move,))


BOT = RandomBot
