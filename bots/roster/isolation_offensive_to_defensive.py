"""Offensive until half of the board is used, then defensive (isolation-tutorial, its section on that)."""

from __future__ import annotations

from cornered.bots.textbook.isolation import IsolationMinimaxBot

__all__ = ["BOT", "IsolationOffensiveToDefensiveBot"]


class IsolationOffensiveToDefensiveBot(IsolationMinimaxBot):
    name = "isolation-offensive-to-defensive"
    description = "Aggressive in the first half of the game, careful in the second."
    heuristic = "offensive-to-defensive"


BOT = IsolationOffensiveToDefensiveBot
