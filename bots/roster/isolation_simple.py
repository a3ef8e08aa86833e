"""Counts its own moves alone (isolation-tutorial, "The Simple Strategy")."""

from __future__ import annotations

from cornered.bots.textbook.isolation import IsolationMinimaxBot

__all__ = ["BOT", "IsolationSimpleBot"]


class IsolationSimpleBot(IsolationMinimaxBot):
    name = "isolation-simple"
    description = "Wants many moves for itself, and does not look at yours."
    heuristic = "simple"


BOT = IsolationSimpleBot
