"""The games of the environments' tests."""

from __future__ import annotations

from typing import Any

from cornered import engine
from cornered.engine import Game

__all__ = ["loaded"]

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("trapgrid", {"size": 5}),
    ("isolation", {}),
    ("isolation", {"width": 8, "height": 8}),
    ("isolation", {"width": 5, "height": 4, "players": 3, "dice": True}),
    ("bamboo", {"radius": 2}),
    ("quoridor", {"size": 5, "max_plies": 60}),
    ("quoridor", {"size": 5, "players": 4}),
]


def loaded() -> list[Game]:
    return [engine.load(name, **options) for name, options in GAMES]
