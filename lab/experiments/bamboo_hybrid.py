"""Figures 14 and 15 of the Bamboo paper: the number of free cells at which the hybrid starts to search."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, best, counted
from cornered.lab.experiments.laboratory import BotPairing, Laboratory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "Threshold"]

RADIUS: Final = 5
OPPONENT_HEURISTICS: Final = ("uniform", "outer")
"""The heuristics against which the paper measures tree search and minimax."""
THRESHOLDS: Final[Mapping[Scale, tuple[int, ...]]] = {
    "tiny": (0, 40, 90),
    "quick": tuple(range(0, 91, 10)),
    "full": tuple(range(0, 91, 5)),
}
GAMES_BY_SCALE: Final[Mapping[Scale, int]] = {"tiny": 4, "quick": 100, "full": 1000}
BEST_THRESHOLD: Final = 40
BEST_WINS_PERCENT: Final = 91
"""Share of games won against the uniform player in %, by Table IV."""


class Threshold(Experiment):
    name = "bamboo-figures-14-15"
    title = "Figures 14 and 15: when the hybrid should begin to calculate"
    source = "bamboo-paper.txt, section V.E, equation 9, Figures 14 and 15"
    place = 60

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=lab.seed)
        thresholds, games = THRESHOLDS[lab.scale], GAMES_BY_SCALE[lab.scale]
        asked = [
            (f"bamboo-hybrid:threshold={threshold},depth=2", f"bamboo-{opponent}", games)
            for opponent in OPPONENT_HEURISTICS
            for threshold in thresholds
        ]
        meetings = iter(lab.meet("games", terms, asked))
        rows, optima, series = list[FigureRow](), list[FigureRow](), dict[str, Any]()
        for opponent in OPPONENT_HEURISTICS:
            met = [next(meetings) for _ in thresholds]
            spent = [statistics.median(effort.seconds for effort in meeting.efforts) for meeting in met]
            times = [seconds / max(spent) for seconds in spent]
            efficiency = [
                _efficiency(f"efficiency against {opponent}, threshold {i}", meeting, time)
                for i, meeting, time in zip(thresholds, met, times, strict=True)
            ]
            first = max(range(len(thresholds)), key=[row.ours for row in efficiency].__getitem__)
            possible = [i for i, row in zip(thresholds, efficiency, strict=True) if row.high >= efficiency[first].low]
            label = f"the best threshold against {opponent}"
            optima.append(best(label, BEST_THRESHOLD, thresholds[first], possible, games * len(thresholds)))
            if opponent == OPPONENT_HEURISTICS[0]:
                chosen = met[thresholds.index(BEST_THRESHOLD)]
                optima.append(
                    counted(f"wins against {opponent}, threshold {BEST_THRESHOLD}", BEST_WINS_PERCENT, chosen.tally)
                )
            rows += efficiency
            series[opponent] = {
                "times": times,
                "wins": [_wins(meeting) for meeting in met],
            }
        return [*optima, *rows], _notes(optima[0], series), {"thresholds": list(thresholds), **series}

    def plot(self, finding: Finding, figure: Figure) -> None:
        from cornered.lab.reports.plots import COLOURS

        thresholds = finding.series["thresholds"]
        figure.set_size_inches(7.2, 6.4)
        for opponent, (left, right) in zip(OPPONENT_HEURISTICS, figure.subplots(2, 2, sharex=True), strict=True):
            times, wins = finding.series[opponent]["times"], finding.series[opponent]["wins"]
            shares = [share for share, *_ in wins]
            errors = [[share - low for share, low, _ in wins], [high - share for share, _, high in wins]]
            efficiency = [share - time for share, time in zip(shares, times, strict=True)]
            left.errorbar(thresholds, efficiency, yerr=errors, fmt="o-", color=COLOURS[0], capsize=3, markersize=4)
            left.set_title(f"efficiency against {opponent}", fontsize=10, loc="left")
            right.errorbar(
                thresholds, shares, yerr=errors, fmt="o-", color=COLOURS[0], capsize=3, markersize=4, label="games won"
            )
            right.plot(thresholds, times, "s-", color=COLOURS[1], markersize=4, label="share of the longest time")
            right.set_title(f"wins and time against {opponent}", fontsize=10, loc="left")
            if opponent == OPPONENT_HEURISTICS[0]:
                right.plot(
                    [BEST_THRESHOLD], [BEST_WINS_PERCENT / 100], "D", color=COLOURS[2], label="paper, wins (Table IV)"
                )
            right.legend(loc="lower right", fontsize=8)
            right.set_ylim(-0.05, 1.05)
            for axes in (left, right):
                axes.axvline(BEST_THRESHOLD, color=COLOURS[7], linestyle=":")
            if opponent == OPPONENT_HEURISTICS[-1]:
                left.set_xlabel("threshold, free cells; dotted: the paper's choice")
                right.set_xlabel("threshold, free cells")


def _wins(meeting: BotPairing) -> tuple[float, float, float]:
    """Return the share of games that the first bot won, and its 95% interval."""
    row = counted("", None, meeting.tally)
    return row.ours / 100, row.low / 100, row.high / 100


def _efficiency(label: str, meeting: BotPairing, time: float) -> FigureRow:
    games = len(meeting.games)
    ours, low, high = (share - time for share in _wins(meeting))
    return FigureRow(label, "", ours, low, high, games, "new")


def _notes(optimum: FigureRow, series: Mapping[str, Any]) -> list[str]:
    notes = [
        f"Size {RADIUS}. The paper does not say against whom the hybrid plays here; against uniform its Table IV has "
        "91% with threshold 40, and the outer heuristic is what it measures minimax with, so both are played. Its "
        "curves have no figures in its text, only the best threshold.",
        "The time of a threshold is the median time of a game, as a part of the longest one. The intervals are those "
        "of the wins alone: on a machine with other work the times move too.",
    ]
    alone = series[OPPONENT_HEURISTICS[0]]["wins"][0][0]
    if optimum.high < BEST_THRESHOLD and alone > BEST_WINS_PERCENT / 100:
        notes.append(
            f"Our network alone wins {100 * alone:.0f}% against uniform, so there is little that calculating could add "
            "there, and the optimum is where it costs least. The paper's optimum is that of a network which plays no "
            "better than chance."
        )
    return notes


EXPERIMENTS = (Threshold(),)
