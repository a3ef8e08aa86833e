"""The Bamboo paper's hybrid: the network while many cells are free, then minimax (sections III.E, IV.E and V.E).

With `network=chance` uniformly random placements take the network's place: the control for what the network adds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, cast

from cornered.bots.bamboo.cells import bamboo
from cornered.bots.bamboo.minimax import GroupKind
from cornered.bots.bamboo.players import DEPTH_SETTING, GROUPS, minimax
from cornered.bots.bot import Limit, Setting, Thought
from cornered.bots.neural.bots import NETWORK_SETTING, NetworkBot
from cornered.bots.neural.player import think
from cornered.engine import Game, State
from cornered.engine.kernels.hexagon import size_of

__all__ = ["BOT", "CHANCE_NETWORK", "BambooHybridBot"]

CHANCE_NETWORK: Final = "chance"
"""Value of the setting `network` for uniformly random placements."""


class BambooHybridBot(NetworkBot):
    name = "bamboo-hybrid"
    description = "Bamboo: follows a neural network until few cells are left, and calculates from then on."
    score_unit = "either"
    SETTINGS = (
        Setting("threshold", "Free cells from which on it calculates", 40, low=0, high=127),
        DEPTH_SETTING,
        GROUPS,
        replace(NETWORK_SETTING, choices=(*NETWORK_SETTING.choices, CHANCE_NETWORK)),
    )

    def check(self, game: Game) -> None:
        if self.settings["network"] != CHANCE_NETWORK:
            super().check(game)

    def prepare(self, game: Game) -> None:
        super().prepare(game)
        minimax(bamboo(game.start()), Limit(nodes=3), 2, "sorted")

    def choose(self, state: State, limit: Limit) -> Thought:
        here = bamboo(state)
        if size_of(here.position[6:9]) <= int(self.settings["threshold"]):
            groups = cast(GroupKind, self.settings["groups"])
            return minimax(here, limit, int(self.settings["depth"]), "sorted", groups)
        if self.settings["network"] == CHANCE_NETWORK:
            move = self.chance.choice(here.moves())
            return Thought(move, nodes=1, pv=(move,))
        return think(here, self.network(here.game.radius))


BOT = BambooHybridBot
