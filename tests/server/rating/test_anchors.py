"""Where the ratings of house bots begin."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.protocol.values import Player, PlayerKind
from cornered.server.rating.anchors import ANCHORS, anchor_of


def player(name: str, kind: PlayerKind = "bot") -> Player:
    return Player(id="p", name=name, kind=kind)


def test_every_level_of_a_measured_game_has_an_anchor() -> None:
    assert set(ANCHORS) <= {game.name for game in engine.games()}
    for game, figures in ANCHORS.items():
        assert len(figures) == 10
        assert figures[4] == 1_500
        assert [anchor_of(player(f"level-{level}"), f"{game}:blitz") for level in range(1, 11)] == list(figures)


def test_nobody_else_and_nothing_unmeasured_has_one(subtests: pytest.Subtests) -> None:
    for who, pool in (
        (player("level-3", "person"), "trapgrid:blitz"),
        (player("level-3 (2)"), "trapgrid:blitz"),
        (player("level-11"), "trapgrid:blitz"),
        (player("level-0"), "trapgrid:blitz"),
        (player("level-x"), "trapgrid:blitz"),
        (player("champion"), "trapgrid:blitz"),
        (player("level-3"), "trapgrid:size=5:blitz"),
        (player("level-3"), "chess:blitz"),
    ):
        with subtests.test(who=who, pool=pool):
            assert anchor_of(who, pool) is None
