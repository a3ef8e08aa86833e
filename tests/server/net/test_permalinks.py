"""Addresses of positions: readable, reversible for every game, and one for each position."""

from __future__ import annotations

import random

import pytest

from cornered import engine
from cornered.server.net.permalinks import SharedGame, SharedPosition, position_path, read_address
from cornered.server.net.requests import canonical_path

GAMES = [
    ("trapgrid", {}),
    ("isolation", {"width": 2, "height": 3, "players": 4, "dice": True}),
    ("bamboo", {"radius": 2}),
    ("quoridor", {"size": 5, "max_plies": 100, "no_progress": 30}),
    ("quoridor", {"players": 4}),
]


@pytest.mark.parametrize(("name", "options"), GAMES)
def test_every_position_of_a_game_has_an_address_that_leads_back_to_it(name: str, options: dict[str, int]) -> None:
    chance, state = random.Random(5), engine.load(name, **options).start()
    while state.outcome is None:
        for form in ("", ".svg", ".png"):
            path = f"/{position_path(state)}{form}"
            assert canonical_path(path) == path
            found = read_address(path)
            assert isinstance(found, SharedPosition)
            assert (found.state, found.form) == (state, form)
        state = state.play(chance.choice(state.moves()))


def test_an_address_is_readable() -> None:
    state = engine.load("quoridor", size=3, walls=2).start().play("a1h").play("b2")
    assert position_path(state) == "position/quoridor/size~3-walls~2/...-.1.-.0._0_walls~a1h_left~1-2"


@pytest.mark.parametrize("options", [{"size": 5, "walls": 10}, {"size": 5, "walls": 5}, {"players": 4, "walls": 10}])
def test_an_option_is_left_out_only_where_it_has_its_default_on_every_board(options: dict[str, int]) -> None:
    state = engine.load("quoridor", **options).start()
    found = read_address(f"/{position_path(state)}")
    assert isinstance(found, SharedPosition)
    assert found.state.game.options == state.game.options


def test_a_shared_game_is_named_with_a_ply_or_without() -> None:
    games = {
        "/g/abc": SharedGame("abc", None, ""),
        "/g/a-b_c/14": SharedGame("a-b_c", 14, ""),
        "/g/abc/0.svg": SharedGame("abc", 0, ".svg"),
        "/g/abc.png": SharedGame("abc", None, ".png"),
    }
    others = ("/g/abc/014", "/g/abc/14.gif", "/g/abc/12345", "/g/", "/position/trapgrid")
    assert {path: read_address(path) for path in (*games, *others)} == games | dict.fromkeys(others)


def test_what_is_no_position_says_why() -> None:
    text = """chess/..._0 trapgrid/size~9/..._0 trapgrid/size~3/0.-...-..1_0 trapgrid/size/0..-...-..1_0
            trapgrid/name~3/0..-...-..1_0 trapgrid/self~3/0..-...-..1_0 trapgrid/size~3/0..-...-..1"""
    for path in text.split():
        with pytest.raises(ValueError, match=r"\w+"):
            read_address(f"/position/{path}")
