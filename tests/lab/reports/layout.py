"""Checks where a plot's titles and legends lie."""

from __future__ import annotations

from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from cornered.lab.reports.plots import settle


def check_legends(figure: Figure) -> None:
    """Settle a figure, and check that its titles and legends are inside it, and that the legends cover neither axes nor
    each other."""
    settle(figure)
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    assert all(axes.get_legend() is None for axes in figure.axes)
    for text in (child for axes in figure.axes for child in axes.get_children() if isinstance(child, Text)):
        box = text.get_window_extent()
        assert not text.get_text() or (figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1), text.get_text()
    boxes = [legend.get_window_extent() for legend in figure.legends]
    for box in boxes:
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
        assert not any(box.overlaps(axes.get_window_extent()) for axes in figure.axes)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
