"""The board as a widget: shows a position, moves a focus over it, and turns keys and clicks into moves.

The legal moves come from the server by `allow`; the widget has no rules.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset
from textual.message import Message
from textual.widget import Widget

from cornered.clients.terminal.drawing import DARK_SCHEME, LIGHT, Marks, draw
from cornered.clients.terminal.layout import Direction, Layout, Wall, fit, has_walls, is_cell
from cornered.engine.text import PositionText

__all__ = ["BoardView"]


class BoardView(Widget, can_focus=True):
    """One board. Posts `Chosen` for a legal move, and `Explained` with a text about the focus or an illegal move."""

    DEFAULT_CSS = """
    BoardView { width: 1fr; height: 1fr; content-align: center middle; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "go('up')", "Move focus", show=False),
        Binding("down", "go('down')", "Move focus", show=False),
        Binding("left", "go('left')", "Move focus", show=False),
        Binding("right", "go('right')", "Move focus", show=False),
        Binding("enter,space", "play", "Play", key_display="⏎"),
        Binding("w", "walls", "Wall"),
        Binding("r", "turn", "Turn"),
        Binding("h", "lay('h')", "Lay the wall", show=False),
        Binding("v", "lay('v')", "Stand the wall up", show=False),
    ]

    @dataclass
    class Chosen(Message):
        """The player makes `move`, which is legal."""

        move: str

    @dataclass
    class Explained(Message):
        """Text about the focused cell or an illegal move; empty where there is none."""

        text: str

    def __init__(self, position: str, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._position = PositionText.parse(position)
        self._targets: frozenset[str] = frozenset()
        self._refused: Mapping[str, str] = {}
        self._notes: Mapping[str, str] = {}
        self._last: str | None = None
        self._focus = self._position.name(len(self._position.rows) // 2, len(self._position.rows[0]) // 2)
        self._wall: Wall | None = None

    @property
    def layout_now(self) -> Layout:
        """The board at the size that this widget has now."""
        return fit(self._position, max(1, self.size.width), max(1, self.size.height))

    @property
    def focused_cell(self) -> str:
        return self._focus

    @property
    def wall(self) -> str | None:
        """The wall about to be placed, in wall mode."""
        return None if self._wall is None else str(self._wall)

    def show(self, position: str, *, last: str | None = None) -> None:
        """Show another position. Its legal moves are not known yet."""
        self._position = PositionText.parse(position)
        self._last = last
        self._targets, self._refused, self._notes = frozenset(), {}, {}
        if not has_walls(self._position):
            self._wall = None
        self.refresh_bindings()
        self.refresh()

    def allow(
        self,
        moves: Collection[str],
        *,
        refused: Mapping[str, str] | None = None,
        notes: Mapping[str, str] | None = None,
    ) -> None:
        """Set the legal moves, the reasons against others, and notes about cells."""
        self._targets, self._refused, self._notes = frozenset(moves), refused or {}, notes or {}
        cells = sorted(move for move in moves if is_cell(move))
        if cells and self._focus not in self._targets and len(cells) <= 8:
            self._focus = cells[0]
        self.refresh_bindings()
        self.refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "walls":
            return has_walls(self._position)
        if action == "play":
            return bool(self._targets)
        if action in ("turn", "lay"):
            return self._wall is not None
        return True

    def render(self) -> Text:
        marks = Marks(
            targets=frozenset(filter(is_cell, self._targets)) if self._wall is None else frozenset(),
            last=self._last,
            focus=self._focus if self._wall is None and self.has_focus else None,
            ghost=self.wall,
            is_ghost_legal=self.wall in self._targets,
        )
        return draw(self.layout_now, marks, DARK_SCHEME if self.app.current_theme.dark else LIGHT)

    def action_go(self, direction: Direction) -> None:
        if self._wall is None:
            self._focus = self.layout_now.neighbour(self._focus, direction)
        else:
            files = {"left": -1, "right": 1}.get(direction, 0)
            ranks = {"down": -1, "up": 1}.get(direction, 0)
            moved = Wall(self._wall.file + files, self._wall.rank + ranks, self._wall.way)
            self._wall = self.layout_now.clamp(moved)
        self._explain()

    def action_walls(self) -> None:
        if self._wall is not None:
            self._wall = None
        else:
            file, rank = ord(self._focus[0]) - ord("a"), int(self._focus[1:]) - 1
            self._wall = self.layout_now.clamp(Wall(file, rank, "h"))
        self.refresh_bindings()
        self._explain()

    def action_turn(self) -> None:
        if self._wall is not None:
            self._wall = self._wall.turned
        self._explain()

    def action_lay(self, way: Literal["h", "v"]) -> None:
        if self._wall is not None:
            self._wall = Wall(self._wall.file, self._wall.rank, way)
        self._explain()

    def action_play(self) -> None:
        others = [move for move in self._targets if not is_cell(move) and Wall.parse(move) is None]
        if self._wall is None and self._targets and len(others) == len(self._targets):
            self.choose(others[0])
        else:
            self.choose(self.wall or self._focus)

    def choose(self, move: str) -> None:
        """Make `move` if it is legal, and show the reason otherwise."""
        if move in self._targets:
            self._wall = None
            self.refresh_bindings()
            self.refresh()
            self.post_message(self.Chosen(move))
        elif self._targets:
            self.post_message(self.Explained(f"{move}: {self._refused.get(move, 'this is not a legal move here')}"))
        else:
            self.post_message(self.Explained(f"{move}: nothing can be played now"))

    def _explain(self) -> None:
        name = self.wall or self._focus
        words = self._refused.get(name) or self._notes.get(name)
        if self._wall is not None and self._targets and name not in self._targets:
            words = self._refused.get(name, "no wall can stand here")
        self.post_message(self.Explained(f"{name}: {words}" if words else name))
        self.refresh()

    def _inside(self, offset: Offset) -> Offset:
        """Return a pointer's place on the board, which is centred in the widget."""
        layout = self.layout_now
        left, top = (self.size.width - layout.width) // 2, (self.size.height - layout.height) // 2
        return Offset(offset.x - max(0, left), offset.y - max(0, top))

    def _wall_under(self, offset: Offset) -> Wall | None:
        way: Literal["h", "v"] = "h" if self._wall is None else self._wall.way
        return self.layout_now.wall_at(offset.x, offset.y, way) if has_walls(self._position) else None

    def on_mouse_move(self, event: events.MouseMove) -> None:
        wall = self._wall_under(self._inside(event.offset))
        if self._targets and wall is not None and wall != self._wall:
            self._wall = wall
            self.refresh_bindings()
            self._explain()
        elif self._wall is not None and self.layout_now.cell_at(*self._inside(event.offset)):
            self._wall = None
            self.refresh_bindings()
            self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Play a cell at once; a wall first shows where it would stand, unless the pointer has shown it already."""
        place = self._inside(event.offset)
        wall, cell = self._wall_under(place), self.layout_now.cell_at(*place)
        if wall is not None and wall == self._wall:
            self.choose(str(wall))
        elif wall is not None:
            self._wall = wall
            self.refresh_bindings()
            self._explain()
        elif cell is not None:
            self._wall, self._focus = None, cell
            self.choose(cell)
            self.refresh()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()
