"""The Bamboo paper's hybrid: the network while many cells are free, then minimax (sections III.E, IV.E and V.E)."""

from __future__ import annotations

from bots.bamboo.cells import bamboo
from bots.bamboo.players import DEPTH, minimax
from bots.bot import Limit, Setting, Thought
from bots.neural.bots import NETWORK, NetworkBot
from bots.neural.player import think
from engine import Game, State
from engine.hexagon import size_of

__all__ = ["BOT", "BambooHybridBot"]


class BambooHybridBot(NetworkBot):
    name = "bamboo-hybrid"
    description = "Bamboo: follows a neural network until few cells are left, and calculates from then on."
    SETTINGS = (
        Setting("threshold", "Free cells from which on it calculates", 40, low=0, high=127),
        DEPTH,
        NETWORK,
    )

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        minimax(bamboo(game.start()), Limit(nodes=3), 2, "sorted")

    def choose(self, state: State, limit: Limit) -> Thought:
        here = bamboo(state)
        if size_of(here.position[6:9]) <= int(self.settings["threshold"]):
            return minimax(here, limit, int(self.settings["depth"]), "sorted")
        return think(here, self.network(here.game.radius))


BOT = BambooHybridBot
