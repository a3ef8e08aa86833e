"""How much somebody may ask for: a token bucket that also remembers debt."""

from __future__ import annotations

__all__ = ["Allowance"]


class Allowance:
    """`rate` a second for ever, `burst` at once. What is spent beyond that is owed.

    Times are any steady clock's seconds. Who owes more than another `burst` is not impatient but hostile.
    """

    __slots__ = ("_burst", "_left", "_rate", "_since")

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate = rate
        self._burst = burst
        self._left = burst
        self._since = now

    def spend(self, now: float) -> bool:
        """Take one; say whether it was there to take."""
        self._left = max(-self._burst - 1, min(self._burst, self._left + (now - self._since) * self._rate) - 1)
        self._since = now
        return self._left >= 0

    @property
    def is_hostile(self) -> bool:
        """Whether so much is owed that no honest client explains it."""
        return self._left < -self._burst
