"""Sorted alpha-beta: the better the order of the moves, the more of them are pruned."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cornered.bots.bot import Setting
from cornered.bots.textbook.fixed import FixedDepthBot
from cornered.bots.textbook.ordered import by_evaluation, sorted_alpha_beta
from cornered.bots.textbook.search import TextbookSearch, ValuedLine
from cornered.engine import State

__all__ = ["BOT", "TextbookSortedBot"]


class TextbookSortedBot(FixedDepthBot):
    name = "textbook-sorted"
    description = "Alpha-beta that tries the moves first which look best at once, and so prunes far more."
    SETTINGS = (Setting("depth", "Plies to look ahead, 0 for to the end", 3, 0, 200),)

    def value(self, after: State, depth: int, least: float, search: TextbookSearch) -> ValuedLine:
        return sorted_alpha_beta(after, depth, least, math.inf, 1, search)

    def ordered(self, state: State, moves: Sequence[str], search: TextbookSearch) -> Sequence[str]:
        return [move for move, _ in by_evaluation(state, moves, search, 0)]


BOT = TextbookSortedBot
