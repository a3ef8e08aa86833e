"""A player of fixed search depth, over any search."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from cornered.bots.bot import Bot, Limit, Thought
from cornered.bots.evaluate import evaluator
from cornered.bots.textbook.root import RootSearch, depths
from cornered.bots.textbook.search import TextbookSearch, ValuedLine
from cornered.engine import Game, State

__all__ = ["FixedDepthBot"]


class FixedDepthBot(Bot):
    """Plays every game without dice; with three or four players it is paranoid: all others count as one opponent. Has a
    setting `depth`."""

    is_exact: ClassVar[bool] = False
    """Whether it finds the value of every move, not only of the best."""

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        return isinstance(game, str) or not game.options.get("dice")

    @abstractmethod
    def value(self, after: State, depth: int, least: float, search: TextbookSearch) -> ValuedLine:
        """Return the value of the position after a move, exact above `least`, and the line that follows."""

    def ordered(self, state: State, moves: Sequence[str], search: TextbookSearch) -> Sequence[str]:
        """Return the moves in the order in which to look at them."""
        return moves

    def choose(self, state: State, limit: Limit) -> Thought:
        search = TextbookSearch.within(limit, state.to_move, evaluator(state.game.name).evaluate)
        moves = state.moves()
        # Of equal moves the first one counts, and it should not always be the same.
        self.chance.shuffle(moves)
        root = RootSearch(
            state,
            limit,
            search,
            lambda after, depth, least, hint: self.value(after, depth, least, search),
            is_exact=self.is_exact,
        )
        return root.think(depths(limit, int(self.settings["depth"])), self.ordered(state, moves, search))
