"""Writes and reads findings: a JSON file, a plot, a table and the data of each experiment, and one report of all."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import asdict, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from cornered.engine.progress import Progress, Report
from cornered.engine.records.files import LineWriter, read_lines, replacing
from cornered.lab.execution.workforce import Workforce
from cornered.lab.experiments.data_tables import SUFFIX, describe
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import Effect, FigureRow, Finding, Scale
from cornered.lab.experiments.laboratory import DATA_FOLDER, Laboratory
from cornered.lab.experiments.pages import page, report
from cornered.lab.experiments.provenance import provenance
from cornered.lab.reports.plots import drawing, save

__all__ = ["FOLDER", "REPORT", "as_json", "make", "read", "write", "write_report"]

FOLDER: Final = "reproduction"
REPORT: Final = "reproduction.md"
WORK_FOLDER: Final = ".work"
"""Folder of unfinished work inside FOLDER; hidden, to separate it from the results."""
RUNS_FILE: Final = "runs.jsonl"
"""One line in the folder of work for each run that began with it."""
FIGURES: Final = ("ours", "low", "high")
EFFECT_FIGURES: Final = ("value", "low", "high")


def make(
    experiment: Experiment,
    workforce: Workforce,
    out: Path,
    scale: Scale,
    seed: int,
    report: Report,
    *,
    command: str,
    again: bool = False,
    keep: bool = False,
) -> Finding:
    """Run an experiment and write its finding and data to `out`/reproduction. Work that an interruption or `keep` left
    there is read and not repeated; `keep` leaves it. Returns the stored finding of the same seed, scale and version
    unless `again`; one that cannot be read, as of an earlier version, is made again."""
    folder = out / FOLDER
    path = folder / f"{experiment.name}.json"
    known = None if again else _stored(path)
    if known is not None and (known.seed, known.scale, known.version) == (seed, scale, version("cornered")):
        return known
    work = folder / WORK_FOLDER / f"{experiment.name}-{scale}-{seed}"

    def tell(progress: Progress) -> None:
        report(replace(progress, step=f"{experiment.name}: {progress.step}"))

    origin = provenance(datetime.now(UTC))
    runs = _begun(work, {"commit": origin["commit"], "date": origin["date"]})
    lab = Laboratory(workforce, work, scale, seed, tell)
    rows, notes, series = experiment.run(lab)
    finding = Finding(
        experiment.name,
        experiment.title,
        experiment.source,
        command,
        seed,
        scale,
        tuple(rows),
        tuple(notes),
        # Normalised through JSON, so that the plot is the same when it is drawn again from the file.
        json.loads(json.dumps(series, allow_nan=False)),
        dict(lab.counts),
        version("cornered"),
        {f"{DATA_FOLDER}/{experiment.name}/{step}{SUFFIX}": table.lines for step, table in lab.tables.items()},
        {**origin, "runs": runs},
    )
    _write_data(lab, finding, folder / DATA_FOLDER / experiment.name)
    write(finding, experiment, folder)
    if keep:
        return finding
    shutil.rmtree(work, ignore_errors=True)
    if work.parent.exists() and not any(work.parent.iterdir()):
        work.parent.rmdir()
    return finding


def _begun(work: Path, run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Add a run to those that began in a folder of work, and return them all: a finding can be the work of several."""
    work.mkdir(parents=True, exist_ok=True)
    lines, _ = read_lines(work / RUNS_FILE)
    with closing(LineWriter(work / RUNS_FILE)) as file:
        file.append(json.dumps(run))
    return [*map(json.loads, lines), dict(run)]


def _write_data(lab: Laboratory, finding: Finding, folder: Path) -> None:
    """Write the files of the steps and their description to `folder`, and nothing else."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for step in lab.tables:
        shutil.copyfile(lab.data_folder / f"{step}{SUFFIX}", folder / f"{step}{SUFFIX}")
    (folder / "README.md").write_text(describe(finding.title, finding.command, lab.tables), encoding="utf-8")


def as_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON-compatible values; an unbounded figure is null."""
    rows = []
    for row in finding.rows:
        given = _bounded(asdict(row))
        rows.append({**given, "effect": _bounded(asdict(row.effect)) if row.effect else None})
    return {**asdict(replace(finding, rows=())), "rows": rows, "verdicts": finding.verdicts()}


def read(path: Path) -> Finding:
    """Return the finding in a file. Raises ValueError for a file that holds none, as one of an earlier version."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        del given["verdicts"]
        if given["provenance"] and "runs" not in given["provenance"]:
            raise KeyError("runs")
        rows = tuple(_row(row) for row in given["rows"])
        return Finding(**{**given, "rows": rows, "notes": tuple(given["notes"])})
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} holds no finding of this version ({error!r})") from None


def _stored(path: Path) -> Finding | None:
    """Return the finding in a file, or None where there is none that can be read."""
    try:
        return read(path) if path.exists() else None
    except ValueError:
        return None


def _bounded(figures: dict[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and math.isinf(value) else value for key, value in figures.items()}


def _unbounded(figures: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {**figures, **{name: math.inf for name in names if figures[name] is None}}


def _row(given: dict[str, Any]) -> FigureRow:
    effect = given["effect"] and Effect(**_unbounded(given["effect"], EFFECT_FIGURES))
    return FigureRow(**{**_unbounded(given, FIGURES), "effect": effect})


def write(finding: Finding, experiment: Experiment, folder: Path) -> None:
    """Write a finding's table, plot and JSON file; the JSON file is written last and marks the finding as complete."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{finding.name}.json"
    with drawing() as figure:
        experiment.plot(finding, figure)
        save(figure, path.with_suffix(".svg"))
    path.with_suffix(".md").write_text(page(finding), encoding="utf-8")
    with replacing(path) as part:
        part.write_text(json.dumps(as_json(finding), indent=1, allow_nan=False) + "\n", encoding="utf-8")


def write_report(
    out: Path, experiments: Iterable[Experiment], references: Mapping[str, str]
) -> tuple[Path, tuple[str, ...]]:
    """Write the report of all findings in `out`/reproduction. Returns its path, and the names of the experiments whose
    stored findings cannot be read and are left out."""
    stored = {
        experiment.name: _stored(path)
        for experiment in experiments
        if (path := out / FOLDER / f"{experiment.name}.json").exists()
    }
    path = out / REPORT
    path.write_text(report([one for one in stored.values() if one is not None], references, FOLDER), encoding="utf-8")
    return path, tuple(name for name, one in stored.items() if one is None)
