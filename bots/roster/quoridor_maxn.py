"""Max^n over the moves that matter: everybody at the table plays for itself."""

from __future__ import annotations

from bots.bot import Bot, Limit, Proven, Setting, Thought
from bots.evaluate.quoridor_printed import choice
from bots.evaluate.rings import evaluate
from bots.textbook.korf import best_left
from bots.textbook.maxn import Shared, leaf
from bots.textbook.root import depths, think
from bots.textbook.search import Moves, Search, Valued
from bots.textbook.shares import WHOLE, Shares, most, score
from engine import State
from engine.games.quoridor import QuoridorState

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
        search = Search.within(limit, seat, evaluate)

        def look(after: State, depth: int, least: float, hint: Moves) -> Valued:
            assert isinstance(after, QuoridorState)
            has = int(max(least, 0))
            shares, line = max_n(after, depth, 1, seat, has, search, walls)
            return best_left(after, shares, seat, has), line

        def prove(found: float, saw_horizon: bool) -> Proven | None:
            return None

        return think(
            state,
            limit,
            search,
            look,
            depths(limit, int(self.settings["depth"])),
            choice(state, walls),
            score=lambda share: score(int(share), seats),
            prove=prove,
        )


def max_n(state: QuoridorState, depth: int, ply: int, above: int, has: int, search: Search, walls: int) -> Shared:
    """Return the shares of `state` with Korf's shallow pruning, as `bots.textbook.korf` does over all moves."""
    search.visit(ply)
    if (shares := leaf(state, depth, ply, search)) is not None:
        return shares, ()
    mover = state.to_move
    enough = min(WHOLE - has if above != mover else WHOLE, most(state.game.seats, ply + 1))
    best: Shares = ()
    line: Moves = ()
    moves = choice(state, walls)
    for index, move in enumerate(moves, start=1):
        after = state.play(move)
        shares, rest = max_n(after, depth - 1, ply + 1, mover, best[mover] if best else 0, search, walls)
        if not best or shares[mover] > best[mover]:
            best, line = shares, (move, *rest)
            if best[mover] >= enough:
                search.pruned += len(moves) - index
                break
    return best, line


BOT = QuoridorMaxnBot
