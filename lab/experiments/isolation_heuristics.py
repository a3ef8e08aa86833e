"""Round robin of the Isolation tutorial's five heuristics."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.lab.contests.match import paired
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, FigureVerdict, Finding, Scale, share
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.reports.plots import COLOURS
from cornered.lab.statistics import bradley_terry
from cornered.lab.statistics.tally import Tally

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["CLAIMS_BY_HEURISTIC", "EXPERIMENTS", "IsolationHeuristics", "bot_name", "strengths"]

CLAIMS_BY_HEURISTIC: Final = {
    "simple": ("actually quite an effective game play strategy", ">50%"),
    "defensive": ("", ""),
    "offensive": ("", ""),
    "defensive-to-offensive": ("tends to be particularly effective", ">50%"),
    "offensive-to-defensive": ("", ""),
}
"""The tutorial's statement about each, and the claim derived from it."""
SHORT: Final = {
    "simple": "simple",
    "defensive": "defensive",
    "offensive": "offensive",
    "defensive-to-offensive": "def. to off.",
    "offensive-to-defensive": "off. to def.",
}
SEARCH_DEPTH_PLIES: Final = 4
PAIRS_BY_SCALE: Final[Mapping[Scale, Mapping[int, int]]] = {
    "tiny": {3: 2, 5: 1},
    "quick": {3: 40, 5: 14, 7: 4},
    "full": {3: 200, 5: 300, 7: 100},
}


def bot_name(heuristic: str) -> str:
    """Return the name of the bot that plays by a heuristic."""
    return f"isolation-{heuristic}:depth={SEARCH_DEPTH_PLIES}"


class IsolationHeuristics(Experiment):
    name = "isolation-heuristics"
    title = "Isolation's five heuristics in a round robin"
    source = "isolation-tutorial.txt, from The Simple Strategy on"
    place = 1

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        notes = [
            "Everybody meets everybody in pairs of games with the seats swapped, after random plies, and looks "
            f"{SEARCH_DEPTH_PLIES} plies ahead: the tutorial's maxDepth, on its board (3x3) and on larger ones. The "
            "tutorial's own program could not show this: its pruning never cuts, it scores finished games by the "
            "heuristic, and on half of its nodes it feeds the same mobility in twice. Here the search is alpha-beta, a "
            "finished game is won or lost, and both numbers are what they say.",
        ]
        tables: dict[str, dict[str, dict[str, float]]] = {}
        for size, pairs in PAIRS_BY_SCALE[lab.scale].items():
            games = self._games(lab, size, pairs)
            scores = {heuristic: _scores(games, heuristic) for heuristic in CLAIMS_BY_HEURISTIC}
            elos = strengths(games)
            tables[str(size)] = {
                one: {other: _score(games, one, other) for other in CLAIMS_BY_HEURISTIC if other != one}
                for one in CLAIMS_BY_HEURISTIC
            }
            of_size = [_row(size, heuristic, listed, elos[heuristic]) for heuristic, listed in scores.items()]
            rows += of_size
            order = sorted(of_size, key=lambda row: row.ours, reverse=True)
            first = sum(played.winner == 0 for played in games) / len(games)
            ranking = ", ".join(f"{row.label.split(', ')[1]} {row.ours:.0f}%" for row in order)
            notes.append(f"{size}x{size}: {ranking}. Whoever moves first wins {100 * first:.0f}% of these games.")
        return rows, notes, {"tables": tables}

    def _games(self, lab: Laboratory, size: int, pairs: int) -> list[PlayedGame]:
        terms = ContestTerms.of("isolation", {"width": size, "height": size}, seed=lab.seed)
        opening = random_plies(terms)
        fixtures = [
            fixture
            for number, (one, other) in enumerate(itertools.combinations(CLAIMS_BY_HEURISTIC, 2))
            for fixture in paired(bot_name(one), bot_name(other), opening, pairs, number=2 * pairs * number)
        ]
        return lab.play(f"size-{size}", terms, fixtures)

    def plot(self, finding: Finding, figure: Figure) -> None:
        tables: Mapping[str, Mapping[str, Mapping[str, float]]] = finding.series["tables"]
        figure.set_size_inches(3.2 + 2.9 * len(tables), 4.4)
        drawn = figure.subplots(1, len(tables), squeeze=False)[0]
        for place, (axes, (size, table)) in enumerate(zip(drawn, tables.items(), strict=True)):
            for row, one in enumerate(CLAIMS_BY_HEURISTIC):
                for column, other in enumerate(CLAIMS_BY_HEURISTIC):
                    if other in table[one]:
                        _cell(axes, column, row, table[one][other])
            names = [SHORT[heuristic] for heuristic in CLAIMS_BY_HEURISTIC]
            totals = [row.ours for row in finding.rows if row.label.startswith(f"{size}x{size}, ")]
            axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
            labels = [f"{name if place == 0 else ''} {total:.0f}%" for name, total in zip(names, totals, strict=True)]
            axes.set_yticks(range(len(names)), labels)
            axes.set_xlim(-0.5, len(names) - 0.5)
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.set_aspect("equal")
            axes.grid(visible=False)
            axes.set_title(f"{size}x{size}", loc="left", fontsize=10)
        figure.suptitle("Score of the row's heuristic against the column's, and of all its games, %", fontsize=10)


