"""Its own moves less the opponent's (game-playing-notes, "Evaluation Functions")."""

from __future__ import annotations

from cornered.bots.textbook.isolation import IsolationMinimaxBot

__all__ = ["BOT", "IsolationMobilityDifferenceBot"]


class IsolationMobilityDifferenceBot(IsolationMinimaxBot):
    name = "isolation-mobility-difference"
    description = "Weighs its own moves and yours alike."
    heuristic = "mobility-difference"


BOT = IsolationMobilityDifferenceBot
