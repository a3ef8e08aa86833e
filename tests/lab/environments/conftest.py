"""The games of the environments' tests."""

from __future__ import annotations

from typing import Any

import pytest

from cornered import engine
from cornered.engine import Game

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "trapgrid": ("trapgrid", {"size": 5}),
    "isolation": ("isolation", {}),
    "wide isolation": ("isolation", {"width": 8, "height": 8}),
    "isolation of three with dice": ("isolation", {"width": 5, "height": 4, "players": 3, "dice": True}),
    "bamboo": ("bamboo", {"radius": 2}),
    "quoridor": ("quoridor", {"size": 5, "max_plies": 60}),
    "quoridor of four": ("quoridor", {"size": 5, "players": 4}),
}


@pytest.fixture(params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    name, options = GAMES[request.param]
    return engine.load(name, **options)
