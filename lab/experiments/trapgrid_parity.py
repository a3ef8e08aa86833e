"""Test of TrapGrid's parity rule: whether the number of cells decides the game once the pawns are separated."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.bot import Limit
from cornered.bots.evaluate.trapgrid_classic import ClassicBoard, neighbours, reach
from cornered.bots.roster.trapgrid_classic import board_of
from cornered.bots.solve import trapgrid
from cornered.engine.games.trapgrid import TrapGridState
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, Fixture
from cornered.lab.experiments.beside import PRINTED_COLOUR, dots
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import share
from cornered.lab.experiments.laboratory import Laboratory, opening_cluster
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "TrapGridParity", "are_separated", "first_separated", "parity", "rules"]

ALWAYS_PERCENT: Final = (100.0, math.inf)
"""The claim of certainty: "you WIN if isolated"."""
USUALLY_PERCENT: Final = (50.0, math.inf)
"""The same section's milder claim: "last mover wins (usually you)"."""
GAMES_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 20, "quick": 1000, "full": 20_000}
PLAYER_BOTS: Final = {"random": "random", "classic": "trapgrid-classic:depth=3"}
GAMES_DIVISOR: Final = {"random": 1, "classic": 5}
"""Divisor of the number of games."""
OPENING_PLIES: Final = 8
"""Random plies before the first searched one. Six give only about a hundred openings, and as many different games."""


def are_separated(board: ClassicBoard) -> bool:
    """Return whether no cell is reachable by both pawns."""
    mine, theirs = (_pocket(board.free, pawn) for pawn in (board.ai, board.opponent))
    return not mine & theirs


def parity(cells: int) -> bool:
    """Return whether the printed rule predicts a win for the owner of a pocket of this many cells (section 9)."""
    return cells % 2 == 1


def first_separated(item: tuple[ContestTerms, tuple[str, ...]]) -> dict[str, Any] | None:
    """Return the solved result and the pockets' sizes at the first position of a game with separated pawns, else None.
    `cells` are the mover's and the opponent's, each counted with the pawn's own cell as in the reference."""
    terms, moves = item
    state = terms.load().start()
    for move in moves:
        state = state.play(move)
        assert isinstance(state, TrapGridState)
        if state.outcome is not None:
            return None
        board = board_of(state)
        if are_separated(board):
            solution = trapgrid.solve(state, Limit())
            assert solution is not None
            cells = [reach(board.free, board.ai), reach(board.free, board.opponent)]
            return {"won": solution.value == "win", "cells": cells}
    return None


def _pocket(free: int, pawn: int) -> int:
    inside = edge = neighbours(pawn) & free
    while edge:
        edge = neighbours(edge) & free & ~inside
        inside |= edge
    return inside


