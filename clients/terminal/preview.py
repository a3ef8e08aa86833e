"""A small board without interaction."""

from __future__ import annotations

from rich.text import Text
from textual.widget import Widget

from cornered.clients.terminal.drawing import DARK_SCHEME, LIGHT, Marks, draw
from cornered.clients.terminal.layout import fit
from cornered.engine.text import PositionText

__all__ = ["Preview"]


class Preview(Widget):
    """The board of a position in the largest layout that fits; empty where none does."""

    DEFAULT_CSS = "Preview { content-align: center middle; width: 1fr; }"

    def __init__(self) -> None:
        super().__init__()
        self._position: PositionText | None = None

    def show(self, position: str) -> None:
        self._position = PositionText.parse(position)
        self.refresh()

    def render(self) -> Text:
        if self._position is None:
            return Text("")
        layout = fit(self._position, self.size.width, self.size.height)
        if layout.width > self.size.width or layout.height > self.size.height:
            return Text("")
        return draw(layout, Marks(), DARK_SCHEME if self.app.current_theme.dark else LIGHT)
