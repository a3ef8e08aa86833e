"""`cornered bench growth`: what a move costs as live and stored matches become more."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from cornered.bench import start
from cornered.bench.workload.profiles import LoadPlan, load
from cornered.bench.workload.report import Phase
from cornered.bench.workload.servers import Store, own_server
from cornered.bench.workload.stored import fill
from cornered.engine.progress import Report, no_report
from cornered.lab.reports.document import Block, CodeListing, Document, Figure, Paragraph, ReportTable, page
from cornered.lab.reports.plots import COLOURS, drawing, save

__all__ = ["GrowthPlan", "GrowthPoint", "GrowthReport", "grow", "lines", "write"]

LIVE: Final = (10, 100, 1_000, 5_000)
STORED: Final = (0, 10_000, 100_000, 1_000_000)
MAX_PAIRS: Final = 50
AXES: Final = ("live", "stored")

NewStore = Callable[[], AbstractContextManager[Store]]


@dataclass(frozen=True, slots=True)
class GrowthPlan:
    """The counts of matches, and the load at each, which is the same."""

    live: tuple[int, ...] = LIVE
    stored: tuple[int, ...] = STORED
    rate: float = 300.0
    seconds: float = 15.0
    warm_up: float = 5.0
    repeats: int = 2
    """Measurements at each count, of which the one with the least CPU counts: what else the machine did is no cost."""
    start_matches: int = 0
    """Live matches for the time of a start; 0 for none."""


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """The cost of a move at one count. CPU in microseconds a move, latency in milliseconds."""

    store: str
    axis: str
    count: int
    server_us: float
    database_us: float
    """0 for SQLite, which works in the server's process."""
    p50_ms: float
    p99_ms: float
    p999_ms: float
    load_average: float

    @property
    def cpu_us(self) -> float:
        """CPU of the server and its database."""
        return self.server_us + self.database_us


@dataclass
class GrowthReport:
    """The points of all series, and the start of a server with many live matches."""

    command: str
    points: list[GrowthPoint] = field(default_factory=list)
    start: start.StartReport | None = None
    faults: list[str] = field(default_factory=list)
    is_interrupted: bool = False

    def series(self) -> Iterator[tuple[str, str, list[GrowthPoint]]]:
        """Yield store, axis and points of each series, in ascending order of their counts."""
        for store, axis in dict.fromkeys((point.store, point.axis) for point in self.points):
            found = [point for point in self.points if (point.store, point.axis) == (store, axis)]
            yield store, axis, sorted(found, key=lambda point: point.count)

    def to_json(self) -> dict[str, Any]:
        """Return everything for JSON, with the ratio of the last to the first point of each series."""
        return {
            "command": self.command,
            "points": [asdict(point) for point in self.points],
            "growth": {f"{store} {axis}": _ratio(points) for store, axis, points in self.series()},
            "start": None if self.start is None else asdict(self.start),
            "faults": self.faults,
            "is_interrupted": self.is_interrupted,
        }


async def grow(
    plan: GrowthPlan,
    stores: Sequence[tuple[str, NewStore]],
    *,
    command: str = "",
    progress: Report = no_report,
    ended: asyncio.Event | None = None,
) -> GrowthReport:
    """Measure the cost of a move at each count, on each of the named stores. Raises LoadFailed and ValueError."""
    report = GrowthReport(command)
    ended = ended or asyncio.Event()
    for name, new_store in stores:
        for axis, counts in zip(AXES, (plan.live, plan.stored), strict=True):
            for count in counts:
                if not ended.is_set():
                    await _add_point(plan, report, (name, axis, count), new_store, progress, ended)
    report.is_interrupted = ended.is_set()
    if plan.start_matches and not ended.is_set():
        report.start = await asyncio.to_thread(start.run, plan.start_matches)
    return report


async def _add_point(
    plan: GrowthPlan,
    report: GrowthReport,
    where: tuple[str, str, int],
    new_store: NewStore,
    progress: Report,
    ended: asyncio.Event,
) -> None:
    _, axis, count = where
    with new_store() as store:
        if axis == "stored":
            await fill(store, count, report=progress)
        live = count if axis == "live" else MAX_PAIRS
        load_plan = LoadPlan(
            pairs=min(live, MAX_PAIRS),
            matches=live,
            rate=plan.rate,
            seconds=plan.seconds,
            warm_up=plan.warm_up,
            has_baseline=False,
        )
        points = []
        for repeat in range(plan.repeats):
            async with own_server(store, load_plan.sockets) as servers:
                one = replace(load_plan, seed=repeat + 1)
                loaded = await load("play", one, servers, progress=progress, ended=ended)
            report.faults += loaded.faults
            if not loaded.is_interrupted:
                points.append(_point(where, loaded.phases[-1]))
    if points:
        report.points.append(min(points, key=lambda point: point.cpu_us))


