"""The server's time, and the stretches of it in which the server could not serve: they count against no player.

Matches live by `SteadyClock`, which reads its beginning once (the wall clock, or the match clock that other nodes hand
on) and then follows the monotonic clock.
`Outages` finds out when the event loop did not run: the process was stopped, or starved of its processor.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Final, TypeAlias

import structlog

__all__ = [
    "SLOWEST_MS",
    "STORE_SILENCE_MS",
    "Interval",
    "Outages",
    "Sign",
    "SteadyClock",
    "drop_sign",
    "keep_time",
    "last_sign",
    "leave_signs",
    "overlap",
]

BEAT_SECONDS: Final = 0.25
"""How often a heartbeat shows that the event loop runs."""
BEAT_MS: Final = int(BEAT_SECONDS * 1000)
SIGN_SECONDS: Final = 1.0
"""How often the server leaves a sign of life. After a crash, clocks are refunded from the last one on."""
SIGN_BYTES: Final = 80
SLOWEST_MS: Final = 1_000
"""A heartbeat or a write to the store that is later than this is an outage; what is quicker counts as play."""
STORE_SILENCE_MS: Final = 2_500
"""A store that has not renewed a node's lease for so long is away; a renewal is due every second."""
MAX_OUTAGES: Final = 1_024

Interval: TypeAlias = tuple[int, int]
"""A beginning and an end, in milliseconds of the match clock."""

log = structlog.get_logger("time")


class SteadyClock:
    """The match clock, in milliseconds since 1970: it begins with `real` and runs on steadily from there.

    A later step of the wall clock does not move it. On Linux it stands still while the machine is suspended.
    """

    __slots__ = ("_offset", "_steady")

    def __init__(self, real: Callable[[], float], steady: Callable[[], float], *, not_before: int = 0) -> None:
        """`real` returns the beginning and `steady` is a monotonic clock, both in seconds.

        The clock begins no earlier than `not_before`, where the clock of the server's last run had got to: a wall clock
        that was set back in between makes no event older than the one before it.
        """
        wall = real() * 1000
        if wall < not_before - SLOWEST_MS:
            log.warning("the wall clock was set back; time goes on from the last run", ms=round(not_before - wall))
        self._steady = steady
        self._offset = max(wall, not_before) - steady() * 1000

    def __call__(self) -> int:
        return int(self._steady() * 1000 + self._offset)


def overlap(since: int, until: int, outages: Iterable[Interval]) -> int:
    """Return how much of the time from `since` to `until` lies in at least one of `outages`, in milliseconds."""
    total, reached = 0, since
    for begin, end in sorted(outages):
        begin, end = max(begin, reached), min(end, until)
        if begin < end:
            total, reached = total + end - begin, end
    return total


class Outages:
    """When the event loop did not run, found by heartbeats that came late. Times are the match clock's.

    Every call of `after` is a heartbeat too, so that an outage is known to the first decision after it, whichever
    callback of the loop comes first.
    """

    __slots__ = ("_beat_at", "_known", "_silent_since", "is_store_away")

    def __init__(self) -> None:
        self._known: deque[Interval] = deque(maxlen=MAX_OUTAGES)
        self._beat_at: int | None = None
        # Since when the store has not answered, where that is too long.
        self._silent_since: int | None = None
        self.is_store_away = False
        """Whether the newest write of any match failed. Each match accounts for its own writes."""

    def beat(self, now: int) -> None:
        """Record that the loop runs. Nothing is an outage before the first heartbeat."""
        last, self._beat_at = self._beat_at, now
        if last is not None and now - last - BEAT_MS > SLOWEST_MS:
            self._known.append((last + BEAT_MS, now))
            log.warning("the server stood still; the time counts against no player", ms=now - last - BEAT_MS)

    def note_store(self, heard_at: int, now: int) -> None:
        """Record when the store was last heard. While it is away players cannot come back, and no write may be due."""
        if now - heard_at > STORE_SILENCE_MS:
            if self._silent_since is None:
                self._silent_since = heard_at
        elif self._silent_since is not None:
            self._known.append((self._silent_since, heard_at))
            self._silent_since = None

    def after(self, at: int, now: int) -> list[Interval]:
        """Return the outages up to `now` that ended after `at`."""
        if self._beat_at is not None:
            self.beat(now)
        known = list(takewhile(lambda outage: outage[1] > at, reversed(self._known)))
        return known if self._silent_since is None else [(self._silent_since, now), *known]


async def keep_time(outages: Outages, now: Callable[[], int], store_silence: Callable[[], float]) -> None:
    """Record heartbeats, and the seconds since the store was last heard, until cancelled."""
    while True:
        at = now()
        outages.beat(at)
        outages.note_store(at - round(store_silence() * 1000), at)
        await asyncio.sleep(BEAT_SECONDS)


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign of life: when the server was certainly able to serve, and the newest event that its store held then.

    A store without that event is not the one that the server served, but a backup of it or another one.
    """

    at: int
    match: str
    seq: int


async def leave_signs(
    file: Path, outages: Outages, now: Callable[[], int], newest: Callable[[], tuple[str, int] | None]
) -> None:
    """Leave a sign of life every second, until cancelled; not while the store takes nothing, or holds no event."""
    while True:
        if not outages.is_store_away and (stored := newest()) is not None:
            _leave_sign(file, Sign(now(), *stored))
        await asyncio.sleep(SIGN_SECONDS)


def _leave_sign(file: Path, sign: Sign) -> None:
    # One write of one length, over the last sign: a kill leaves this one or that one.
    line = f"{sign.at} {sign.match} {sign.seq}".ljust(SIGN_BYTES)
    with suppress(OSError):
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, line.encode())
        finally:
            os.close(descriptor)


def last_sign(file: Path) -> Sign | None:
    """Return the last sign of life; None where there is none."""
    try:
        at, match, seq = file.read_text(encoding="utf-8").split()
        return Sign(int(at), match, int(seq))
    except (OSError, ValueError):
        return None


def drop_sign(file: Path) -> None:
    """Remove the last sign of life."""
    with suppress(OSError):
        file.unlink()
