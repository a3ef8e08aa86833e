"""Plots of a contest: ratings, crosstable, game lengths and move times."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Final

from cornered.lab.contests.results import Standings
from cornered.lab.contests.terms import PlayedGame
from cornered.lab.reports.plots import COLOURS, INK, QUIET_COLOUR, drawing, folded, save
from cornered.lab.reports.wording import likely, percent, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Chart", "write"]

WIDTH_INCHES: Final = 7.2
"""Default width of plots in inches; crosstables of many bots are wider."""
MAX_BARS: Final = 36
"""Maximum number of bars in the histogram of game lengths."""
SEAT_COLOURS: Final = (COLOURS[1], COLOURS[0])
"""Colours of seats 0 and 1, the same as on the page."""
MIN_COLUMNS: Final = 7
"""Least number of columns for which a crosstable has room, so that few columns do not become wide cells."""
MAX_OPACITY: Final = 0.45
"""Maximum opacity of a cell's colour: its text stays readable in both colour schemes."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A written plot: its file, its title and its text alternative."""

    path: Path
    title: str
    alt: str


@dataclass(frozen=True, slots=True)
class _Drawing:
    """A plot to be drawn; width and height are in inches."""

    name: str
    title: str
    alt: str
    height: float
    draw: Callable[[Figure], None]
    width: float = WIDTH_INCHES


def write(folder: Path, standings: Standings, games: Sequence[PlayedGame]) -> list[Chart]:
    """Write the plots for which there is data into an existing folder. Equal games give equal files, except
    `times.svg`."""
    charts = []
    for plot in _drawings(standings, games):
        path = folder / f"{plot.name}.svg"
        with drawing(plot.width, plot.height) as figure:
            plot.draw(figure)
            save(figure, path)
        charts.append(Chart(path, plot.title, plot.alt))
    return charts


def _drawings(standings: Standings, games: Sequence[PlayedGame]) -> Iterator[_Drawing]:
    rows = len(standings.bots)
    high = max(0.36, 0.12 + 0.16 * max(len(label.split("\n")) for label in _labels(standings)))
    if standings.superiority:
        best = standings.table[0]
        yield _Drawing(
            "ratings",
            "Ratings and their 95% intervals",
            f"A line for each of {rows} bots, the best first: {best.bot} at {signed(best.elo)} Elo.",
            0.9 + high * rows,
            lambda figure: _ratings(figure, standings),
        )
        yield from _squares(standings, 0.7 + high * rows, max(WIDTH_INCHES, 2.8 + 0.36 * rows))
    if standings.lengths is not None:
        lengths = [(len(played.moves), played.winner) for played in games]
        yield _Drawing(
            "lengths",
            "How long games are, and who wins them",
            f"From {standings.lengths.shortest} to {standings.lengths.longest} plies, {standings.lengths.mean:.1f} on "
            "average.",
            3.2,
            lambda figure: _lengths(figure, lengths),
        )
    if spent := _seconds(games):
        yield _Drawing(
            "times",
            "Time for a move",
            "A line for each bot on a logarithmic scale: the games' means, and its slowest move.",
            1.2 + high * rows,
            lambda figure: _times(figure, standings, spent),
        )


def _squares(standings: Standings, height: float, width: float) -> Iterator[_Drawing]:
    """Yield the plots with a cell for each pairing."""
    cells = {pair: (100 * score.share, percent(score.share, 0)) for pair, score in standings.pairings.items()}
    yield _Drawing(
        "win-rates",
        "What the bot of the row scores against the bot of the column, in percent",
        "The same figures as in the crosstable, blue above 50% and orange below.",
        height,
        lambda figure: _cells(figure, standings, cells),
        width,
    )
    if len(standings.bots) > 2:
        chances = {pair: (100 * p, likely(p, 0)) for pair, p in standings.superiority.items()}
        yield _Drawing(
            "superiority",
            "How likely the bot of the row is stronger than the bot of the column, in percent",
            "The same figures as in the table of likelihoods, blue above 50% and orange below.",
            height,
            lambda figure: _cells(figure, standings, chances),
            width,
        )


def _labels(standings: Standings) -> list[str]:
    """Return the bots' names, folded into one or two lines, with the numbers of their columns."""
    labels = []
    for place, bot in enumerate(standings.bots, 1):
        first, *others = folded(f"{place}. {bot}").split("\n")
        labels.append("\n".join([first, *others]) if len(others) < 2 else f"{first}...\n{others[-1]}")
    return labels


def _rows(axes: Axes, standings: Standings) -> None:
    """Assign each bot a row, the best on top."""
    axes.set_yticks(range(len(standings.bots)), _labels(standings))
    axes.set_ylim(len(standings.bots) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)


def _ratings(figure: Figure, standings: Standings) -> None:
    axes = figure.subplots()
    ends = [end for standing in standings.table for end in (standing.low, standing.elo, standing.high)]
    finite = [end for end in ends if math.isfinite(end)] or [0.0]
    margin = max(0.06 * (max(finite) - min(finite)), 10.0)
    left, right = min(finite) - margin, max(finite) + margin
    for row, standing in enumerate(standings.table):
        axes.hlines(row, max(standing.low, left), min(standing.high, right), color=COLOURS[0], linewidth=2)
        for end, edge in ((standing.low, left), (standing.high, right)):
            axes.plot(end if math.isfinite(end) else edge, row, "|" if math.isfinite(end) else "", color=COLOURS[0])
        if math.isfinite(standing.elo):
            axes.plot(standing.elo, row, "o", color=COLOURS[0], markersize=6)
        axes.annotate(
            signed(standing.elo),
            (1.01, row),
            xycoords=("axes fraction", "data"),
            va="center",
            annotation_clip=False,
        )
    axes.axvline(0, color=QUIET_COLOUR, linewidth=0.8, zorder=0)
    axes.set_xlim(left, right)
    axes.set_xlabel("Elo (Bradley-Terry), 0 is the mean of all bots")
    _rows(axes, standings)


