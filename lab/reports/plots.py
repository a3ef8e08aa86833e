"""The style of all plots, and their output as SVG that is byte-identical for equal data."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "DARK_COLOURS", "INK", "PAPER", "QUIET_COLOUR", "drawing", "folded", "inline", "save", "settle"]

LegendPlace: TypeAlias = Literal["outside lower left", "outside lower center", "outside lower right"]

COLOURS: Final = ("#1767ad", "#d1500a", "#1c6b52", "#a0448c", "#b98900", "#4d8a99", "#8a2f4a", "#77706a")
"""The page's colours; the first four are distinguishable with colour-vision deficiency."""
INK: Final = "#24211d"
QUIET_COLOUR: Final = "#665f55"
PAPER: Final = "#ffffff"
DARK_COLOURS: Final[Mapping[str, str]] = {
    **dict(
        zip(
            COLOURS,
            ("#5fb0f2", "#ff8344", "#6fc7a4", "#dd8fcd", "#f2c744", "#8fc5d3", "#e893ad", "#aaa297"),
            strict=True,
        )
    ),
    INK: "#ebe6dd",
    QUIET_COLOUR: "#aaa297",
    PAPER: "#201e1b",
}
"""Replacement of each colour on a dark page."""
PLOT_STYLE: Final[Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": QUIET_COLOUR,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.facecolor": PAPER,
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.alpha": 0.18,
    "grid.color": INK,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "cornered",
    "text.color": INK,
    # Names of bots may contain characters that start a formula in matplotlib's mathtext.
    "text.parse_math": False,
    "xtick.color": QUIET_COLOUR,
    "xtick.labelcolor": INK,
    "ytick.color": QUIET_COLOUR,
    "ytick.labelcolor": INK,
}
SHORT_LOG_AXIS: Final = 100.0
"""Ratio of a logarithmic axis's ends below which 2 and 5 times a power of ten have numbers too."""
LEGEND_COLUMNS: Final = 4
"""Columns of a legend where its labels are short enough for the width of its axes."""
_SVG_ROOT: Final = re.compile(r"<svg\b[^>]*?viewBox=\"([^\"]+)\"[^>]*>")
_SVG_METADATA: Final = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_REFERENCE: Final = re.compile(r'(\bid="|href="#|url\(#)')
_COLOUR: Final = re.compile("|".join(DARK_COLOURS))


@contextmanager
def drawing(width: float = 7.2, height: float = 4.2) -> Iterator[Figure]:
    """Yield a figure of `width` by `height` inches in the common style, without a display; it is closed after the
    block."""
    import matplotlib as mpl
    from cycler import cycler
    from matplotlib.figure import Figure

    style = {**PLOT_STYLE, "axes.prop_cycle": cycler(color=list(COLOURS))}
    with mpl.rc_context(style):
        yield Figure(figsize=(width, height))


def save(figure: Figure, path: Path) -> None:
    """Write a figure made inside `drawing` as SVG without a date. Text stays text, for readers and searches."""
    settle(figure)
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": "cornered"})


def settle(figure: Figure) -> None:
    """Write the numbers of logarithmic axes without formulas, and move the axes' legends below them, where they cover
    no data; the legends of axes above each other become one. `save` does this."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log":
                _write_plainly(axis)
    _move_legends(figure)


def _write_plainly(axis: Axis) -> None:
    from matplotlib.ticker import FuncFormatter, LogFormatter, LogLocator, NullFormatter

    plain = FuncFormatter(lambda value, _: f"{value:,.12g}")
    # A formatter that a plot chose itself stays.
    if isinstance(axis.get_major_formatter(), LogFormatter):
        axis.set_major_formatter(plain)
    if isinstance(axis.get_minor_formatter(), LogFormatter):
        low, high = sorted(axis.get_view_interval())
        is_short = high / low < SHORT_LOG_AXIS
        axis.set_minor_formatter(plain if is_short else NullFormatter())
        if is_short:
            axis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))


def _move_legends(figure: Figure) -> None:
    entries: dict[tuple[int, int], dict[str, Artist]] = {}
    for axes in figure.axes:
        legend = axes.get_legend()
        place = axes.get_subplotspec()
        if legend is None or place is None:
            continue
        legend.remove()
        column = (place.colspan.start, place.get_gridspec().ncols)
        # What the plot named itself, instead of by labels of what it drew, is known to the legend alone.
        own = dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
        for text, handle in zip(legend.get_texts(), legend.legend_handles, strict=True):
            entry = own.get(text.get_text(), handle)
            if entry is not None:
                entries.setdefault(column, {}).setdefault(text.get_text(), entry)
    for (start, count), by_label in entries.items():
        loc: LegendPlace = "outside lower center"
        if 2 * start != count - 1:
            loc = "outside lower left" if 2 * start < count - 1 else "outside lower right"
        width = figure.bbox.width / (count if len(entries) > 1 else 1)
        for rows in range(math.ceil(len(by_label) / LEGEND_COLUMNS), len(by_label) + 1):
            ncols = math.ceil(len(by_label) / rows)
            legend = figure.legend(list(by_label.values()), list(by_label), loc=loc, ncols=ncols, fontsize=8)
            # A single column stays even if its labels are too long.
            if ncols == 1 or legend.get_window_extent().width <= width:
                break
            legend.remove()


def inline(svg: str, name: str) -> str:
    """Return a saved plot as an inline SVG element: it fills its box, its ids have the prefix `name`, and its colours
    follow the page's `color-scheme`."""
    root = _SVG_ROOT.search(svg)
    if root is None:
        raise ValueError("a plot is an SVG with a viewBox")
    body = _REFERENCE.sub(rf"\g<1>{name}-", _SVG_METADATA.sub("", svg[root.end() :])).replace("xlink:href", "href")
    body = _COLOUR.sub(lambda match: f"light-dark({match[0]}, {DARK_COLOURS[match[0]]})", body)
    return f'<svg viewBox="{root[1]}" aria-hidden="true">{body.strip()}'


def folded(word: str, width: int = 30) -> str:
    """Return a long name in lines of at most `width` characters, broken between settings where possible."""
    lines = [""]
    for part in re.findall(r"[^:,]*[:,]|[^:,]+", word):
        if lines[-1] and len(lines[-1]) + len(part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(line[at : at + width] for line in lines for at in range(0, len(line), width))
