"""Parses time controls."""

from __future__ import annotations

import re

from pydantic import ValidationError

from cornered.protocol.values import NO_CLOCK, Clock, Fischer, PerMove

__all__ = ["read_clock"]


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
