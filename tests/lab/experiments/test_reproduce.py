"""The registry of experiments, kept findings and work, and findings of other versions."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from cornered.lab.experiments import REFERENCES, experiments, named, reference_of
from cornered.lab.experiments.findings import Effect
from cornered.lab.experiments.pages import page
from cornered.lab.experiments.reproduction import FOLDER, read, write, write_report
from tests.lab.experiments.inline import run
from tests.lab.inline import Inline

NAME = "bamboo-table-2"


def test_every_experiment_is_checked_by_one_test() -> None:
    sources = [path.read_text("utf-8") for path in Path(__file__).parent.glob("test_*.py")]
    checked = [name for source in sources for name in re.findall(r'check\("([\w-]+)", tmp_path\)', source)]
    tables = [name for source in sources for name in re.findall(r'parametrize\("name", \[(.*)\]\)', source)]
    checked += [name for table in tables for name in re.findall(r'"([\w-]+)"', table) if name in experiments()]
    assert sorted(checked) == sorted(experiments())


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which an experiment was made, with its work."""
    out = tmp_path_factory.mktemp("kept")
    run(NAME, out, keep=True)
    return out


@pytest.fixture
def out(kept: Path, tmp_path: Path) -> Path:
    """A copy of that folder for one test."""
    return Path(shutil.copytree(kept, tmp_path / "out"))


def test_experiments_come_in_the_order_of_the_references() -> None:
    files = [list(REFERENCES).index(reference_of(one.source)) for one in experiments().values()]
    assert files == sorted(files)
    bamboo = [name for name in experiments() if name.startswith("bamboo")]
    assert bamboo == [
        *("bamboo-table-2", "bamboo-table-3", "bamboo-figure-11", "bamboo-pruning", "bamboo-figures-12-13"),
        *("bamboo-figures-14-15", "bamboo-table-4", "bamboo-costs"),
    ]


def test_all_means_every_experiment_once_and_an_unknown_one_is_refused() -> None:
    assert [one.name for one in named(["all", "bamboo-table-2"])] == list(experiments())
    assert [one.name for one in named(["bamboo-costs", "bamboo-table-2"])] == ["bamboo-table-2", "bamboo-costs"]
    with pytest.raises(ValueError, match=r"did you mean notes-korf\? There are all, bamboo-table-2"):
        named(["nots-korf"])
    with pytest.raises(ValueError, match=r"no experiment 'chess'; there are all, bamboo-table-2"):
        named(["chess"])


def test_what_was_finished_is_kept_until_it_is_made_again_of_kept_work(out: Path) -> None:
    folder = out / FOLDER
    path, data = folder / f"{NAME}.json", folder / "data" / NAME
    first, games, idle = read(path), (data / "games.csv.gz").read_bytes(), Inline()
    path.write_text(path.read_text().replace(f"make {NAME}", "made by hand"))
    assert run(NAME, out).command == "made by hand"

    (data / "old.csv.gz").write_bytes(b"of an earlier version")
    judged_again = run(NAME, out, again=True, keep=True, workforce=idle)
    assert judged_again == first
    assert idle.done == 0
    began = [run["date"] for run in judged_again.provenance["runs"]]
    assert began == [first.provenance["date"], judged_again.provenance["date"]]
    assert (data / "games.csv.gz").read_bytes() == games
    assert {path.name for path in data.iterdir()} == {"README.md", *(f"{step}.csv.gz" for step in first.counts)}
    run(NAME, out, again=True, workforce=idle)
    assert idle.done == 0
    assert not (folder / ".work").exists()
    assert run(NAME, out, again=True, workforce=idle) == first
    assert idle.done == sum(first.counts.values())


def test_a_row_without_bound_is_written_and_read(tmp_path: Path) -> None:
    name = "bamboo-figure-11"
    found, path = run(name, tmp_path), tmp_path / FOLDER / f"{name}.json"
    given = json.loads(path.read_text())
    given["rows"][1]["ours"] = given["rows"][1]["high"] = None
    given["rows"][1]["effect"] = {"value": 2.0, "low": 1.0, "high": None, "scale": "times"}
    path.write_text(json.dumps(given))
    row = read(path).rows[1]
    assert row.effect == Effect(2.0, 1.0, float("inf"), "times")
    assert row.ours == row.high == float("inf")
    assert row.low == found.rows[1].low
    changed = replace(found, rows=(found.rows[0], row, *found.rows[2:]))
    write(changed, experiments()[name], tmp_path)
    assert read(tmp_path / path.name) == changed
    assert "without bound" in page(replace(found, rows=(row,)))


def test_a_finding_of_another_version_is_left_out_and_made_again(out: Path, subtests: pytest.Subtests) -> None:
    path = out / FOLDER / f"{NAME}.json"
    other = path.with_name("bamboo-figure-11.json")
    other.write_text(path.read_text().replace(NAME, other.stem))
    unnamed = json.loads(path.read_text())
    del unnamed["provenance"]["runs"]
    for content in ("{}", "no JSON", f'{{"name": "{NAME}", "rows": [{{}}], "verdicts": {{}}}}', json.dumps(unnamed)):
        with subtests.test(content=content[:80]):
            path.write_text(content)
            with pytest.raises(ValueError, match=rf"{NAME}\.json holds no finding of this version"):
                read(path)
            report, left_out = write_report(out, experiments().values(), REFERENCES)
            assert left_out == (NAME,)
            assert f"(#{other.stem})" in report.read_text()
    assert run(NAME, out, keep=True) == read(path)
    report, left_out = write_report(out, experiments().values(), REFERENCES)
    assert left_out == ()
    assert f"(#{NAME})" in report.read_text()


def test_a_source_names_its_reference() -> None:
    with pytest.raises(ValueError, match="a source names a reference"):
        reference_of("hearsay.txt, section 1")
