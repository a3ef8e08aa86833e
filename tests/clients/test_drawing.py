"""Boards in the terminal, from position texts alone."""

from __future__ import annotations

import pytest

import engine
from clients.drawing import draw
from engine.text import PositionText


def drawn(text: str, *marked: str) -> list[str]:
    return [line.rstrip() for line in draw(PositionText.parse(text), frozenset(marked)).plain.splitlines()]


def test_a_square_board_has_files_and_ranks() -> None:
    assert drawn("0x./1.. 0", "c2", "b1", "a2") == [" 2 0 █ o", " 1 1 o ·", "   a b c"]


def test_the_rows_of_a_hexagon_are_shifted() -> None:
    assert drawn("../.1./0. 1", "b1") == [" c · · 2", "b o 1 · 3", " a 0 · 2"]


def test_walls_stand_between_the_cells_they_part() -> None:
    assert drawn(".../.../... 0 walls=a1h,b2v") == [
        " 3  ·   · ┃ ·",
        "          ┃",
        " 2  ·   · ┃ ·",
        "    ━━━━━",
        " 1  ·   ·   ·",
        "    a   b   c",
    ]


@pytest.mark.parametrize("game", engine.games(), ids=lambda game: game.name)
def test_every_game_draws_every_cell(game: type[engine.Game]) -> None:
    start = game().start()
    text = PositionText.parse(str(start))
    board = draw(text).plain
    for character, shown in ((".", "·"), ("x", "█")):
        assert board.count(shown) == "".join(text.rows).count(character)
