"""Monte Carlo tree search guided by a network's priors and values (PUCT)."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from cornered.bots.bot import Limit, Setting, SettingValue, Thought
from cornered.bots.puct.layout import Tuning
from cornered.bots.puct.search import PuctSearch, supports
from cornered.bots.search.borrower import MemoryBorrower
from cornered.engine import Game, State, load

if TYPE_CHECKING:
    from cornered.bots.search.memory import SearchMemory

__all__ = ["BOT", "PuctBot"]


class PuctBot(MemoryBorrower):
    name = "puct"
    description = "Monte Carlo tree search with a network's move probabilities and values (PUCT)."
    SETTINGS = (
        Setting("exploration", "How much the network's preferences weigh", Tuning().exploration, 0, 10),
        Setting("growth", "Visits of a node by which exploration grows by ln 2", Tuning().growth, 1, 1e9),
        Setting("loss", "How much less a move is worth before its first visit", Tuning().unvisited_loss, 0, 2),
        Setting("temperature", "By what preferences are divided", Tuning().temperature, 0.1, 10),
    )

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self._tuning = Tuning(
            exploration=float(self.settings["exploration"]),
            growth=float(self.settings["growth"]),
            unvisited_loss=float(self.settings["loss"]),
            temperature=float(self.settings["temperature"]),
        )
        self._kept: PuctSearch | None = None
        """Of one board only: its trees may take hundreds of MB."""
        self._memory: SearchMemory | None = None

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        return supports(load(game) if isinstance(game, str) else game)

    def lend(self, memory: SearchMemory) -> None:
        # For its stop flag alone: a tree is in no table.
        self._memory = memory

    def prepare(self, game: Game) -> None:
        self._search(game)

    def _search(self, game: Game) -> PuctSearch:
        if self._kept is None or self._kept.game != game:
            self._kept = PuctSearch(game, self._tuning)
        return self._kept

    def choose(self, state: State, limit: Limit) -> Thought:
        return self.choose_without(state, limit, ())

    def choose_without(self, state: State, limit: Limit, without: Collection[str]) -> Thought:
        """Return the choice among the other moves than those of `without`, which have to be lost."""
        return self._search(state.game).search(state, limit, without, self._has_to_stop)

    def _has_to_stop(self) -> bool:
        return self._memory is not None and self._memory.is_stopped


BOT = PuctBot
