"""Bots whose searches can share a transposition table."""

from __future__ import annotations

from abc import abstractmethod

from cornered.bots.bot import Bot
from cornered.bots.search.memory import SearchMemory

__all__ = ["MemoryBorrower"]


class MemoryBorrower(Bot):
    """A bot that searches with the memory given by `lend` in place of one of its own."""

    @abstractmethod
    def lend(self, memory: SearchMemory) -> None:
        """Use a memory that outlives this search and that other workers may share."""
