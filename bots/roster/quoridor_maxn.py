"""Max^n over candidate moves: each player maximises its own share."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.bots.bot import Bot, Limit, Proven, Setting, Thought
from cornered.bots.evaluate.quoridor_printed import choice
from cornered.bots.evaluate.rings import evaluate_state
from cornered.bots.textbook.korf import best_left, max_n_shallow
from cornered.bots.textbook.root import RootSearch, depths
from cornered.bots.textbook.search import PvMoves, TextbookSearch, ValuedLine
from cornered.bots.textbook.shares import score
from cornered.engine import State
from cornered.engine.games.quoridor import QuoridorState

__all__ = ["BOT", "QuoridorMaxnBot"]


class QuoridorMaxnBot(Bot):
    name = "quoridor-maxn"
    description = "Max^n for two or four: everybody for itself, all steps and the walls nearest to an opponent."
    games = ("quoridor",)
    SETTINGS = (
        Setting("depth", "Plies to look ahead", 3, 1, 8),
        Setting("walls", "Most walls at a node", 8, 0, 128),
    )

    def choose(self, state: State, limit: Limit) -> Thought:
        assert isinstance(state, QuoridorState)
        seat, seats, walls = state.to_move, state.game.seats, int(self.settings["walls"])
        search = TextbookSearch.within(limit, seat, evaluate_state)

        def likely(at: State) -> Sequence[str]:
            assert isinstance(at, QuoridorState)
            return choice(at, walls)

        def look(after: State, depth: int, least: float, hint: PvMoves) -> ValuedLine:
            has = int(max(least, 0))
            shares, line = max_n_shallow(after, depth, 1, seat, has, search, likely)
            return best_left(after, shares, seat, has), line

        def prove(found: float, saw_horizon: bool) -> Proven | None:
            return None

        root = RootSearch(
            state,
            limit,
            search,
            look,
            score=lambda share: score(int(share), seats),
            prove=prove,
        )
        return root.think(depths(limit, int(self.settings["depth"])), choice(state, walls))


BOT = QuoridorMaxnBot
