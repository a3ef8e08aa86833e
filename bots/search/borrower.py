"""Bots whose searches can share a transposition table."""

from __future__ import annotations

from abc import abstractmethod

from cornered.bots.bot import Bot, Limit, SettingValue
from cornered.bots.search.memory import SearchMemory
from cornered.bots.search.searcher import Searcher
from cornered.engine import Game

__all__ = ["MemoryBorrower", "TableKeeper"]


class MemoryBorrower(Bot):
    """A bot that searches with the memory given by `lend` in place of one of its own."""

    @abstractmethod
    def lend(self, memory: SearchMemory) -> None:
        """Use a memory that outlives this search and that other workers may share."""


class TableKeeper(MemoryBorrower):
    """A bot that plays by the compiled search, and keeps its table from move to move under a clock."""

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self.memory: SearchMemory | None = None
        """The memory that was lent."""
        self._searchers: dict[Game, Searcher] = {}

    def lend(self, memory: SearchMemory) -> None:
        if memory is not self.memory:
            self.memory = memory
            self._searchers.clear()

    def searcher(self, game: Game, limit: Limit) -> Searcher:
        """Return the search for `game`. Under a clock it keeps the table of earlier moves; with a limit of depth or
        nodes it starts empty, so that its answers are deterministic."""
        if limit.time is None:
            return Searcher(game)
        if game not in self._searchers:
            self._searchers[game] = Searcher(game, self.memory)
        return self._searchers[game]
