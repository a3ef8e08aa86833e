"""Parses time controls, and writes them for people."""

from __future__ import annotations

import re
from typing import assert_never

from pydantic import ValidationError

from cornered.protocol.values import NO_CLOCK, Clock, Correspondence, Delay, Fischer, NoClock, PerMove

__all__ = ["clock_text", "read_clock"]


def read_clock(text: str) -> Clock:
    """Return the time control 5+3 (minutes, and seconds more a move), 20/move (seconds) or none. Raises ValueError."""
    try:
        if text == "none":
            return NO_CLOCK
        if found := re.fullmatch(r"(\d{1,4})/move", text, re.ASCII):
            return PerMove(seconds=int(found[1]))
        if found := re.fullmatch(r"(\d{1,3}(?:\.\d{1,3})?)\+(\d{1,3}(?:\.\d{1,3})?)", text, re.ASCII):
            increment = float(found[2])
            whole = int(increment) if increment.is_integer() else increment
            return Fischer(initial=round(60 * float(found[1])), increment=whole)
    except ValidationError:
        raise ValueError(f"{text!r} is out of range: 1 second to 180 minutes, 0 to 180 seconds more a move") from None
    raise ValueError(f"a clock is 5+3 (minutes and seconds more a move), 20/move (seconds) or none, not {text!r}")


def clock_text(clock: Clock) -> str:
    """Return a time control as text."""
    match clock:
        case Fischer():
            increment = f" + {clock.increment} s" if clock.increment else ""
            return f"{_minutes(clock.initial)}{increment}"
        case Delay():
            return f"{_minutes(clock.initial)}, {clock.delay} s free"
        case PerMove():
            return f"{clock.seconds} s a move"
        case Correspondence():
            return f"{clock.days} day{'s' if clock.days > 1 else ''} a move"
        case NoClock():
            return "no clock"
        case _:
            assert_never(clock)


def _minutes(seconds: int) -> str:
    return f"{seconds // 60} min" if seconds % 60 == 0 else f"{seconds} s"
