"""Time management: for how long to think about a move on a clock."""

from __future__ import annotations

from typing import Final, assert_never

from cornered.engine.limit import Limit
from cornered.protocol.values import Clock, Correspondence, Delay, Fischer, NoClock, PerMove

__all__ = ["move_limit", "think_time"]

MOVES_AHEAD: Final = 20
"""For how many more moves the time that is left has to do."""
RESERVE: Final = 400
"""Milliseconds that are never planned for: a slow moment of this machine, or of a search that has to be given up."""
SHORTEST: Final = 10
SPARE: Final = 250
"""Milliseconds that a late answer may take from a short clock; from a long one, a tenth of it."""
OVERHEAD: Final = 100
"""Milliseconds for what happens to a move when it is found: event loops, sockets and the server's journal."""


def think_time(clock: Clock, left: int | None, round_trip: int, longest: int) -> int:
    """Return for how many milliseconds to think about the next move.

    `left` is what the own clock shows now, `round_trip` what the way to the server and back costs; people wait for a
    bot, so it never thinks for more than `longest`.
    """
    match clock:
        case Fischer():
            wanted = (left or 0) // MOVES_AHEAD + round(clock.increment * 800)
        case Delay():
            wanted = (left or 0) // MOVES_AHEAD + clock.delay * 800
        case PerMove():
            wanted = clock.seconds * 800
        case Correspondence() | NoClock():
            wanted = longest
        case _:
            assert_never(clock)
    affordable = wanted if left is None else left + _free(clock) - RESERVE - round_trip
    return max(SHORTEST, min(wanted, affordable, longest))


def move_limit(clock: Clock, left: int | None, round_trip: int, longest: int) -> Limit:
    """Return the limit of the next move on a clock: how long to think, and how late the answer may come at the latest.

    Where the clock is nearly empty the answer must be there in time even when the bot is not.
    """
    time = think_time(clock, left, round_trip, longest)
    if left is None or isinstance(clock, Correspondence | NoClock):
        return Limit(time)
    latest = left + _free(clock) - OVERHEAD - round_trip
    return Limit(time, grace=max(0, min(latest - time, max(SPARE, left // 10))))


def _free(clock: Clock) -> int:
    """Return the milliseconds of every move that cost nothing."""
    return clock.delay * 1000 if isinstance(clock, Delay) else 0
