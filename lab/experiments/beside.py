"""Draws measured figures with their intervals over bands that show the reference's printed figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from cornered.lab.experiments.findings import FigureRow
from cornered.lab.reports.plots import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BAND_COLOUR", "OUR_COLOUR", "PRINTED_COLOUR", "SECOND_COLOUR", "dots", "error_bars"]

OUR_COLOUR: Final = COLOURS[2]
PRINTED_COLOUR: Final = COLOURS[1]
BAND_COLOUR: Final = COLOURS[4]
SECOND_COLOUR: Final = COLOURS[0]
"""Colour of a second measured figure."""


def error_bars(rows: Sequence[FigureRow]) -> tuple[list[float], list[float]]:
    """Return how far the intervals of rows reach below and above our figures, in the rows' units, for `errorbar`."""
    return [row.ours - row.low for row in rows], [row.high - row.ours for row in rows]


def dots(axes: Axes, rows: Sequence[FigureRow], claims: Mapping[str, Sequence[float]], *, title: str = "") -> None:
    """Draw one line a row, the first on top, and the claims behind the rows of the same label."""
    places = range(len(rows))
    for place, row in zip(places, rows, strict=True):
        if row.label in claims:
            low, high = claims[row.label]
            axes.plot([low, high], [place, place], color=BAND_COLOUR, linewidth=11, alpha=0.55, solid_capstyle="butt")
            if low == high:
                axes.plot([low], [place], "|", color=BAND_COLOUR, markersize=18, markeredgewidth=3)
    axes.errorbar(
        [row.ours for row in rows],
        list(places),
        xerr=error_bars(rows),
        fmt="o",
        color=OUR_COLOUR,
        markersize=5,
        capsize=3,
    )
    axes.set_yticks(list(places), [row.label for row in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    if title:
        axes.set_title(title, loc="left", fontsize=10)
