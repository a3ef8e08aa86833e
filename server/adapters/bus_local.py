"""The bus inside one process: publications go to one callback, or are dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from cornered.protocol.messages import ServerMessage
from cornered.server.adapters.feed import Feed, Publication, status_of

__all__ = ["LocalBus"]


class LocalBus:
    """Implements `Bus`. Without a listener publications are dropped at once."""

    def __init__(self, listener: Callable[[Publication], None] | None = None, *, node: str = "local") -> None:
        self._listener = listener
        self._node = node
        self._feed = Feed()

    def publish_match(self, message: ServerMessage) -> None:
        if self._listener is not None:
            self._feed.match(message)

    def publish_lobby(self, message: ServerMessage) -> None:
        if self._listener is not None:
            self._feed.lobby(message)

    async def run(self) -> None:
        if self._listener is None:
            await asyncio.Event().wait()
            return
        self._listener(status_of(self._node, "online"))
        while True:
            await self._feed.wait()
            self._publish_all(self._listener)

    async def close(self) -> None:
        if self._listener is not None:
            self._publish_all(self._listener)
            self._listener(status_of(self._node, "offline"))

    def _publish_all(self, listener: Callable[[Publication], None]) -> None:
        while (publication := self._feed.take()) is not None:
            listener(publication)
