"""Figure 11 of the Bamboo paper: thinking time per win of minimax at each depth."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from cornered.bots.bamboo.minimax import GroupKind
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import best, counted, timed
from cornered.lab.experiments.laboratory import BotPairing, Laboratory
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "MinimaxDepth", "nodes_per_win", "time_per_win"]

RADIUS: Final = 5
OPPONENT_BOT: Final = "bamboo-outer"
GROUPS: Final[Mapping[GroupKind, str]] = {"pairs": "", "all": ", single stones counted"}
"""What a group is, and how labels say it. The paper's section II has groups of two stones or more, the rules all."""
GAMES_BY_SCALE: Final[Mapping[Scale, Mapping[GroupKind, Mapping[int, int]]]] = {
    "tiny": {"pairs": {1: 4, 2: 4}, "all": {1: 2, 2: 2}},
    "quick": {"pairs": {1: 200, 2: 200, 3: 60, 4: 16}, "all": {1: 200, 2: 200, 3: 60}},
    "full": {"pairs": {1: 1000, 2: 1000, 3: 400, 4: 100}, "all": {1: 1000, 2: 1000, 3: 200}},
}
"""Number of games by depth."""
BEST_DEPTH: Final = 2

Price: TypeAlias = tuple[float, float, float]
"""What a win costs, and the ends of its 95% interval, which is infinite without a win."""


def time_per_win(meeting: BotPairing) -> Price:
    """Return a player's thinking time in milliseconds per win, and its 95% interval. The time per game is the median
    over the games, so that neither warm-up nor other load distorts it."""
    return _per_win(1000 * statistics.median(effort.seconds for effort in meeting.efforts), meeting.tally)


def nodes_per_win(meeting: BotPairing) -> Price:
    """Return a player's nodes per win, and its 95% interval by the share of wins. Nodes are the same on every
    machine."""
    return _per_win(statistics.fmean(effort.nodes for effort in meeting.efforts), meeting.tally)


def _per_win(cost: float, tally: Tally) -> Price:
    least, most = tally.interval()
    ours, low, high = (cost / share if share else math.inf for share in (tally.share, most, least))
    # Rounding can put a share of 1 outside its own interval.
    return ours, min(low, ours), max(high, ours)


class MinimaxDepth(Experiment):
    name = "bamboo-figure-11"
    title = "Figure 11: what a win costs minimax, by its depth"
    source = "bamboo-paper.txt, section V.C, Figure 11"
    place = 40

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=lab.seed)
        games = {(kind, depth): count for kind, by in GAMES_BY_SCALE[lab.scale].items() for depth, count in by.items()}
        asked = [
            (f"bamboo-minimax:depth={depth},groups={kind}", OPPONENT_BOT, count)
            for (kind, depth), count in games.items()
        ]
        meetings = dict(zip(games, lab.meet("games", terms, asked), strict=True))
        optima, rows = list[FigureRow](), list[FigureRow]()
        depths = dict[GroupKind, list[int]]()
        for kind, suffix in GROUPS.items():
            met = {depth: meetings[kind, depth] for depth in GAMES_BY_SCALE[lab.scale][kind]}
            nodes = {depth: nodes_per_win(meeting) for depth, meeting in met.items()}
            times = {depth: time_per_win(meeting) for depth, meeting in met.items()}
            wins = {depth: counted(f"wins, depth {depth}{suffix}", None, met[depth].tally) for depth in met}
            optima += _optima(suffix, nodes, times, wins)
            rows += wins.values()
            rows += [
                FigureRow(f"nodes for a win, depth {depth}{suffix}", "", *nodes[depth], len(met[depth].games), "new")
                for depth in met
            ]
            rows += [
                timed(f"time for a win, depth {depth}{suffix}", "", *times[depth], len(met[depth].games), "ms")
                for depth in met
            ]
            depths[kind] = list(met)
        return [*optima, *rows], _notes({row.label: row for row in rows}, depths), {"depths": depths}

    def plot(self, finding: Finding, figure: Figure) -> None:
        from cornered.lab.reports.plots import COLOURS, INK

        by_label = {row.label: row for row in finding.rows}
        left, right = figure.subplots(1, 2)
        for colour, (kind, suffix) in zip(COLOURS, GROUPS.items(), strict=False):
            depths = finding.series["depths"][kind]
            for axes, figures in ((left, "nodes for a win"), (right, "wins")):
                rows = [by_label[f"{figures}, depth {depth}{suffix}"] for depth in depths]
                errors = [
                    [row.ours - row.low if math.isfinite(row.ours) else 0 for row in rows],
                    [row.high - row.ours if math.isfinite(row.high) else 0 for row in rows],
                ]
                shown = [row.ours if math.isfinite(row.ours) else math.nan for row in rows]
                label = suffix.removeprefix(", ") or "groups of two stones or more"
                axes.errorbar(depths, shown, yerr=errors, fmt="o-", color=colour, capsize=3, label=label)
                axes.set(xlabel="depth", xticks=finding.series["depths"]["pairs"])
        left.set_title("nodes for each win", fontsize=10, loc="left")
        right.set_title("games won against outer, %", fontsize=10, loc="left")
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
        right.legend(loc="lower right", fontsize=8)


