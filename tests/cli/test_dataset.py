"""`cornered dataset`: what it writes and prints, how it goes on, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from typer.testing import Result

from tests.cli.conftest import run

QUICK = ("dataset", "trapgrid", "-o", "size=4", "--depth", "2", "--workers", "1", "--shard", "4")


def collect(*arguments: str) -> Result:
    return run(*QUICK, *arguments)


def test_it_writes_files_and_a_card_and_goes_on_with_the_same_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ("--games", "10", "--bot", "minimax", "--seed", "3")
    result = collect(*asked)
    assert result.exit_code == 0, result.stderr
    folder = tmp_path / "cornered-games-trapgrid-3"
    names = ["README.md", *(f"data/games-0000{shard}.parquet" for shard in range(3)), "plan.json"]
    found = (str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name != ".lock")
    assert sorted(found) == names
    card = (folder / "README.md").read_text()
    assert "cornered dataset trapgrid --option size=4 --bot minimax --games 10 --depth 2 --shard 4 --seed 3\n" in card
    before = {name: (folder / name).read_bytes() for name in names}
    (folder / "data" / "games-00001.parquet").unlink()
    told = json.loads(collect(*asked, "--json").stdout)
    assert {name: (folder / name).read_bytes() for name in names} == before
    assert told["made"] == pq.read_metadata(folder / "data" / "games-00001.parquet").num_rows
    assert (told["games"], told["folder"]) == (10, "cornered-games-trapgrid-3")
    other = collect(*asked, "--explore", "0.5")
    assert other.exit_code == 2
    assert "is the plan of another data set" in other.stderr


def test_one_file_is_counted_as_one_and_the_card_names_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    result = collect("--games", "2", "--bot", "random", "--depth", "1", "--workers", "1", "--out", str(folder))
    assert result.exit_code == 0, result.stderr
    assert " in 1 file, " in result.stdout
    assert f" --out {folder}\n" in (folder / "README.md").read_text()
