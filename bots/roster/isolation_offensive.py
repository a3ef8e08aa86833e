"""The opponent's moves count twice as much as its own (isolation-tutorial, "The Offensive Strategy")."""

from __future__ import annotations

from cornered.bots.textbook.isolation import IsolationMinimaxBot

__all__ = ["BOT", "IsolationOffensiveBot"]


class IsolationOffensiveBot(IsolationMinimaxBot):
    name = "isolation-offensive"
    description = "Takes your moves first, and keeps its own second."
    heuristic = "offensive"


BOT = IsolationOffensiveBot
