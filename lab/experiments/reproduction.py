"""Writes and reads findings: a JSON file, a plot and a table for each experiment, and one report of all."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from cornered.engine.progress import Progress, Report
from cornered.engine.records.files import replacing
from cornered.lab.execution.workforce import Workforce
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import ABOUT_SHARE, MAX_DETECTABLE, VERDICTS, Effect, FigureRow, Finding, Scale
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.reports.plots import drawing, save

__all__ = ["FOLDER", "REPORT", "as_json", "cells", "make", "page", "read", "report", "write", "write_report"]

FOLDER: Final = "reproduction"
REPORT: Final = "reproduction.md"
WORK_FOLDER: Final = ".work"
"""Folder of unfinished work inside FOLDER; hidden, to separate it from the results."""
FIGURES: Final = ("ours", "low", "high")
VERDICT_RULES: Final = f"""\
*Agrees*, *differs*, *unclear* and *new* follow the same rules everywhere:

- A share that the reference counted in a number of games is compared as two counts: *differs* where one true share
  behind both would be a surprise (5%), else *agrees*, or *unclear* while the two counts could not detect a difference
  of {MAX_DETECTABLE:g} points.
- A range, or "about" a number, which is {ABOUT_SHARE:.0%} to either side of it: *differs* where our whole interval lies
  outside, *agrees* where it lies inside or where our figure does and the interval is no wider than the range, else
  *unclear*.
- An exact figure agrees or differs. The best of several settings agrees where it is the same, and is *unclear* where
  chance can have hidden it.
- *New* is what the reference gives no figure for. Figures without an interval are exact, or derived from others.

Where many figures are compared at 5%, one in twenty differs by chance alone. Times and rates are those of the machine
that made the report and change from run to run; everything else is the same for the same seed, whatever the number of
workers.
"""


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
) -> Finding:
    """Run an experiment, resuming interrupted work, and write its finding to `out`/reproduction. Returns the stored
    finding of the same seed and scale unless `again`."""
    folder = out / FOLDER
    path = folder / f"{experiment.name}.json"
    if not again and path.exists():
        known = read(path)
        if (known.seed, known.scale, known.version) == (seed, scale, version("cornered")):
            return known
    work = folder / WORK_FOLDER / f"{experiment.name}-{scale}-{seed}"

    def tell(progress: Progress) -> None:
        report(replace(progress, step=f"{experiment.name}: {progress.step}"))

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
    )
    write(finding, experiment, folder)
    shutil.rmtree(work, ignore_errors=True)
    if work.parent.exists() and not any(work.parent.iterdir()):
        work.parent.rmdir()
    return finding


def as_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON-compatible values; an unbounded figure is null."""
    rows = [
        {key: None if isinstance(value, float) and math.isinf(value) else value for key, value in asdict(row).items()}
        for row in finding.rows
    ]
    return {**asdict(replace(finding, rows=())), "rows": rows, "verdicts": finding.verdicts()}


def read(path: Path) -> Finding:
    """Return the finding in a file. Raises ValueError for a file that holds none."""
    try:
        given = json.loads(path.read_text(encoding="utf-8"))
        del given["verdicts"]
        rows = tuple(_row(row) for row in given["rows"])
        return Finding(**{**given, "rows": rows, "notes": tuple(given["notes"])})
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(f"{path} holds no finding ({error}); remove it") from None


def _row(given: dict[str, Any]) -> FigureRow:
    effect = None if given["effect"] is None else Effect(**given["effect"])
    return FigureRow(**{**given, "effect": effect, **{key: math.inf for key in FIGURES if given[key] is None}})


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


def page(finding: Finding) -> str:
    """Return a finding as a Markdown page of its own, in the folder of its plot."""
    return "\n".join([f"# {finding.title}", "", *_body(finding, ""), *_notes(finding), ""])


def write_report(out: Path, experiments: Iterable[Experiment], references: Mapping[str, str]) -> Path:
    """Write the report of all findings in `out`/reproduction, and return its path."""
    paths = [out / FOLDER / f"{experiment.name}.json" for experiment in experiments]
    path = out / REPORT
    path.write_text(report([read(path) for path in paths if path.exists()], references), encoding="utf-8")
    return path


