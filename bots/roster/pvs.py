"""Principal variation search by the network of a board, with the constants of the search as settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cornered.bots.bot import Limit, Setting, SettingValue, Thought
from cornered.bots.evaluate import has_network
from cornered.bots.search.borrower import MemoryBorrower
from cornered.bots.search.searcher import Pruning, Searcher, Style
from cornered.bots.search.style import MARGIN, MARGIN_DEPTH, MARGIN_STEP, PREFERENCE_WEIGHT
from cornered.engine import Game, State, load

if TYPE_CHECKING:
    from cornered.bots.search.memory import SearchMemory

__all__ = ["BOT", "PvsBot"]


class PvsBot(MemoryBorrower):
    name = "pvs"
    description = "Principal variation search by a network; what it prunes and reduces are settings to tune."
    SETTINGS = (
        Setting("margin", "Hundredths above beta that end a node of depth 1; 0 is never", MARGIN, 0, 2000),
        Setting("margin_step", "Hundredths more for each ply of depth", MARGIN_STEP, 0, 2000),
        Setting("margin_depth", "Greatest depth of a node that margins end", MARGIN_DEPTH, 0, 7),
        Setting("futility", "Hundredths below alpha that leave out late moves at depth 1; 0 is never", 0, 0, 2000),
        Setting("futility_step", "Hundredths more for each ply of depth", 120, 0, 2000),
        Setting("futility_depth", "Greatest depth of futility pruning", 4, 0, 7),
        Setting("razor", "Hundredths below alpha that end a node of depth 1; 0 is never", 0, 0, 4000),
        Setting("razor_step", "Hundredths more for each ply of depth", 250, 0, 4000),
        Setting("razor_depth", "Greatest depth of razoring", 3, 0, 7),
        Setting("late", "Moves after which a node of depth 1 ends; 0 is never", 0, 0, 100),
        Setting("late_step", "Moves more for each ply of depth", 4, 0, 100),
        Setting("late_depth", "Greatest depth of late-move pruning", 5, 0, 7),
        Setting("reduction", "Late-move reduction in hundredths of a ply", 0, -300, 300),
        Setting("reduction_scale", "More of it by ln(depth) * ln(number of the move); 0 is by steps", 0, 0, 300),
        Setting("full_moves", "Moves of a node before the late ones", 3, 1, 30),
        Setting("pv_reduction", "Plies by which late moves of open windows are reduced less", 0, 0, 3),
        Setting(
            "history_plies", "Points of the history heuristic that spare a ply of reduction; 0 is none", 0, 0, 8192
        ),
        Setting("penalty", "1: moves before a cutoff lose points of the history heuristic", 0, 0, 1),
        Setting("unknown_depth", "Depth from which nodes without a table move are reduced; 0 is never", 0, 0, 20),
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
                futility=self._by_depth("futility"),
                razors=self._by_depth("razor"),
                move_limits=self._by_depth("late"),
                reduction_base=self._number("reduction"),
                reduction_scale=self._number("reduction_scale"),
                full_depth_moves=self._number("full_moves"),
                pv_reduction=self._number("pv_reduction"),
                history_plies=self._number("history_plies"),
                penalty=self._number("penalty"),
                unknown_depth=self._number("unknown_depth"),
                loud_plies=self._number("loud_plies"),
            ),
            preference_weight=self._number("preferences"),
        )
        self._memory: SearchMemory | None = None
        self._searchers: dict[Game, Searcher] = {}

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

    def lend(self, memory: SearchMemory) -> None:
        if memory is not self._memory:
            self._memory = memory
            self._searchers.clear()

    def prepare(self, game: Game) -> None:
        self._searcher(game, Limit(time=1)).search(game.start(), Limit(depth=1), self._style)

    def _searcher(self, game: Game, limit: Limit) -> Searcher:
        """Return the search for a board: under a clock with the table of the moves before, else with an empty one, so
        that its answers are deterministic."""
        if limit.time is None:
            return Searcher(game)
        if game not in self._searchers:
            self._searchers[game] = Searcher(game, self._memory)
        return self._searchers[game]

    def choose(self, state: State, limit: Limit) -> Thought:
        return self._searcher(state.game, limit).search(state, limit, self._style)


BOT = PvsBot
