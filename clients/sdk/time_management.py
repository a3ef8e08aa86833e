"""Time management: the search time for a move on a clock."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, assert_never

from cornered.engine.limit import ClockTimes, Limit
from cornered.protocol.values import Clock, Correspondence, Delay, Fischer, NoClock, PerMove

__all__ = ["clock_times", "move_limit", "think_time"]

EXPECTED_MOVES: Final = 20
"""Moves among which the remaining time is divided."""
RESERVE_MS: Final = 400
"""Safety margin for a delay of the machine, or of a search that has to be stopped."""
MIN_THINK_TIME_MS: Final = 10
MIN_GRACE_MS: Final = 250
"""Time that a late answer may use of a short clock; of a long one it is a tenth."""
OVERHEAD_MS: Final = 100
"""Time from a found move to its acknowledgement: event loops, sockets and the server's journal."""


def think_time(clock: Clock, left: int | None, round_trip: int, longest: int) -> int:
    """Return the search time for the next move in milliseconds, at most `longest`.

    `left` is the remaining time of the own clock and `round_trip` the network's round-trip time, in milliseconds.
    """
    match clock:
        case Fischer():
            wanted = (left or 0) // EXPECTED_MOVES + round(clock.increment * 800)
        case Delay():
            wanted = (left or 0) // EXPECTED_MOVES + clock.delay * 800
        case PerMove():
            wanted = clock.seconds * 800
        case Correspondence() | NoClock():
            wanted = longest
        case _:
            assert_never(clock)
    affordable = wanted if left is None else left + _free(clock) - RESERVE_MS - round_trip
    return max(MIN_THINK_TIME_MS, min(wanted, affordable, longest))


def move_limit(clock: Clock, left: int | None, round_trip: int, longest: int) -> Limit:
    """Return the limit of the next move: its search time, twice as much where the search is unsettled and a later move
    can do with less, and the `grace` after which a late answer is abandoned.

    On a nearly empty clock the grace is 0, so that a fallback move arrives in time when the search overruns.
    """
    time = think_time(clock, left, round_trip, longest)
    if left is None or isinstance(clock, Correspondence | NoClock):
        return Limit(time)
    most = time
    if isinstance(clock, Fischer | Delay):
        most = max(time, min(2 * time, left + _free(clock) - RESERVE_MS - round_trip, longest))
    latest = min(left + _free(clock) - OVERHEAD_MS - round_trip, most + max(MIN_GRACE_MS, left // 10))
    return Limit(time, longest=most, grace=max(0, latest - time))


def clock_times(clock: Clock, lefts: Iterable[int | None]) -> ClockTimes | None:
    """Return a match's clocks, `lefts` by seat; None without clocks that run over the whole game.

    The free seconds of a delay count as an increment, as most interfaces of engines know no delay.
    """
    left = tuple(one for one in lefts if one is not None)
    match clock:
        case Fischer():
            return ClockTimes(left, round(1000 * clock.increment))
        case Delay():
            return ClockTimes(left, 1000 * clock.delay)
        case PerMove() | Correspondence() | NoClock():
            return None
        case _:
            assert_never(clock)


def _free(clock: Clock) -> int:
    """Return the milliseconds of each move that the clock does not count."""
    return clock.delay * 1000 if isinstance(clock, Delay) else 0
