"""Plain minimax to a fixed depth."""

from __future__ import annotations

from cornered.bots.bot import Setting
from cornered.bots.textbook.fixed import FixedDepthBot
from cornered.bots.textbook.minimax import depth_limited
from cornered.bots.textbook.search import TextbookSearch, ValuedLine
from cornered.engine import State

__all__ = ["BOT", "TextbookMinimaxBot"]


class TextbookMinimaxBot(FixedDepthBot):
    name = "textbook-minimax"
    description = "Plain minimax: looks at every line a few plies deep. The mother of all others, and the slowest."
    SETTINGS = (Setting("depth", "Plies to look ahead, 0 for to the end", 2, 0, 200),)
    is_exact = True

    def value(self, after: State, depth: int, least: float, search: TextbookSearch) -> ValuedLine:
        return depth_limited(after, depth, 1, search)


BOT = TextbookMinimaxBot
