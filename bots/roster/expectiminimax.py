"""Expectiminimax: minimax with chance nodes for the dice."""

from __future__ import annotations

from cornered.bots.bot import Bot, Limit, Setting, Thought
from cornered.bots.evaluate import evaluator
from cornered.bots.textbook.assumed import ASSUMED_BY_NAME, assuming
from cornered.bots.textbook.expectiminimax import expectiminimax, farthest, score
from cornered.bots.textbook.root import RootSearch, depths
from cornered.bots.textbook.search import TextbookSearch, ValuedLine, proof
from cornered.bots.textbook.star1 import star1
from cornered.engine import Game, State
from cornered.engine.kernels.slides import DICE_SIDES

__all__ = ["BOT", "ExpectiminimaxBot"]


class ExpectiminimaxBot(Bot):
    name = "expectiminimax"
    description = "Minimax for two with dice: averages over the rolls. Prunes by the bounds of what a game is worth."
    SETTINGS = (
        Setting("depth", "Plies to look ahead, rolls included, 0 for to the end", 4, 0, 200),
        Setting("pruning", "Pruning", "star1", choices=("star1", "none")),
        Setting("rolls", "Rolls that count: their mean, or an assumed one", "mean", choices=("mean", *ASSUMED_BY_NAME)),
    )

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        return isinstance(game, str) or game.seats == 2

    def choose(self, state: State, limit: Limit) -> Thought:
        search = TextbookSearch.within(limit, state.to_move, evaluator(state.game.name).evaluate)
        has_dice = bool(state.game.options.get("dice"))
        assumed = ASSUMED_BY_NAME.get(str(self.settings["rolls"])) if has_dice else None
        moves = state.moves()
        self.chance.shuffle(moves)

        def look(after: State, depth: int, least: float) -> ValuedLine:
            if assumed is not None:
                return assuming(after, depth, max(least, -farthest(0)), farthest(0), 1, search, assumed)
            if self.settings["pruning"] == "none":
                return expectiminimax(after, depth, 1, search)
            return star1(after, depth, max(least, -farthest(0)), farthest(0), 1, search)

        root = RootSearch(
            state,
            limit,
            search,
            lambda after, depth, least, hint: look(after, depth, least),
            is_exact=self.settings["pruning"] == "none" and assumed is None,
            score=lambda value: score(value, search.deepest, DICE_SIDES if has_dice else 1),
            # A mean of nothing is no draw, and an assumed roll proves nothing.
            prove=lambda found, saw_horizon: (
                None if assumed is not None else proof(found, 2, saw_horizon=saw_horizon or has_dice)
            ),
        )
        return root.think(depths(limit, int(self.settings["depth"])), moves)


BOT = ExpectiminimaxBot
