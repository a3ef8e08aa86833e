"""The organiser's pauses of a match's clocks: what an order leads to. Pure; nobody at the board can give one."""

from __future__ import annotations

from typing import Final

from cornered.protocol.events import ClocksPaused, ClocksResumed, MatchEvent
from cornered.protocol.values import MAX_PAUSE_SECONDS
from cornered.server.match.state import MatchState
from cornered.server.refusal import Refusal

__all__ = ["MAX_PAUSES", "order_pause", "resume_clocks"]

MAX_PAUSES: Final = 50
"""Pauses of one match, each of which is two events."""


def order_pause(match: MatchState, due: int | None, seconds: int, now: int) -> tuple[MatchEvent, ...]:
    """Return the beginning of a pause of at most `seconds`; nothing where the match is paused already.

    `due` is the match's deadline: what time has decided by `now` stands. Raises Refusal for that, where the match is
    over, and where it was paused too often.
    """
    if match.over:
        raise Refusal("match_over", "the match is over")
    if match.pause is not None:
        return ()
    now = max(now, match.at)
    if match.timer.is_down(now) or (due is not None and now >= due):
        raise Refusal("too_late", "the time ran out")
    if match.pauses >= MAX_PAUSES:
        raise Refusal("busy", f"a match can be paused {MAX_PAUSES} times, and this one was")
    until = now + min(seconds, MAX_PAUSE_SECONDS) * 1000
    return (ClocksPaused(seq=match.seq + 1, at=now, until=until),)


def resume_clocks(match: MatchState, now: int) -> tuple[MatchEvent, ...]:
    """Return the end of the pause; nothing where the match is not paused."""
    if match.over or match.pause is None:
        return ()
    return (ClocksResumed(seq=match.seq + 1, at=max(now, match.at)),)
