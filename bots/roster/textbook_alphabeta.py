"""Plain alpha-beta: minimax's move from fewer positions."""

from __future__ import annotations

import math

from cornered.bots.bot import Setting
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.fixed import FixedDepthBot
from cornered.bots.textbook.search import TextbookSearch, ValuedLine
from cornered.engine import State

__all__ = ["BOT", "TextbookAlphabetaBot"]


class TextbookAlphabetaBot(FixedDepthBot):
    name = "textbook-alphabeta"
    description = "Alpha-beta as printed: finds what minimax finds, without looking at what cannot matter."
    SETTINGS = (Setting("depth", "Plies to look ahead, 0 for to the end", 3, 0, 200),)

    def value(self, after: State, depth: int, least: float, search: TextbookSearch) -> ValuedLine:
        return alpha_beta(after, depth, least, math.inf, 1, search)


BOT = TextbookAlphabetaBot
