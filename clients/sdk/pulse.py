"""A change counter that any number of tasks can wait on, without queues and without missed changes."""

from __future__ import annotations

import asyncio

from cornered.clients.sdk.errors import Closed

__all__ = ["Pulse"]


class Pulse:
    """Counts changes. A task waits for a count above the one that it has seen, and so misses no change in between."""

    def __init__(self) -> None:
        self.count = 0
        self._closed = False
        self._changed = asyncio.Event()

    def beat(self) -> None:
        """Count one change and wake all waiting tasks."""
        self.count += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def close(self) -> None:
        """Wake all waiting tasks; those that still wait for a newer count get Closed."""
        self._closed = True
        self.beat()

    async def after(self, seen: int) -> int:
        """Return the count once it is above `seen`. Raises Closed after `close`."""
        while self.count <= seen:
            if self._closed:
                raise Closed("nothing will change here any more")
            await self._changed.wait()
        return self.count
