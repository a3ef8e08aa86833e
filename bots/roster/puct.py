"""Monte Carlo tree search guided by a network's priors and values (PUCT)."""

from __future__ import annotations

from cornered.bots.bot import Bot, Limit, Setting, SettingValue, Thought
from cornered.bots.puct.layout import Tuning
from cornered.bots.puct.search import PuctSearch, supports
from cornered.engine import Game, State, load

__all__ = ["BOT", "PuctBot"]


class PuctBot(Bot):
    name = "puct"
    description = "Monte Carlo tree search by a network: looks where it would move, and as far as its values say."
    SETTINGS = (
        Setting("exploration", "How much the network's preferences weigh", Tuning().exploration, 0, 10),
        Setting("loss", "How much less a move is worth before its first visit", Tuning().unvisited_loss, 0, 2),
        Setting("temperature", "By what preferences are divided", Tuning().temperature, 0.1, 10),
    )

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self._tuning = Tuning(
            exploration=float(self.settings["exploration"]),
            unvisited_loss=float(self.settings["loss"]),
            temperature=float(self.settings["temperature"]),
        )
        self._searches: dict[Game, PuctSearch] = {}

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        return supports(load(game) if isinstance(game, str) else game)

    def prepare(self, game: Game) -> None:
        self._search(game)

    def _search(self, game: Game) -> PuctSearch:
        if game not in self._searches:
            self._searches[game] = PuctSearch(game, self._tuning)
        return self._searches[game]

    def choose(self, state: State, limit: Limit) -> Thought:
        return self._search(state.game).search(state, limit)


BOT = PuctBot
