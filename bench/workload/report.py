"""The report of a load: phases with their figures, as lines, as JSON, and as a page with plots."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from cornered.bench.workload.histogram import Histogram
from cornered.bench.workload.plan import TrialResult

__all__ = ["Fact", "LoadReport", "Machine", "Phase", "lines"]

MAX_LATE_MS: Final = 2.0
"""The generator's own delay (p99) above which it may be what is measured, unless it is a small part of the latency."""
MAX_LATE_SHARE: Final = 0.2
MAX_GENERATOR_CPU: Final = 0.9
"""CPU seconds a second of one generator process above which it is the bottleneck."""
SHOWN_FAULTS: Final = 10


@dataclass(frozen=True, slots=True)
class Machine:
    """Where and how busy it was: the load average over one minute."""

    cores: int
    python: str
    system: str
    load_before: float

    @classmethod
    def present(cls) -> Machine:
        load = os.getloadavg()[0] if hasattr(os, "getloadavg") else float("nan")
        return cls(os.cpu_count() or 1, platform.python_version(), platform.platform(terse=True), load)


@dataclass(frozen=True, slots=True)
class Fact:
    """One more figure of a run, with its unit."""

    name: str
    value: float
    unit: str


@dataclass
class Phase:
    """One trial against one server. CPU times are those of the measured time."""

    name: str
    rate: float
    """Moves or updates a second that became due on average."""
    result: TrialResult
    cpu: dict[str, float] = field(default_factory=dict)
    """CPU seconds by process."""
    generator_cpu: list[float] = field(default_factory=list)
    """CPU seconds of each generator process."""
    watchers: int = 0
    """Watchers of the one match of the profile `watch`."""
    is_bare: bool = False
    load_average: float = float("nan")

    @property
    def answered(self) -> int:
        """Moves of the measured time that were acknowledged."""
        return self.result.due - self.result.unanswered

    @property
    def latency(self) -> Histogram:
        """From when a move was due until it was acknowledged; for a bare fan-out, until its watchers had it."""
        result = self.result
        return result.acknowledged if result.acknowledged.count else result.watched

    @property
    def per_second(self) -> float:
        """Moves acknowledged a second: below the rate where the server is overloaded."""
        return self.result.in_time / self.result.seconds if self.result.seconds else 0.0

    def cpu_us(self, label: str) -> float:
        """Return the CPU microseconds of a process for each move."""
        return self.cpu[label] / self.result.in_time * 1e6 if self.result.in_time else 0.0

    @property
    def moves_per_core_second(self) -> float:
        """Moves for each CPU second of the server and its database; 0 where that is unknown."""
        used = sum(self.cpu.values())
        return self.result.in_time / used if used else 0.0

    @property
    def delivered_share(self) -> float:
        """Share of the updates that watchers received as events; the others were skipped for a snapshot."""
        due = self.result.made * self.watchers
        return self.result.updates / due if due else 0.0

    @property
    def generator_limit(self) -> str:
        """Return why the generator and not the server may be what was measured; empty when it is not."""
        late, latency = self.result.late.percentile(99) * 1000, self.latency.percentile(99) * 1000
        busiest = max(self.generator_cpu, default=0.0) / self.result.seconds if self.result.seconds else 0.0
        if busiest > MAX_GENERATOR_CPU:
            return f"a generator process used {busiest:.0%} of a core: use more --workers, or another machine"
        if late > MAX_LATE_MS and late > MAX_LATE_SHARE * latency:
            return f"the generator was late itself: 1% of the moves by {late:.1f} ms or more"
        return ""

    def to_json(self) -> dict[str, Any]:
        """Return the figures for JSON, with the histograms of the whole trial."""
        result = self.result
        return {
            "name": self.name,
            "is_bare": self.is_bare,
            "rate": self.rate,
            "moves_per_second": self.per_second,
            "acknowledged_ms": result.acknowledged.summary_ms(),
            "delivered_ms": result.delivered.summary_ms(),
            "watched_ms": result.watched.summary_ms(),
            "generator_late_ms": result.late.summary_ms(),
            "generator_cpu_s": self.generator_cpu,
            "generator_limit": self.generator_limit,
            "cpu_s": self.cpu,
            "cpu_us_per_move": {label: self.cpu_us(label) for label in self.cpu},
            "moves_per_core_second": self.moves_per_core_second,
            "watchers": self.watchers,
            "delivered_share": self.delivered_share,
            "load_average": self.load_average,
            "raw": result.to_json(),
        }


