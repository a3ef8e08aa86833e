"""The Bamboo paper's neural network: three hidden layers, softmax over the cells (sections III.D and IV.D).

With `network=convolutional` it is the follow-up that the paper proposes (section VI).
"""

from __future__ import annotations

from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bot import Limit, Thought
from cornered.bots.neural.bots import NETWORK_SETTING, NetworkBot
from cornered.bots.neural.player import think
from cornered.engine import State

__all__ = ["BOT", "BambooNeuralBot"]


class BambooNeuralBot(NetworkBot):
    name = "bamboo-neural"
    description = "Bamboo: places where a neural network says, and never calculates."
    score_unit = "result"
    SETTINGS = (NETWORK_SETTING,)

    def choose(self, state: State, limit: Limit) -> Thought:
        del limit  # One pass through the network takes less than a millisecond.
        here = bamboo(state)
        return think(here, self.network(here.game.radius))


BOT = BambooNeuralBot
