"""Test of TrapGrid's parity rule: whether the number of cells decides the game once the pawns are separated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, share
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "TrapGridParity", "are_separated", "first_separated", "parity"]

ALWAYS_PERCENT: Final = (100.0, 100.0)
GAMES_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 20, "quick": 1000, "full": 20_000}
PLAYER_BOTS: Final = {"random": "random", "classic": "trapgrid-classic:depth=3"}
GAMES_DIVISOR: Final = {"random": 1, "classic": 5}
"""Divisor of the number of games."""
OPENING_PLIES: Final = 6


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
            positions = [one for one in found if one is not None]
            rows += _rows(player, positions)
            both = sum(parity(one["cells"][0]) == parity(one["cells"][1]) for one in positions)
            notes.append(
                f"The pawns come apart in {len(positions)} of {len(games)} {player} games. In {both} of these "
                "positions the rule lets both win or both lose, so it contradicts itself."
            )
        return rows, notes, {}

    def plot(self, finding: Finding, figure: Figure) -> None:
        axes = figure.subplots()
        claims = {row.label: ALWAYS_PERCENT for row in finding.rows if row.claimed}
        dots(axes, finding.rows, claims, title="How often a rule names the winner")
        axes.axvline(50, color=PRINTED_COLOUR, linestyle="--", linewidth=1)
        axes.set_xlim(0, 104)
        axes.set_xlabel("% of positions (mark: printed; dashed: a coin)")


def _rows(player: str, positions: Sequence[Mapping[str, Any]]) -> list[FigureRow]:
    count = len(positions)

    def told(rule: str, right: int, of: int, claimed: str) -> FigureRow:
        return share(f"{player}: {rule}", claimed, ALWAYS_PERCENT if claimed else None, Tally.of(right, of))

    own = sum(parity(one["cells"][0]) == one["won"] for one in positions)
    other = sum(parity(one["cells"][1]) != one["won"] for one in positions)
    unequal = [one for one in positions if one["cells"][0] != one["cells"][1]]
    larger = sum((one["cells"][0] > one["cells"][1]) == one["won"] for one in unequal)
    one_sided = [one for one in positions if parity(one["cells"][0]) != parity(one["cells"][1])]
    clear = sum(parity(one["cells"][0]) == one["won"] for one in one_sided)
    return [
        told("parity, the mover's cells", own, count, "always"),
        told("parity, the other's cells", other, count, "always"),
        told("parity, where the two do not clash", clear, len(one_sided), "always"),
        told("the larger pocket wins", larger, len(unequal), ""),
    ]


EXPERIMENTS = (TrapGridParity(),)
