"""Monte Carlo tree search (UCT) with random playouts."""

from __future__ import annotations

from cornered.bots.bot import Bot, Limit, Setting, Thought
from cornered.bots.textbook.mcts import think
from cornered.engine import State

__all__ = ["BOT", "MctsBot"]


class MctsBot(Bot):
    name = "mcts"
    description = "Monte Carlo tree search (UCT): plays random games from here, more of them where it goes well."
    SETTINGS = (
        Setting("iterations", "Random games", 1000, 1, 100_000),
        Setting("c", "How much to explore", 0.7, 0, 10),
    )

    def choose(self, state: State, limit: Limit) -> Thought:
        return think(state, limit, int(self.settings["iterations"]), float(self.settings["c"]), self.chance)


BOT = MctsBot