def _point(where: tuple[str, str, int], phase: Phase) -> GrowthPoint:
    times = phase.latency.summary_ms()
    database = phase.cpu_us("database") if "database" in phase.cpu else 0.0
    load_average = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
    server = phase.cpu_us("server")
    return GrowthPoint(*where, server, database, times["p50"], times["p99"], times["p99.9"], load_average)


def _ratio(points: Sequence[GrowthPoint]) -> dict[str, float]:
    """Return CPU and p99 at the highest count in relation to those at the lowest."""
    first, last = points[0], points[-1]
    return {
        "cpu": last.cpu_us / first.cpu_us if first.cpu_us else float("nan"),
        "p99": last.p99_ms / first.p99_ms if first.p99_ms else float("nan"),
    }


def lines(report: GrowthReport) -> Iterator[str]:
    """Yield the report as lines for a terminal."""
    for store, axis, points in report.series():
        heads = f"{'server us':>14}{'database us':>13}{'p50 ms':>9}{'p99 ms':>9}{'p99.9':>9}{'load':>6}"
        yield f"{f'{store}, {axis} matches':<22}{heads}"
        for point in points:
            yield (
                f"{point.count:>22,}{point.server_us:>14.0f}{point.database_us:>13.0f}{point.p50_ms:>9.2f}"
                f"{point.p99_ms:>9.2f}{point.p999_ms:>9.2f}{point.load_average:>6.1f}"
            )
        ratio = _ratio(points)
        yield f"{points[-1].count:,} in relation to {points[0].count:,}: CPU {ratio['cpu']:.2f}, p99 {ratio['p99']:.2f}"
    if report.start is not None:
        yield from start.lines(report.start)
    if report.is_interrupted:
        yield "interrupted: some counts are missing"
    yield from (f"error: {fault}" for fault in report.faults[:10])


def write(report: GrowthReport, folder: Path) -> Path:
    """Write `report.html`, `report.json` and the plots into `folder`; return the page's path."""
    folder.mkdir(parents=True, exist_ok=True)
    document = Document("Growth: what a move costs as matches become more", list(_blocks(report, folder)))
    path = folder / "report.html"
    path.write_text(page(document, folder), encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(report.to_json(), indent=1), encoding="utf-8")
    return path


def _blocks(report: GrowthReport, folder: Path) -> Iterator[Block]:
    yield CodeListing(report.command or "cornered bench growth")
    yield Paragraph("The same rate of moves at each count; CPU microseconds a move of the server and of its database.")
    for store, axis, points in report.series():
        yield ReportTable(
            f"{store}: {axis} matches",
            (f"{axis} matches", "server us", "database us", "p50 ms", "p99 ms", "p99.9 ms", "load average"),
            [_row(point) for point in points],
            numeric=6,
        )
    for axis in AXES:
        chosen = [(store, points) for store, found, points in report.series() if found == axis]
        if chosen:
            _draw(chosen, axis, folder / f"{axis}.svg")
            yield Figure(Path(f"{axis}.svg"), f"CPU and p99 of a move by {axis} matches", "A line for each store")
    if report.start is not None:
        yield CodeListing("\n".join(start.lines(report.start)))


def _row(point: GrowthPoint) -> tuple[str, ...]:
    figures = (point.server_us, point.database_us, point.p50_ms, point.p99_ms, point.p999_ms, point.load_average)
    shown = zip(figures, (0, 0, 2, 2, 2, 1), strict=True)
    return (f"{point.count:,}", *(f"{value:,.{digits}f}" for value, digits in shown))


def _draw(series: Sequence[tuple[str, Sequence[GrowthPoint]]], axis: str, path: Path) -> None:
    with drawing(height=5.4) as figure:
        top, bottom = figure.subplots(2, 1, sharex=True)
        for (store, points), colour in zip(series, COLOURS, strict=False):
            counts = [max(1, point.count) for point in points]
            top.plot(counts, [point.cpu_us for point in points], "o-", color=colour, label=store)
            bottom.plot(counts, [point.p99_ms for point in points], "o-", color=colour, label=store)
        top.set_xscale("log")
        top.set_ylim(bottom=0)
        bottom.set_ylim(bottom=0)
        top.set_ylabel("CPU us a move")
        bottom.set_ylabel("p99 ms")
        bottom.set_xlabel(f"{axis} matches (none at 1)" if axis == "stored" else f"{axis} matches")
        bottom.legend()
        save(figure, path)
