"""Figures 14 and 15 of the Bamboo paper: the number of free cells at which the hybrid starts to search."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.roster.bamboo_hybrid import CHANCE_NETWORK
from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import best, counted, timed
from cornered.lab.experiments.laboratory import BotPairing, Laboratory, tally_of
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "UNPRINTED_NETWORK", "Threshold", "ThresholdCurve", "explained"]

RADIUS: Final = 5
OPPONENT_HEURISTICS: Final = ("uniform", "outer")
"""The heuristics against which the paper measures tree search and minimax."""
NETWORKS: Final[Mapping[str, str]] = {"dense": "", CHANCE_NETWORK: ", chance for the network"}
"""Values of the hybrid's setting `network`, and how labels say it. The paper's own network wins 52% against uniform, so
that uniform play in its place is the nearest control."""
THRESHOLDS: Final[Mapping[Scale, tuple[int, ...]]] = {
    "tiny": (0, 40, 90),
    "quick": tuple(range(0, 91, 10)),
    "full": tuple(range(0, 91, 5)),
}
GAMES_BY_SCALE: Final[Mapping[Scale, tuple[int, int]]] = {"tiny": (4, 4), "quick": (60, 200), "full": (400, 1000)}
"""Number of games of each threshold, and of the paper's choice against uniform."""
BEST_THRESHOLD: Final = 40
BEST_WINS_PERCENT: Final = 91
"""Share of games won against the uniform player in %, by Table IV."""

UNPRINTED_NETWORK: Final = "The paper prints neither the weights of its network nor the games that it was trained with."
UNPRINTED_COST: Final = (
    "The paper does not say against whom its thresholds are compared, nor what a move of its network and of its "
    "minimax costs, on which the optimum depends."
)


@dataclass(frozen=True, slots=True)
class ThresholdCurve:
    """One network's games against one opponent at each threshold. Costs are relative to the largest of them."""

    thresholds: Sequence[int]
    tallies: Sequence[Tally]
    nodes: Sequence[float]
    times: Sequence[float]

    @classmethod
    def of(cls, thresholds: Sequence[int], met: Sequence[BotPairing], games: int) -> ThresholdCurve:
        """Return the curve of the first `games` games of each pairing. The time of a threshold is the median of its
        games, so that other load on the machine does not distort it."""
        tallies, nodes, times = [], [], []
        for meeting in met:
            played, efforts = meeting.games[:games], meeting.efforts[:games]
            tallies.append(tally_of(played, meeting.scores[:games]))
            nodes.append(statistics.fmean(effort.nodes for effort in efforts))
            times.append(statistics.median(effort.seconds for effort in efforts))
        return cls(
            thresholds, tallies, [one / max(nodes) for one in nodes], [seconds / max(times) for seconds in times]
        )

    def efficiency(self, costs: Sequence[float]) -> list[tuple[float, float, float]]:
        """Return the share of wins less the relative cost at each threshold (equation 9), and the ends of its interval,
        which is that of the wins alone."""
        found = []
        for tally, cost in zip(self.tallies, costs, strict=True):
            low, high = tally.interval()
            found.append((tally.share - cost, min(low, tally.share) - cost, max(high, tally.share) - cost))
        return found

    def optimum(self, costs: Sequence[float]) -> tuple[int, list[int]]:
        """Return the most efficient threshold, and those that may be it by their intervals."""
        efficiency = self.efficiency(costs)
        first = max(range(len(efficiency)), key=lambda place: efficiency[place][0])
        least = efficiency[first][1]
        return self.thresholds[first], [
            threshold for threshold, (_, _, high) in zip(self.thresholds, efficiency, strict=True) if high >= least
        ]

    def as_json(self) -> dict[str, Any]:
        """Return shares of wins with their intervals, and costs, for the plot."""
        wins = [(tally.share, *tally.interval()) for tally in self.tallies]
        return {"wins": [list(one) for one in wins], "nodes": list(self.nodes), "times": list(self.times)}


