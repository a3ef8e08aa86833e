"""Figure 11 of the Bamboo paper: thinking time per win of minimax at each depth."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale, best, counted
from cornered.lab.experiments.laboratory import BotPairing, Laboratory
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "MinimaxDepth"]

RADIUS: Final = 5
OPPONENT_BOT: Final = "bamboo-outer"
GAMES_BY_SCALE: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {1: 4, 2: 4},
    "quick": {1: 200, 2: 200, 3: 60, 4: 16},
    "full": {1: 1000, 2: 1000, 3: 400, 4: 100, 5: 20},
}
"""Number of games at each depth."""
BEST_DEPTH: Final = 2


def time_per_win(meeting: BotPairing) -> tuple[float, float, float]:
    """Return a player's thinking time in milliseconds per win, and its 95% interval. The time per game is the median
    over the games, so that neither warm-up nor other load distorts it."""
    usual = 1000 * statistics.median(effort.seconds for effort in meeting.efforts)
    count = len(meeting.games)
    wins = counted("", None, Tally.of(meeting.wins, count))
    ours, low, high = (100 * usual / share if share else math.inf for share in (wins.ours, wins.high, wins.low))
    return ours, low, high


class MinimaxDepth(Experiment):
    name = "bamboo-figure-11"
    title = "Figure 11: what a win costs minimax, by its depth"
    source = "bamboo-paper.txt, section V.C, Figure 11"
    place = 40

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=lab.seed)
        games = GAMES_BY_SCALE[lab.scale]
        asked = [(f"bamboo-minimax:depth={depth}", OPPONENT_BOT, games[depth]) for depth in games]
        meetings = dict(zip(games, lab.meet("games", terms, asked), strict=True))
        prices = {depth: time_per_win(meetings[depth]) for depth in games}
        cheapest = min(prices, key=lambda depth: prices[depth][0])
        possible = [depth for depth in prices if prices[depth][1] <= prices[cheapest][2]]
        rows = [best("the most efficient depth", BEST_DEPTH, cheapest, possible, sum(games.values()))]
        for depth in games:
            ours, low, high = prices[depth]
            rows.append(FigureRow(f"time for a win, depth {depth}", "", ours, low, high, games[depth], "new", "ms"))
        rows += [counted(f"wins, depth {depth}", None, meetings[depth].tally) for depth in games]
        return rows, _notes(cheapest, dict(zip(games, rows[len(games) + 1 :], strict=True))), {"depths": list(games)}

    def plot(self, finding: Finding, figure: Figure) -> None:
        from cornered.lab.reports.plots import COLOURS, INK

        depths = finding.series["depths"]
        prices, wins = finding.rows[1 : len(depths) + 1], finding.rows[len(depths) + 1 :]
        left, right = figure.subplots(1, 2)
        for axes, rows, colour, label in (
            (left, prices, COLOURS[0], "ms of thought for each win"),
            (right, wins, COLOURS[1], "games won against the outer heuristic, %"),
        ):
            errors = [
                [row.ours - row.low if math.isfinite(row.ours) else 0 for row in rows],
                [row.high - row.ours if math.isfinite(row.high) else 0 for row in rows],
            ]
            shown = [row.ours if math.isfinite(row.ours) else math.nan for row in rows]
            axes.errorbar(depths, shown, yerr=errors, fmt="o-", color=colour, capsize=3)
            axes.set(xlabel="depth", xticks=depths)
            axes.set_title(label, fontsize=10, loc="left")
        left.set_yscale("log")
        left.axvline(BEST_DEPTH, color=COLOURS[7], linestyle=":")
        left.text(
            BEST_DEPTH + 0.05,
            0.98,
            "the paper's best",
            transform=left.get_xaxis_transform(),
            fontsize=8,
            va="top",
            color=INK,
        )
        right.set_ylim(0, 105)


def _notes(cheapest: int, wins: Mapping[int, FigureRow]) -> list[str]:
    notes = [
        f"Size {RADIUS}, the sorted and pruned minimax. The paper's text names the best depth, and no figures.",
        "The time for a win is the median time of a game over the share of games won; it is this machine's.",
    ]
    if cheapest < BEST_DEPTH and wins[BEST_DEPTH].low <= wins[cheapest].high:
        notes.append(
            f"Depth {cheapest} is cheaper for each win than depth {BEST_DEPTH} here, because it wins as often "
            f"({wins[cheapest].ours:.0f}% against {wins[BEST_DEPTH].ours:.0f}%, which chance can explain) at a part of "
            "the cost. The evaluation counts the groups and moves of both sides already; to look at replies adds "
            "little against an opponent who does not choose them."
        )
    deepest = max(wins)
    if wins[deepest].low <= wins[cheapest].high:
        notes.append(
            f"That a deeper search stops paying holds: from depth {cheapest} to depth {deepest} wins do not rise "
            "measurably, while every ply costs many times more."
        )
    return notes


EXPERIMENTS = (MinimaxDepth(),)
