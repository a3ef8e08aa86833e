"""Defensive until half of the board is used, then offensive (isolation-tutorial, its section on that)."""

from __future__ import annotations

from cornered.bots.textbook.isolation import IsolationMinimaxBot

__all__ = ["BOT", "IsolationDefensiveToOffensiveBot"]


class IsolationDefensiveToOffensiveBot(IsolationMinimaxBot):
    name = "isolation-defensive-to-offensive"
    description = "Careful in the first half of the game, aggressive in the second."
    heuristic = "defensive-to-offensive"


BOT = IsolationDefensiveToOffensiveBot
