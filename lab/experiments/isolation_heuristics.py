"""Round robins of the Isolation tutorial's five heuristics: with a corrected search, and in the tutorial's program."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.textbook.isolation_printed import TUTORIAL_PLIES
from cornered.lab.contests.match import paired
from cornered.lab.contests.openings import random_plies
from cornered.lab.contests.terms import ContestTerms, PlayedGame
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import mean, share
from cornered.lab.experiments.laboratory import Laboratory, opening_cluster, tally_of
from cornered.lab.reports.plots import COLOURS
from cornered.lab.statistics import bradley_terry

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "CORRECTED",
    "EXPERIMENTS",
    "PRINTED",
    "QUOTES_BY_HEURISTIC",
    "IsolationHeuristics",
    "IsolationProgram",
    "IsolationRoundRobin",
    "bot_name",
    "late_share",
    "strengths",
]

QUOTES_BY_HEURISTIC: Final = {
    "simple": "actually quite an effective game play strategy",
    "defensive": "",
    "offensive": "",
    "defensive-to-offensive": "tends to be particularly effective",
    "offensive-to-defensive": "",
}
"""The tutorial's statement about each; none names a figure or an opponent."""
SHORT: Final = {
    "simple": "simple",
    "defensive": "defensive",
    "offensive": "offensive",
    "defensive-to-offensive": "def. to off.",
    "offensive-to-defensive": "off. to def.",
}
CORRECTED: Final = "depth=4"
"""Settings of a search in which a finished game is won or lost, as deep as the tutorial's `maxDepth` says."""
PRINTED: Final = f"program=printed,depth={TUTORIAL_PLIES}"
"""Settings of the tutorial's own program."""
HALF_USED: Final = 0.5
"""Part of the board's cells above which the tutorial's strategies change."""


def bot_name(heuristic: str, settings: str = CORRECTED) -> str:
    """Return the name of the bot that plays by a heuristic."""
    return f"isolation-{heuristic}:{settings}"


def late_share(played: PlayedGame, size: int) -> float:
    """Return the part of a game's moves, from 0 to 1, at which more than half of the board had been used."""
    late = sum(used / size**2 > HALF_USED for used in range(len(played.moves)))
    return late / len(played.moves)


class IsolationRoundRobin(Experiment):
    """Every heuristic against every other, by one program."""

    settings: str
    pairs_by_scale: Mapping[Scale, Mapping[int, int]]
    """Pairs of games for each two heuristics, by board size."""
    about: str
    """What the program does."""

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        rows: list[FigureRow] = []
        notes = [
            "Every heuristic meets every other in pairs of games with the seats swapped, after random plies. "
            + self.about,
            "The tutorial says of two heuristics that they are effective, in words: it prints no score, no opponent "
            "and no board, so no figure is compared. All ten pairings have the same openings: intervals count each "
            "opening as a cluster, over all games of a heuristic.",
        ]
        tables: dict[str, dict[str, dict[str, float]]] = {}
        for size, pairs in self.pairs_by_scale[lab.scale].items():
            games = self._games(lab, size, pairs)
            elos = strengths(games, self.settings)
            tables[str(size)] = {
                one: {other: self._score(games, one, other) for other in QUOTES_BY_HEURISTIC if other != one}
                for one in QUOTES_BY_HEURISTIC
            }
            of_size = [self._row(size, heuristic, games, elos[heuristic]) for heuristic in QUOTES_BY_HEURISTIC]
            openings = [opening_cluster(played) for played in games]
            lengths = [float(len(played.moves)) for played in games]
            late = [100 * late_share(played, size) for played in games]
            rows += [
                *of_size,
                mean(f"{size}x{size}, length of a game", "", None, lengths, "plies", clusters=openings),
                mean(f"{size}x{size}, moves in the late phase", "", None, late, "%", "of a game", clusters=openings),
            ]
            order = sorted(of_size, key=lambda row: row.ours, reverse=True)
            first = sum(played.winner == 0 for played in games) / len(games)
            ranking = ", ".join(f"{row.label.split(', ')[1]} {row.ours:.0f}%" for row in order)
            notes.append(
                f"{size}x{size}: {ranking}. Seat 0 wins {100 * first:.0f}% of these games. On average "
                f"{rows[-1].ours:.0f}% of a game's moves come after half of the board is used, when the two strategies "
                "that change have changed."
            )
        return rows, notes, {"tables": tables}

    def _games(self, lab: Laboratory, size: int, pairs: int) -> list[PlayedGame]:
        terms = ContestTerms.of("isolation", {"width": size, "height": size}, seed=lab.seed)
        opening = random_plies(terms)
        fixtures = [
            fixture
            for number, (one, other) in enumerate(itertools.combinations(QUOTES_BY_HEURISTIC, 2))
            for fixture in paired(
                *(bot_name(one, self.settings), bot_name(other, self.settings), opening, pairs),
                number=2 * pairs * number,
            )
        ]
        return lab.play(f"size-{size}", terms, fixtures)

    def _score(self, games: Sequence[PlayedGame], one: str, other: str) -> float:
        name = bot_name(one, self.settings)
        between = [played.score_of(name) for played in games if _met(played, one, other, self.settings)]
        return 100 * sum(between) / len(between)

    def _row(self, size: int, heuristic: str, games: Sequence[PlayedGame], strength: float) -> FigureRow:
        name = bot_name(heuristic, self.settings)
        own = [played for played in games if name in played.fixture.players]
        quote = QUOTES_BY_HEURISTIC[heuristic]
        note = f"{strength:+.0f} Elo" + (f'; "{quote}"' if quote else "")
        tally = tally_of(own, [played.score_of(name) for played in own])
        return share(f"{size}x{size}, {heuristic}", "", None, tally, note)

    def plot(self, finding: Finding, figure: Figure) -> None:
        tables: Mapping[str, Mapping[str, Mapping[str, float]]] = finding.series["tables"]
        by = {row.label: row for row in finding.rows}
        figure.set_size_inches(3.2 + 2.9 * len(tables), 4.4)
        drawn = figure.subplots(1, len(tables), squeeze=False)[0]
        for place, (axes, (size, table)) in enumerate(zip(drawn, tables.items(), strict=True)):
            for row, one in enumerate(QUOTES_BY_HEURISTIC):
                for column, other in enumerate(QUOTES_BY_HEURISTIC):
                    if other in table[one]:
                        _cell(axes, column, row, table[one][other])
            names = [SHORT[heuristic] for heuristic in QUOTES_BY_HEURISTIC]
            totals = [by[f"{size}x{size}, {heuristic}"].ours for heuristic in QUOTES_BY_HEURISTIC]
            axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
            labels = [f"{name if place == 0 else ''} {total:.0f}%" for name, total in zip(names, totals, strict=True)]
            axes.set_yticks(range(len(names)), labels)
            axes.set_xlim(-0.5, len(names) - 0.5)
            axes.set_ylim(len(names) - 0.5, -0.5)
            axes.set_aspect("equal")
            axes.grid(visible=False)
            axes.set_title(f"{size}x{size}", loc="left", fontsize=10)
        figure.suptitle("Score of the row's heuristic against the column's, and of all its games, %", fontsize=10)


