"""`cornered tune` on small boards: files, plots, JSON, resumption after an interrupt, and errors in one line."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from cornered.bots.weights.file import read, write
from cornered.lab.tuning import learner
from cornered.lab.tuning.trial import Trials
from tests.cli.conftest import run

SMALL = ["--game", "trapgrid", "-o", "size=4", "--seed", "5", "--workers", "1", "--depth", "1"]
COMMANDS = {
    "td": ["--games", "20", "--batch", "10"],
    "grid": ["--tune", "territory", "--pairs", "1"],
    "spsa": ["--iterations", "2", "--pairs", "1"],
    "optuna": ["--trials", "2", "--pairs", "1"],
}


def tune(*arguments: str) -> Result:
    return run("tune", *arguments)


@pytest.mark.parametrize("method", COMMANDS)
def test_it_writes_weights_that_say_how_they_were_made(method: str, tmp_path: Path) -> None:
    if method == "optuna":
        pytest.importorskip("optuna")
    out = tmp_path / "weights.json"
    result = tune(method, *SMALL, *COMMANDS[method], "--out", str(out), "--json")
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    held = read(out)
    assert said == {"file": str(out), **held.model_dump(mode="json")}
    assert held.method == method
    assert held.seed == 5
    assert held.options == {"size": 4}
    assert (tmp_path / "weights.svg").read_text().count("<svg") == 1
    assert not out.with_name("weights.json.checkpoint").exists()
    # The command that it names makes the same again.
    words = held.command.split()[2:]
    again = tune(*words, "--workers", "1", "--out", str(tmp_path / "again.json"))
    assert again.exit_code == 0, again.output
    assert "territory" in again.stdout
    assert read(tmp_path / "again.json") == held


def test_without_optuna_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    result = tune("optuna", *SMALL, *COMMANDS["optuna"], "--out", str(tmp_path / "weights.json"))
    assert result.exit_code == 2
    assert result.stderr == "cornered: this needs optuna, which is not installed: pip install 'cornered[tuning]'\n"


def interrupted_after(monkeypatch: pytest.MonkeyPatch, target: Any, name: str, calls: int) -> None:
    """Raise KeyboardInterrupt once, after `calls` calls of a method."""
    original, count = getattr(target, name), 0

    def counting(*arguments: Any) -> Any:
        nonlocal count
        count += 1
        if count == calls + 1:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(target, name, counting)


@pytest.mark.parametrize(("method", "target", "name"), [("td", learner.Learnt, "save"), ("spsa", Trials, "__call__")])
def test_an_interrupted_command_goes_on_and_comes_to_the_same(
    method: str, target: Any, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, part = tmp_path / "whole.json", tmp_path / "part.json"
    command = [method, *SMALL, *COMMANDS[method]]
    assert tune(*command, "--out", str(whole)).exit_code == 0
    with monkeypatch.context() as patch:
        interrupted_after(patch, target, name, 1)
        stopped = tune(*command, "--out", str(part))
    assert stopped.exit_code == 130
    assert "the same command goes on" in stopped.stderr
    assert not part.exists()
    assert tune(*command, "--out", str(part)).exit_code == 0
    assert read(part) == read(whole)


def test_a_test_is_written_into_the_file(tmp_path: Path) -> None:
    out = tmp_path / "weights.json"
    assert tune("spsa", *SMALL, *COMMANDS["spsa"], "--out", str(out)).exit_code == 0
    before = read(out)
    command = ["test", str(out), "--pairs", "4", "--seed", "9", "--workers", "1"]
    result = tune(*command, "--json")
    assert result.exit_code == 0, result.output
    held = read(out)
    assert json.loads(result.stdout) == {"file": str(out), **held.tests[0].model_dump(mode="json")}
    assert held == before.model_copy(update={"tests": held.tests})
    test = held.tests[0]
    assert test.command == "cornered tune test weights.json --pairs 4 --low 0 --high 20 --depth 1 --seed 9"
    assert test.wins + test.draws + test.losses == 2 * sum(test.pairs) == 8
    # The second run only reads the stored games, and writes the same.
    (games,) = tmp_path.glob("weights.json.test-d1-s9-*/games.jsonl")
    kept = games.read_bytes()
    assert "tuned against printed: undecided" in tune(*command).stdout
    assert games.read_bytes() == kept
    assert kept.count(b"\n") == 8
    assert read(out) == held
    # More pairs go on with them, and other weights in the same file begin anew.
    more = tune("test", str(out), "--pairs", "5", "--seed", "9", "--workers", "1")
    assert more.exit_code == 0, more.output
    assert "Elo " in more.stdout
    assert games.read_bytes().startswith(kept)
    assert games.read_bytes().count(b"\n") == 10
    write(held.model_copy(update={"weights": {**held.weights, "territory": 9.0}}), out)
    assert tune(*command).exit_code == 0
    assert len(list(tmp_path.glob("weights.json.test-d1-s9-*"))) == 2


SETTINGS = shlex.split(
    "settings textbook-alphabeta:depth=3 --game trapgrid -o size=4 --iterations 3 --pairs 4 --spread 0.25 "
    "--nodes 1000000 --range depth=1:9 --seed 5 --workers 1"
)


def test_settings_of_any_bot_are_tuned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, part = tmp_path / "whole.json", tmp_path / "part.json"
    done = tune(*SETTINGS, "--out", str(whole))
    assert done.exit_code == 0, done.output
    held = json.loads(whole.read_text())
    assert (held["start"], held["bot"]) == ("textbook-alphabeta:depth=3", "textbook-alphabeta:depth=4")
    assert held["ranges"] == {"depth": [1.0, 9.0]}
    assert [point["games"] for point in held["curve"]] == [8, 16, 24]
    assert "depth          3 before          4 tuned" in done.stdout
    assert f"cornered match {held['bot']} {held['start']} --game trapgrid -o size=4" in done.stderr
    # The command that it names makes the same again.
    again = tune(*held["command"].split()[2:], "--workers", "1", "--out", str(tmp_path / "again.json"))
    assert again.exit_code == 0, again.output
    assert json.loads((tmp_path / "again.json").read_text()) == held
    # An interrupted one goes on, and comes to the same.
    with monkeypatch.context() as patch:
        interrupted_after(patch, Trials, "__call__", 1)
        assert tune(*SETTINGS, "--out", str(part)).exit_code == 130
    assert not part.exists()
    resumed = tune(*SETTINGS, "--out", str(part), "--json")
    assert json.loads(resumed.stdout) == {"file": str(part), **held}
    assert json.loads(part.read_text()) == held


def test_another_command_does_not_go_on_with_the_games_of_this_one(tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "weights.json")]
    assert tune("spsa", *SMALL, *COMMANDS["spsa"], *out).exit_code == 0
    result = tune("spsa", *SMALL, "--iterations", "3", "--pairs", "1", *out)
    assert result.exit_code == 2
    assert "the plan of another contest" in result.stderr
