"""What the bots with a network have in common: the boards that weights are shipped for."""

from __future__ import annotations

from bots.bot import Bot
from bots.neural.network import Layers
from bots.neural.weights import shipped, shipped_path
from engine import Game

__all__ = ["NetworkBot", "network"]


def network(radius: int) -> Layers:
    """Return the shipped weights. Raises a ValueError that says how to make them where there are none."""
    trained = shipped(radius)
    if trained is None:
        raise ValueError(
            f"no network was trained for radius {radius}; `cornered train bamboo --radius {radius}` makes one "
            f"for {shipped_path(radius)}"
        )
    return trained.layers


class NetworkBot(Bot):
    """A bot that plays Bamboo on the boards that it has a network for."""

    games = ("bamboo",)

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        if isinstance(game, str) or game.name != "bamboo":
            return super().plays(game)
        return shipped_path(int(game.options["radius"] or 0)).is_file()

    def prepare(self, game: Game) -> None:
        network(int(game.options["radius"] or 0))
