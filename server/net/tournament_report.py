"""A tournament as a Tournament Report File, which pairing and rating programs read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from cornered.contests.trf import Report, ReportPlayer, Round, write
from cornered.protocol.tournaments import TournamentFormat
from cornered.server.net.records import time_control_of
from cornered.server.tournament.standings import places
from cornered.server.tournament.state import Entry, TournamentState

__all__ = ["report_of"]

TYPES: Final[dict[TournamentFormat, str]] = {
    "swiss": "Individual: Swiss-System",
    "round_robin": "Individual: Round-Robin",
    "by_hand": "Individual: paired by hand",
}
"""The formats with one game a player and round, which alone a report can have."""


def report_of(state: TournamentState) -> str | None:
    """Return a tournament's report; None in a format that no report can have."""
    kind = TYPES.get(state.settings.format)
    if kind is None:
        return None
    numbers = {entry.player.id: number for number, entry in enumerate(state.seeded(), 1)}
    games = _games(state, numbers)
    players = [
        ReportPlayer(
            numbers[place.entry.player.id],
            place.entry.player.name,
            place.entry.rating,
            place.entry.points,
            place.rank,
            _rounds(state, place.entry, games),
        )
        for place in places(state)
    ]
    fields = {"092": kind, "122": time_control_of(state.settings.clock), "152": "W"}
    fields |= {key: _day(at) for key, at in (("042", state.started), ("052", state.ended)) if at is not None}
    return write(Report(state.settings.name, tuple(players), state.rounds, fields))


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y/%m/%d")


def _games(state: TournamentState, numbers: dict[str, int]) -> dict[tuple[str, int], Round]:
    """Return what the pairings gave, by player and round."""
    found = {}
    for round_, pairing in state.games():
        result = state.results.get(pairing.match or "")
        points = pairing.points if result is None else result.shares
        is_forfeit = pairing.match is None or (result is not None and result.is_forfeit)
        for seat, player in enumerate(pairing.players):
            if len(pairing.players) == 1:
                found[player, round_] = Round("U" if points[0] == 1 else "H" if points[0] else "Z")
                continue
            share = points[seat] if points else None
            found[player, round_] = Round(_code(share, is_forfeit=is_forfeit), numbers[pairing.players[1 - seat]], seat)
    return found


def _code(share: float | None, *, is_forfeit: bool) -> str:
    """Return the result of a game; a game that nobody lost though it was not played to its end is an unrated draw."""
    if share is None:
        return " "
    if is_forfeit:
        return "+" if share == 1 else "D" if share else "-"
    return "1" if share == 1 else "=" if share else "0"


def _rounds(state: TournamentState, entry: Entry, games: dict[tuple[str, int], Round]) -> tuple[Round, ...]:
    """Return a player's rounds. Before the next one is paired, one who will not be in it has a bye there."""
    late = {one.round: Round("H" if one.share else "Z") for one in entry.settled if one.opponent is None}
    found = [
        games.get((entry.player.id, round_)) or late.get(round_, Round("Z")) for round_ in range(1, state.round + 1)
    ]
    is_next = state.status == "running" and not state.pending and state.round < (state.rounds or 0)
    if is_next and state.settings.format == "swiss" and (entry.is_out or state.is_absent(entry)):
        found.append(Round("Z"))
    return tuple(found)