class Threshold(Experiment):
    name = "bamboo-figures-14-15"
    title = "Figures 14 and 15: when the hybrid should begin to calculate"
    source = "bamboo-paper.txt, section V.E, equation 9, Figures 14 and 15"
    place = 60

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=lab.seed)
        thresholds, (usual, chosen) = THRESHOLDS[lab.scale], GAMES_BY_SCALE[lab.scale]
        settings = [
            (opponent, network, threshold)
            for opponent in OPPONENT_HEURISTICS
            for network in NETWORKS
            for threshold in thresholds
        ]
        asked = [
            (
                f"bamboo-hybrid:threshold={threshold},depth=2,groups=pairs,network={network}",
                f"bamboo-{opponent}",
                chosen if (opponent, threshold) == (OPPONENT_HEURISTICS[0], BEST_THRESHOLD) else usual,
            )
            for opponent, network, threshold in settings
        ]
        meetings = dict(zip(settings, lab.meet("games", terms, asked), strict=True))
        curves = {
            (opponent, network): ThresholdCurve.of(
                thresholds, [meetings[opponent, network, i] for i in thresholds], usual
            )
            for opponent in OPPONENT_HEURISTICS
            for network in NETWORKS
        }
        wins = {
            network: counted(
                f"wins against uniform, threshold {BEST_THRESHOLD}{suffix}",
                BEST_WINS_PERCENT,
                meetings[OPPONENT_HEURISTICS[0], network, BEST_THRESHOLD].tally,
            )
            for network, suffix in NETWORKS.items()
        }
        optima = {key: _optimum(*key, curve, usual) for key, curve in curves.items()}
        rows = [
            *(explained(row, wins[CHANCE_NETWORK], UNPRINTED_NETWORK) for row in wins.values()),
            *(
                explained(row, optima[opponent, CHANCE_NETWORK], UNPRINTED_COST)
                for (opponent, _), row in optima.items()
            ),
            *(_fastest(*key, curve, usual) for key, curve in curves.items()),
            *_efficiencies(curves, usual),
        ]
        series = {f"{opponent} {network}": curve.as_json() for (opponent, network), curve in curves.items()}
        return rows, _notes(curves, wins), {"thresholds": list(thresholds), **series}

    def plot(self, finding: Finding, figure: Figure) -> None:
        from cornered.lab.reports.plots import COLOURS

        thresholds = finding.series["thresholds"]
        figure.set_size_inches(7.2, 6.4)
        for opponent, (left, right) in zip(OPPONENT_HEURISTICS, figure.subplots(2, 2, sharex=True), strict=True):
            for colour, network in zip(COLOURS, NETWORKS, strict=False):
                drawn = finding.series[f"{opponent} {network}"]
                shares = [share for share, *_ in drawn["wins"]]
                errors = [
                    [max(0.0, share - low) for share, low, _ in drawn["wins"]],
                    [max(0.0, high - share) for share, _, high in drawn["wins"]],
                ]
                efficiency = [share - cost for share, cost in zip(shares, drawn["nodes"], strict=True)]
                label = "our network" if network != CHANCE_NETWORK else "chance for the network"
                for axes, figures in ((left, efficiency), (right, shares)):
                    axes.errorbar(
                        thresholds, figures, yerr=errors, fmt="o-", color=colour, capsize=3, markersize=4, label=label
                    )
                right.plot(thresholds, drawn["nodes"], "--", color=colour, label=f"nodes, {label}")
            left.set_title(f"efficiency against {opponent}, by nodes", fontsize=10, loc="left")
            right.set_title(f"wins and relative nodes against {opponent}", fontsize=10, loc="left")
            right.set_ylim(-0.05, 1.05)
            for axes in (left, right):
                axes.axvline(BEST_THRESHOLD, color=COLOURS[7], linestyle=":")
            if opponent == OPPONENT_HEURISTICS[0]:
                right.plot(
                    [BEST_THRESHOLD], [BEST_WINS_PERCENT / 100], "D", color=COLOURS[2], label="paper, wins (Table IV)"
                )
            else:
                left.set_xlabel("threshold, free cells; dotted: the paper's choice")
                right.set_xlabel("threshold, free cells")
            right.legend(fontsize=8)


