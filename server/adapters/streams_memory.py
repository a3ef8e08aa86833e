"""Event streams in memory."""

from __future__ import annotations

from collections.abc import Sequence

from cornered.server.streams.ports import StaleStream, StreamEvent, StreamHead

__all__ = ["MemoryStreams"]


class MemoryStreams:
    """Implements `EventStreams`."""

    def __init__(self) -> None:
        self._events: dict[str, list[StreamEvent]] = {}
        self._heads: dict[tuple[str, str], StreamHead] = {}

    async def append(
        self, kind: str, stream: str, expected: int, bodies: Sequence[str], *, is_closed: bool = False
    ) -> int:
        if not bodies:
            raise ValueError("nothing to append")
        head = self._heads.get((kind, stream))
        if expected != (head.seq if head else 0):
            raise StaleStream(stream)
        events = self._events.setdefault(kind, [])
        for seq, body in enumerate(bodies, expected + 1):
            events.append(StreamEvent(stream, seq, len(events) + 1, body))
        self._heads[kind, stream] = StreamHead(stream, expected + len(bodies), len(events), is_closed)
        return len(events)

    async def read(self, kind: str, stream: str, since: int, limit: int) -> Sequence[StreamEvent]:
        events = (event for event in self._events.get(kind, ()) if event.stream == stream and event.seq > since)
        return list(events)[:limit]

    async def follow(self, kind: str, since: int, limit: int) -> Sequence[StreamEvent]:
        return self._events.get(kind, [])[since : since + limit]

    async def newest(self, kind: str) -> int:
        return len(self._events.get(kind, ()))

    async def heads(self, kind: str, *, is_closed: bool, before: int | None, limit: int) -> Sequence[StreamHead]:
        heads = (head for (of, _), head in self._heads.items() if of == kind and head.is_closed == is_closed)
        found = (head for head in heads if before is None or head.number < before)
        return sorted(found, key=lambda head: -head.number)[:limit]
