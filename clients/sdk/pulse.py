"""A counter that tasks wait on: nobody misses a change, and nobody needs a queue."""

from __future__ import annotations

import asyncio

from cornered.clients.sdk.errors import Closed

__all__ = ["Pulse"]


class Pulse:
    """Counts changes. Whoever remembers the count that it has seen can wait for a newer one, however late it comes."""

    def __init__(self) -> None:
        self.count = 0
        self._closed = False
        self._changed = asyncio.Event()

    def beat(self) -> None:
        """Count one change and wake everybody who waits."""
        self.count += 1
        self._changed.set()
        self._changed = asyncio.Event()

    def close(self) -> None:
        """Wake everybody for the last time."""
        self._closed = True
        self.beat()

    async def after(self, seen: int) -> int:
        """Return the count once it is above `seen`. Raises Closed when no change can come any more."""
        while self.count <= seen:
            if self._closed:
                raise Closed("nothing will change here any more")
            await self._changed.wait()
        return self.count
