"""When an attack counts as withstood: bounds that hold on any machine, in one place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from cornered.bench.attacks.bystanders import Phase

__all__ = ["MAX_GROWTH", "MAX_LOG_LINES", "STALL_SECONDS", "Row", "errors_in", "judge", "percentile"]

STALL_SECONDS: Final = 0.25
"""A bystander's worst move may take this long in any case.

The server promises no stall of more than 0.2 s; the rest is for the scheduler of a machine that also runs the
attacker and other tests on two cores.
"""
ARRIVAL_SECONDS: Final = 0.5
"""The same for a newcomer's welcome, which takes three round trips and a look into the store."""
WORSE: Final = 4.0
"""On a machine that is slow anyway, an attack may make the worst move this many times as slow as without it."""
TYPICAL_SECONDS: Final = 0.1
TYPICALLY_WORSE: Final = 20.0
"""The same two bounds for the median, which a few unlucky moves do not touch."""
MAX_GROWTH: Final = 48 << 20
"""Bytes by which the server's resident memory may grow, its high mark during the attack included."""
MAX_LOG_LINES: Final = 50
"""Lines that strangers may cause in one attack."""


@dataclass
class Row:
    """One attack's line of the table. Latencies are seconds, memory is bytes."""

    attack: str
    did: str = ""
    without: Phase = field(default_factory=Phase)
    during: Phase = field(default_factory=Phase)
    growth: int = 0
    log: list[dict[str, Any]] = field(default_factory=list)
    left: dict[str, float] = field(default_factory=dict)
    """Gauges that did not return to what they were: sockets, tasks, handles."""
    faults: list[str] = field(default_factory=list)
    delays: list[str] = field(default_factory=list)
    """The faults that are nothing but a latency beyond its bound."""

    @property
    def was_only_slow(self) -> bool:
        return bool(self.faults) and self.faults == self.delays

    @property
    def is_withstood(self) -> bool:
        return not self.faults


def percentile(values: list[float], part: float) -> float:
    """Return the value below which this part of all lies; 0 without any."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0


def judge(row: Row, *, is_timed: bool, slack: float = 1.0) -> None:
    """Turn everything that was measured into faults; latencies count where `is_timed`, with bounds times `slack`."""
    row.delays = list(_delays(row.without, row.during, slack)) if is_timed else []
    row.faults += row.during.faults
    row.faults += row.delays
    if not row.during.moves:
        row.faults.append("no bystander could move")
    if row.growth > MAX_GROWTH:
        row.faults.append(f"memory grows by {row.growth / 2**20:,.0f} MiB; the bound is {MAX_GROWTH >> 20}")
    row.faults += errors_in(row.log)
    if len(row.log) > MAX_LOG_LINES:
        row.faults.append(f"the log grows by {len(row.log):,} lines; the bound is {MAX_LOG_LINES}")
    row.faults += [f"{name} stay behind: {number:+g}" for name, number in row.left.items()]


def errors_in(log: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a fault if the log holds anything worse than a warning."""
    wrong = [line for line in log if line.get("level") not in ("info", "debug", "warning")]
    if wrong:
        yield f"the log has {len(wrong)} lines of errors, such as {wrong[0].get('event')!r}"


def _delays(without: Phase, during: Phase, slack: float) -> Iterator[str]:
    for what, calm, attacked, least in (
        ("answer", without.moves, during.moves, STALL_SECONDS),
        ("word of a move to all", without.told, during.told, STALL_SECONDS),
        ("newcomer's welcome", without.arrivals, during.arrivals, ARRIVAL_SECONDS),
    ):
        worst, bound = max(attacked, default=0.0), slack * max(least, WORSE * max(calm, default=0.0))
        if worst > bound:
            yield f"the worst {what} takes {worst * 1000:,.0f} ms; the bound is {bound * 1000:,.0f}"
    median = percentile(during.moves, 0.5)
    bound = slack * max(TYPICAL_SECONDS, TYPICALLY_WORSE * percentile(without.moves, 0.5))
    if median > bound:
        yield f"half of all moves take over {median * 1000:,.0f} ms; the bound is {bound * 1000:,.0f}"
