"""Base of Tables III and IV of the Bamboo paper: a round robin of five players, compared with the printed shares."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Final

from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import counted
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["RADIUS", "BambooRoundRobin"]

RADIUS: Final = 5


class BambooRoundRobin(Experiment):
    """Round robin with the seats divided equally."""

    players: ClassVar[Mapping[str, str]]
    """The bots by the names of the paper, in its order."""
    printed: ClassVar[Mapping[tuple[str, str], float]]
    """Share of the games in % that the first wins against the second."""

    @abstractmethod
    def games(self, first: str, second: str, scale: Scale) -> int:
        """Return the number of games of two bots, an even number."""

    def bot(self, name: str, scale: Scale) -> str:
        """Return the bot for a name of the paper."""
        del scale
        return self.players[name]

    def row(self, label: str, pair: tuple[str, str], tally: Tally) -> FigureRow:
        """Return the row of a pair's games."""
        return counted(label, self.printed[pair], tally)

    @abstractmethod
    def notes(self, rows: Mapping[tuple[str, str], FigureRow]) -> list[str]:
        """Return the notes on the rows of all pairs."""

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=lab.seed)
        pairs = [(later, earlier) for earlier, later in combinations(self.players, 2)]
        asked = [
            (first, second, self.games(first, second, lab.scale))
            for first, second in ((self.bot(a, lab.scale), self.bot(b, lab.scale)) for a, b in pairs)
        ]
        rows = {}
        meetings = lab.meet("games", terms, asked)
        for (first, second), meeting in zip(pairs, meetings, strict=True):
            rows[first, second] = self.row(f"{first} against {second}", (first, second), meeting.tally)
        return list(rows.values()), self.notes(rows), {"pairs": [list(pair) for pair in pairs]}

    def plot(self, finding: Finding, figure: Figure) -> None:
        figure.set_size_inches(7.2, 4.6)
        self.draw(figure.subplots(), finding, "")

    def draw(self, axes: Axes, finding: Finding, suffix: str) -> None:
        """Draw the matrix of the rows whose labels end with `suffix`, or without it where a pair has no such row."""
        import numpy as np
        from matplotlib.colors import LinearSegmentedColormap

        names, by_label = list(self.players), {row.label: row for row in finding.rows}
        share = np.full((len(names), len(names)), np.nan)
        for first, second in finding.series["pairs"]:
            label = f"{first} against {second}"
            row = by_label.get(label + suffix, by_label[label])
            i, j = names.index(first), names.index(second)
            share[i, j], share[j, i] = row.ours, 100 - row.ours
            for at, beside, ours, printed in (
                (i, j, row.ours, self.printed[first, second]),
                (j, i, 100 - row.ours, 100 - self.printed[first, second]),
            ):
                text = f"{ours:.0f}%\npaper {printed:g}%"
                weight = "bold" if row.verdict == "differs" else "normal"
                axes.text(beside, at, text, ha="center", va="center", fontsize=8, color="#24211d", weight=weight)
        colours = LinearSegmentedColormap.from_list("shares", ["#e8a27c", "#ffffff", "#86b4dc"])
        axes.imshow(share, cmap=colours, vmin=0, vmax=100, aspect="auto")
        axes.set_xticks(range(len(names)), names, fontsize=8)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.set_title("games that the row wins against the column; bold where the paper differs", fontsize=9)
        axes.grid(visible=False)
