"""Keys and clicks on a board become moves."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from cornered.clients.terminal.board_view import BoardView

TRAPGRID = "0../.../..1 0"
QUORIDOR = "..1../...../...../...../..0.. 0 left=5,5"


class BoardApp(App[None]):
    """One board and the messages that it posted."""

    def __init__(self, position: str, moves: tuple[str, ...], refused: dict[str, str] | None = None) -> None:
        super().__init__()
        self.start = position
        self.moves = moves
        self.refused = refused or {}
        self.chosen: list[str] = []
        self.explained: list[str] = []

    def compose(self) -> ComposeResult:
        yield BoardView(self.start)

    def on_mount(self) -> None:
        self.board.focus()
        self.board.allow(self.moves, refused=self.refused, notes={"c1": "a corner"})

    @property
    def board(self) -> BoardView:
        return self.query_one(BoardView)

    def on_board_view_chosen(self, message: BoardView.Chosen) -> None:
        self.chosen.append(message.move)

    def on_board_view_explained(self, message: BoardView.Explained) -> None:
        self.explained.append(message.text)

    def place_of(self, cell: str) -> tuple[int, int]:
        layout, size = self.board.layout_now, self.board.size
        area = layout.cells[cell]
        return (size.width - layout.width) // 2 + area.x, (size.height - layout.height) // 2 + area.y


@asynccontextmanager
async def board(
    position: str, *moves: str, refused: dict[str, str] | None = None
) -> AsyncIterator[tuple[BoardApp, Pilot[None]]]:
    app = BoardApp(position, moves, refused)
    async with app.run_test() as pilot:
        yield app, pilot


async def test_the_focus_starts_on_a_legal_cell_and_keys_and_clicks_play_legal_cells() -> None:
    async with board(TRAPGRID, "a2", "b3", refused={"c3": "it is too far away"}) as (app, pilot):
        await pilot.press("enter")
        await pilot.press("up", "right", "enter")
        assert app.chosen == ["a2", "b3"]
        await pilot.click(BoardView, offset=app.place_of("b3"))
        assert app.chosen == ["a2", "b3", "b3"]
        await pilot.click(BoardView, offset=app.place_of("c3"))
        assert app.explained[-1] == "c3: it is too far away"
        await pilot.press("w")
        assert app.board.wall is None, "boards without walls have no wall mode"
    assert app.chosen == ["a2", "b3", "b3"]


async def test_nothing_can_be_played_when_no_move_is_legal_and_enter_plays_a_word() -> None:
    async with board(TRAPGRID) as (app, pilot):
        await pilot.press("enter")
        await pilot.click(BoardView, offset=app.place_of("b3"))
    assert app.chosen == []
    assert "nothing can be played now" in app.explained[-1]

    async with board(QUORIDOR, "pass") as (app, pilot):
        await pilot.press("enter")
    assert app.chosen == ["pass"]


async def test_words_about_a_cell_come_with_the_focus() -> None:
    async with board(TRAPGRID, "a2", "b3") as (app, pilot):
        await pilot.press("down", "right", "right")
    assert app.explained[-1] == "c1: a corner"


async def test_w_places_walls_and_r_h_and_v_turn_them() -> None:
    async with board(QUORIDOR, "c2", "c2h", "c2v", "d2v") as (app, pilot):
        for key, wall in (("w", "c2h"), ("v", "c2v"), ("h", "c2h"), ("r", "c2v")):
            await pilot.press(key)
            assert app.board.wall == wall
        await pilot.press("right", "enter")
        assert app.chosen == ["d2v"]
        assert app.board.wall is None
        await pilot.press("w", *["right"] * 2, *["up"] * 3)
        assert app.board.wall == "d4h", "a wall stays on the board"


async def test_the_first_click_between_cells_shows_a_wall_and_the_second_places_it() -> None:
    async with board(QUORIDOR, "c2", "c2h") as (app, pilot):
        x, y = app.place_of("c2")
        await pilot.hover(BoardView, offset=(x + app.board.layout_now.cell_width, y))
        assert app.board.wall == "c2v"
        await pilot.hover(BoardView, offset=(x, y))
        assert app.board.wall is None, "it goes when the pointer leaves the gaps"
        gap = (x, y - 1)
        await pilot.hover(BoardView, offset=gap)
        assert app.board.wall == "c2h"
        assert app.chosen == []
        await pilot.click(BoardView, offset=gap)
    assert app.chosen == ["c2h"]
