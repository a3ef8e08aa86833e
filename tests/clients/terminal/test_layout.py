"""Positions of cells and walls."""

from __future__ import annotations

import pytest

from cornered.clients.terminal.layout import Wall, fit, last_placed
from cornered.engine.text import PositionText

TRAPGRID = PositionText.parse("0....../......./......./......./......./......./......1 0")
QUORIDOR = PositionText.parse("/".join(["........."] * 9) + " 0 left=10,10")


def hexagon(radius: int) -> PositionText:
    widths = [2 * radius + 1 - abs(row) for row in range(-radius, radius + 1)]
    return PositionText.parse("/".join("." * width for width in widths) + " 0")


def test_every_cell_is_found_at_all_of_its_characters(subtests: pytest.Subtests) -> None:
    for position in (TRAPGRID, QUORIDOR, hexagon(5), hexagon(1)):
        for room in ((52, 20), (84, 36), (1, 1)):
            with subtests.test(position=position, room=room):
                layout = fit(position, *room)
                seen = set()
                for name, cell in layout.cells.items():
                    for x in range(cell.x, cell.x + cell.width):
                        for y in range(cell.y, cell.y + cell.height):
                            assert layout.cell_at(x, y) == name
                            seen.add((x, y))
                assert len(seen) == sum(cell.width * cell.height for cell in layout.cells.values())


def test_every_default_board_fits_beside_the_panel_of_the_smallest_terminal(subtests: pytest.Subtests) -> None:
    for position in (TRAPGRID, QUORIDOR, hexagon(5)):
        with subtests.test(position=position):
            layout = fit(position, 52, 20)
            assert layout.width <= 52
            assert layout.height <= 20


def test_the_first_cell_of_the_last_row_is_a1_and_arrows_lead_to_the_next() -> None:
    assert fit(TRAPGRID, 84, 36).cell_height > fit(TRAPGRID, 52, 20).cell_height

    layout = fit(TRAPGRID, 52, 20)
    lowest = max(cell.y for cell in layout.cells.values())
    assert layout.cells["a1"].y == lowest
    assert layout.cells["a1"].x < layout.cells["b1"].x

    layout = fit(TRAPGRID, 52, 20)
    assert layout.neighbour("a1", "up") == "a2"
    assert layout.neighbour("a1", "right") == "b1"
    assert layout.neighbour("a1", "down") == "a1"
    assert layout.neighbour("a1", "left") == "a1"
    assert layout.neighbour("g7", "right") == "g7"


def test_arrows_on_a_hexagon_reach_every_cell() -> None:
    layout = fit(hexagon(3), 84, 36)
    reached, new = {"a1"}, ["a1"]
    while new:
        here = new.pop()
        for direction in ("up", "down", "left", "right"):
            there = layout.neighbour(here, direction)
            if there not in reached:
                reached.add(there)
                new.append(there)
    assert reached == set(layout.cells)


def test_a_pointer_on_the_start_of_a_wall_means_that_wall(subtests: pytest.Subtests) -> None:
    for room in ((52, 20), (84, 36)):
        for way in ("h", "v"):
            with subtests.test(room=room, way=way):
                layout = fit(QUORIDOR, *room)
                for file in range(8):
                    for rank in range(8):
                        wall = Wall(file, rank, way)
                        area = layout.wall(wall)
                        y = area.y if way == "h" else area.y + area.height - 1
                        assert layout.wall_at(area.x, y, "v" if way == "h" else "h") == wall


def test_where_gaps_cross_the_way_decides_and_no_wall_is_meant_on_cells() -> None:
    layout = fit(QUORIDOR, 52, 20)
    area = layout.wall(Wall(2, 3, "h"))
    crossing = (area.x + layout.cell_width, area.y)
    assert layout.wall_at(*crossing, "h") == Wall(2, 3, "h")
    assert layout.wall_at(*crossing, "v") == Wall(2, 3, "v")

    layout = fit(QUORIDOR, 52, 20)
    for cell in layout.cells.values():
        assert layout.wall_at(cell.x, cell.y, "h") is None
    assert layout.wall_at(0, 1, "h") is None
    assert layout.wall_at(layout.width, 1, "h") is None
    assert fit(TRAPGRID, 52, 20).wall_at(10, 2, "h") is None


def test_a_wall_lies_between_the_cells_that_its_name_says() -> None:
    layout = fit(QUORIDOR, 52, 20)
    flat, upright = Wall.parse("e3h"), Wall.parse("e3v")
    assert flat is not None
    assert upright is not None
    e3h, e3v = layout.wall(flat), layout.wall(upright)
    assert layout.cells["e4"].y < e3h.y < layout.cells["e3"].y
    assert (e3h.x, e3h.x + e3h.width) == (layout.cells["e3"].x, layout.cells["f3"].x + layout.cell_width)
    assert layout.cells["e3"].x < e3v.x < layout.cells["f3"].x
    assert (e3v.y, e3v.y + e3v.height) == (layout.cells["e4"].y, layout.cells["e3"].y + layout.cell_height)


def test_the_last_move_on_the_board_is_neither_dice_nor_a_pass() -> None:
    lasts = {(): None, ("d4", "2"): "d4", ("e3h", "pass"): "e3h", ("d4", "e2"): "e2"}
    assert {moves: last_placed(moves) for moves in lasts} == lasts
