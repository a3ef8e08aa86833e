"""The Quoridor specification's minimax player, as printed."""

from __future__ import annotations

import math
from typing import Final

from cornered.bots.bot import WIN, Bot, Limit, Setting, SettingValue, Thought
from cornered.bots.evaluate.quoridor_printed import WIN_SCORE, PrintedWeights, choice, printed
from cornered.bots.textbook.alphabeta import best_child
from cornered.bots.textbook.root import RootSearch, depths
from cornered.bots.textbook.search import PvMoves, TextbookSearch, ValuedLine
from cornered.bots.weights.setting import PRINTED_NAME, resolve, weights_setting
from cornered.engine import Game, State
from cornered.engine.games.quoridor import QuoridorState

__all__ = ["BOT", "QuoridorClassicBot"]

WON_SCORE: Final = WIN_SCORE / 2
APART: Final = ("path", "progress", "stock")
"""The weights as settings of their own."""
STEP_WEIGHT: Final = 12.0
"""The unit of a thought's score: the specification's weight of one step."""


class QuoridorClassicBot(Bot):
    """Alpha-beta over all pawn moves and at most so many walls a node; ties go to the move that comes first."""

    name = "quoridor-classic"
    description = "The specification's minimax: paths, progress and walls, and at most eight walls a node."
    games = ("quoridor",)
    SETTINGS = (
        Setting("depth", "Plies to look ahead", 2, 1, 4),
        Setting("walls", "Most walls at a node", 8, 0, 128),
        Setting("path", "Weight of the shortest paths", 12.0, 0, 100),
        Setting("progress", "Weight of the progress", 1.5, 0, 100),
        Setting("stock", "Weight of the walls left", 2.0, 0, 100),
        weights_setting("quoridor"),
    )

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        """Make a bot whose weights are three settings, or all together the setting `weights`, but not both."""
        super().__init__(seed, **settings)
        if self.settings["weights"] == PRINTED_NAME:
            path, progress, stock = (float(self.settings[name]) for name in APART)
        elif any(name in settings for name in APART):
            raise ValueError(
                f"{self.name} takes its weights from weights={self.settings['weights']}; leave out the others"
            )
        else:
            path, progress, stock = resolve(self.settings["weights"], "quoridor")
        self.weights = PrintedWeights(path, progress, stock)

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        if isinstance(game, str):
            return game == "quoridor"
        return game.name == "quoridor" and game.seats == 2

    def choose(self, state: State, limit: Limit) -> Thought:
        assert isinstance(state, QuoridorState)
        weights, walls = self.weights, int(self.settings["walls"])
        search = TextbookSearch.within(limit, state.to_move, lambda after, seat: 0.0)
        depth = 0

        def look(after: State, depth_left: int, least: float, hint: PvMoves) -> ValuedLine:
            nonlocal depth
            assert isinstance(after, QuoridorState)
            depth = depth_left + 1
            return alpha_beta(after, depth_left, least, math.inf, 1, search, walls, weights)

        def score(value: float) -> float:
            if abs(value) < WON_SCORE:
                return max(-999.0, min(999.0, value / STEP_WEIGHT))
            plies = depth - (abs(value) - WIN_SCORE)
            return math.copysign(WIN - plies, value)

        root = RootSearch(
            state,
            limit,
            search,
            look,
            score=score,
            # Walls are left out of the search: only a win at the first ply is proven.
            prove=lambda found, saw_horizon: "win" if found == WIN - 1 else None,
        )
        return root.think(depths(limit, int(self.settings["depth"])), choice(state, walls))


def alpha_beta(
    state: QuoridorState,
    depth: int,
    alpha: float,
    beta: float,
    ply: int,
    search: TextbookSearch,
    walls: int,
    weights: PrintedWeights,
) -> ValuedLine:
    """Return the value of `state` for the searching seat (quoridor-specification, "Core Algorithm")."""
    search.visit(ply)
    if depth == 0 or state.outcome is not None:
        search.saw_horizon |= state.outcome is None
        return printed(state, search.seat, depth, weights), ()
    moves = choice(state, walls)

    def value_of(after: QuoridorState, alpha: float, beta: float) -> ValuedLine:
        return alpha_beta(after, depth - 1, alpha, beta, ply + 1, search, walls, weights)

    children = ((move, state.play(move)) for move in moves)
    return best_child(children, len(moves), alpha, beta, search, value_of, is_max=state.to_move == search.seat)


BOT = QuoridorClassicBot
