"""The report of a load as one HTML page that needs no other file, beside its plots and its figures as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from cornered.bench.workload.report import LoadReport, Phase, lines
from cornered.lab.reports.document import Block, CodeListing, Document, Figure, Heading, Paragraph, ReportTable, page
from cornered.lab.reports.plots import COLOURS, drawing, save

__all__ = ["write"]

TAIL_ENDS: Final = (50.0, 90.0, 99.0, 99.9, 99.99, 99.999)
"""The percentiles that the axis of the distribution names."""


def write(report: LoadReport, folder: Path) -> Path:
    """Write `report.html`, `report.json` and the plots into `folder`; return the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = list(_figures(report, folder))
    document = Document(f"Load: {report.profile}", [*_blocks(report), *figures])
    path = folder / "report.html"
    path.write_text(page(document, folder), encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(report.to_json(), indent=1), encoding="utf-8")
    return path


def _blocks(report: LoadReport) -> Iterator[Block]:
    yield CodeListing(report.command or f"cornered bench load {report.profile}")
    yield Paragraph(
        "Moves become due by a Poisson process that does not wait for answers, and latency counts from when a move was "
        "due, so that a stall shows in every move that was due meanwhile. The warm-up is left out."
    )
    yield CodeListing("\n".join(lines(report)))
    if report.phases:
        yield Heading("Latency in milliseconds")
        yield ReportTable(
            "From when a move was due until it was acknowledged",
            ("phase", "due/s", "moves/s", "p50", "p90", "p99", "p99.9", "max"),
            [_row(phase) for phase in report.phases],
            numeric=7,
        )
        yield Heading("CPU and the generator")
        yield ReportTable(
            "CPU microseconds a move by process; the generator's own delay and CPU",
            ("phase", "CPU us a move", "moves a core and second", "generator late p99 ms", "generator CPU %"),
            [_cpu_row(phase) for phase in report.phases],
            numeric=4,
        )


def _row(phase: Phase) -> Sequence[str]:
    times = phase.latency.summary_ms()
    shown = [f"{times[name]:,.2f}" for name in ("p50", "p90", "p99", "p99.9", "max")]
    return (phase.name, f"{phase.rate:,.0f}", f"{phase.per_second:,.0f}", *shown)


def _cpu_row(phase: Phase) -> Sequence[str]:
    share = sum(phase.generator_cpu) / phase.result.seconds * 100 if phase.result.seconds else 0.0
    return (
        phase.name,
        ", ".join(f"{label} {phase.cpu_us(label):,.0f}" for label in phase.cpu) or "-",
        f"{phase.moves_per_core_second:,.0f}",
        f"{phase.result.late.summary_ms()['p99']:.2f}",
        f"{share:.0f}",
    )


def _figures(report: LoadReport, folder: Path) -> Iterator[Block]:
    timed = [phase for phase in report.phases if phase.latency.count]
    if not timed:
        return
    shown = [phase for phase in timed if not phase.name.startswith("probe")] or timed[-1:]
    _draw_distributions(shown, folder / "latency.svg")
    yield Figure(
        Path("latency.svg"),
        "Latency by percentile",
        f"A line for each of {len(shown)} phases; the axis stretches the tail, as plots of HdrHistogram do",
    )
    if any(phase.result.by_second for phase in shown):
        _draw_seconds(next(phase for phase in reversed(shown) if phase.result.by_second), folder / "seconds.svg")
        yield Figure(Path("seconds.svg"), "Latency in each second", "p50, p99 and maximum of the last phase")
    if probes := [phase for phase in timed if phase.name.startswith("probe")]:
        _draw_probes(probes, folder / "probes.svg")
        yield Figure(Path("probes.svg"), "The search for the capacity", f"p50 and p99 of {len(probes)} probes by rate")


def _draw_distributions(phases: Sequence[Phase], path: Path) -> None:
    with drawing() as figure:
        axes = figure.subplots()
        for phase, colour in zip(phases, COLOURS, strict=False):
            points = [(1 / (1 - share), 1000 * value) for value, share in phase.latency.distribution() if share < 1]
            points.append((float(max(2, phase.latency.count)), 1000 * phase.latency.max))
            axes.plot(*zip(*points, strict=True), color=colour, label=phase.name)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks([100 / (100 - end) for end in TAIL_ENDS], [f"{end:g}%" for end in TAIL_ENDS])
        axes.minorticks_off()
        axes.set_xlabel("percentile")
        axes.set_ylabel("ms")
        axes.legend()
        save(figure, path)


def _draw_seconds(phase: Phase, path: Path) -> None:
    seconds = sorted(phase.result.by_second)
    with drawing() as figure:
        axes = figure.subplots()
        for percent, colour in zip((50.0, 99.0, 100.0), COLOURS, strict=False):
            values = [1000 * phase.result.by_second[second].percentile(percent) for second in seconds]
            axes.plot(seconds, values, color=colour, label="maximum" if percent == 100 else f"p{percent:g}")
        axes.set_yscale("log")
        axes.set_xlabel("seconds from the start of the trial, warm-up included")
        axes.set_ylabel("ms")
        axes.legend()
        save(figure, path)


def _draw_probes(probes: Sequence[Phase], path: Path) -> None:
    ordered = sorted(probes, key=lambda phase: phase.rate)
    with drawing() as figure:
        axes = figure.subplots()
        for percent, colour in zip((50.0, 99.0), COLOURS, strict=False):
            values = [1000 * phase.latency.percentile(percent) for phase in ordered]
            axes.plot([phase.rate for phase in ordered], values, "o-", color=colour, label=f"p{percent:g}")
        axes.set_yscale("log")
        axes.set_xlabel("moves due a second")
        axes.set_ylabel("ms")
        axes.legend()
        save(figure, path)
