"""The daily sweep: one node erases what is stored about people for longer than the settings say."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from cornered.server.metrics import Counts
from cornered.server.moderation.retention import Kind, Periods, RetentionStore, RetentionUnavailable

__all__ = ["BATCH", "LOOK_SECONDS", "RetentionService", "sweep"]

LOOK_SECONDS: Final = 60.0
"""Seconds between two looks whether today's sweep is done."""
BATCH: Final = 100
"""Rows that one transaction erases, so that no move waits long for it."""
PAUSE_SECONDS: Final = 0.05
MAX_BATCHES: Final = 2_000
"""Batches of one turn; what is left is erased in the next one, when the claim has ended."""

log = structlog.get_logger("retention")


class RetentionService:
    """The sweep of one node, which it does when no other one has done it on that day."""

    def __init__(self, store: RetentionStore, periods: Periods, counts: Counts, *, now: Callable[[], int]) -> None:
        """`now` is the time in milliseconds since 1970."""
        self._store = store
        self._periods = periods
        self._counts = counts
        self._now = now

    async def run(self) -> None:
        """Sweep once a day until cancelled; a sweep that was interrupted goes on later, on whichever node."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            try:
                await self.look()
            except RetentionUnavailable as error:
                log.warning("what is kept too long cannot be erased now", reason=str(error))
            except Exception:
                # A defect here must not end the server.
                log.exception("what is kept too long could not be erased")

    async def look(self) -> None:
        """Do today's sweep, unless it is done or another node's. Raises RetentionUnavailable."""
        if not await self._store.claim(self._now()):
            return
        left = MAX_BATCHES
        for kind, before in self._periods.ends(self._now()).items():
            while left:
                left -= 1
                found = await self._store.erase(kind, before, BATCH)
                self._counts.was_erased(kind, found)
                if found < BATCH:
                    break
                await self._store.renew(self._now())
                await asyncio.sleep(PAUSE_SECONDS)
        if left:
            await self._store.done(self._now())


async def sweep(store: RetentionStore, periods: Periods, now: int, *, is_dry: bool) -> dict[Kind, int]:
    """Erase all that is too old at `now`, and return how much of each kind; where it `is_dry` only count it.

    Raises RetentionUnavailable.
    """
    erased: dict[Kind, int] = {}
    for kind, before in periods.ends(now).items():
        erased[kind] = await store.due(kind, before) if is_dry else 0
        while not is_dry:
            found = await store.erase(kind, before, BATCH)
            erased[kind] += found
            if found < BATCH:
                break
    return erased
