"""Experiments at the smallest scale, without worker processes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from cornered.engine.progress import no_report
from cornered.lab.experiments import experiments
from cornered.lab.experiments.findings import VERDICTS, FigureRow, Finding
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.experiments.reproduction import FOLDER, make, read
from cornered.lab.reports.plots import drawing
from tests.lab.inline import Inline
from tests.lab.reports.layout import check_legends


def run(
    name: str, out: Path, *, seed: int = 1, again: bool = False, keep: bool = False, workforce: Inline | None = None
) -> Finding:
    """Make an experiment at the smallest scale, as the command does."""
    workers = workforce or Inline()
    return make(
        experiments()[name], workers, out, "tiny", seed, no_report, command=f"make {name}", again=again, keep=keep
    )


def _timeless(rows: Sequence[FigureRow]) -> list[FigureRow]:
    """Remove times, which a file rounds to microseconds."""
    return [row for row in rows if "time" not in row.label]


def check(name: str, out: Path) -> dict[str, FigureRow]:
    """Make an experiment, and check its rows, that no finished work is repeated, and the files that it writes; return
    its rows by label."""
    finding = run(name, out, keep=True)
    experiment, folder = experiments()[name], out / FOLDER
    by = {row.label: row for row in finding.rows}
    assert len(by) == len(finding.rows) > 0, "labels are different"
    assert all(row.low <= row.ours <= row.high and row.verdict in VERDICTS for row in finding.rows)
    assert all((row.verdict == "new") == (not row.claimed) for row in finding.rows if row.verdict != "apart")
    assert all((row.verdict == "differs") == bool(row.reason) for row in finding.rows)
    assert finding.notes
    assert finding.counts
    assert finding.provenance["libraries"]
    assert experiment.source.split(",")[0].endswith(".txt")
    workforce, (work,) = Inline(), folder.glob(".work/*")
    rows, _, series = experiment.run(Laboratory(workforce, work, "tiny", 1, no_report))
    assert _timeless(rows) == _timeless(finding.rows)
    assert json.loads(json.dumps(series)) == series
    assert workforce.done == 0, "what was finished is read and not done again"

    assert read(folder / f"{name}.json") == finding
    drawn = (folder / f"{name}.svg").read_text()
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert "mathdefault" not in drawn, "numbers of axes are plain"
    table = (folder / f"{name}.md").read_text()
    assert f"]({name}.svg)" in table
    assert all(row.label.replace("|", "\\|") in table for row in finding.rows)
    with drawing() as figure:
        experiment.plot(finding, figure)
        check_legends(figure)
    assert set(finding.data) == {f"data/{name}/{step}.csv.gz" for step in finding.counts}
    described = (folder / "data" / name / "README.md").read_text()
    for path, lines in finding.data.items():
        with gzip.open(folder / path, "rt") as file:
            assert len(file.readlines()) == lines + 1
        assert f"`{Path(path).name}`, {lines:,} lines" in described
    return by
