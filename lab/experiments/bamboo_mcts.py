"""Figures 12 and 13 of the Bamboo paper: strength of Monte Carlo tree search by its iterations and its exploration
constant c."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from cornered.lab.contests.terms import ContestTerms
from cornered.lab.experiments.bamboo_mcts_readings import READINGS, SUMMED, ReadingGame, reading_wins
from cornered.lab.experiments.beside import error_bars
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.judging import best, counted
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.statistics.tally import Tally
from cornered.lab.statistics.wilson import wilson

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["EXPERIMENTS", "Exploration"]

RADIUS: Final = 5
OPPONENT_BOT: Final = "bamboo-uniform"
ITERATIONS: Final = (1, 250, 500, 1000)
MAX_ITERATIONS: Final = 1000
BEST_C: Final = 0.4
CLAIMED_MEAN: Final = 87
TENTHS: Final[Mapping[Scale, tuple[int, ...]]] = {
    "tiny": (0, 4),
    "quick": (0, 2, 4, 6, 8, 10),
    "full": (0, 2, 4, 6, 8, 10),
}
"""Values of c, in tenths."""
GAMES_BY_SCALE: Final[Mapping[Scale, tuple[int, int]]] = {"tiny": (2, 2), "quick": (6, 40), "full": (20, 100)}
"""Number of games of each pair of settings, and of the paper's choice."""
CLAIMED_BEST: Final = 91
FEW_ITERATIONS: Final = (10, 25, 50, 100)
"""Iterations with which our own search may be as strong as the paper's is with a thousand."""
FEW_GAMES: Final[Mapping[Scale, int]] = {"tiny": 2, "quick": 100, "full": 200}
READING_GAMES: Final[Mapping[Scale, tuple[int, int]]] = {"tiny": (2, 2), "quick": (24, 6), "full": (100, 20)}
"""Number of games of the reading that is judged, at the paper's choice and in all over c, and of each other reading."""


