"""Number formats of reports: percentages, intervals, Elo differences, durations and counts."""

from __future__ import annotations

import math
from typing import Final

from cornered.lab.contests.results import Score

__all__ = ["MISSING", "counted", "duration", "interval", "likely", "number", "percent", "points", "signed"]

MISSING: Final = "-"
"""Placeholder of a missing figure."""


def percent(share: float, digits: int = 1) -> str:
    """Return a share in percent, without the percent sign."""
    return f"{100 * share:.{digits}f}"


def likely(share: float, digits: int = 1) -> str:
    """Return a probability in percent; one that would round to 0 or 100 is written as an inequality."""
    least = 10.0**-digits
    if 100 * share < least / 2:
        return f"<{least:.{digits}f}"
    if 100 * share > 100 - least / 2:
        return f">{100 - least:.{digits}f}"
    return percent(share, digits)


def interval(score: Score) -> str:
    """Return the ends of a score's interval in percent."""
    if not score.games:
        return MISSING
    low, high = score.interval
    return f"{percent(low)} to {percent(high)}"


def points(points: float, digits: int = 1) -> str:
    """Return points, without decimals where they are whole."""
    return f"{points:.0f}" if points == int(points) else f"{points:.{digits}f}"


def signed(elo: float) -> str:
    """Return an Elo difference, which may be infinite."""
    return f"{round(elo):+d}" if math.isfinite(elo) else ("+" if elo > 0 else "-") + "infinite"


def number(value: float | None, digits: int = 0) -> str:
    """Return a number with thousands separators."""
    return MISSING if value is None else f"{value:,.{digits}f}"


def counted(count: int, noun: str) -> str:
    """Return a count with its noun in singular or plural."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def duration(seconds: float | None) -> str:
    """Return a duration in a unit of suitable magnitude."""
    if seconds is None:
        return MISSING
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}" if seconds < 100 else f"{seconds:.0f} s"
    return f"{seconds * 1e6:.3g} µs"
