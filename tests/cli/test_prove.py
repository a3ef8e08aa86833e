"""`cornered prove`: a proof in a folder, its check, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import Result

from tests.cli.conftest import run


def prove(*arguments: str) -> Result:
    return run("prove", *arguments)


def test_a_proof_is_written_and_checked(tmp_path: Path) -> None:
    folder = str(tmp_path / "proof")
    proven = prove("trapgrid", "-o", "size=4", "--workers", "1", "--out", folder, "--json")
    assert proven.exit_code == 0, proven.output
    told = json.loads(proven.stdout)
    assert (told["value"], told["winner"]) == ("loss", 1)
    checked = prove("--check", folder, "--json")
    assert checked.exit_code == 0
    assert json.loads(checked.stdout) == {
        "winner": 1,
        "value": "loss",
        "positions": told["positions"],
        "flaw": None,
    }
    (part,) = Path(folder).glob("certificates/*.proof")
    part.write_bytes(part.read_bytes()[:-9])
    flawed = prove("--check", folder)
    assert flawed.exit_code == 1
    assert "is no certificate" in flawed.stderr


def test_no_time_proves_nothing_and_says_so(tmp_path: Path) -> None:
    found = prove("trapgrid", "--workers", "1", "--hours", "0", "--out", str(tmp_path / "proof"))
    assert found.exit_code == 1
    assert "not proven yet; the same command goes on" in found.stdout


def test_a_folder_of_another_proof_is_refused(tmp_path: Path) -> None:
    folder = str(tmp_path / "proof")
    assert prove("trapgrid", "-o", "size=3", "--workers", "1", "--out", folder).exit_code == 0
    other = prove("trapgrid", "-o", "size=4", "--workers", "1", "--out", folder)
    assert other.exit_code == 2
    assert "another proof" in other.stderr


def test_a_game_and_check_exclude_each_other(tmp_path: Path) -> None:
    for arguments in (("trapgrid", "--check", str(tmp_path)), ()):
        assert prove(*arguments).exit_code != 0
