"""Expectiminimax: its value against the expectation itself, what pruning saves it with known bounds and with none, and
its strength against searches that assume a roll."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.evaluate import evaluator
from cornered.bots.textbook.assumed import ASSUMED_BY_NAME
from cornered.bots.textbook.expectiminimax import PLY, expectiminimax
from cornered.bots.textbook.search import TextbookSearch
from cornered.bots.textbook.star1 import star1
from cornered.engine import CHANCE, State
from cornered.lab.contests.arena import position_after
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.beside import OUR_COLOUR, dots
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import checked, exact, mean, pooled, share
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.reports.plots import COLOURS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "DiceBoard", "NotesExpectiminimax", "chance_to_win", "chances", "costs"]

WHOLE_GAME_PLIES: Final = 200
ROUNDING: Final = 1e-9
LOOSENESSES: Final = (1.0, 2.0, 5.0, math.inf)
"""Widths of the bounds that pruning relies on, relative to what utilities can be; infinite for no bounds."""


@dataclass(frozen=True, slots=True)
class DiceBoard:
    """A square board of Isolation with dice: its random opening plies, rolls included, and the depth of a search."""

    size: int
    opening: int
    depth: int

    @property
    def label(self) -> str:
        return f"{self.size}x{self.size}, depth {self.depth}"

    def terms(self, seed: int) -> ContestTerms:
        """Return the terms of games on the board."""
        return ContestTerms.of("isolation", {"width": self.size, "height": self.size, "dice": True}, seed=seed)


SOLVED: Final = DiceBoard(3, 4, WHOLE_GAME_PLIES)
"""The board that is searched to the end."""
PRUNED: Final = (DiceBoard(4, 4, 5), DiceBoard(5, 6, 5), DiceBoard(7, 6, 3))
PLAYED: Final = (DiceBoard(4, 4, 5), DiceBoard(5, 4, 5), DiceBoard(7, 4, 3))
POSITIONS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 2, "quick": 60, "full": 200}
PAIRS_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 1, "quick": 60, "full": 300}


def chance_to_win(state: State, seat: int, known: dict[State, Fraction]) -> Fraction:
    """Return the probability that `seat` wins with best play of both: by the definition alone, with exact fractions."""
    if (outcome := state.outcome) is not None:
        return Fraction(outcome.winner == seat)
    if state not in known:
        after = [chance_to_win(state.play(move), seat, known) for move in state.moves()]
        if state.to_move == CHANCE:
            known[state] = sum(after, Fraction()) / len(after)
        else:
            known[state] = max(after) if state.to_move == seat else min(after)
    return known[state]


def chances(item: tuple[DiceBoard, int, tuple[str, ...]]) -> dict[str, Any]:
    """Return whether expectiminimax to the end of the game gives a position of a board, after `moves`, exactly its
    expectation, and whether Star1 gives the same."""
    board, seed, moves = item
    state = position_after(board.terms(seed), moves)
    evaluate = evaluator("isolation").evaluate
    plain = TextbookSearch(state.to_move, evaluate)
    value, _ = expectiminimax(state, board.depth, 0, plain)
    pruned, _ = star1(state, board.depth, -math.inf, math.inf, 0, TextbookSearch(state.to_move, evaluate))
    expectation = float(2 * chance_to_win(state, state.to_move, {}) - 1)
    # A win loses PLY of its utility with each ply.
    return {
        "exact": abs(value - expectation) <= plain.deepest * PLY + ROUNDING,
        "same": abs(value - pruned) <= ROUNDING,
        "expectation": expectation,
    }


def costs(item: tuple[DiceBoard, int, tuple[str, ...]]) -> list[int]:
    """Return the nodes of expectiminimax at a position of a board, and those of Star1 with each width of the bounds."""
    board, seed, moves = item
    state = position_after(board.terms(seed), moves)
    evaluate = evaluator("isolation").evaluate
    plain = TextbookSearch(state.to_move, evaluate)
    value, _ = expectiminimax(state, board.depth, 0, plain)
    nodes = [plain.nodes]
    for looseness in LOOSENESSES:
        search = TextbookSearch(state.to_move, evaluate)
        found, _ = star1(state, board.depth, -math.inf, math.inf, 0, search, looseness)
        assert abs(found - value) <= ROUNDING
        nodes.append(search.nodes)
    return nodes


class NotesExpectiminimax(Experiment):
    name = "notes-expectiminimax"
    title = "Expectiminimax, its pruning and its strength"
    source = "game-playing-notes.txt, Probabilistic Games"
    place = 6

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        saved, curves = self._saved(lab)
        return [*self._checks(lab), *saved, *self._games(lab)], self._notes(curves), {"curves": curves}

    def _positions(self, lab: Laboratory, board: DiceBoard) -> list[tuple[DiceBoard, int, tuple[str, ...]]]:
        opening = random_plies(board.terms(lab.seed), board.opening)
        return [(board, lab.seed, opening(number)) for number in range(POSITIONS_BY_SCALE[lab.scale])]

    def _checks(self, lab: Laboratory) -> list[FigureRow]:
        found = lab.measure("exact", chances, self._positions(lab, SOLVED))
        note = "by exact fractions, to the end of the game"
        return [
            checked(exact(f"3x3, {label}", claimed, (100, 100), _percent(found, key), len(found), "%", note))
            for label, claimed, key in (
                ("values that are the sum of P x V", "all", "exact"),
                ("values that pruning leaves as they are", "all", "same"),
            )
        ]

    def _saved(self, lab: Laboratory) -> tuple[list[FigureRow], dict[str, list[float]]]:
        rows: list[FigureRow] = []
        curves: dict[str, list[float]] = {}
        for board in PRUNED:
            found = lab.measure(f"cost-{board.size}", costs, self._positions(lab, board))
            plain = [nodes[0] for nodes in found]
            curves[board.label] = []
            for place, looseness in enumerate(LOOSENESSES, 1):
                left_out = [nodes[0] - nodes[place] for nodes in found]
                words = "no bounds" if math.isinf(looseness) else "known bounds"
                if 1 < looseness < math.inf:
                    words = f"bounds {looseness:g} times as wide"
                label = f"{board.label}, nodes saved, {words}"
                if math.isinf(looseness):
                    row = pooled(label, "none", (0, 0), left_out, plain, note="all positions together").because(
                        "refuted",
                        "The last roll of a chance node needs no bound: with the other rolls known, alpha and beta "
                        "become a window for it. Bounds are needed only to cut rolls off before the last.",
                    )
                    each = [100 * part / whole for part, whole in zip(left_out, plain, strict=True)]
                    rows += [row, mean(f"{label}, mean of each position's share", "", None, each, "%")]
                else:
                    row = pooled(label, "", None, left_out, plain, note="all positions together")
                    rows.append(row)
                curves[board.label].append(row.ours)
        return rows, curves

    def _games(self, lab: Laboratory) -> list[FigureRow]:
        rows = []
        for board in PLAYED:
            terms = board.terms(lab.seed)
            ours = f"expectiminimax:depth={board.depth}"
            pairings = [(ours, f"{ours},rolls={name}", 2 * PAIRS_BY_SCALE[lab.scale]) for name in ASSUMED_BY_NAME]
            opening = random_plies(terms, board.opening)
            met = lab.meet(f"games-{board.size}", terms, pairings, openings=opening)
            rows += [
                share(f"{board.label}, games won against the {name} roll", "", None, pairing.tally)
                for name, pairing in zip(ASSUMED_BY_NAME, met, strict=True)
            ]
        return rows

    def _notes(self, curves: Mapping[str, Sequence[float]]) -> list[str]:
        return [
            "Isolation with dice: a roll from 1 to 3 limits the length of a slide. The exact value comes from a "
            "recursion of its own with fractions, which shares no code with the search; that the two agree checks our "
            "search, not the notes.",
            "The notes say that alpha-beta needs known bounds on utilities. With a chance node at every second ply it "
            "still saves nodes without any: "
            + "; ".join(f"{label} {saved[-1]:.0f}%, with bounds {saved[0]:.0f}%" for label, saved in curves.items())
            + ". The last roll of a chance node gets a window without a bound. What bounds add is the cut before it, "
            "where values come near the bounds, as at the end of a game.",
            "The opponents look equally deep, and put one roll in the place of the mean: the middle one, or the worst "
            "for themselves. A bot knows its own roll when it moves, so the searches differ only in what they expect "
            "of later rolls. The notes claim no figure.",
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        left, right = figure.subplots(1, 2, width_ratios=(1, 1.3))
        for (label, saved), colour in zip(finding.series["curves"].items(), (OUR_COLOUR, *COLOURS), strict=False):
            left.plot(range(len(saved)), saved, "o-", color=colour, label=label)
        names = ["none" if math.isinf(width) else f"{width:g}x" for width in LOOSENESSES]
        left.set_xticks(range(len(names)), names)
        left.set_ylim(0, 60)
        left.set_xlabel("bounds, relative to the utilities' own")
        left.set_title("% of nodes saved by Star1", loc="left", fontsize=10)
        left.legend(frameon=False, fontsize=8)
        games = [row for row in finding.rows if "games won" in row.label]
        dots(right, games, {}, title="Expectiminimax's games, %")
        right.set_yticks(range(len(games)), [row.label.replace(", games won against ", "\nagainst ") for row in games])
        right.axvline(50, color=COLOURS[1], linewidth=0.8)
        right.set_xlim(0, 100)


def _percent(found: Sequence[Mapping[str, Any]], key: str) -> float:
    return 100 * sum(bool(one[key]) for one in found) / len(found)


EXPERIMENTS = (NotesExpectiminimax(),)
