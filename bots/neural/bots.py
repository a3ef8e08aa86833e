"""The base of the bots with a network: the boards that weights are shipped for."""

from __future__ import annotations

from cornered.bots.bot import Bot
from cornered.bots.neural.network import Network
from cornered.bots.neural.setting import NETWORK_SETTING, resolve
from cornered.bots.neural.weights import shipped_path
from cornered.engine import Game

__all__ = ["NETWORK_SETTING", "NetworkBot"]


class NetworkBot(Bot):
    """A bot that plays Bamboo on the boards that it has a network for; NETWORK_SETTING is one of its settings."""

    games = ("bamboo",)

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        if isinstance(game, str) or game.name != "bamboo":
            return super().plays(game)
        return shipped_path(int(game.options["radius"] or 0)).is_file()

    def check(self, game: Game) -> None:
        self.network(int(game.options["radius"] or 0))

    def prepare(self, game: Game) -> None:
        self.check(game)

    def network(self, radius: int) -> Network:
        """Return the network of the setting. Raises a ValueError that says how to make one."""
        return resolve(self.settings["network"], radius)
