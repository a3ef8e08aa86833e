"""The Isolation tutorial's players: minimax with alpha-beta over heuristics that count open cells.

The setting `program` selects the search. `corrected`, the default, is a plain alpha-beta in which a finished game is
won or lost. `printed` is the tutorial's own program (see isolation_printed), which scores finished games by the
heuristic and searches five plies, so its `depth` is 5.

With dice the corrected search averages over the rolls; of several opponents the one counts who has most cells open, and
all of them are taken to play against the bot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import ClassVar, Final, TypeAlias

from cornered.bots.bot import Bot, Limit, Setting, Thought
from cornered.bots.evaluate import EvaluateState, Evaluator, is_duel
from cornered.bots.textbook.deepening import search
from cornered.bots.textbook.isolation_printed import printed_search
from cornered.engine import Game, State
from cornered.engine.games.isolation import IsolationState

__all__ = ["HEURISTICS_BY_NAME", "Heuristic", "IsolationMinimaxBot", "evaluation", "mobilities", "progress", "weights"]

Heuristic: TypeAlias = Callable[[int, int, float], float]
"""Scores the number of own moves and of the opponent's, given how much of the board was used when the search began."""

ELIMINATED_PENALTY: Final = 900.0
"""Evaluation, negated, of a seat that is out of a game for three or four."""
HALF_USED: Final = 0.5
PROGRAMS: Final = ("corrected", "printed")


def simple(own: int, other: int, used: float) -> float:
    return own


def defensive(own: int, other: int, used: float) -> float:
    return 2 * own - other


def offensive(own: int, other: int, used: float) -> float:
    return own - 2 * other


def defensive_to_offensive(own: int, other: int, used: float) -> float:
    return (defensive if used <= HALF_USED else offensive)(own, other, used)


def offensive_to_defensive(own: int, other: int, used: float) -> float:
    return (offensive if used <= HALF_USED else defensive)(own, other, used)


def mobility_difference(own: int, other: int, used: float) -> float:
    return own - other


HEURISTICS_BY_NAME: Final[Mapping[str, Heuristic]] = {
    "simple": simple,  # isolation-tutorial, "The Simple Strategy"
    "defensive": defensive,  # "The Defensive Strategy"
    "offensive": offensive,  # "The Offensive Strategy"
    "defensive-to-offensive": defensive_to_offensive,  # "A Defensive to Offensive Strategy"
    "offensive-to-defensive": offensive_to_defensive,  # "An Offensive to Defensive Strategy"
    "mobility-difference": mobility_difference,  # game-playing-notes, "Evaluation Functions"
}


def mobilities(state: IsolationState, seat: int) -> tuple[int, int]:
    """Return how many moves a seat has, and how many the opponent has who has most; those who are out have none."""
    places = state.position.places
    moves = [0 if places >> 3 * of & 7 else count for of, count in enumerate(state.mobility())]
    return moves[seat], max(count for of, count in enumerate(moves) if of != seat)


def progress(state: IsolationState) -> float:
    """Return the part of the board's cells that have been stood on: the tutorial's round / (width * height)."""
    cells = state.game.width * state.game.height
    return 1 - int(state.position.free).bit_count() / cells


def evaluation(heuristic: Heuristic, used: float) -> EvaluateState:
    """Return a heuristic as searches ask for it. `used` stays what it was at the root, as in the tutorial: a strategy
    that changed in the middle of a line would compare what cannot be compared."""

    def evaluate(state: State, seat: int) -> float:
        assert isinstance(state, IsolationState)
        if state.position.places >> 3 * seat & 7:
            return -ELIMINATED_PENALTY
        return float(heuristic(*mobilities(state, seat), used))

    return evaluate


def weights(heuristic: str, used: float) -> tuple[int, int]:
    """Return how much an own move and an opponent's move count in a heuristic; all of them are linear."""
    score = HEURISTICS_BY_NAME[heuristic]
    return int(score(1, 0, used)), int(score(0, 1, used))


class IsolationMinimaxBot(Bot):
    """Looks `depth` plies ahead, rolls of the dice among them, or as far as the limit goes."""

    games: ClassVar[tuple[str, ...] | None] = ("isolation",)
    SETTINGS: ClassVar[tuple[Setting, ...]] = (
        Setting("depth", "Plies to look ahead", 4, low=1, high=20),
        Setting("program", "The search as corrected, or as the tutorial prints it", "corrected", choices=PROGRAMS),
    )
    heuristic: ClassVar[str]
    """A name in HEURISTICS_BY_NAME."""

    def check(self, game: Game) -> None:
        if self.settings["program"] == "printed" and not is_duel(game):
            raise ValueError("the tutorial's program is for two players without dice")

    def choose(self, state: State, limit: Limit) -> Thought:
        assert isinstance(state, IsolationState)
        depth = int(self.settings["depth"])
        if self.settings["program"] == "printed":
            return printed_search(state, limit, depth, weights(self.heuristic, progress(state)))
        evaluate = evaluation(HEURISTICS_BY_NAME[self.heuristic], progress(state))
        return search(state, replace(limit, depth=min(depth, limit.depth or depth)), Evaluator(evaluate), self.chance)
