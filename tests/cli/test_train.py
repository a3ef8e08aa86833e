"""`cornered train bamboo-neural` on the smallest board: it prints its command, writes the weights, and cleans up."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from cornered.bots.neural.weights import load
from cornered.bots.pool.blas import ONE_THREAD
from tests.cli.conftest import run

ARGUMENTS = shlex.split("train bamboo-neural --radius 1 --games 6 --epochs 2 --seed 9 --workers 1")


@pytest.fixture(autouse=True)
def few_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cornered.lab.training.evaluation.TRIAL_PAIRS", 1)
    monkeypatch.setattr("cornered.lab.training.evaluation.DUEL_PAIRS", 1)
    for name in ONE_THREAD:
        monkeypatch.setenv(name, "")


def test_it_writes_what_it_prints(tmp_path: Path) -> None:
    result = run(*ARGUMENTS, "--out", str(tmp_path), "--plot", "--json")
    assert result.exit_code == 0, result.output
    said: dict[str, Any] = json.loads(result.stdout)
    command = (
        "cornered train bamboo-neural --network both --radius 1 --games 6 --epochs 2 --seed 9 "
        "--mix minimax=3,mcts=1,hybrid=1,outer=2"
    )
    assert said["command"] == command
    assert command in result.stderr
    assert all(os.environ[name] == "1" for name in ONE_THREAD)
    assert said["plot"] == str(tmp_path / "bamboo-r1.svg")
    names = {"bamboo-r1.npz": "dense", "bamboo-convolutional-r1.npz": "convolutional"}
    assert {path.name for path in tmp_path.iterdir()} == {*names, "bamboo-r1.svg"}
    for name, kind in names.items():
        told = said["networks"][kind]
        assert told["file"] == str(tmp_path / name)
        assert len(told["curve"]) == 2
        assert told["milliseconds"].keys() == told["results"].keys()
        beside = {"file", "curve", "milliseconds"}
        assert load(tmp_path / name).provenance == {key: value for key, value in told.items() if key not in beside}


def test_one_network_alone_with_another_mix_is_told_as_a_table(tmp_path: Path) -> None:
    result = run(*ARGUMENTS, "--network", "convolutional", "--mix", "mcts=1", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    assert "wins against bamboo-uniform" in " ".join(result.stdout.split())
    assert [path.name for path in tmp_path.iterdir()] == ["bamboo-convolutional-r1.npz"]
    assert load(tmp_path / "bamboo-convolutional-r1.npz").provenance["mix"] == "mcts=1"


def test_a_missing_extra_is_named_as_the_one_that_has_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "cornered.cli.missing_extra.find_spec", lambda name: None if name in ("pyarrow", "torch") else object()
    )
    refused = run("train", "quoridor")
    assert refused.exit_code == 2
    assert "pip install 'cornered[train]'" in refused.stderr
