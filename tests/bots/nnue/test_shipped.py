"""The networks that ship: each is small, has its card, and is used on its board alone."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cornered import engine
from cornered.bots.evaluate import evaluation_module, network_of
from cornered.bots.evaluate.chance import scale_of
from cornered.bots.nnue.inference import forward, update
from cornered.bots.nnue.layout import LOGIT_SCORE
from cornered.bots.nnue.network import SHIPPED, TrainedNetwork, shipped
from cornered.bots.search.specialise import specialised_search
from cornered.cli.train import app
from cornered.engine import Game
from cornered.lab.learning.plan import SUBJECTS

LARGEST = 1_000_000
"""Bytes of a file."""
FILES = sorted(SHIPPED.glob("*.npz"))
NAMES = {subject.network: game for game, subject in SUBJECTS.items()}


def network_of_file(path: Path) -> TrainedNetwork:
    found = shipped(path.stem)
    assert found is not None
    return found


EACH = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@EACH
def test_a_network_is_of_a_game_small_and_has_its_card(path: Path) -> None:
    assert path.stem in NAMES
    assert path.stat().st_size <= LARGEST
    provenance = network_of_file(path).provenance
    card = path.with_suffix(".md").read_text(encoding="utf-8")
    command = shlex.split(provenance["command"])
    assert command[:3] == ["cornered", "train", NAMES[path.stem]]
    assert command[2] in {one.name for one in app.registered_commands}
    assert f"`{provenance['command']}`" in card
    assert f"{provenance['positions']:,} positions" in card


def record_of(game: Game) -> Any:
    """Return the record of a game's search, with its network if there is one."""
    made = specialised_search(game.name)
    record: Any = np.zeros(1, made.scratch).view(np.recarray)[0]
    made.prepare(game, record)
    return record


@EACH
def test_a_network_is_used_on_its_board_and_on_no_other(path: Path) -> None:
    name = NAMES[path.stem]
    others = {"quoridor": {"size": 7}, "isolation": {"width": 6}, "bamboo": {"radius": 4}}
    game, other = engine.load(name, **SUBJECTS[name].options), engine.load(name, **others[name])
    assert record_of(game).has_network == 1
    assert record_of(other).has_network == 0
    assert network_of(game) is network_of_file(path)
    assert network_of(other) is None
    assert scale_of(game) == LOGIT_SCORE / 100 != scale_of(other)


@EACH
def test_its_sums_keep_to_their_types_it_prefers_moves_and_finds_a_start_about_even(path: Path) -> None:
    name = NAMES[path.stem]
    game = engine.load(name, **SUBJECTS[name].options)
    start: Any = game.start().position  # type: ignore[attr-defined]  # every game of ours has one
    evaluation, record = evaluation_module(name), record_of(game)
    assert evaluation is not None
    known = evaluation.FEATURES
    network_of_file(path).network.check_sums(known.exclusive())
    assert record.has_preferences == 1
    known.mark(start, record.marked)
    update(0, 0, known.words, record)
    assert abs(forward(0, record)) < LOGIT_SCORE