class Exploration(Experiment):
    name = "bamboo-figures-12-13"
    title = "Figures 12 and 13: MCTS by its iterations and by c"
    source = "bamboo-paper.txt, section V.D, Figures 12 and 13"
    place = 50

    def run(self, lab: Laboratory) -> tuple[Sequence[FigureRow], Sequence[str], Mapping[str, Any]]:
        terms = ContestTerms.of("bamboo", {"radius": RADIUS}, seed=lab.seed)
        usual, chosen = GAMES_BY_SCALE[lab.scale]
        most = 20 if lab.scale == "tiny" else MAX_ITERATIONS
        levels = [*(iterations for iterations in ITERATIONS if iterations < most), most]
        constants = [tenths / 10 for tenths in TENTHS[lab.scale]]
        settings = [(iterations, c) for iterations in reversed(levels) for c in constants]
        asked = [
            (
                f"bamboo-mcts:iterations={iterations},c={c}",
                OPPONENT_BOT,
                chosen if (iterations, c) == (most, BEST_C) else usual,
            )
            for iterations, c in settings
        ]
        meetings = dict(zip(settings, lab.meet("games", terms, asked), strict=True))
        # Every c has the same weight: the paper's choice contributes as many games as each of the others.
        first = {setting: sum(meeting.scores[:usual]) for setting, meeting in meetings.items()}
        readings = self._readings(lab, most)
        over_c = self._mean_reading(lab, most, constants)
        few = self._few(lab, terms)
        rows = []
        for iterations in levels:
            wins = sum(first[iterations, c] for c in constants)
            claimed = CLAIMED_MEAN if iterations == MAX_ITERATIONS else None
            rows.append(counted(f"{_plural(iterations)}, mean over c", claimed, Tally.of(wins, usual * len(constants))))
        by_c = {c: counted(f"c = {c}, {most} iterations", None, Tally.of(first[most, c], usual)) for c in constants}
        strongest = max(constants, key=lambda c: by_c[c].ours)
        possible = [c for c in constants if by_c[c].high >= by_c[strongest].low]
        meeting = meetings[most, BEST_C]
        rows.append(counted(f"c = {BEST_C}, {most} iterations, more games", CLAIMED_BEST, meeting.tally))
        rows = [
            *(_explained(row, over_c, readings, few) for row in rows[:-1]),
            _explained(rows[-1], readings[SUMMED], readings, few),
        ]
        rows.append(best("the best c", BEST_C, strongest, possible, usual * len(constants)))
        rows += [_explained(row, None, readings, few) for row in (over_c, *readings.values())]
        rows += [*few, *by_c.values()]
        grid = [
            [iterations, c, first[iterations, c] / usual, *wilson(first[iterations, c], usual)]
            for iterations, c in settings
        ]
        return (
            rows,
            [*_notes(rows[: len(levels)], possible, usual), *_reading_notes(readings, few)],
            {"grid": grid, "levels": levels, "constants": constants},
        )

    def _readings(self, lab: Laboratory, iterations: int) -> dict[str, FigureRow]:
        """Return the share that each other reading of the search wins, with the paper's settings."""
        judged, usual = READING_GAMES[lab.scale]
        items = [
            ReadingGame(name, BEST_C, iterations, OPPONENT_BOT, lab.seed, number)
            for name in READINGS
            for number in range(judged if name == SUMMED else usual)
        ]
        won = lab.measure("readings", reading_wins, items)
        rows = {}
        for name in READINGS:
            scores = [score for item, score in zip(items, won, strict=True) if item.reading == name]
            rows[name] = counted(
                f"c = {BEST_C}, {iterations} iterations, {name}",
                CLAIMED_BEST if name == SUMMED else None,
                Tally.of(sum(scores), len(scores)),
            )
        return rows

    def _mean_reading(self, lab: Laboratory, iterations: int, constants: Sequence[float]) -> FigureRow:
        """Return the share that the search by the text below equation 8 wins, over all c."""
        games = -(-READING_GAMES[lab.scale][0] // len(constants))
        items = [
            ReadingGame(SUMMED, c, iterations, OPPONENT_BOT, lab.seed, number)
            for c in constants
            for number in range(games)
        ]
        won = lab.measure("reading-over-c", reading_wins, items)
        label = f"{_plural(iterations)}, mean over c, {SUMMED}"
        return counted(label, CLAIMED_MEAN, Tally.of(sum(won), len(won)))

    def _few(self, lab: Laboratory, terms: ContestTerms) -> list[FigureRow]:
        """Return the share that our own search wins with fewer iterations."""
        asked = [(f"bamboo-mcts:iterations={k},c={BEST_C}", OPPONENT_BOT, FEW_GAMES[lab.scale]) for k in FEW_ITERATIONS]
        return [
            counted(f"c = {BEST_C}, {_plural(iterations)} only", None, meeting.tally)
            for iterations, meeting in zip(FEW_ITERATIONS, lab.meet("few", terms, asked), strict=True)
        ]

    def plot(self, finding: Finding, figure: Figure) -> None:
        from cornered.lab.reports.plots import COLOURS

        levels, constants = finding.series["levels"], finding.series["constants"]
        share = {(k, c): (100 * p, 100 * low, 100 * high) for k, c, p, low, high in finding.series["grid"]}
        left, right = figure.subplots(1, 2, sharey=True)
        means = finding.rows[: len(levels)]
        left.errorbar(
            levels,
            [row.ours for row in means],
            yerr=error_bars(means),
            fmt="o-",
            color=COLOURS[0],
            capsize=3,
            label="mean over all c",
        )
        left.plot([MAX_ITERATIONS], [CLAIMED_MEAN], "s", color=COLOURS[1], label=f"paper: {CLAIMED_MEAN}%")
        left.set(xlabel="iterations a move", ylabel="games won against uniform, %", ylim=(0, 105))
        left.legend(loc="lower right", fontsize=8)
        for colour, iterations in zip((COLOURS[0], *COLOURS[2:]), reversed(levels), strict=False):
            ours = [share[iterations, c][0] for c in constants]
            right.plot(constants, ours, "o-", color=colour, label=_plural(iterations), markersize=4)
        top = [share[levels[-1], c] for c in constants]
        right.fill_between(
            constants, [low for _, low, _ in top], [high for *_, high in top], alpha=0.15, color=COLOURS[0]
        )
        right.plot([BEST_C], [CLAIMED_BEST], "s", color=COLOURS[1], label=f"paper: {CLAIMED_BEST}%, {MAX_ITERATIONS}")
        right.set(xlabel="c", xticks=constants)
        right.legend(loc="lower right", fontsize=8)


def _plural(iterations: int) -> str:
    return "1 iteration" if iterations == 1 else f"{iterations} iterations"


def _notes(means: Sequence[FigureRow], possible: Sequence[float], games: int) -> list[str]:
    notes = [
        f"Size {RADIUS}, against the uniform player, with {games} games for each pair of settings. The paper does not "
        "say how many values of c its mean is over; its 87% is compared as a count of 100 games.",
        "The wins never fall with more iterations, as in Figure 12: "
        + ", ".join(f"{row.label.split(',')[0]} {row.ours:.0f}%" for row in means)
        + "."
        if all(one.ours <= other.ours for one, other in pairwise(means))
        else "More iterations do not always win more here.",
    ]
    if means[-1].low > CLAIMED_MEAN:
        notes.append(
            f"Our tree search is stronger: with {MAX_ITERATIONS} iterations it wins {means[-1].ours:.0f}% of its games "
            f"against the uniform player, where the paper's loses {100 - CLAIMED_MEAN}%."
        )
    if len(possible) > 1:
        notes.append(
            f"The best c cannot be told from these games: {', '.join(f'{c:g}' for c in possible)} are all possible. "
            "The paper itself has the same share for 0.2 and 0.4, and chooses the latter by an interval."
        )
    return notes


def _explained(
    row: FigureRow, reading: FigureRow | None, readings: Mapping[str, FigureRow], few: Sequence[FigureRow]
) -> FigureRow:
    """Return the row with the reason why it differs: the reading of the same figure agrees, or what was tried."""
    tried = ", ".join(f"{name} {other.ours:.0f}%" for name, other in readings.items())
    equal = min(few, key=lambda fewer: abs(fewer.ours - CLAIMED_BEST))
    if reading is not None and reading.verdict == "agrees":
        why = (
            'The text above equation 8 has v as "the average wins", the text below it as "the value of wins". With the '
            f"number of wins for v, one of {len(readings)} readings that were tried, {reading.ours:.0f}% are won, "
            f'which agrees: the row "{reading.label}".'
        )
        return row.because("definition", why)
    return row.because(
        "unexplained",
        f"Readings that were tried with c = {BEST_C}: {tried}. Of our own search with fewer iterations, "
        f"{equal.label.split(', ')[1].removesuffix(' only')} come nearest, with {equal.ours:.0f}%.",
    )


def _reading_notes(readings: Mapping[str, FigureRow], few: Sequence[FigureRow]) -> list[str]:
    return [
        "Our search follows section IV.C. Because it is stronger than the printed one, other readings and likely "
        f"faults play the same games, with c = {BEST_C}: "
        + ", ".join(f"{name}: {row.ours:.0f}%" for name, row in readings.items())
        + ".",
        "Our own search, with fewer iterations a move: "
        + ", ".join(f"{row.label.split(', ')[1].removesuffix(' only')} {row.ours:.0f}%" for row in few)
        + ".",
    ]


EXPERIMENTS = (Exploration(),)