def _cheapest(prices: Mapping[int, Price]) -> tuple[int, list[int]]:
    """Return the depth with the least price, and the depths that may have it by their intervals."""
    first = min(prices, key=lambda depth: prices[depth][0])
    return first, [depth for depth in prices if prices[depth][1] <= prices[first][2]]


def _optima(
    suffix: str, nodes: Mapping[int, Price], times: Mapping[int, Price], wins: Mapping[int, FigureRow]
) -> list[FigureRow]:
    """Return the rows of the most efficient depth: by nodes, which is judged, and by time, which is not."""
    count = sum(row.count for row in wins.values())
    cheapest, possible = _cheapest(nodes)
    by_nodes = best(f"the most efficient depth, by nodes{suffix}", BEST_DEPTH, cheapest, possible, count)
    why = (
        "The text names neither the depths that were compared nor any number of the plot. Depth "
        f"{cheapest} wins {wins[cheapest].ours:.0f}% and depth {BEST_DEPTH} {wins[BEST_DEPTH].ours:.0f}% of our games"
    )
    if cheapest < BEST_DEPTH and wins[cheapest].ours >= wins[BEST_DEPTH].ours:
        why += ", so that no cost of a node makes the deeper search the cheaper one"
    rest, _ = _cheapest({depth: price for depth, price in nodes.items() if depth >= BEST_DEPTH})
    if rest == BEST_DEPTH:
        why += f"; of the depths from {BEST_DEPTH} on, {BEST_DEPTH} is the cheapest here too"
    fastest, possible = _cheapest(times)
    ends = min(fastest, *possible), max(fastest, *possible)
    label = f"the most efficient depth, by time{suffix}"
    return [by_nodes.because("vague", f"{why}."), timed(label, f"{BEST_DEPTH}", fastest, *ends, count, "")]


def _notes(rows: Mapping[str, FigureRow], depths: Mapping[GroupKind, Sequence[int]]) -> list[str]:
    wins = {kind: rows[f"wins, depth {BEST_DEPTH}{suffix}"] for kind, suffix in GROUPS.items()}
    notes = [
        f"Size {RADIUS}, the sorted and pruned minimax, against the outer heuristic. The paper's text names the best "
        "depth, and no figures.",
        "The paper's price is in milliseconds, which belong to a machine and a program, so depths are ranked by nodes "
        "for each win, which repeat everywhere. The time for a win is the median time of a game over the share of "
        "games won.",
        "A group is of two stones or more in the paper's section II; the rules count single stones too. Equation 7 "
        f"depends on it: minimax of depth {BEST_DEPTH} wins {wins['pairs'].ours:.0f}% of its games against "
        f"outer by the paper's definition, and {wins['all'].ours:.0f}% when single stones count.",
    ]
    deepest = depths["pairs"][-1]
    near, far = rows[f"nodes for a win, depth {BEST_DEPTH}"], rows[f"nodes for a win, depth {deepest}"]
    if deepest > BEST_DEPTH and far.low > near.high:
        notes.append(
            f"That a deeper search stops paying holds: a win costs {far.ours / near.ours:.0f} times as many nodes at "
            f"depth {deepest} as at depth {BEST_DEPTH}."
        )
    return notes


EXPERIMENTS = (MinimaxDepth(),)
