"""Every experiment, run at the smallest scale, written, read again and collected in the report."""

from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from cornered.engine.progress import no_report
from cornered.lab.experiments import REFERENCES, experiments, named, reference_of
from cornered.lab.experiments.findings import VERDICTS, Effect, Finding
from cornered.lab.experiments.pages import page
from cornered.lab.experiments.reproduction import FOLDER, make, read, write, write_report
from cornered.lab.reports.plots import drawing
from tests.lab.experiments.inline import Inline
from tests.lab.reports.layout import check_legends

LONG = {
    "bamboo-figures-12-13",
    "bamboo-figures-14-15",
    "bamboo-pruning",
    "bamboo-table-3",
    "bamboo-table-4",
    "isolation-heuristics",
    "isolation-program",
    "notes-expectiminimax",
    "notes-horizon",
    "notes-quiescence",
    "quoridor-depth",
    "quoridor-first-player",
    "quoridor-nodes",
}
"""Experiments that take more than two seconds even at the smallest scale."""


def run(name: str, out: Path, *, again: bool = False, keep: bool = False, workforce: Inline | None = None) -> Finding:
    workers = workforce or Inline()
    command = f"make {name}"
    return make(experiments()[name], workers, out, "tiny", 1, no_report, command=command, again=again, keep=keep)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.thorough) if name in LONG else name for name in experiments()]
)
def test_an_experiment_writes_its_table_plot_and_figures(name: str, tmp_path: Path) -> None:
    finding = run(name, tmp_path)
    folder = tmp_path / FOLDER
    assert read(folder / f"{name}.json") == finding
    assert ElementTree.parse(folder / f"{name}.svg").getroot().tag.endswith("svg")
    table = (folder / f"{name}.md").read_text()
    assert f"]({name}.svg)" in table
    assert finding.rows
    assert finding.counts
    for row in finding.rows:
        assert row.label.replace("|", "\\|") in table
        assert row.low <= row.ours <= row.high
        assert row.verdict in VERDICTS
        assert (row.verdict == "new") == (row.claimed == "") or row.verdict == "new"
    assert len({row.label for row in finding.rows}) == len(finding.rows)
    assert "mathdefault" not in (folder / f"{name}.svg").read_text(), "numbers of axes are plain"
    with drawing() as figure:
        experiments()[name].plot(finding, figure)
        check_legends(figure)
    assert not list(folder.glob(".work/*"))
    assert set(finding.data) == {f"data/{name}/{step}.csv.gz" for step in finding.counts}
    described = (folder / "data" / name / "README.md").read_text()
    for path, lines in finding.data.items():
        with gzip.open(folder / path, "rt") as file:
            assert len(file.readlines()) == lines + 1
        assert f"`{Path(path).name}`, {lines:,} lines" in described
    assert finding.provenance["libraries"]


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


def test_what_was_finished_is_kept_until_it_is_made_again(tmp_path: Path) -> None:
    first = run("bamboo-table-2", tmp_path)
    path = tmp_path / FOLDER / "bamboo-table-2.json"
    path.write_text(path.read_text().replace("make bamboo-table-2", "made by hand"))
    assert run("bamboo-table-2", tmp_path).command == "made by hand"
    assert run("bamboo-table-2", tmp_path, again=True) == first


def test_kept_work_is_judged_again_without_playing(tmp_path: Path) -> None:
    first = run("bamboo-table-2", tmp_path, keep=True)
    data = tmp_path / FOLDER / "data" / "bamboo-table-2"
    games = (data / "games.csv.gz").read_bytes()
    (data / "old.csv.gz").write_bytes(b"of an earlier version")
    idle = Inline()
    judged_again = run("bamboo-table-2", tmp_path, again=True, keep=True, workforce=idle)
    assert judged_again == first
    assert idle.done == 0
    began = [run["date"] for run in judged_again.provenance["runs"]]
    assert began == [first.provenance["date"], judged_again.provenance["date"]]
    assert (data / "games.csv.gz").read_bytes() == games
    assert {path.name for path in data.iterdir()} == {"README.md", *(f"{step}.csv.gz" for step in first.counts)}
    run("bamboo-table-2", tmp_path, again=True, workforce=idle)
    assert idle.done == 0
    assert not (tmp_path / FOLDER / ".work").exists()
    run("bamboo-table-2", tmp_path, again=True, workforce=idle)
    assert idle.done == sum(first.counts.values())


def test_a_row_without_bound_is_written_and_read(tmp_path: Path) -> None:
    found = run("bamboo-figure-11", tmp_path)
    path = tmp_path / FOLDER / "bamboo-figure-11.json"
    given = json.loads(path.read_text())
    given["rows"][1]["ours"] = given["rows"][1]["high"] = None
    given["rows"][1]["effect"] = {"value": 2.0, "low": 1.0, "high": None, "scale": "times"}
    path.write_text(json.dumps(given))
    row = read(path).rows[1]
    assert row.effect == Effect(2.0, 1.0, float("inf"), "times")
    changed = replace(found, rows=(found.rows[0], row, *found.rows[2:]))
    write(changed, experiments()["bamboo-figure-11"], tmp_path)
    assert read(tmp_path / "bamboo-figure-11.json") == changed
    assert row.ours == row.high == float("inf")
    assert row.low == found.rows[1].low
    assert "without bound" in page(replace(found, rows=[row]))


@pytest.fixture(scope="module")
def figure_11(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the experiment bamboo-figure-11 has been made."""
    out = tmp_path_factory.mktemp("figure-11")
    run("bamboo-figure-11", out)
    return out


@pytest.mark.parametrize("content", ["{}", "no JSON", '{"name": "bamboo-table-2", "rows": [{}], "verdicts": {}}'])
def test_a_finding_of_another_version_is_left_out_and_made_again(content: str, figure_11: Path, tmp_path: Path) -> None:
    shutil.copytree(figure_11, tmp_path, dirs_exist_ok=True)
    old = tmp_path / FOLDER / "bamboo-table-2.json"
    old.write_text(content)
    with pytest.raises(ValueError, match=r"bamboo-table-2\.json holds no finding of this version"):
        read(old)
    path, left_out = write_report(tmp_path, experiments().values(), REFERENCES)
    assert left_out == ("bamboo-table-2",)
    assert "(#bamboo-figure-11)" in path.read_text()
    assert run("bamboo-table-2", tmp_path) == read(old)
    path, left_out = write_report(tmp_path, experiments().values(), REFERENCES)
    assert left_out == ()
    assert "(#bamboo-table-2)" in path.read_text()


def test_a_finding_that_names_no_runs_is_of_another_version(tmp_path: Path) -> None:
    run("bamboo-table-2", tmp_path)
    path = tmp_path / FOLDER / "bamboo-table-2.json"
    given = json.loads(path.read_text())
    del given["provenance"]["runs"]
    path.write_text(json.dumps(given))
    assert write_report(tmp_path, experiments().values(), REFERENCES)[1] == ("bamboo-table-2",)


def test_a_source_names_its_reference() -> None:
    with pytest.raises(ValueError, match="a source names a reference"):
        reference_of("hearsay.txt, section 1")
