"""The networks that ship: each is small, has its card, and is used on its board alone."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cornered import engine
from cornered.bots.evaluate import evaluation_module
from cornered.bots.nnue.network import SHIPPED, TrainedNetwork, shipped
from cornered.bots.search.specialise import specialised_search
from cornered.cli.train import app
from cornered.lab.learning.plan import SUBJECTS

LARGEST = 1_000_000
"""Bytes of a file."""
FILES = sorted(SHIPPED.glob("*.npz"))
NAMES = {subject.network: game for game, subject in SUBJECTS.items()}


def network_of(path: Path) -> TrainedNetwork:
    found = shipped(path.stem)
    assert found is not None
    return found


def test_there_are_networks_and_each_is_of_a_game() -> None:
    assert FILES
    assert {path.stem for path in FILES} <= NAMES.keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_network_is_small_and_has_its_card(path: Path) -> None:
    assert path.stat().st_size <= LARGEST
    provenance = network_of(path).provenance
    card = path.with_suffix(".md").read_text(encoding="utf-8")
    command = shlex.split(provenance["command"])
    assert command[:3] == ["cornered", "train", NAMES[path.stem]]
    assert command[2] in {one.name for one in app.registered_commands}
    assert f"`{provenance['command']}`" in card
    assert f"{provenance['positions']:,} positions" in card


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_network_is_found_for_its_board_and_for_no_other(path: Path) -> None:
    game = NAMES[path.stem]
    made, others = (
        specialised_search(game),
        {"quoridor": {"size": 7}, "isolation": {"width": 6}, "bamboo": {"radius": 4}},
    )
    for options, is_known in ((SUBJECTS[game].options, 1), (others[game], 0)):
        record: Any = np.zeros(1, made.scratch).view(np.recarray)[0]
        made.prepare(engine.load(game, **options), record)
        assert record.has_network == is_known


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_start_is_about_even(path: Path) -> None:
    game = NAMES[path.stem]
    module = evaluation_module(game)
    assert module is not None
    record: Any = np.zeros(1, module.SCRATCH).view(np.recarray)[0]
    loaded = engine.load(game, **SUBJECTS[game].options)
    module.prepare(loaded, record)
    start: Any = loaded.start().position  # type: ignore[attr-defined]  # every game of ours has one
    assert abs(module.network_score(start, 0, record)) < 300
