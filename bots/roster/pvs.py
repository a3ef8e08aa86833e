"""Principal variation search by the network of a board, with the constants of the search as settings."""

from __future__ import annotations

from cornered.bots.bot import Limit, Setting, SettingValue, Thought
from cornered.bots.evaluate import has_network
from cornered.bots.search.borrower import TableKeeper
from cornered.bots.search.searcher import Pruning, Style
from cornered.bots.search.style import MARGIN, MARGIN_DEPTH, MARGIN_STEP, PREFERENCE_WEIGHT
from cornered.engine import Game, State, load

__all__ = ["BOT", "PvsBot"]


class PvsBot(TableKeeper):
    name = "pvs"
    description = "Principal variation search by a network; what it prunes and reduces are settings to tune."
    SETTINGS = (
        Setting("margin", "Hundredths above beta that end a node of depth 1; 0 is never", MARGIN, 0, 2000),
        Setting("margin_step", "Hundredths more for each ply of depth", MARGIN_STEP, 0, 2000),
        Setting("margin_depth", "Greatest depth of a node that margins end", MARGIN_DEPTH, 0, 7),
        Setting("late", "Moves after which a node of depth 1 ends; 0 is never", 0, 0, 100),
        Setting("late_step", "Moves more for each ply of depth", 4, 0, 100),
        Setting("late_depth", "Greatest depth of late-move pruning", 5, 0, 7),
        Setting(
            "reduction", "Hundredths of a ply that late moves are reduced by, with a reduction_scale", 0, -300, 300
        ),
        Setting(
            "reduction_scale", "Times ln(depth) * ln(number of the move), added to it; 0 reduces by steps", 0, 0, 300
        ),
        Setting("full_moves", "Moves of a node before the late ones", 3, 1, 30),
        Setting("pv_reduction", "Plies by which late moves of open windows are reduced less", 0, 0, 3),
        Setting(
            "history_plies", "Points of the history heuristic that spare a ply of reduction; 0 is none", 0, 0, 8192
        ),
        Setting("unknown_depth", "Depth from which nodes that are not in the table are reduced; 0 is never", 0, 0, 20),
        Setting("loud_plies", "Plies of the quiescence search over walls, in Quoridor", 0, 0, 8),
        Setting(
            "preferences", "What a logit of the network's preferences weighs in the order", PREFERENCE_WEIGHT, 0, 200
        ),
    )

    def __init__(self, seed: int | None = None, **settings: SettingValue) -> None:
        super().__init__(seed, **settings)
        self._style = Style(
            learnt=True,
            pruning=Pruning(
                margins=self._by_depth("margin"),
                move_limits=self._by_depth("late"),
                reduction_base=self._number("reduction"),
                reduction_scale=self._number("reduction_scale"),
                full_depth_moves=self._number("full_moves"),
                pv_reduction=self._number("pv_reduction"),
                history_plies=self._number("history_plies"),
                unknown_depth=self._number("unknown_depth"),
                loud_plies=self._number("loud_plies"),
            ),
            preference_weight=self._number("preferences"),
        )

    def _number(self, name: str) -> int:
        return int(self.settings[name])

    def _by_depth(self, name: str) -> tuple[int, ...]:
        """Return the values of a setting for the depths from 1 on, none where it is 0."""
        first, step = self._number(name), self._number(f"{name}_step")
        return tuple(first + step * depth for depth in range(self._number(f"{name}_depth"))) if first else ()

    @classmethod
    def plays(cls, game: str | Game) -> bool:
        return has_network(load(game) if isinstance(game, str) else game)

    def gains_from_help(self, game: Game) -> bool:
        del game
        return True

    def prepare(self, game: Game) -> None:
        self.searcher(game, Limit(time=1)).search(game.start(), Limit(depth=1), self._style)

    def choose(self, state: State, limit: Limit) -> Thought:
        return self.searcher(state.game, limit).search(state, limit, self._style)


BOT = PvsBot
