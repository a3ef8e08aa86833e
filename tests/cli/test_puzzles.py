"""`cornered puzzles` and `cornered lessons`: files for the page, resumed where they stopped."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import run


def test_puzzles_are_written_and_a_later_run_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "puzzles.json"
    command = ("puzzles", "isolation", "--count", "3", "--out", str(out), "--games")
    first = run(*command, "20")
    assert first.exit_code == 0, first.output
    begun = json.loads(out.read_text())
    assert begun["games"] <= 20
    assert begun["puzzles"]
    second = run(*command, "400")
    assert second.exit_code == 0, second.output
    done = json.loads(out.read_text())
    assert len(done["puzzles"]) == 3
    assert done["games"] > begun["games"]
    assert {one["id"] for one in begun["puzzles"]} < {one["id"] for one in done["puzzles"]}


def test_a_file_of_another_seed_is_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "puzzles.json"
    out.write_text('{"game": "trapgrid", "seed": 7, "boards": [], "puzzles": [], "games": 3}')
    refused = run("puzzles", "trapgrid", "--out", str(out))
    assert refused.exit_code != 0
    assert "seed 7" in refused.output
    assert json.loads(out.read_text())["games"] == 3


def test_lessons_are_written_into_a_folder(tmp_path: Path) -> None:
    done = run("lessons", "--out", str(tmp_path))
    assert done.exit_code == 0, done.output
    assert {path.name for path in tmp_path.iterdir()} == {"lessons.json", "rules.json"}
