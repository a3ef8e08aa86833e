"""What the end of a match gives its players in a tournament. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cornered.protocol.events import Ended, MatchEvent, Played, Started
from cornered.protocol.values import Correspondence
from cornered.server.tournament.events import Result

__all__ = ["result_of", "void_result"]


def result_of(match: str, events: Sequence[MatchEvent], was_away: Callable[[int, int], bool]) -> Result | None:
    """Return the result of a match for two by its events; None while it goes on.

    Where it ended without a result, because a first move did not come in time, the player to move loses by forfeit; so
    does a player who was away, or whose time ran out, before the first move. So does the other one too where
    `was_away`, of a seat and a time, says that it had no connection at the end, and it has made no move either. A game
    by days needs no connection while the opponent is to move.
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
        if loser not in still or ended.reason not in ("time", "gone"):
            return Result(match, _won_by(ended.winner))
    else:
        # Seat 0 moves first.
        loser = ended.seat if ended.seat in (0, 1) else min(still, default=0)
    is_by_days = any(isinstance(event, Started) and isinstance(event.clock, Correspondence) for event in events[:1])
    if not is_by_days and 1 - loser in still and was_away(1 - loser, ended.at):
        return Result(match, (0.0, 0.0), is_forfeit=True, absent=(0, 1))
    return Result(match, _won_by(1 - loser), is_forfeit=True, absent=(loser,))


def void_result(match: str) -> Result:
    """Return the result of a match that cannot be read any more: half a point each."""
    return Result(match, (0.5, 0.5), is_forfeit=True)


def _won_by(seat: int) -> tuple[float, float]:
    return (1.0, 0.0) if seat == 0 else (0.0, 1.0)
