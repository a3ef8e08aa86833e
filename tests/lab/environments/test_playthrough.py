"""A playthrough is the same text as ever: a difference is a change of the rules, of the actions or of the planes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cornered import engine
from cornered.lab.environments.playthrough import playthrough

KEPT = Path(__file__).resolve().parents[2] / "data" / "playthroughs"
GAMES: dict[str, dict[str, Any]] = {
    "trapgrid": {"size": 5},
    "isolation": {"width": 4, "height": 3, "players": 3, "dice": True},
    "bamboo": {"radius": 2},
    "quoridor": {"size": 5, "walls": 2, "max_plies": 30},
}


def test_a_playthrough_is_the_kept_text(subtests: pytest.Subtests) -> None:
    for name in GAMES:
        with subtests.test(name=name):
            # After an intended change: write `playthrough(...)` of these games to tests/data/playthroughs again.
            found = playthrough(engine.load(name, **GAMES[name]), seed=7)
            assert found == (KEPT / f"{name}.txt").read_text(encoding="utf-8")


def test_every_seed_has_a_playthrough_of_its_own() -> None:
    game = engine.load("trapgrid")
    assert len({playthrough(game, seed=seed) for seed in range(10)}) == 10