def report(findings: Sequence[Finding], references: Mapping[str, str]) -> str:
    """Return the whole report; findings are in the order of `references`, titles by file name."""
    lines = ["# The references, reproduced", ""]
    lines += [
        "Each table and figure of the references, measured again with this software, with the reference's figure "
        "beside ours. The commands that stand here write this page; `cornered reproduce --list` names all experiments.",
        "",
        VERDICT_RULES,
        "## Summary",
        "",
        "| experiment | what | agree | differ | unclear | new | apart |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for finding in findings:
        verdicts = " | ".join(str(finding.verdicts()[verdict]) for verdict in VERDICTS)
        lines.append(f"| [{finding.name}](#{finding.name}) | {_cell(finding.title)} | {verdicts} |")
    totals = [sum(finding.verdicts()[verdict] for finding in findings) for verdict in VERDICTS]
    lines += [f"| all | | {' | '.join(map(str, totals))} |", "", *_where_not(findings)]
    for file, title in references.items():
        ours = [finding for finding in findings if file in finding.source]
        lines += [f"## {title}", ""] if ours else []
        for finding in ours:
            lines += [f'<a id="{finding.name}"></a>', "", f"### {finding.title}", "", *_body(finding, f"{FOLDER}/")]
            if finding.verdicts()["differs"]:
                lines += [f"What does not hold here is explained [above](#{finding.name}-differs).", ""]
            else:
                lines += _notes(finding)
    return "\n".join(lines).rstrip() + "\n"


def _where_not(findings: Iterable[Finding]) -> Iterator[str]:
    yield from ("## Where the references do not hold", "")
    wrong = [finding for finding in findings if finding.verdicts()["differs"]]
    if not wrong:
        yield from ("Nothing that was measured differs.", "")
    for finding in wrong:
        yield from (
            f'<a id="{finding.name}-differs"></a>',
            "",
            f"### What differs in {finding.name}",
            "",
            f"{finding.title}.",
            "",
        )
        for row in finding.rows:
            if row.verdict == "differs":
                bounds = "" if row.low == row.high else f" ({_interval(row)})"
                note = f": {row.note}" if row.note else ""
                yield f"- {row.label}: printed {row.claimed}, ours {_figure(row.ours, row.unit)}{bounds}{note}"
        # A paragraph between them keeps Markdown from joining the two lists.
        yield from ("", *(["What there is to say:", ""] if finding.notes else []), *_notes(finding))


def _body(finding: Finding, folder: str) -> Iterator[str]:
    """Yield the Markdown lines of a finding's source, table and plot, which lies in `folder`."""
    made = f"{finding.scale}, seed {finding.seed}, cornered {finding.version}"
    yield from (f"Source: {finding.source}. Made by `{finding.command}` ({made}).", "")
    noted = any(row.note for row in finding.rows)
    yield "| | reference | ours | 95% interval | from | verdict |" + (" |" if noted else "")
    yield "| --- | ---: | ---: | ---: | ---: | --- |" + (" --- |" if noted else "")
    for row in finding.rows:
        *shown, verdict = cells(row)
        verdict = f"**{verdict}**" if row.verdict == "differs" else verdict
        yield "| " + " | ".join(map(_cell, [*shown, verdict, row.note][: 7 if noted else 6])) + " |"
    yield from ("", f"![{finding.title}]({folder}{finding.name}.svg)", "")


def cells(row: FigureRow) -> tuple[str, ...]:
    """Return the cells of a row: label, the reference's figure, ours, the interval, the count, the verdict."""
    interval = "-" if row.low == row.high else _interval(row)
    return row.label, row.claimed or "-", _figure(row.ours, row.unit), interval, f"{row.count:,}", row.verdict


def _notes(finding: Finding) -> list[str]:
    return [*(f"- {note}" for note in finding.notes), ""] if finding.notes else []


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _interval(row: FigureRow) -> str:
    low, high = _digits(row.low, row.unit), _figure(row.high, row.unit)
    return f"{low} to {high}"


def _figure(value: float, unit: str) -> str:
    return f"{_digits(value, unit)}%" if unit == "%" else f"{_digits(value, unit)} {unit}".rstrip()


def _digits(value: float, unit: str) -> str:
    """Return a figure with about four significant digits, shares with one decimal."""
    if math.isinf(value):
        return "without bound"
    if float(value).is_integer() and unit != "%":
        return f"{int(value):,}"
    return f"{value:,.1f}" if unit == "%" or abs(value) >= 1000 else f"{value:.4g}"
