"""A store of event streams, as a protocol.

A stream is the events of one thing, such as a tournament, numbered by `seq` from 1 on without gaps. All events of a
kind of streams are numbered too, in the order of their commits and without gaps: each node follows them by one number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["EventStreams", "StaleStream", "StreamEvent", "StreamHead", "StreamsUnavailable"]


class StreamsUnavailable(Exception):
    """The store of streams is unreachable, or was lost before it confirmed."""


class StaleStream(Exception):
    """Another node has appended to this stream: nothing was stored."""


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """One event: the `seq`-th of its stream and the `number`-th of its kind. `body` is JSON of the feature's own."""

    stream: str
    seq: int
    number: int
    body: str


@dataclass(frozen=True, slots=True)
class StreamHead:
    """The newest event of a stream. A stream that is closed is not read at the start."""

    stream: str
    seq: int
    number: int
    is_closed: bool


class EventStreams(Protocol):
    """Events, which nobody changes. A kind has at most 16 characters, a stream's id 32. Raises StreamsUnavailable."""

    async def append(
        self, kind: str, stream: str, expected: int, bodies: Sequence[str], *, is_closed: bool = False
    ) -> int:
        """Store events behind the one with `expected` as its `seq`, all or none; return the last one's number.

        `is_closed` is of the stream from then on. Raises StaleStream where the stream's newest `seq` is another.
        """

    async def read(self, kind: str, stream: str, since: int, limit: int) -> Sequence[StreamEvent]:
        """Return events of a stream after the one with `since` as its `seq`, oldest first."""

    async def follow(self, kind: str, since: int, limit: int) -> Sequence[StreamEvent]:
        """Return events of all streams of a kind after the one numbered `since`, oldest first."""

    async def newest(self, kind: str) -> int:
        """Return the number of a kind's newest event; 0 for none."""

    async def heads(self, kind: str, *, is_closed: bool, before: int | None, limit: int) -> Sequence[StreamHead]:
        """Return streams whose newest event is numbered below `before`, the newest first; for None from the newest on.

        A stream that gets an event between two pages is on neither; `follow` from a `newest` of before has it.
        """
