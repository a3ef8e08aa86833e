"""A laboratory without worker processes: work runs in the caller, and is counted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from cornered.engine.progress import no_report
from cornered.lab.execution.workforce import Workforce
from cornered.lab.experiments.experiment import Experiment
from cornered.lab.experiments.findings import FigureRow, Finding, Scale
from cornered.lab.experiments.laboratory import Laboratory
from cornered.lab.reports.plots import drawing, save


class Inline(Workforce):
    """Runs work in this process."""

    def __init__(self) -> None:
        self.workers = 1
        self.done = 0

    def carry_out(  # type: ignore[override]  # nothing is lost here
        self, function: Callable[[Any], Any], items: Iterable[Any], **how: object
    ) -> Iterator[tuple[int, Any]]:
        for place, item in enumerate(items):
            self.done += 1
            yield place, function(item)


def found(experiment: Experiment, folder: Path, scale: Scale = "tiny", seed: int = 1) -> Finding:
    """Run an experiment and return what it finds, as a reader of its file gets it."""
    laboratory = Laboratory(Inline(), folder, scale, seed, no_report)
    rows, notes, series = experiment.run(laboratory)
    read = json.loads(json.dumps(series))
    assert read == series
    return Finding(experiment.name, experiment.title, experiment.source, "", seed, scale, rows, notes, read)


def _timeless(rows: Sequence[FigureRow]) -> list[FigureRow]:
    """Remove times, which a file rounds to microseconds."""
    return [row for row in rows if "time" not in row.label]


def check(experiment: Experiment, folder: Path) -> dict[str, FigureRow]:
    """Check that an experiment has rows, notes and a plot, and repeats no finished work; return its rows by label."""
    finding = found(experiment, folder)
    by = {row.label: row for row in finding.rows}
    assert len(by) == len(finding.rows), "labels are different"
    assert all(row.low <= row.ours <= row.high for row in finding.rows)
    assert all((row.verdict == "new") == (not row.claimed) for row in finding.rows if row.verdict != "apart")
    assert all((row.verdict == "differs") == bool(row.reason) for row in finding.rows)
    assert finding.notes
    assert experiment.source.split(",")[0].endswith(".txt")
    workforce = Inline()
    again = Laboratory(workforce, folder, "tiny", 1, no_report)
    assert _timeless(experiment.run(again)[0]) == _timeless(finding.rows)
    assert workforce.done == 0, "what was finished is read and not done again"
    with drawing() as figure:
        experiment.plot(finding, figure)
        save(figure, folder / "plot.svg")
    assert "<svg" in (folder / "plot.svg").read_text()
    return by
