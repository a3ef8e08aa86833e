"""`cornered reproduce`: the list of experiments, results, and errors in one line."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import Result

from cornered.lab.experiments import experiments, reproduction
from tests.cli.conftest import run

NAME = "bamboo-table-2"


def make(out: Path, *arguments: str) -> Result:
    return run("reproduce", NAME, "--tiny", "--workers", "1", "--out", str(out), *arguments)


def test_the_experiments_are_listed_with_title_and_source() -> None:
    first, *others = run("reproduce").stdout.splitlines()
    assert first.startswith(NAME)
    assert "bamboo-paper.txt" in first
    assert run("reproduce", "--list").stdout.splitlines() == [first, *others]
    listed = json.loads(run("reproduce", "--list", "--json").stdout)
    assert [one["name"] for one in listed] == list(experiments())
    assert len(listed) == 1 + len(others)


def test_results_report_and_command_are_written_and_told(tmp_path: Path) -> None:
    told = json.loads(make(tmp_path, "--json", "--seed", "3").stdout)
    (finding,) = told["findings"]
    assert told["report"] == str(tmp_path / "reproduction.md")
    assert finding["command"] == f"cornered reproduce {NAME} --tiny --seed 3 --out {tmp_path}"
    assert finding["seed"] == 3
    assert finding["counts"]["games"] == 5
    assert finding["rows"][0]["claimed"] == "12%"
    assert f"[{NAME}](#{NAME})" in (tmp_path / "reproduction.md").read_text()
    assert json.loads((tmp_path / "reproduction" / f"{NAME}.json").read_text()) == finding
    printed = make(tmp_path, "--seed", "3").stdout
    assert "first player wins, size 1" in printed
    assert printed.endswith(f"The report is {tmp_path / 'reproduction.md'}\n")


def test_without_matplotlib_it_says_what_to_install_before_it_measures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused = make(tmp_path)
    assert refused.exit_code == 2
    assert refused.stderr == "cornered: this needs matplotlib, which is not installed: pip install 'cornered[lab]'\n"
    assert not list(tmp_path.iterdir())


def test_a_finding_of_another_version_is_named_with_the_command_that_makes_it_again(tmp_path: Path) -> None:
    make(tmp_path)
    old = tmp_path / "reproduction" / "notes-korf.json"
    old.write_text('{"rows": []}')
    told = make(tmp_path, "--json")
    assert told.exit_code == 0
    assert json.loads(told.stdout)["left_out"] == ["notes-korf"]
    assert f"the report leaves out notes-korf: {old} is of another version" in told.stderr
    assert f"`cornered reproduce notes-korf --tiny --seed 1 --out {tmp_path}` makes it again" in told.stderr


def test_an_interrupt_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduction, "make", interrupt)
    ended = make(tmp_path)
    assert ended.exit_code == 130
    assert "the same command goes on from here" in ended.stderr