def _label(what: str, opponent: str, network: str) -> str:
    return f"{what} against {opponent}{NETWORKS[network]}"


def _optimum(opponent: str, network: str, curve: ThresholdCurve, games: int) -> FigureRow:
    """Return the row of the best threshold with nodes for the time of equation 9: nodes repeat on every machine."""
    label = _label("the best threshold by nodes", opponent, network)
    return best(label, BEST_THRESHOLD, *curve.optimum(curve.nodes), games * len(curve.thresholds))


def _fastest(opponent: str, network: str, curve: ThresholdCurve, games: int) -> FigureRow:
    """Return the row of the best threshold by time, which belongs to a machine and is not judged."""
    label = _label("the best threshold by time", opponent, network)
    first, possible = curve.optimum(curve.times)
    ends = min(first, *possible), max(first, *possible)
    return timed(label, f"{BEST_THRESHOLD}", first, *ends, games * len(curve.thresholds), "")


def explained(row: FigureRow, control: FigureRow, missing: str) -> FigureRow:
    """Return the row with what is missing in the paper, and what the control gives."""
    why = f"{missing} With uniform play in the place of the network, as a control, {control.ours:.0f}{control.unit}"
    if row is not control and control.verdict == "agrees":
        return row.because("vague", f'{why} is found, which agrees: the row "{control.label}".')
    return row.because("vague", f"{why} is found.")


def _efficiencies(curves: Mapping[tuple[str, str], ThresholdCurve], games: int) -> list[FigureRow]:
    """Return the efficiency at each threshold against the first opponent; those against the other are drawn only."""
    return [
        FigureRow(f"efficiency by nodes, threshold {threshold}{NETWORKS[network]}", "", *figures, games, "new")
        for (opponent, network), curve in curves.items()
        if opponent == OPPONENT_HEURISTICS[0]
        for threshold, figures in zip(curve.thresholds, curve.efficiency(curve.nodes), strict=True)
    ]


def _notes(curves: Mapping[tuple[str, str], ThresholdCurve], wins: Mapping[str, FigureRow]) -> list[str]:
    uniform = OPPONENT_HEURISTICS[0]
    alone = {network: 100 * curves[uniform, network].tallies[0].share for network in NETWORKS}
    notes = [
        f"Size {RADIUS}, with the paper's groups of two stones or more. The paper does not say against whom the hybrid "
        "plays here; against uniform its Table IV has 91% with threshold 40, and the outer heuristic is what it "
        "measures minimax with, so both are played. Its curves have no figures in its text, only the best threshold.",
        "Equation 9 subtracts the time as a part of the longest. Time is a machine's; the judged optimum has nodes for "
        "it: one for a move of the network, and those of the search for a move of minimax. The intervals are those of "
        "the wins.",
        f"The paper's network wins 52% against uniform, ours wins {alone['dense']:.0f}% alone. So each figure has a "
        "control, in which uniform play takes the place of the network until the threshold: it wins "
        f"{alone[CHANCE_NETWORK]:.0f}% without minimax, and {wins[CHANCE_NETWORK].ours:.1f}% with minimax from "
        f"{BEST_THRESHOLD} free cells on, where {BEST_WINS_PERCENT}% is printed.",
    ]
    if wins[CHANCE_NETWORK].verdict == "agrees":
        notes.append(
            "So the paper's hybrid is as strong as one that places at random and then calculates: its network adds "
            "nothing that 100 games could show."
        )
    return notes


EXPERIMENTS = (Threshold(),)
