"""What is true of every game's overlays."""

from __future__ import annotations

import pytest

from cornered import engine
from cornered.bots.overlay import overlays
from tests.bots.scenes import random_game

GAMES = [
    *(engine.load("trapgrid", size=size) for size in range(3, 9)),
    *(engine.load("isolation", width=5, height=5, **options) for options in ({}, {"players": 4}, {"dice": True})),
    engine.load("bamboo", radius=3),
    *(engine.load("quoridor", size=5, **options) for options in ({}, {"players": 4})),
]


def test_overlays_have_words_and_show_owners_or_degrees(subtests: pytest.Subtests) -> None:
    for game in GAMES:
        with subtests.test(repr(game)):
            for state in random_game(game, 8, 60):
                free = str(state).partition(" ")[0].replace("/", "").count(".")
                for overlay in overlays(state):
                    assert overlay.title
                    assert overlay.legend
                    assert not (overlay.zones and overlay.heat)
                    assert set(overlay.zones.values()) <= {"0", "1", "2", "3", "both"}
                    assert all(0 <= degree <= 1 for degree in overlay.heat.values())
                    assert overlay.numbers.keys() <= overlay.heat.keys()
                    if overlay.heat:
                        assert all(any(letter.isdigit() for letter in end) for end in overlay.ends), overlay.name
                    if game.name != "quoridor":
                        assert len(overlay.zones) <= free, "free cells alone have an owner"
