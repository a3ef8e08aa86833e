"""The Isolation tutorial's minimax player against its random one: its two levels of difficulty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.beside import PRINTED_COLOUR, dots
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.isolation_heuristics import CORRECTED, PRINTED, QUOTES_BY_HEURISTIC, bot_name
from cornered.lab.experiments.judging import checked, share
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "IsolationRandom"]

PROGRAMS: Final = {"printed": PRINTED, "corrected": CORRECTED}
GAMES_BY_SCALE: Final[Mapping[Scale, Mapping[str, Mapping[int, int]]]] = {
    "tiny": {"printed": {3: 8}, "corrected": {3: 2}},
    "quick": {"printed": {3: 200, 5: 100, 7: 40}, "corrected": {3: 60, 5: 12}},
    "full": {"printed": {3: 2000, 5: 1000, 7: 400}, "corrected": {3: 500, 5: 100}},
}
"""Games of each heuristic, by program and board size."""
DISTINCT: Final = "a distinct change"
"""The tutorial's words; it prints no figure, and a search could hardly fail to beat random moves."""


class IsolationRandom(Experiment):
    name = "isolation-random"
    title = "Isolation's minimax against its random difficulty"
    source = "isolation-tutorial.txt, Play the Game Online and The Random Strategy"
    place = 3

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        notes = [
            'The tutorial speaks of a "distinct change in difficulty" between random moves and minimax, and prints no '
            "figure. So the score against random moves has no verdict; 50% would be no change. Games start from the "
            "empty board, with the seats divided equally.",
            'The heuristic is also said to change "the level of difficulty"; by how much is not said.',
        ]
        for program, games_by_size in GAMES_BY_SCALE[lab.scale].items():
            for size, games in games_by_size.items():
                terms = ContestTerms.of("isolation", {"width": size, "height": size}, seed=lab.seed)
                names = [bot_name(heuristic, PROGRAMS[program]) for heuristic in QUOTES_BY_HEURISTIC]
                met = lab.meet(f"{program}-{size}", terms, [(name, "random", games) for name in names])
                points, played = (sum(each) for each in zip(*((one.wins, len(one.games)) for one in met), strict=True))
                label = f"{size}x{size}, {program}, all heuristics"
                rows.append(checked(share(label, DISTINCT, None, Tally.of(points, round(played)))))
                of_size = [
                    share(f"{size}x{size}, {program}, {heuristic}", "", None, pairing.tally)
                    for heuristic, pairing in zip(QUOTES_BY_HEURISTIC, met, strict=True)
                ]
                scores = [row.ours for row in of_size]
                notes.append(
                    f"{size}x{size}, {program}: from {min(scores):.0f}% to {max(scores):.0f}% against random moves, by "
                    "heuristic."
                )
                rows += of_size
        return rows, notes, {}

    def plot(self, finding: Finding, figure: Figure) -> None:
        figure.set_size_inches(7.2, 1 + 0.24 * len(finding.rows))
        axes = figure.subplots()
        dots(axes, finding.rows, {})
        axes.axvline(50, color=PRINTED_COLOUR, linestyle="--", linewidth=1)
        axes.set_xlim(0, 104)
        axes.set_xlabel("score against random moves, % (line: no change)")


EXPERIMENTS = (IsolationRandom(),)
