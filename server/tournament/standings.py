"""The order of a tournament's players: by points, then by the format's tie-breaks, then by seeding. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from cornered.contests.standings import (
    Meeting,
    MeetingKind,
    adjusted,
    buchholz,
    direct_encounter,
    sonneborn_berger,
    wins,
)
from cornered.protocol.tournaments import TieBreak, TournamentFormat
from cornered.server.tournament.state import Entry, TournamentState

__all__ = ["TIE_BREAKS", "Place", "places"]

TIE_BREAKS: Final[Mapping[TournamentFormat, tuple[TieBreak, ...]]] = {
    "swiss": ("buchholz", "sonneborn_berger", "direct_encounter", "wins"),
    "round_robin": ("sonneborn_berger", "direct_encounter", "wins"),
    "by_hand": ("sonneborn_berger", "direct_encounter", "wins"),
    "knockout": (),
    "arena": ("wins",),
}


@dataclass(frozen=True, slots=True)
class Place:
    """A player's place. Ranks count from 1, and no two are equal."""

    rank: int
    entry: Entry
    tie_breaks: tuple[float, ...]


def places(state: TournamentState) -> list[Place]:
    """Return all participants, the best first."""
    seeded = state.seeded()
    meetings = {entry.player.id: _meetings(state, entry) for entry in seeded}
    points = {entry.player.id: entry.points for entry in seeded}
    worth = {name: adjusted(points[name], meetings[name]) for name in points}
    kinds = TIE_BREAKS[state.settings.format]
    values: dict[str, tuple[float, ...]] = {entry.player.id: () for entry in seeded}
    for kind in kinds:
        fresh = _values(kind, [entry.player.id for entry in seeded], meetings, points, worth, values)
        values = {name: (*known, fresh[name]) for name, known in values.items()}
    ranked = sorted(seeded, key=lambda entry: (-entry.points, *(-value for value in values[entry.player.id])))
    return [Place(rank, entry, values[entry.player.id]) for rank, entry in enumerate(ranked, 1)]


def _meetings(state: TournamentState, entry: Entry) -> list[Meeting]:
    """Return what counts for the tie-breaks.

    In a round robin a forfeited game counts as any other one against its opponent (C.07, article 15.2); elsewhere a
    game that was not played is one against a virtual opponent, and in a Swiss tournament so is each round that is over
    in which the player was not paired.
    """
    is_round_robin = state.settings.format == "round_robin" and state.rules > 1
    found = {}
    for number, one in enumerate(entry.settled):
        is_real = one.how == "played" or is_round_robin
        is_rest = one.how == "bye" and one.share < 1
        kind: MeetingKind = "played" if one.how == "played" else "rest" if is_rest and state.rules > 1 else "unplayed"
        key = one.round if state.settings.format == "swiss" else number
        found[key] = Meeting(one.share, one.opponent if is_real else None, kind)
    if state.settings.format == "swiss" and state.rules > 1:
        over = state.round - bool(state.pending)
        found |= {number: Meeting(0.0, None, "rest") for number in range(1, over + 1) if number not in found}
    return [found[key] for key in sorted(found)]


def _values(
    kind: TieBreak,
    names: Sequence[str],
    meetings: Mapping[str, Sequence[Meeting]],
    points: Mapping[str, float],
    worth: Mapping[str, float],
    before: Mapping[str, tuple[float, ...]],
) -> dict[str, float]:
    match kind:
        case "buchholz":
            return {name: buchholz(name, meetings[name], points, worth) for name in names}
        case "sonneborn_berger":
            return {name: sonneborn_berger(name, meetings[name], points, worth) for name in names}
        case "wins":
            return {name: wins(meetings[name]) for name in names}
        case "direct_encounter":

            def score(name: str) -> tuple[float, ...]:
                return (points[name], *before[name])

            found: dict[str, float] = {}
            for _, group in groupby(sorted(names, key=score), key=score):
                found |= direct_encounter(list(group), meetings)
            return found