@dataclass
class LoadReport:
    """The report of one run."""

    profile: str
    command: str
    machine: Machine
    servers: Sequence[str]
    phases: list[Phase] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    is_interrupted: bool = False

    @property
    def has_failed(self) -> bool:
        """Whether the load met errors: refused moves, failed matches, lost connections."""
        return bool(self.faults) or any(
            phase.result.refused or phase.result.connections_lost for phase in self.phases if not phase.is_bare
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "profile": self.profile,
            "command": self.command,
            "cores": self.machine.cores,
            "python": self.machine.python,
            "system": self.machine.system,
            "load_before": self.machine.load_before,
            "servers": list(self.servers),
            "is_interrupted": self.is_interrupted,
            "phases": [phase.to_json() for phase in self.phases],
            "facts": {fact.name: {"value": fact.value, "unit": fact.unit} for fact in self.facts},
            "notes": self.notes,
            "faults": self.faults,
        }


def lines(report: LoadReport) -> Iterator[str]:
    """Yield the report as lines for a terminal."""
    machine = report.machine
    yield f"{machine.cores} cores, Python {machine.python}, load average {machine.load_before:.2f} before"
    if report.is_interrupted:
        yield "interrupted: the figures are those so far"
    if report.phases:
        heads = f"{'moves/s':>9}{'p50 ms':>9}{'p90':>8}{'p99':>9}{'p99.9':>9}{'max':>9}"
        yield f"{'':<24}{heads}{'CPU us/move':>13}{'load':>6}"
    for phase in report.phases:
        times = phase.latency.summary_ms()
        cpu = " + ".join(f"{phase.cpu_us(label):.0f}" for label in phase.cpu)
        yield (
            f"{phase.name:<24}{phase.per_second:>9,.0f}{times['p50']:>9.2f}{times['p90']:>8.2f}{times['p99']:>9.2f}"
            f"{times['p99.9']:>9.2f}{times['max']:>9.2f}{cpu:>13}{phase.load_average:>6.1f}"
        )
        yield from (f"    {text}" for text in _remarks(phase))
    for fact in report.facts:
        yield f"{fact.name:<52}{_number(fact.value):>12} {fact.unit}"
    yield from report.notes
    yield from (f"error: {fault}" for fault in report.faults[:SHOWN_FAULTS])
    if len(report.faults) > SHOWN_FAULTS:
        yield f"and {len(report.faults) - SHOWN_FAULTS} more errors"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _remarks(phase: Phase) -> Iterator[str]:
    result = phase.result
    if not phase.is_bare and phase.cpu:
        yield f"{phase.moves_per_core_second:,.0f} moves for each second of a core ({', '.join(phase.cpu)})"
    if result.delivered.count:
        seen = result.delivered.summary_ms()
        yield f"the opponent has the move after {seen['p50']:.2f} ms (p50), {seen['p99']:.2f} (p99)"
    if result.watched.count:
        seen = result.watched.summary_ms()
        yield (
            f"watchers have the move after {seen['p50']:.2f} ms (p50), {seen['p99']:.2f} (p99), {seen['p99.9']:.2f} "
            f"(p99.9), {seen['max']:.2f} (max)"
        )
    if phase.watchers:
        yield (
            f"{phase.delivered_share:.2%} of the updates reached {phase.watchers:,} watchers as events by the end; "
            f"{result.snapshots:,} snapshots instead"
        )
    if result.unanswered:
        yield f"{result.unanswered:,} moves had no answer at the end; they count with the time that they had waited"
    if result.connections_lost:
        yield f"{result.connections_lost:,} connections were lost"
    yield from (f"{count:,} moves refused: {code}" for code, count in result.refused.most_common())
    if phase.generator_limit:
        yield f"NOT ONLY THE SERVER: {phase.generator_limit}"
