"""The choice of a game."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.protocol.values import GameSpec
from cornered.server.match.catalogue import load, offered, settle
from cornered.server.refusal import Refusal


def test_every_game_of_the_engine_is_offered_with_all_its_options() -> None:
    assert [game.name for game in offered()] == [game.name for game in engine.games()]
    for shown, game in zip(offered(), engine.games(), strict=True):
        assert [option.name for option in shown.options] == [option.name for option in game.OPTIONS]
        assert shown.start == str(game().start())


def test_options_that_are_left_out_are_filled_in_and_none_is_overruled() -> None:
    _, spec = settle(GameSpec(name="quoridor", options={"size": 7}))
    assert spec.options == {"size": 7, "players": 2, "walls": 8, "max_plies": 150, "no_progress": 40}
    _, spec = settle(GameSpec(name="quoridor", options={"max_plies": None, "no_progress": 7}))
    assert (spec.options["max_plies"], spec.options["no_progress"]) == (None, 7)
    for game in engine.games():
        _, spec = settle(GameSpec(name=game.name))
        assert settle(spec)[1] == spec
        assert load(spec).options == spec.options


def test_what_does_not_exist_is_refused_with_what_does() -> None:
    refused: list[tuple[str, dict[str, int | bool | None], str, str]] = [
        ("chess", {}, "unknown_game", "trapgrid"),
        ("Quoridr", {}, "unknown_game", "did you mean `quoridor`?"),
        ("trapgrid", {"width": 7}, "bad_options", "size"),
        ("isolation", {"hight": 7}, "bad_options", "did you mean `height`?"),
        ("trapgrid", {"size": 9}, "bad_options", "3 to 8"),
        ("isolation", {"dice": 1}, "bad_options", "true or false"),
        ("isolation", {"players": True}, "bad_options", "2"),
        ("quoridor", {"size": 3, "players": 4}, "bad_options", ""),
    ]
    for name, options, code, hint in refused:
        with pytest.raises(Refusal) as caught:
            settle(GameSpec(name=name, options=options))
        assert (caught.value.code, hint in caught.value.text) == (code, True), (name, options)
