"""What `cornered show` prints on terminals of every kind."""

from __future__ import annotations

import io
from itertools import product
from typing import Literal, get_args

import pytest
from rich.console import Console
from rich.text import Text

from cornered import engine
from cornered.cli.show import look_for, show
from cornered.clients.terminal.drawing import ANSI, ASCII, DARK_SCHEME, LIGHT

LONG = {
    "trapgrid": ({"size": 8}, "b8 g1"),
    "isolation": ({"players": 4, "dice": True, "width": 8, "height": 8}, "d1 g1 a7 g7 2"),
    "bamboo": ({"radius": 5}, "c5 i4 a6 a5"),
    "quoridor": ({"players": 4}, "e2 b5 e8 h5 e3h d7h c3h b8v"),
}
"""A large board of each game, with some of everything on it."""

Colours = Literal["standard", "truecolor"]


def console(*, encoding: str = "utf-8", terminal: bool = True, colours: Colours | None = "truecolor") -> Console:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    return Console(
        file=file, force_terminal=terminal, width=80, height=24, color_system=colours, record=True, highlight=False
    )


def reach(name: str) -> tuple[engine.State, list[str]]:
    options, moves = LONG[name]
    state = engine.load(name, **options).start()
    for move in moves.split():
        state = engine.apply(state, move)
    return state, moves.split()


def printed(on: Console, name: str, *, has_hints: bool = False, is_light: bool | None = None) -> str:
    state, moves = reach(name)
    show(on, state, moves, "seat 0 to move", has_hints=has_hints, is_light=is_light)
    return on.export_text(styles=False)


def test_a_large_board_of_every_game_fits_a_small_terminal_whole(subtests: pytest.Subtests) -> None:
    for name, colours in product(LONG, get_args(Colours)):
        with subtests.test(name, colours=colours):
            *board, position, end = printed(console(colours=colours), name, has_hints=True).split("\n")
            state, _ = reach(name)
            assert (position, end) == (str(state), "")
            assert len(board) + -(-len(position) // 80) < 24
            assert max(Text(line).cell_len for line in board) <= 80
            assert all(any(f"seat {seat}" in line for line in board) for seat in range(state.game.seats))


def test_a_pipe_gets_characters_that_every_program_can_read() -> None:
    for name in LONG:
        on = console(terminal=False, colours=None)
        assert printed(on, name, has_hints=True).isascii(), name
        assert "\x1b" not in on.export_text(), name


def test_hints_mark_the_cells_that_may_be_moved_to_and_no_others() -> None:
    on = console(terminal=False, colours=None)
    assert printed(on, "quoridor", has_hints=True).count("+") == len(
        [move for move in reach("quoridor")[0].moves() if move[-1].isdigit()]
    )
    assert "+" not in printed(console(terminal=False, colours=None), "quoridor")


def test_the_last_move_is_marked() -> None:
    plain = printed(console(terminal=False, colours=None), "quoridor")
    assert plain.count('"') == 3
    assert "(" not in plain
    assert printed(console(terminal=False, colours=None), "trapgrid").count("(B)") == 1


def test_what_a_terminal_can_show_decides_how_boards_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLORFGBG", raising=False)
    assert look_for(console()) is DARK_SCHEME
    assert look_for(console(), is_light=True) is LIGHT
    assert look_for(console(colours="standard")) is ANSI
    assert look_for(console(encoding="iso-8859-1")) is ASCII
    assert look_for(console(terminal=False)) is ASCII


def test_a_terminal_that_tells_of_a_light_background_gets_light_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORFGBG", "0;15")
    assert look_for(console()) is LIGHT
    assert look_for(console(), is_light=False) is DARK_SCHEME


def test_tiles_bring_their_own_ground_so_that_any_background_will_do() -> None:
    for is_light, look in ((False, DARK_SCHEME), (True, LIGHT)):
        on = console()
        state, moves = reach("quoridor")
        show(on, state, moves, "", has_hints=False, is_light=is_light)
        assert look.ground is not None
        red, green, blue = (int(look.ground[at : at + 2], 16) for at in (1, 3, 5))
        board = on.export_text(styles=True).split("\n")[:18]
        assert all(f"48;2;{red};{green};{blue}m" in line for line in board)