def _scores(games: Sequence[PlayedGame], heuristic: str) -> list[float]:
    name = bot_name(heuristic)
    return [played.score_of(name) for played in games if name in played.fixture.players]


def _score(games: Sequence[PlayedGame], one: str, other: str) -> float:
    between = [played.score_of(bot_name(one)) for played in games if _met(played, one, other)]
    return 100 * sum(between) / len(between)


def _row(size: int, heuristic: str, scores: Sequence[float], strength: float) -> FigureRow:
    quote, claimed = CLAIMS_BY_HEURISTIC[heuristic]
    row = share(f"{size}x{size}, {heuristic}", claimed, None, Tally.of(sum(scores), len(scores)))
    verdict: FigureVerdict = "new"
    if claimed:
        verdict = "agrees" if row.low > 50 else "differs" if row.high < 50 else "unclear"
    note = f"{strength:+.0f} Elo" + (f'; "{quote}"' if quote else "")
    return FigureRow(row.label, claimed, row.ours, row.low, row.high, row.count, verdict, row.unit, note)


def strengths(games: Sequence[PlayedGame]) -> Mapping[str, float]:
    """Return each heuristic's Bradley-Terry rating in Elo, with mean 0."""
    results: dict[tuple[str, str], tuple[int, int, int]] = {}
    for one, other in itertools.combinations(CLAIMS_BY_HEURISTIC, 2):
        score = [played.score_of(bot_name(one)) for played in games if _met(played, one, other)]
        results[bot_name(one), bot_name(other)] = score.count(1.0), score.count(0.5), score.count(0.0)
    ratings = bradley_terry.fit([bot_name(heuristic) for heuristic in CLAIMS_BY_HEURISTIC], results)
    return {heuristic: ratings.elo[bot_name(heuristic)] for heuristic in CLAIMS_BY_HEURISTIC}


def _met(played: PlayedGame, one: str, other: str) -> bool:
    return set(played.fixture.players) == {bot_name(one), bot_name(other)}


def _cell(axes: Axes, column: int, row: int, percent: float) -> None:
    """Write a score on a square whose colour deepens with its distance from 50%."""
    from matplotlib.patches import Rectangle

    colour = COLOURS[0] if percent >= 50 else COLOURS[1]
    corner = column - 0.48, row - 0.48
    axes.add_patch(Rectangle(corner, 0.96, 0.96, facecolor=colour, alpha=0.05 + abs(percent - 50) / 100, linewidth=0))
    axes.text(column, row, f"{percent:.0f}", ha="center", va="center", fontsize=9)


EXPERIMENTS = (IsolationHeuristics(),)
