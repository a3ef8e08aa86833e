"""The Bamboo paper's hybrid: the network while many cells are free, then minimax (sections III.E, IV.E and V.E)."""

from __future__ import annotations

from typing import cast

from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bamboo.minimax import GroupKind
from cornered.bots.bamboo.players import DEPTH_SETTING, GROUPS, minimax
from cornered.bots.bot import Limit, Setting, Thought
from cornered.bots.neural.bots import NETWORK_SETTING, NetworkBot
from cornered.bots.neural.player import think
from cornered.engine import Game, State
from cornered.engine.kernels.hexagon import size_of

__all__ = ["BOT", "BambooHybridBot"]


class BambooHybridBot(NetworkBot):
    name = "bamboo-hybrid"
    description = "Bamboo: follows a neural network until few cells are left, and calculates from then on."
    SETTINGS = (
        Setting("threshold", "Free cells from which on it calculates", 40, low=0, high=127),
        DEPTH_SETTING,
        GROUPS,
        NETWORK_SETTING,
    )

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        minimax(bamboo(game.start()), Limit(nodes=3), 2, "sorted")

    def choose(self, state: State, limit: Limit) -> Thought:
        here = bamboo(state)
        if size_of(here.position[6:9]) <= int(self.settings["threshold"]):
            groups = cast(GroupKind, self.settings["groups"])
            return minimax(here, limit, int(self.settings["depth"]), "sorted", groups)
        return think(here, self.network(here.game.radius))


BOT = BambooHybridBot
