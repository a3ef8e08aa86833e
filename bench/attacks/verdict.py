"""The bounds by which an attack counts as withstood, chosen to hold on any machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from cornered.bench.attacks.bystanders import Phase
from cornered.server.adapters.passwords_argon2 import MAX_HASHING_BYTES

__all__ = ["MAX_GROWTH_BYTES", "MAX_LATENCY_S", "MAX_LOG_LINES", "AttackRow", "errors_in", "judge", "percentile"]

MAX_LATENCY_S: Final = 0.25
"""Bound of a bystander's slowest move, in seconds. The server's target is 0.2 s; the rest allows for scheduling on two
cores that also run the attacker and other tests."""
MAX_ARRIVAL_S: Final = 0.5
"""The same bound for a newcomer's welcome, which takes three round trips and a read from the store."""
MAX_RATIO: Final = 4.0
"""Alternative bound on a slow machine: the ratio of the slowest move during the attack and without it."""
MAX_MEDIAN_S: Final = 0.1
MAX_MEDIAN_RATIO: Final = 20.0
"""The same two bounds for the median, which outliers do not affect."""
MAX_GROWTH_BYTES: Final = (48 << 20) + MAX_HASHING_BYTES
"""Maximum growth of the server's resident memory in bytes, including the peak during the attack, in which passwords are
hashed with memory that is free again afterwards."""
MAX_LOG_LINES: Final = 50
"""Maximum log lines that clients may cause in one attack."""


@dataclass
class AttackRow:
    """One attack's row of the table. Latencies are in seconds, memory is in bytes."""

    attack: str
    did: str = ""
    without: Phase = field(default_factory=Phase)
    during: Phase = field(default_factory=Phase)
    growth: int = 0
    log: list[dict[str, Any]] = field(default_factory=list)
    left: dict[str, float] = field(default_factory=dict)
    """Gauges that did not return to their values before the attack: sockets, tasks, handles."""
    faults: list[str] = field(default_factory=list)
    delays: list[str] = field(default_factory=list)
    """The faults that only exceed a bound of latency."""

    @property
    def was_only_slow(self) -> bool:
        return bool(self.faults) and self.faults == self.delays

    @property
    def is_withstood(self) -> bool:
        return not self.faults


def percentile(values: list[float], part: float) -> float:
    """Return the value below which the share `part` of all values lies; 0 without values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0


def judge(row: AttackRow, *, is_timed: bool, slack: float = 1.0) -> None:
    """Add the faults that follow from the measurements; latencies count where `is_timed`, with bounds times `slack`."""
    row.delays = list(_delays(row.without, row.during, slack)) if is_timed else []
    row.faults += row.during.faults
    row.faults += row.delays
    if not row.during.moves:
        row.faults.append("no bystander could move")
    if row.growth > MAX_GROWTH_BYTES:
        row.faults.append(f"memory grows by {row.growth / 2**20:,.0f} MiB; the bound is {MAX_GROWTH_BYTES >> 20}")
    row.faults += errors_in(row.log)
    if len(row.log) > MAX_LOG_LINES:
        row.faults.append(f"the log grows by {len(row.log):,} lines; the bound is {MAX_LOG_LINES}")
    row.faults += [f"{name} stay behind: {number:+g}" for name, number in row.left.items()]


def errors_in(log: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a fault if the log contains a level above warning."""
    wrong = [line for line in log if line.get("level") not in ("info", "debug", "warning")]
    if wrong:
        yield f"the log has {len(wrong)} lines of errors, such as {wrong[0].get('event')!r}"


def _delays(without: Phase, during: Phase, slack: float) -> Iterator[str]:
    for what, calm, attacked, least in (
        ("answer", without.moves, during.moves, MAX_LATENCY_S),
        ("word of a move to all", without.told, during.told, MAX_LATENCY_S),
        ("newcomer's welcome", without.arrivals, during.arrivals, MAX_ARRIVAL_S),
    ):
        worst, bound = max(attacked, default=0.0), slack * max(least, MAX_RATIO * max(calm, default=0.0))
        if worst > bound:
            yield f"the worst {what} takes {worst * 1000:,.0f} ms; the bound is {bound * 1000:,.0f}"
    median = percentile(during.moves, 0.5)
    bound = slack * max(MAX_MEDIAN_S, MAX_MEDIAN_RATIO * percentile(without.moves, 0.5))
    if median > bound:
        yield f"half of all moves take over {median * 1000:,.0f} ms; the bound is {bound * 1000:,.0f}"
