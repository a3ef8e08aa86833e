"""Max^n: each player maximises its own share."""

from __future__ import annotations

from cornered.bots.bot import Bot, Limit, Proven, Setting, Thought
from cornered.bots.evaluate import evaluator
from cornered.bots.textbook.korf import best_left, max_n_shallow
from cornered.bots.textbook.maxn import max_n
from cornered.bots.textbook.root import RootSearch, depths
from cornered.bots.textbook.search import PvMoves, TextbookSearch, ValuedLine, proof
from cornered.bots.textbook.shares import score
from cornered.engine import Game, State

__all__ = ["BOT", "MaxnBot"]


class MaxnBot(Bot):
    name = "maxn"
    description = "Max^n for two, three or four: everybody plays for itself. With Korf's shallow pruning, or without."
    SETTINGS = (
        Setting("depth", "Plies to look ahead, 0 for to the end", 3, 0, 200),
        Setting("pruning", "Pruning", "korf", choices=("korf", "none")),
    )

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        return isinstance(game, str) or not game.options.get("dice")

    def choose(self, state: State, limit: Limit) -> Thought:
        seat, seats = state.to_move, state.game.seats
        search = TextbookSearch.within(limit, seat, evaluator(state.game.name).evaluate)
        moves = state.moves()
        self.chance.shuffle(moves)

        def plain(after: State, depth: int, least: float, hint: PvMoves) -> ValuedLine:
            shares, line = max_n(after, depth, 1, search)
            return shares[seat], line

        def pruned(after: State, depth: int, least: float, hint: PvMoves) -> ValuedLine:
            has = int(max(least, 0))
            shares, line = max_n_shallow(after, depth, 1, seat, has, search)
            return best_left(after, shares, seat, has), line

        def prove(found: float, saw_horizon: bool) -> Proven | None:
            # With three or more players max^n predicts and proves nothing.
            return proof(found, seats, saw_horizon=saw_horizon) if seats == 2 else None

        is_plain = self.settings["pruning"] == "none"
        root = RootSearch(
            state,
            limit,
            search,
            plain if is_plain else pruned,
            is_exact=is_plain,
            score=lambda share: score(int(share), seats),
            prove=prove,
        )
        return root.think(depths(limit, int(self.settings["depth"])), moves)


BOT = MaxnBot