class IsolationHeuristics(IsolationRoundRobin):
    name = "isolation-heuristics"
    title = "Isolation's five heuristics in a round robin"
    source = "isolation-tutorial.txt, from The Simple Strategy on"
    place = 2
    settings = CORRECTED
    pairs_by_scale: Mapping[Scale, Mapping[int, int]] = {
        "tiny": {3: 2, 5: 1},
        "quick": {3: 40, 5: 14, 7: 4},
        "full": {3: 200, 5: 40, 7: 12},
    }
    about = (
        "The search is alpha-beta, four plies deep as `maxDepth` says, a finished game is won or lost, and of equal "
        "moves a random one is played."
    )


class IsolationProgram(IsolationRoundRobin):
    name = "isolation-program"
    title = "Isolation's five heuristics in the tutorial's own program"
    source = "isolation-tutorial.txt, from The Minimax and Alpha-Beta Pruning Strategy on"
    place = 1
    settings = PRINTED
    pairs_by_scale: Mapping[Scale, Mapping[int, int]] = {
        "tiny": {3: 2, 5: 1},
        "quick": {3: 100, 5: 50, 7: 20},
        "full": {3: 200, 5: 400, 7: 150},
    }
    about = (
        "The program is the tutorial's: its loop `depth <= maxDepth` expands five plies where `maxDepth` is 4, it "
        "scores a finished game by the heuristic, and plays the first of equal moves. A lost game scores 0, whatever "
        "the heuristic, since the program gives it the loser's number of moves twice. The offensive heuristic scores "
        "most games that go on below 0, so it often prefers to lose."
    )


def strengths(games: Sequence[PlayedGame], settings: str = CORRECTED) -> Mapping[str, float]:
    """Return each heuristic's Bradley-Terry rating in Elo, with mean 0."""
    names = {heuristic: bot_name(heuristic, settings) for heuristic in QUOTES_BY_HEURISTIC}
    results: dict[tuple[str, str], tuple[int, int, int]] = {}
    for one, other in itertools.combinations(names, 2):
        score = [played.score_of(names[one]) for played in games if _met(played, one, other, settings)]
        results[names[one], names[other]] = score.count(1.0), score.count(0.5), score.count(0.0)
    ratings = bradley_terry.fit(list(names.values()), results)
    return {heuristic: ratings.elo[name] for heuristic, name in names.items()}


def _met(played: PlayedGame, one: str, other: str, settings: str) -> bool:
    return set(played.fixture.players) == {bot_name(one, settings), bot_name(other, settings)}


def _cell(axes: Axes, column: int, row: int, percent: float) -> None:
    """Write a score on a square whose colour deepens with its distance from 50%."""
    from matplotlib.patches import Rectangle

    colour = COLOURS[0] if percent >= 50 else COLOURS[1]
    corner = column - 0.48, row - 0.48
    axes.add_patch(Rectangle(corner, 0.96, 0.96, facecolor=colour, alpha=0.05 + abs(percent - 50) / 100, linewidth=0))
    axes.text(column, row, f"{percent:.0f}", ha="center", va="center", fontsize=9)


EXPERIMENTS = (IsolationProgram(), IsolationHeuristics())
