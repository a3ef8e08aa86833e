"""What a drawn board looks like."""

from __future__ import annotations

import pytest
from rich.console import Console

from cornered.clients.terminal.drawing import ANSI, ASCII, DARK_SCHEME, LIGHT, Marks, draw
from cornered.clients.terminal.layout import fit
from cornered.engine.text import PositionText

TRAPGRID = "0../.x./..1 0"
QUORIDOR = "..1../...../...../...../..0.. 0 walls=a1h,c3v left=4,4"
BAMBOO = "../.0./1. 1"


def plain(position: str, marks: Marks | None = None) -> str:
    layout = fit(PositionText.parse(position), 0, 0)
    return "\n".join(line.rstrip() for line in str(draw(layout, marks or Marks(), ASCII)).splitlines())


def test_a_square_board_has_its_names_at_the_edges_and_a_hexagon_is_shifted() -> None:
    assert plain(TRAPGRID) == "3  A  .  .\n2  .  #  .\n1  .  .  B\n   a  b  c"
    assert plain(BAMBOO) == " c . .\nb . A .\n a B ."


def test_the_sides_of_pawns_have_marks_and_walls_stand_where_their_names_say() -> None:
    two, four = plain(QUORIDOR).splitlines(), plain("..2../...../1...3/...../..0.. 0 left=1,1,1,1").splitlines()
    assert (two[0][:2], two[-2][:2]) == ("5A", "1B")
    assert (four[0][:2], four[-2][:2]) == ("5A", "1C")
    assert four[-1] == "   aD  b   c   d   eB"

    assert plain(QUORIDOR).splitlines() == [
        "5A .   .   B   .   .",
        "",
        "4  .   .   . | .   .",
        "             |",
        "3  .   .   . | .   .",
        "",
        "2  .   .   .   .   .",
        "  -------",
        "1B .   .   A   .   .",
        "   a   b   c   d   e",
    ]


def test_marks_and_walls_to_be_placed_are_characters_and_not_only_colours() -> None:
    marked = plain(TRAPGRID, Marks(targets=frozenset({"b3"}), last="c1", focus="a1"))
    assert marked == "3  A  +  .\n2  .  #  .\n1 [.] . (B)\n   a  b  c"
    marks = Marks(last="c3v", ghost="d1h")
    lines = plain(QUORIDOR, marks).splitlines()
    assert lines[3] == '             "'
    assert lines[7] == "  -------     ~~~~~~~"


def test_every_seat_has_a_piece_of_its_own_in_every_size(subtests: pytest.Subtests) -> None:
    for look in (ANSI, ASCII, DARK_SCHEME, LIGHT):
        for room in ((0, 0), (30, 12), (84, 36)):
            with subtests.test(look=look, room=room):
                drawn = {str(draw(fit(PositionText.parse(f"{seat} 0"), *room), Marks(), look)) for seat in range(4)}
                assert len(drawn) == 4


def test_a_board_has_exactly_the_size_of_its_layout(subtests: pytest.Subtests) -> None:
    for position in (TRAPGRID, QUORIDOR, BAMBOO):
        for look in (ANSI, ASCII, DARK_SCHEME, LIGHT):
            with subtests.test(position=position, look=look):
                for room in ((0, 0), (40, 16), (90, 40)):
                    layout = fit(PositionText.parse(position), *room)
                    lines = str(draw(layout, Marks(), look)).split("\n")
                    assert [len(line) for line in lines] == [layout.width] * layout.height


def test_neighbours_on_a_hexagon_never_share_a_shade() -> None:
    text = PositionText.parse("...../....../......./....../..... 0")
    layout = fit(text, 84, 36)
    drawn = draw(layout, Marks(), DARK_SCHEME)
    width = layout.width + 1
    for name, cell in layout.cells.items():
        for direction in ("up", "down", "left", "right"):
            other = layout.neighbour(name, direction)
            if other != name:
                shades = {
                    drawn.get_style_at_offset(_console(), place.y * width + place.x).bgcolor
                    for place in (cell, layout.cells[other])
                }
                assert len(shades) == 2, (name, other)


def _console() -> Console:
    from rich.console import Console

    return Console()


def test_pieces_and_labels_stand_out_from_every_tile(subtests: pytest.Subtests) -> None:
    for look in (DARK_SCHEME, LIGHT):
        with subtests.test(look=look):
            for paper in ("tone0", "tone1", "tone2", "last", "focus"):
                for ink in ("seat0", "seat1", "seat2", "seat3"):
                    assert contrast(look.inks[ink], look.papers[paper]) >= 3, (ink, paper)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2 defines it."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
