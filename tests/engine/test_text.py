"""Position texts survive parsing and printing, for every game."""

from __future__ import annotations

import pytest

from cornered.engine.text import PositionText


def test_a_position_text_has_rows_turn_and_facts() -> None:
    parts = PositionText.parse("0x/.1 c mover=0 out=1,2")
    assert parts == PositionText(("0x", ".1"), "c", {"mover": "0", "out": "1,2"})
    assert str(parts) == "0x/.1 c mover=0 out=1,2"


def test_what_is_no_position_text_is_refused(subtests: pytest.Subtests) -> None:
    for text in ("", "0x", " 0", "0x ", "0x 0 ", "0x 0 a", "0x 0 a=", "0x 0 =b", "0x 0 a=1 a=2"):
        with subtests.test(text), pytest.raises(ValueError, match="position"):
            PositionText.parse(text)


def test_cells_are_named_from_the_bottom_left() -> None:
    square = PositionText.parse("..../.... 0")
    assert not square.is_hexagon
    assert (square.name(1, 0), square.name(0, 3)) == ("a1", "d2")
    hexagon = PositionText.parse("../.../.. 0")
    assert hexagon.is_hexagon
    assert (hexagon.name(2, 0), hexagon.name(1, 2), hexagon.name(0, 0)) == ("a1", "b3", "c1")
