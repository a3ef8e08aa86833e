"""When one match could not be served: its writes failed or took long, or the player to move could not be heard."""

from __future__ import annotations

from cornered.server.runtime.timekeeping import SLOWEST_MS, Interval

__all__ = ["Stalls"]


class Stalls:
    """Stretches of one match beside the outages of its server, in the server's milliseconds."""

    def __init__(self) -> None:
        # When the oldest of the failed writes since the last good one began.
        self._failing_since: int | None = None
        self._past: list[Interval] = []

    def write_failed(self, begun: int) -> None:
        """Begin a stretch, unless one has begun, that ends when the store answers."""
        if self._failing_since is None:
            self._failing_since = begun

    def write_answered(self, begun: int, done: int) -> None:
        """Keep the time that this write took, and failed ones before it."""
        if self._failing_since is not None:
            self._past.append((self._failing_since, done))
            self._failing_since = None
        else:
            self.add((begun, done))

    def add(self, stretch: Interval) -> bool:
        """Keep a stretch in place of an earlier one with the same beginning; return False where it is too short."""
        since, until = stretch
        if until - since <= SLOWEST_MS:
            return False
        self._past = [*(stall for stall in self._past if stall[0] != since), stretch]
        return True

    def after(self, at: int, now: int) -> list[Interval]:
        """Return the stretches that end after `at`, and forget the others."""
        self._past = [stall for stall in self._past if stall[1] > at]
        return self._past if self._failing_since is None else [*self._past, (self._failing_since, now)]
