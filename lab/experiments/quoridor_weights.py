"""Sensitivity of Quoridor's printed evaluation to its weights: each changed in turn and matched against the default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from cornered.lab.contests.match import paired
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.beside import OUR_COLOUR, PRINTED_COLOUR, error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, FigureVerdict, Finding, Scale
from cornered.lab.experiments.judging import share
from cornered.lab.experiments.laboratory import Laboratory, tally_of
from cornered.lab.reports.plots import INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "QuoridorWeights", "dominance"]

DEFAULT: Final = "quoridor-classic:depth=2"
CHANGED_VALUES: Final = {"path": (8.0, 16.0, 0.0), "progress": (0.5, 2.5, 0.0), "stock": (1.0, 3.0, 0.0)}
"""The ends of the printed ranges, then 0."""
SPECIFICATION_NAMES: Final = {"path": "path", "progress": "progress", "stock": "wall"}
"""The specification's names for the bot's settings."""
PAIRS_BY_SCALE: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {5: 2},
    "quick": {5: 60, 9: 30},
    "full": {5: 500, 9: 200},
}
OPENING_PLIES: Final = 2
MISSING: Final = (
    "The specification calls the path universally dominant, but does not say how it measures that, at which depth or "
    "against which opponent."
)


def dominance(without: Mapping[str, FigureRow]) -> FigureVerdict:
    """Return whether removing the path distance costs more than removing any other term."""
    path, *others = (without[setting] for setting in CHANGED_VALUES)
    if all(path.high < other.low for other in others):
        return "agrees"
    return "differs" if any(path.low > other.high for other in others) else "unclear"


class QuoridorWeights(Experiment):
    name = "quoridor-weights"
    title = "Quoridor's weights: each changed, against the default"
    source = "quoridor-specification.txt, Evaluation Weight Sensitivity"
    place = 4

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        notes = [
            f"Every row is {DEFAULT} with one weight changed against itself with the printed weights (12, 1.5, 2), in "
            f"pairs of games with the seats swapped after {OPENING_PLIES} random plies; a draw counts as half a win. "
            "50% is no difference.",
            "Only the ratios of the weights matter: to change the path's from 12 to 8 is to raise both others by half.",
            "Where the two games of a pair are the same move by move, the change made no difference. The games "
            "of an opening form a cluster.",
        ]
        for size in PAIRS_BY_SCALE[lab.scale]:
            without: dict[str, FigureRow] = {}
            for setting, values in CHANGED_VALUES.items():
                for value in values:
                    row = self._match(lab, size, setting, value)
                    if value:
                        rows.append(row)
                    else:
                        without[setting] = row
            verdict = dominance(without)
            for setting, row in without.items():
                claimed, said = ("dominant", verdict) if setting == "path" else ("", "new")
                rows.append(replace(row, claimed=claimed, verdict=said).because("vague", MISSING))
            notes.append(_said(size, verdict, without))
        return rows, notes, {}

    def _match(self, lab: Laboratory, size: int, setting: str, value: float) -> FigureRow:
        terms = ContestTerms.of("quoridor", {"size": size}, seed=lab.seed)
        changed = f"{DEFAULT},{setting}={value:g}"
        pairs = PAIRS_BY_SCALE[lab.scale][size]
        # The same openings for every change: the matches differ by the change alone.
        fixtures = list(paired(changed, DEFAULT, random_plies(terms, OPENING_PLIES), pairs))
        games = lab.play(f"size-{size}-{setting}-{value:g}", terms, fixtures)
        tally = tally_of(games, [played.score_of(changed) for played in games])
        same = sum(one.moves == other.moves for one, other in zip(games[::2], games[1::2], strict=True))
        note = f"{100 * same / pairs:.0f}% of the pairs are one game twice"
        return share(f"{size}x{size}, {SPECIFICATION_NAMES[setting]} {value:g}", "", None, tally, note)

    def plot(self, finding: Finding, figure: Figure) -> None:
        sizes = tuple(PAIRS_BY_SCALE[finding.scale])
        drawn = figure.subplots(1, len(sizes), sharex=True, squeeze=False)[0]
        for axes, size in zip(drawn, sizes, strict=True):
            rows = [row for row in finding.rows if row.label.startswith(f"{size}x{size}, ")]
            rows.sort(key=lambda row: list(SPECIFICATION_NAMES.values()).index(row.label.split()[1]))
            for place, row in enumerate(rows):
                colour = PRINTED_COLOUR if row.label.endswith(" 0") else OUR_COLOUR
                axes.errorbar(
                    [row.ours], [place], xerr=error_bars([row]), fmt="o", color=colour, capsize=3, markersize=5
                )
            axes.axvline(50, color=INK, linewidth=0.8)
            axes.set_yticks(range(len(rows)), [row.label.split(", ")[1] for row in rows])
            axes.set_ylim(len(rows) - 0.5, -0.5)
            axes.set_xlim(0, 100)
            axes.set_xlabel("score against the default, %")
            axes.set_title(f"{size}x{size}", loc="left", fontsize=10)
            axes.grid(visible=False, axis="y")
        for colour, label in ((OUR_COLOUR, "one weight changed"), (PRINTED_COLOUR, "one left out")):
            drawn[0].plot([], [], "o", color=colour, label=label)
        figure.legend(*drawn[0].get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=9)


def _said(size: int, verdict: FigureVerdict, without: Mapping[str, FigureRow]) -> str:
    scores = ", ".join(f"{SPECIFICATION_NAMES[setting]} {row.ours:.0f}%" for setting, row in without.items())
    meaning = {
        "agrees": "doing without the path costs the most, for certain",
        "differs": "doing without the path does not cost the most",
        "unclear": "too few games to say what costs the most",
        "new": "",
    }[verdict]
    return f"{size}x{size}: without one of the weights the player scores {scores}: {meaning}."


EXPERIMENTS = (QuoridorWeights(),)