class TrapGridParity(Experiment):
    name = "trapgrid-parity"
    title = "TrapGrid's parity rule against the truth"
    source = "trapgrid-deep-dive.txt, section 9"
    place = 3

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        notes = [
            'The rule: "yourCells % 2 == 1: ODD, you WIN if isolated; else EVEN, you LOSE", with BFS counting the own '
            "cell. The positions are the first of each game at which no cell can be reached by both pawns, and the "
            "game is not over; a solver proves who wins.",
            "The longest path decides such a position and not the number of cells, and neither player's count knows "
            "about the other's pocket: the mover wins when its longest path is longer than the other's, by proof.",
            'The section says it twice: for certain, "you WIN if isolated", and mildly, "last mover wins (usually '
            'you)". Both are judged; whether the player to move or the other is meant is not said, so both '
            'are counted. Guessing names the winner in 50% of the positions, so "usually" agrees with any rule that is '
            "a little better.",
            '"Waste a move (move then come back)" is illegal: every cell that a pawn leaves is blocked for ever.',
        ]
        for player, word in PLAYER_BOTS.items():
            terms = ContestTerms.of("trapgrid", seed=lab.seed)
            opening = random_plies(terms, OPENING_PLIES)
            fixtures = [
                Fixture(number, (word, word), opening(number))
                for number in range(GAMES_BY_SCALE[lab.scale] // GAMES_DIVISOR[player])
            ]
            games = lab.play(player, terms, fixtures)
            found = lab.measure(f"{player}-apart", first_separated, [(terms, played.moves) for played in games])
            apart = [(one, opening_cluster(played)) for one, played in zip(found, games, strict=True) if one]
            positions = [one for one, _ in apart]
            rows += rules(player, positions, [cluster for _, cluster in apart])
            both = sum(parity(one["cells"][0]) == parity(one["cells"][1]) for one in positions)
            notes.append(
                f"The pawns come apart in {len(positions)} of {len(games)} {player} games. In {both} of these "
                "positions the rule lets both win or both lose, so it contradicts itself."
            )
        return rows, notes, {}

    def plot(self, finding: Finding, figure: Figure) -> None:
        axes = figure.subplots()
        certain = {row.label: (100.0, 100.0) for row in finding.rows if row.claimed == "always"}
        usual = {row.label: (50.0, 100.0) for row in finding.rows if row.claimed == "usually"}
        dots(axes, finding.rows, {**certain, **usual}, title="How often a rule names the winner")
        axes.axvline(50, color=PRINTED_COLOUR, linestyle="--", linewidth=1)
        axes.set_xlim(0, 104)
        axes.set_xlabel("% of positions (mark or band: printed; dashed: a coin)")


def rules(player: str, positions: Sequence[Mapping[str, Any]], clusters: Sequence[Hashable]) -> list[FigureRow]:
    """Return how often each rule names the winner; `clusters` are the openings of the positions' games."""

    def told(is_right: Callable[[Mapping[str, Any]], bool], chosen: Callable[[Any], bool]) -> Tally:
        kept = [(one, cluster) for one, cluster in zip(positions, clusters, strict=True) if chosen(one)]
        return Tally.clustered([float(is_right(one)) for one, _ in kept], [cluster for _, cluster in kept])

    def certain(rule: str, tally: Tally) -> FigureRow:
        wrong = round(tally.trials - tally.successes)
        return share(f"{player}: {rule}", "always", ALWAYS_PERCENT, tally).because(
            "refuted",
            f"A solver proves the opposite in {wrong} of {tally.trials} positions, and one would do. Each pawn walks "
            "its own longest path, and the mover wins where its path is the longer one, whatever the parity.",
        )

    def usual(rule: str, tally: Tally) -> FigureRow:
        return share(f"{player}: {rule}, usually", "usually", USUALLY_PERCENT, tally).because(
            "vague",
            'The section does not say who is to move, nor whether the "available cells" include the pawn\'s own, as '
            "its BFS does. Without that cell the rule predicts the opposite, and names the winner of "
            f"{100 * (1 - tally.share):.1f}% of the positions.",
        )

    own = told(lambda one: parity(one["cells"][0]) == one["won"], lambda one: True)
    other = told(lambda one: parity(one["cells"][1]) != one["won"], lambda one: True)
    clear = told(
        lambda one: parity(one["cells"][0]) == one["won"],
        lambda one: parity(one["cells"][0]) != parity(one["cells"][1]),
    )
    larger = told(
        lambda one: (one["cells"][0] > one["cells"][1]) == one["won"], lambda one: one["cells"][0] != one["cells"][1]
    )
    return [
        certain("parity, the mover's cells", own),
        certain("parity, the other's cells", other),
        certain("parity, where the two do not clash", clear),
        usual("parity, the mover's cells", own),
        usual("parity, the other's cells", other),
        share(
            f"{player}: the larger pocket wins", "", None, larger, '"the territory disparity rapidly becomes decisive"'
        ),
    ]


EXPERIMENTS = (TrapGridParity(),)
