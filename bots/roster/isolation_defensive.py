"""Its own moves count twice as much as the opponent's (isolation-tutorial, "The Defensive Strategy")."""

from __future__ import annotations

from cornered.bots.textbook.isolation import IsolationMinimaxBot

__all__ = ["BOT", "IsolationDefensiveBot"]


class IsolationDefensiveBot(IsolationMinimaxBot):
    name = "isolation-defensive"
    description = "Keeps its own moves first, and takes yours second."
    heuristic = "defensive"


BOT = IsolationDefensiveBot
