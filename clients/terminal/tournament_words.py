"""Tournaments, standings and pairings as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cornered.clients.sdk.timecontrol import clock_text
from cornered.clients.terminal.words import player_text, spec_text, time_text
from cornered.protocol.tournaments import (
    PairingInfo,
    Standing,
    TieBreak,
    TournamentFormat,
    TournamentInfo,
    TournamentStatus,
)

__all__ = ["format_text", "pairing_text", "standings_lines", "state_text", "tournament_text"]

FORMATS: Final[dict[TournamentFormat, str]] = {
    "round_robin": "round robin",
    "swiss": "Swiss",
    "knockout": "knockout",
    "arena": "arena",
    "by_hand": "paired by hand",
}
STATUS: Final[dict[TournamentStatus, str]] = {
    "open": "open for players",
    "running": "under way",
    "finished": "finished",
    "cancelled": "cancelled",
}
TIE_BREAKS: Final[dict[TieBreak, str]] = {
    "buchholz": "Buchh",
    "sonneborn_berger": "SB",
    "direct_encounter": "DE",
    "wins": "wins",
}
"""Headings of the columns, which are six characters wide."""
MAX_NAME_WIDTH: Final = 24


def format_text(info: TournamentInfo) -> str:
    """Return what is played: the form, the game, the clock, and whether it is rated."""
    settings = info.settings
    rated = ["rated"] if settings.rated else []
    return ", ".join([FORMATS[settings.format], spec_text(settings.game), clock_text(settings.clock), *rated])


def state_text(info: TournamentInfo, now: int) -> str:
    """Return how far a tournament is at the server's time `now`."""
    parts = [STATUS[info.status]]
    if info.status == "running":
        if info.settings.format == "arena":
            if info.ends_at is not None:
                parts.append(f"{time_text(max(0, info.ends_at - now))} left")
        elif info.round:
            parts.append(f"round {info.round}" + (f" of {info.rounds}" if info.rounds else ""))
        if info.next_round_at is not None:
            parts.append(f"the next round in {time_text(max(0, info.next_round_at - now))}")
        if info.pending:
            parts.append(f"{info.pending} game{'s go' if info.pending > 1 else ' goes'} on")
        if info.is_paused:
            parts.append("paused")
    elif info.status == "open" and info.settings.starts_at is not None:
        parts.append(f"starts in {time_text(max(0, info.settings.starts_at - now))}")
    if info.winner is not None:
        parts.append(f"{player_text(info.winner)} won")
    return ", ".join([*parts, f"{info.players} player{'' if info.players == 1 else 's'}"])


def tournament_text(info: TournamentInfo, now: int) -> str:
    """Return a tournament in one line."""
    return f"{info.settings.name}: {format_text(info)}; {state_text(info, now)}"


def standings_lines(info: TournamentInfo, standings: Sequence[Standing]) -> Iterator[str]:
    """Yield a table of standings: wins, draws and losses, then the tie-breaks in their order."""
    names = [player_text(one.player) for one in standings]
    width = min(MAX_NAME_WIDTH, max([len("Player"), *map(len, names)]))
    breaks = "".join(f"{TIE_BREAKS[one]:>6}" for one in info.tie_breaks)
    yield f"    {'Player':<{width}} Points  +/=/-{breaks}"
    for one, name in zip(standings, names, strict=True):
        shown = name if len(name) <= width else f"{name[: width - 1]}…"
        values = "".join(f"{value:>6g}" for value in one.tie_breaks)
        notes = [note for note, holds in (("out", one.is_out), ("absent", one.is_absent)) if holds]
        told = f"  {', '.join(notes)}" if notes else ""
        games = f"{one.wins}/{one.draws}/{one.losses}"
        yield f"{one.rank:>3} {shown:<{width}} {one.points:>6g} {games:>6}{values}{told}"


def pairing_text(pairing: PairingInfo) -> str:
    """Return one pairing with its result."""
    names = [player_text(player) for player in pairing.players]
    if pairing.how == "bye" or len(names) == 1:
        return f"{pairing.board:>3}  {names[0]} has a bye"
    result = " : ".join(f"{points:g}" for points in pairing.points) if pairing.points else "…"
    how = " (forfeit)" if pairing.how == "forfeit" else ""
    return f"{pairing.board:>3}  {names[0]} - {names[1]}  {result}{how}"
