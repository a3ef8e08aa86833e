"""What the end of a match gives its players in a tournament. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.protocol.events import Ended, MatchEvent, Played
from cornered.server.tournament.events import Result

__all__ = ["result_of", "void_result"]


def result_of(match: str, events: Sequence[MatchEvent]) -> Result | None:
    """Return the result of a match for two by its events; None while it goes on.

    Where it ended without a result, because a first move did not come in time, the player to move loses by forfeit; so
    does a player who was away, or whose time ran out, before the first move.
    """
    ended = next((event for event in reversed(events) if isinstance(event, Ended)), None)
    if ended is None:
        return None
    moved = {event.seat for event in events if isinstance(event, Played)}
    still = [seat for seat in (0, 1) if seat not in moved]
    if ended.places:
        if ended.winner is None:
            return Result(match, (0.5, 0.5))
        loser = 1 - ended.winner
        absent = (loser,) if loser in still and ended.reason in ("time", "gone") else ()
        return Result(match, _won_by(ended.winner), is_forfeit=bool(absent), absent=absent)
    # Seat 0 moves first.
    loser = ended.seat if ended.seat in (0, 1) else min(still, default=0)
    return Result(match, _won_by(1 - loser), is_forfeit=True, absent=(loser,))


def void_result(match: str) -> Result:
    """Return the result of a match that cannot be read any more: half a point each."""
    return Result(match, (0.5, 0.5), is_forfeit=True)


def _won_by(seat: int) -> tuple[float, float]:
    return (1.0, 0.0) if seat == 0 else (0.0, 1.0)