def _cells(figure: Figure, standings: Standings, cells: Mapping[tuple[str, str], tuple[float, str]]) -> None:
    """Draw a square of percentages with their texts; pairings without games stay empty."""
    from matplotlib.patches import Rectangle

    axes = figure.subplots()
    for row, one in enumerate(standings.bots):
        for column, other in enumerate(standings.bots):
            percent, text = cells.get((one, other), (50.0, ""))
            colour = COLOURS[0] if percent >= 50 else COLOURS[1]
            strength = MAX_OPACITY * abs(percent - 50) / 50
            if text:
                cell = (column - 0.48, row - 0.47), 0.96, 0.94
                axes.add_patch(Rectangle(*cell, facecolor=INK, alpha=0.06, linewidth=0))
                axes.add_patch(Rectangle(*cell, facecolor=colour, alpha=strength, linewidth=0))
            axes.text(column, row, text or ("·" if one == other else ""), ha="center", va="center", fontsize=9)
    _rows(axes, standings)
    axes.set_xticks(range(len(standings.bots)), [str(place) for place in range(1, len(standings.bots) + 1)])
    axes.set_xlim(-0.5, max(len(standings.bots), MIN_COLUMNS) - 0.5)
    axes.xaxis.tick_top()
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=False)
    axes.spines["bottom"].set_visible(False)


def _lengths(figure: Figure, games: Sequence[tuple[int, int | None]]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes = figure.subplots()
    shortest, longest = min(plies for plies, _ in games), max(plies for plies, _ in games)
    width = -(-(longest - shortest + 1) // MAX_BARS)
    starts = list(range(shortest, longest + 1, width))
    below = [0] * len(starts)
    for winner, label, colour in (
        (0, "seat 0 wins", SEAT_COLOURS[0]),
        (1, "seat 1 wins", SEAT_COLOURS[1]),
        (None, "draw", QUIET_COLOUR),
    ):
        counts = [0] * len(starts)
        for plies, won in games:
            counts[(plies - shortest) // width] += won == winner
        if any(counts):
            middles = [start + (width - 1) / 2 for start in starts]
            axes.bar(middles, counts, width=0.86 * width, bottom=below, color=colour, linewidth=0, label=label)
        below = [under + count for under, count in zip(below, counts, strict=True)]
    axes.set_xlim(shortest - 0.5 - 0.3 * width, starts[-1] + width - 0.5 + 0.3 * width)
    axes.set_ylim(0, 1.05 * max(below))
    axes.xaxis.set_major_locator(MaxNLocator(12, steps=[1, 2, 5, 10], integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10], integer=True))
    axes.set_xlabel("plies" if width == 1 else f"plies, {width} to a bar")
    axes.set_ylabel("games")
    axes.grid(visible=False, axis="x")
    figure.legend(loc="outside upper right", ncols=3)


def _seconds(games: Sequence[PlayedGame]) -> dict[str, tuple[list[float], float]]:
    """Return, for each bot that was timed, the mean seconds per move of each of its games, and its slowest move."""
    means: defaultdict[str, list[float]] = defaultdict(list)
    slowest: defaultdict[str, float] = defaultdict(float)
    for played in games:
        for bot, effort in zip(played.fixture.players, played.efforts, strict=True):
            if effort.moves and effort.seconds > 0:
                means[bot].append(effort.seconds / effort.moves)
                slowest[bot] = max(slowest[bot], effort.slowest)
    return {bot: (found, max(slowest[bot], *found)) for bot, found in means.items()}


def _times(figure: Figure, standings: Standings, seconds: Mapping[str, tuple[list[float], float]]) -> None:
    from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

    axes = figure.subplots()
    for row, bot in enumerate(standings.bots):
        if bot not in seconds:
            continue
        means, slowest = seconds[bot]
        quarter, middle, three_quarters = quantiles(means, method="inclusive") if len(means) > 1 else means * 3
        axes.hlines(row, min(means), max(means), color=COLOURS[0], linewidth=1.5, zorder=2)
        axes.barh(row, three_quarters - quarter, 0.44, quarter, color=COLOURS[0], alpha=0.45, linewidth=0, zorder=2)
        axes.plot(middle, row, "o", color=COLOURS[0], markersize=6)
        axes.plot(slowest, row, "D", color=COLOURS[1], markersize=5)
    every = [value for means, slowest in seconds.values() for value in (*means, slowest)]
    axes.set_xscale("log")
    axes.set_xlim(
        10 ** math.floor(math.log10(min(every) / 1.1)),
        10 ** math.ceil(math.log10(max(every) * 1.1)),
    )
    axes.xaxis.set_major_locator(LogLocator(base=10, numticks=8))
    axes.xaxis.set_major_formatter(EngFormatter(unit="s", places=0))
    axes.xaxis.set_minor_formatter(NullFormatter())
    _rows(axes, standings)
    marks = (("o", COLOURS[0], "a game's mean: median, middle half, range"), ("D", COLOURS[1], "slowest move"))
    for marker, colour, label in marks:
        axes.plot([], [], marker, color=colour, label=label, markersize=5)
    figure.legend(loc="outside upper right", ncols=2)
