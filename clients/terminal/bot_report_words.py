"""The report about a bot as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from cornered.clients.sdk.timecontrol import clock_text
from cornered.clients.terminal.rating_words import pool_text, standing_text
from cornered.clients.terminal.words import REASONS, player_text, spec_text
from cornered.protocol.bot_reports import BotGame, BotIncident, BotReport

__all__ = ["report_lines"]

CLOSERS = {"program": "the program closed the connection", "server": "the server closed the connection"}


def report_lines(report: BotReport, games: Sequence[BotGame]) -> Iterator[str]:
    """Yield the lines of a report about a bot with these of its games."""
    state = "connected" if report.is_connected else "not connected"
    lag = "" if report.round_trip is None else f", round trip {report.round_trip} ms"
    yield f"{player_text(report.player)}  {report.player.id}  {state}{lag}"
    for rating in report.ratings:
        yield f"{pool_text(rating)}: {standing_text(rating)}"
    yield ""
    yield _summary(games)
    yield from map(_game_text, games)
    yield ""
    kinds = Counter(one.kind for one in report.incidents)
    yield "What went wrong: " + (", ".join(f"{kind} {count}" for kind, count in kinds.items()) or "nothing")
    for incident in report.incidents:
        yield from _incident_lines(incident)


def _summary(games: Sequence[BotGame]) -> str:
    if not games:
        return "No finished game yet."
    results = Counter(game.result for game in games)
    moves = sum(game.moves for game in games)
    mean = sum(game.total for game in games) / max(1, moves) / 1000
    slowest = max(game.longest for game in games) / 1000
    lost = sum(game.lost_on_time for game in games)
    number = f"{len(games)} game{'s' * (len(games) > 1)}"
    return (
        f"The newest {number}: {results['win']} won, {results['loss']} lost, {results['draw']} drawn; "
        f"{mean:.2f} s for a move, {slowest:.2f} s for the slowest; {lost} lost on time"
    )


def _game_text(game: BotGame) -> str:
    others = " and ".join(map(player_text, game.opponents))
    mean = game.total / max(1, game.moves) / 1000
    counted = "1 move" if game.moves == 1 else f"{game.moves} moves"
    flag = "  TIME" if game.lost_on_time else ""
    return (
        f"{_when(game.ended)}  {game.match}  {game.result:4}  {spec_text(game.game)} against {others}, "
        f"{clock_text(game.clock)}  {REASONS[game.reason]}  {counted}, {mean:.2f} s each{flag}"
    )


def _incident_lines(incident: BotIncident) -> Iterator[str]:
    where = "" if incident.match is None else f"  match {incident.match} at ply {incident.ply}"
    limit = "" if incident.limit is None else f", limit {incident.limit} ms"
    code = incident.code
    closer = CLOSERS.get(incident.closed_by or "", "the connection was lost")
    closing = "" if code is None else f"  {closer} ({code})"
    first, *rest = incident.text.split("\n") if incident.text else [""]
    alone = not rest and first
    yield f"{_when(incident.at)}  {incident.kind}{where}{limit}{closing}{f': {first}' if alone else ''}"
    for line in (first, *rest) if rest else ():
        yield f"    {line}"


def _when(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M")
