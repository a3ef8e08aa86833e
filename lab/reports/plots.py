"""The style of all plots, and their output as SVG that is byte-identical for equal data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["COLOURS", "DARK_COLOURS", "INK", "PAPER", "QUIET_COLOUR", "drawing", "folded", "inline", "save"]

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
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": "cornered"})


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
