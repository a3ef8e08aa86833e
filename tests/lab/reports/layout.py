"""Checks where a plot's legends lie."""

from __future__ import annotations

from itertools import combinations

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from cornered.lab.reports.plots import settle


def check_legends(figure: Figure) -> None:
    """Settle a figure, and check that its legends are inside it and cover neither axes nor each other."""
    settle(figure)
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    assert all(axes.get_legend() is None for axes in figure.axes)
    boxes = [legend.get_window_extent() for legend in figure.legends]
    for box in boxes:
        assert figure.bbox.x0 <= box.x0
        assert box.x1 <= figure.bbox.x1
        assert not any(box.overlaps(axes.get_window_extent()) for axes in figure.axes)
    assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
