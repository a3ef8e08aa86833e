"""A bot's games and requests, derived from the events of a finished match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from cornered.protocol.bot_reports import MAX_REQUESTS, BotGame, BotIncident, BotRequest, BotRequests
from cornered.protocol.events import Eliminated, Ended, MatchEvent, Played, Rolled, Started, TakenBack
from cornered.protocol.values import Reason
from cornered.server.archive.index import index_of
from cornered.server.archive.search import Cursor
from cornered.server.match.clock import Timer
from cornered.server.match.match import Match

__all__ = ["cursor_of", "game_of", "requests_of", "seat_of"]

_UNANSWERED: Final[frozenset[Reason]] = frozenset({"time", "resignation", "gone"})
"""Ends by which the one whose turn it is leaves the position without a move."""


def seat_of(events: Sequence[MatchEvent], player: str) -> int | None:
    """Return the first seat of a player in a match; None for a player who has none."""
    started = _started(events)
    return next((seat for seat, one in enumerate(started.players) if one.id == player), None)


def game_of(events: Sequence[MatchEvent], player: str) -> BotGame:
    """Return what the events of a finished match say about one of its players. Raises ValueError for another one."""
    started, seat, indexed = _started(events), seat_of(events, player), index_of(events)
    if seat is None or indexed is None:
        raise ValueError(f"{started.match} is no finished match of {player}")
    spent = [event.spent for event in _standing(events) if isinstance(event, Played) and event.seat == seat]
    return BotGame(
        match=started.match,
        game=started.game,
        clock=started.clock,
        rated=indexed.rated,
        opponents=tuple(one for number, one in enumerate(started.players) if number != seat),
        result=indexed.result(seat),
        reason=next(event.reason for event in events if isinstance(event, Ended)),
        lost_on_time=any(_is_flag_of(event, seat) for event in events),
        moves=len(spent),
        total=sum(spent),
        longest=max(spent, default=0),
        ended=indexed.ended,
    )


def cursor_of(events: Sequence[MatchEvent]) -> Cursor | None:
    """Return the place of a finished match in the order of the archive; None for one that goes on."""
    indexed = index_of(events)
    return None if indexed is None else Cursor(indexed.ended, indexed.tie)


def requests_of(
    match: Match,
    events: Sequence[MatchEvent],
    player: str,
    incidents: Sequence[BotIncident],
    *,
    id: str,
    since: int = 0,
) -> BotRequests:
    """Return what a player was asked in a finished match from the ply `since` on, with what its program reported.

    Moves that were taken back are left out. Raises ValueError for a player who has no seat.
    """
    started, seat = _started(events), seat_of(events, player)
    if seat is None:
        raise ValueError(f"{player} has no seat in {started.match}")
    reported = {one.ply: one for one in reversed(incidents) if one.match == match.id and one.ply is not None}
    plies, found = match.plies, list[BotRequest]()
    left = Timer.of(started.clock, len(started.players), started.at).left[seat]
    for event in _standing(events):
        if isinstance(event, Played) and event.seat == seat:
            if event.ply >= since:
                position = plies.text_at(event.ply)
                found.append(_request(event.ply, position, left, reported, event.move, event.spent))
            left = event.left[seat]
        elif isinstance(event, TakenBack):
            left = event.left[seat]
        if len(found) > MAX_REQUESTS:
            # The one too many is where the next page begins.
            break
    ended = next((event for event in events if isinstance(event, Ended)), None)
    is_left = ended is not None and ended.reason in _UNANSWERED and plies.state.to_move == seat
    if is_left and plies.ply >= since and len(found) <= MAX_REQUESTS:
        found.append(_request(plies.ply, plies.text_at(plies.ply), left, reported, None, None))
    return BotRequests(
        id=id,
        match=match.id,
        game=started.game,
        clock=started.clock,
        seat=seat,
        requests=tuple(found[:MAX_REQUESTS]),
        more=found[MAX_REQUESTS].ply if len(found) > MAX_REQUESTS else None,
    )


def _request(
    ply: int,
    position: str,
    left: int | None,
    reported: dict[int, BotIncident],
    answer: str | None,
    spent: int | None,
) -> BotRequest:
    incident = reported.get(ply)
    return BotRequest(
        ply=ply,
        position=position,
        left=left,
        answer=answer,
        spent=spent,
        limit=None if incident is None else incident.limit,
        failure=None if incident is None else f"{incident.kind}: {incident.text}",
    )


def _standing(events: Sequence[MatchEvent]) -> Iterator[Played | Rolled | TakenBack]:
    """Yield the moves and rolls that were not taken back, and the takebacks before them, in their order."""
    kept = list[Played | Rolled | TakenBack]()
    for event in events:
        if isinstance(event, TakenBack):
            # Their plies ascend. A filter of the whole list would make many takebacks quadratic.
            while kept and kept[-1].ply >= event.ply:
                kept.pop()
            kept.append(event)
        elif isinstance(event, Played | Rolled):
            kept.append(event)
    yield from kept


def _started(events: Sequence[MatchEvent]) -> Started:
    started = events[0]
    if not isinstance(started, Started):
        raise ValueError("event 1 does not begin a match")
    return started


def _is_flag_of(event: MatchEvent, seat: int) -> bool:
    """Return whether the seat's flag falls with an event: with more than two players it is out, others go on."""
    if isinstance(event, Eliminated):
        return event.seat == seat and event.reason == "time"
    return isinstance(event, Ended) and event.reason == "time" and event.winner not in (None, seat)
