"""`cornered train bamboo` on the smallest board: it prints its command, writes the weights, and cleans up."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bots.neural.weights import load
from clients.training import app


def test_it_writes_what_it_prints(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bots.neural.trial.TRIALS", 2)
    out = tmp_path / "weights.npz"
    arguments = ["bamboo", "--radius", "1", "--games", "6", "--epochs", "2", "--seed", "9", "--out", str(out), "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    command = "cornered train bamboo --radius 1 --games 6 --epochs 2 --seed 9"
    assert said["command"] == command
    assert command in result.stderr
    assert load(out).provenance == {name: value for name, value in said.items() if name != "file"}
    assert [path.name for path in tmp_path.iterdir()] == ["weights.npz"]


def test_a_folder_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["bamboo", "--radius", "1", "--out", str(tmp_path / "none" / "x.npz")])
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr
