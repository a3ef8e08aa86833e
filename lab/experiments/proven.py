"""Games on small boards whose positions are proven, and searches of them: to measure how right a search is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from cornered.bots.bot import Limit
from cornered.bots.evaluate import EvaluateState, evaluator
from cornered.bots.solve import Solution, solver
from cornered.bots.textbook.alphabeta import alpha_beta
from cornered.bots.textbook.isolation import HEURISTICS_BY_NAME, evaluation
from cornered.bots.textbook.quiescence import IsQuiet, few_moves, quiescence, swings
from cornered.bots.textbook.root import MAX_DEPTH_PLIES
from cornered.bots.textbook.search import OutOfLimit, TextbookSearch, ValuedLine
from cornered.engine import State
from cornered.lab.contests.terms import ContestTerms

__all__ = [
    "EXTENSIONS",
    "PROVEN_GAMES",
    "TESTS",
    "Choose",
    "ProvenGame",
    "QuietTest",
    "deepened",
    "played",
    "searched",
    "solution",
]

QuietTest: TypeAlias = str
"""A name in TESTS; empty for the plain search."""

TESTS: Final[Mapping[QuietTest, str]] = {"swing": "by the evaluation's swing", "moves": "by the number of moves"}
"""The tests of quietness, with their names in sentences."""
EXTENSIONS: Final[Mapping[QuietTest, int]] = {"swing": 2, "moves": 8}
"""Plies below the depth at most. All moves of a volatile position are searched: where many are volatile, as by the
swing, a longer reach multiplies the nodes by hundreds."""


@dataclass(frozen=True, slots=True)
class ProvenGame:
    """A game with a solver that answers in a fraction of a second."""

    game: str
    label: str
    options: Mapping[str, int]
    plies: int
    """Most random plies before a position."""
    opening: int
    """Random plies before a game."""
    depths: tuple[int, ...]
    depth: int
    """The depth at which quiescence is compared with the plain search."""
    swing: float
    """The evaluation's swing by the best move above which a position is volatile, in its units; it leaves most
    positions of random games quiet."""
    moves: int
    """The number of moves up to which a position is volatile."""

    @property
    def step(self) -> str:
        """The label as the name of a file."""
        return self.label.lower().replace(" ", "-")

    def terms(self, seed: int) -> ContestTerms:
        """Return the game's terms."""
        return ContestTerms.of(self.game, self.options, seed=seed)

    @property
    def evaluate(self) -> EvaluateState:
        """The evaluation: the notes' own for Isolation, own moves less the opponent's; else the game's."""
        if self.game == "isolation":
            return evaluation(HEURISTICS_BY_NAME["mobility-difference"], 0.0)
        return evaluator(self.game).evaluate

    def quiet(self, test: QuietTest) -> IsQuiet:
        """Return a test of quietness by its name."""
        return swings(self.swing) if test == "swing" else few_moves(self.moves)


PROVEN_GAMES: Final[Mapping[str, ProvenGame]] = {
    one.label: one
    for one in (
        ProvenGame("isolation", "Isolation 4x4", {"width": 4, "height": 4}, 8, 4, (1, 2, 3, 4), 3, 3.0, 2),
        ProvenGame("isolation", "Isolation 5x5", {"width": 5, "height": 5}, 14, 4, (1, 2, 3), 2, 3.0, 3),
        ProvenGame("trapgrid", "TrapGrid 7x7", {}, 20, 8, (1, 2, 3, 4, 6, 8), 3, 3.0, 1),
    )
}
"""The games by label."""


def solution(state: State) -> Solution:
    """Return the solution of a position that is not over."""
    of_game = solver(state.game.name)
    found = of_game.solve(state, Limit()) if of_game is not None else None
    if found is None:
        raise ValueError(f"{state.game!r} is beyond its solver")
    return found


def searched(ground: ProvenGame, state: State, depth: int, test: QuietTest, search: TextbookSearch) -> ValuedLine:
    """Return the value of a position for its mover, and best play, at so many plies: by alpha-beta, or by quiescence
    search with a test."""
    if not test:
        return alpha_beta(state, depth, -math.inf, math.inf, 0, search)
    return quiescence(state, depth, -math.inf, math.inf, 0, search, ground.quiet(test), EXTENSIONS[test])


def deepened(ground: ProvenGame, state: State, nodes: int, test: QuietTest) -> ValuedLine:
    """Return the same by iterative deepening: the result of the last iteration that `nodes` positions in all were
    enough for. Without any, the value is 0 and the move the first."""
    search = TextbookSearch(state.to_move, ground.evaluate, most_nodes=nodes)
    found: ValuedLine = 0.0, tuple(state.moves()[:1])
    for depth in range(1, MAX_DEPTH_PLIES + 1):
        search.saw_horizon = False
        try:
            found = searched(ground, state, depth, test, search)
        except OutOfLimit:
            break
        if not search.saw_horizon:
            break
    return found


Choose: TypeAlias = Callable[[State], str]


def played(state: State, players: tuple[Choose, Choose]) -> int:
    """Return the seat that wins from `state` when each seat plays what its function chooses; -1 for a draw."""
    while state.outcome is None:
        state = state.play(players[state.to_move](state))
    return -1 if state.outcome.winner is None else state.outcome.winner
