"""Tie-breaks of a table: Buchholz, Sonneborn-Berger, direct encounter and wins, as FIDE's handbook defines them, C.07
of 2024.

A round without an opponent counts as a meeting with a virtual opponent who has the player's own points (article 16.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

__all__ = ["Meeting", "MeetingKind", "adjusted", "buchholz", "direct_encounter", "sonneborn_berger", "wins"]

DRAW: Final = 0.5
MeetingKind: TypeAlias = Literal["played", "unplayed", "rest"]
"""`unplayed`: a bye from the pairing, or decided by forfeit; `rest`: the player was not there to be paired."""


class Meeting(NamedTuple):
    """One round of a player: what it was worth, and against whom; no `opponent` where that is a virtual one."""

    share: float
    """The part of the point of a meeting that the player got, 0 to 1."""
    opponent: str | None = None
    kind: MeetingKind = "played"


def adjusted(points: float, meetings: Sequence[Meeting]) -> float:
    """Return what a player's points are worth to its opponents: rounds at the end for which it was not there to be
    paired count as draws (articles 16.2.5 and 16.3.2). A game among them that was lost by forfeit stays lost."""
    for share, _, kind in reversed(meetings):
        if kind == "rest":
            points += DRAW - share
        elif kind == "played" or share:
            break
    return points


def buchholz(
    name: str, meetings: Sequence[Meeting], points: Mapping[str, float], worth: Mapping[str, float] | None = None
) -> float:
    """Return the sum of the points of the opponents; `worth` has them as `adjusted`."""
    return sum(_worth(name, opponent, points, worth) for _, opponent, _ in meetings)


def sonneborn_berger(
    name: str, meetings: Sequence[Meeting], points: Mapping[str, float], worth: Mapping[str, float] | None = None
) -> float:
    """Return the sum of the points of the opponents, `worth` having them as `adjusted`, each times the share that the
    player got of the meeting."""
    return sum(_worth(name, opponent, points, worth) * share for share, opponent, _ in meetings)


def _worth(name: str, opponent: str | None, points: Mapping[str, float], worth: Mapping[str, float] | None) -> float:
    return points[name] if opponent is None else (points if worth is None else worth)[opponent]


def wins(meetings: Sequence[Meeting]) -> float:
    """Return the number of meetings that were played and won."""
    return float(sum(share == 1 and opponent is not None and kind == "played" for share, opponent, kind in meetings))


def direct_encounter(equal: Sequence[str], meetings: Mapping[str, Sequence[Meeting]]) -> dict[str, float]:
    """Return the shares that players who are equal so far got against each other; 0 where not all of them have met."""
    among = set(equal)
    shares = {}
    for name in equal:
        met = [meeting for meeting in meetings[name] if meeting.opponent in among]
        if len({meeting.opponent for meeting in met}) < len(among) - 1:
            return dict.fromkeys(equal, 0.0)
        shares[name] = sum(meeting.share for meeting in met)
    return shares
