"""Plots of the tuning's progress, drawn from the file of weights alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cornered.bots.weights.file import Tuned
from cornered.lab.reports.plots import drawing, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["MAX_POINTS", "plot", "thinned"]

MAX_POINTS: Final = 120
"""Number of points that a curve keeps."""
MAX_COMBINATIONS: Final = 30
MEASURES: Final = {
    "td": ("error", "error of the predicted score"),
    "spsa": ("score", "score of the one side"),
    "optuna": ("best", "best score against printed"),
}


def thinned(curve: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a curve reduced to about `MAX_POINTS` points: means of consecutive points, with the weights and the number
    of games of the last of each."""
    group = -(-len(curve) // MAX_POINTS)
    found = []
    for begun in range(0, len(curve), max(1, group)):
        points = curve[begun : begun + group]
        means = {
            name: round(sum(point[name] for point in points) / len(points), 4)
            for name, value in points[-1].items()
            if isinstance(value, float)
        }
        found.append({**points[-1], **means})
    return found


def plot(tuned: Tuned, path: Path) -> None:
    """Draw the learning curve and the weights by games, or for a grid the ratings of its best combinations."""
    with drawing() as figure:
        if tuned.method == "grid":
            _ratings(tuned, figure)
        else:
            _way(tuned, figure)
        save(figure, path)


def _way(tuned: Tuned, figure: Figure) -> None:
    measure, label = MEASURES[tuned.method]
    above, below = figure.subplots(2, 1, sharex=True)
    games = [point["games"] for point in tuned.curve]
    above.plot(games, [point[measure] for point in tuned.curve])
    above.set_ylabel(label, fontsize="small")
    above.set_title(f"{tuned.game}: weights by {tuned.method}")
    for place, name in enumerate(tuned.model.names):
        printed = tuned.printed[name]
        if any(point["weights"][place] != printed for point in tuned.curve):
            below.plot(games, [point["weights"][place] for point in tuned.curve], label=f"{name} ({printed:g} printed)")
    below.set_xlabel("games")
    below.set_ylabel("weight")
    if below.lines:
        below.legend(fontsize="small")


def _ratings(tuned: Tuned, figure: Figure) -> None:
    rated = [row for row in tuned.result["ratings"] if row["elo"] is not None][:MAX_COMBINATIONS]
    axes = figure.subplots()
    varied = [name for name in tuned.model.names if len({row["weights"][name] for row in tuned.result["ratings"]}) > 1]
    labels = [" ".join(f"{row['weights'][name]:g}" for name in varied) for row in rated]
    axes.plot([row["elo"] for row in rated], range(len(rated)), "o")
    for place, row in enumerate(rated):
        if row["low"] is not None and row["high"] is not None:
            axes.plot([row["low"], row["high"]], [place, place], color="C0", linewidth=1)
    axes.set_yticks(range(len(rated)), labels, fontsize="x-small")
    axes.invert_yaxis()
    axes.set_xlabel("Elo above the printed weights, with 95% intervals")
    axes.set_ylabel(" ".join(varied))
    axes.set_title(f"{tuned.game}: the best of {tuned.result['combinations']} combinations")
