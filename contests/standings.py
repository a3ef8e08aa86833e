"""Tie-breaks of a table: Buchholz, Sonneborn-Berger, direct encounter and wins, as FIDE's handbook defines them, C.07.

A round without an opponent counts as a meeting with a virtual opponent who has the player's own points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Meeting", "buchholz", "direct_encounter", "sonneborn_berger", "wins"]


@dataclass(frozen=True, slots=True)
class Meeting:
    """One meeting of a player: what it was worth, and against whom; no `opponent` where it was not played."""

    share: float
    """The part of the point of a meeting that the player got, 0 to 1."""
    opponent: str | None = None


def buchholz(name: str, meetings: Sequence[Meeting], points: Mapping[str, float]) -> float:
    """Return the sum of the points of the opponents."""
    return sum(points[name if meeting.opponent is None else meeting.opponent] for meeting in meetings)


def sonneborn_berger(name: str, meetings: Sequence[Meeting], points: Mapping[str, float]) -> float:
    """Return the sum of the points of the opponents, each times the share that the player got of the meeting."""
    return sum(points[name if meeting.opponent is None else meeting.opponent] * meeting.share for meeting in meetings)


def wins(meetings: Sequence[Meeting]) -> float:
    """Return the number of meetings that were played and won."""
    return float(sum(meeting.opponent is not None and meeting.share == 1 for meeting in meetings))


def direct_encounter(equal: Sequence[str], meetings: Mapping[str, Sequence[Meeting]]) -> dict[str, float]:
    """Return the shares that players who are equal so far got against each other; 0 where not all of them have met."""
    among = set(equal)
    met = {name: {meeting.opponent for meeting in meetings[name] if meeting.opponent in among} for name in equal}
    if any(len(others) < len(among) - 1 for others in met.values()):
        return dict.fromkeys(equal, 0.0)
    return {name: sum(meeting.share for meeting in meetings[name] if meeting.opponent in among) for name in equal}
