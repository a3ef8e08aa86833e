"""Tie-breaks of a table: Buchholz, Sonneborn-Berger, direct encounter and wins, as FIDE's handbook defines them, C.07.

A round without an opponent counts as a meeting with a virtual opponent who has the player's own points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["Meeting", "buchholz", "direct_encounter", "sonneborn_berger", "wins"]


class Meeting(NamedTuple):
    """One meeting of a player: what it was worth, and against whom; no `opponent` where it was not played."""

    share: float
    """The part of the point of a meeting that the player got, 0 to 1."""
    opponent: str | None = None


def buchholz(name: str, meetings: Sequence[Meeting], points: Mapping[str, float]) -> float:
    """Return the sum of the points of the opponents."""
    return sum(points[opponent or name] for _, opponent in meetings)


def sonneborn_berger(name: str, meetings: Sequence[Meeting], points: Mapping[str, float]) -> float:
    """Return the sum of the points of the opponents, each times the share that the player got of the meeting."""
    return sum(points[opponent or name] * share for share, opponent in meetings)


def wins(meetings: Sequence[Meeting]) -> float:
    """Return the number of meetings that were played and won."""
    return float(sum(share == 1 and opponent is not None for share, opponent in meetings))


def direct_encounter(equal: Sequence[str], meetings: Mapping[str, Sequence[Meeting]]) -> dict[str, float]:
    """Return the shares that players who are equal so far got against each other; 0 where not all of them have met."""
    among = set(equal)
    shares = {}
    for name in equal:
        met = [meeting for meeting in meetings[name] if meeting.opponent in among]
        if len({opponent for _, opponent in met}) < len(among) - 1:
            return dict.fromkeys(equal, 0.0)
        shares[name] = sum(share for share, _ in met)
    return shares
