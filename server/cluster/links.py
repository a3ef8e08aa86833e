"""The links of a node to all others: what waits to be sent, what came in order, and which nodes are heard.

A link is lost after a silence, and restored by the next batch. It is also restored, at both ends, when either end
missed a batch: the receiver sees a gap in the counters, and tells the sender its number of losses in every batch.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from cornered.server.cluster.envelope import (
    MAX_MESSAGE_BYTES,
    BadBatch,
    Batch,
    encode_message,
    open_batch,
    route_bytes,
    seal_batch,
)
from cornered.server.cluster.messages import NodeMessage
from cornered.server.cluster.ports import Node

__all__ = ["FLUSH_BYTES", "MAX_QUEUE_BYTES", "SILENCE_S", "Arrival", "Links", "MessageTooLarge"]

SILENCE_S: Final = 2.0
"""Seconds without a batch of a node after which the link is lost: four heartbeats."""
FLUSH_BYTES: Final = 256 * 1024
"""Messages that go as one batch; a single larger one goes alone."""
MAX_QUEUE_BYTES: Final = 8 << 20
"""What may wait for one node; beyond that the oldest messages are dropped."""
_MESSAGE_OVERHEAD: Final = 64
"""Memory of a queued message beside its text."""
_MAX_GONE: Final = 256
"""Links to nodes that are gone, kept for their counters."""


class MessageTooLarge(ValueError):
    """A message that fits into no batch."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """What came in one batch of another node. `is_restored`: the receiver is told so before the messages."""

    node: str
    is_restored: bool
    messages: tuple[bytes, ...]


@dataclass(slots=True, eq=False)
class _Link:
    """The state between this start of this node and one start of another."""

    node: Node
    route: bytes
    expected: bytes
    """The beginning of the body of its batches."""
    queue: deque[bytes] = field(default_factory=deque)
    queued_bytes: int = 0
    sent: int = 0
    """The counter of the newest batch to it."""
    has_gap: bool = False
    """True while messages that were dropped are not visible in the counter of a batch yet."""
    received: int = 0
    """The counter of the newest batch of it."""
    losses: int = 0
    """How often batches of it were missed here."""
    told_losses: int = 0
    """The newest such number that it told of itself."""
    heard_at: float = 0.0
    is_linked: bool = False

    def drop_all(self) -> int:
        dropped = len(self.queue)
        self.queue.clear()
        self.queued_bytes = 0
        self.has_gap |= dropped > 0
        return dropped


def _is_living(link: _Link, nodes: Mapping[str, Node]) -> bool:
    node = nodes.get(link.node.name)
    return node is not None and node.incarnation == link.node.incarnation


class Links:
    """The links of one start of a node. Times are seconds of a monotonic clock; `nodes` returns the living nodes."""

    def __init__(self, here: Node, key: bytes, nodes: Callable[[], Mapping[str, Node]]) -> None:
        self.here = here
        self.dropped = 0
        """Messages that were queued, or should have been, and were never sent."""
        self._key = key
        self._nodes = nodes
        self._links: dict[str, _Link] = {}
        self._own = _Link(here, route_bytes(here, here), route_bytes(here, here))
        """The way through the broker and back, which only heartbeats take."""
        self._newest: tuple[NodeMessage, bytes] | None = None

    def queue(self, node: str, message: NodeMessage) -> bool:
        """Queue a message; return False where the node is not living. Raises MessageTooLarge."""
        if node == self.here.name:
            raise ValueError("a node sends no message to itself")
        link = self._link_to(node)
        if link is None:
            self.dropped += 1
            return False
        text = self._encoded(message)
        if len(text) > MAX_MESSAGE_BYTES:
            self.dropped += 1
            raise MessageTooLarge(f"a message has at most {MAX_MESSAGE_BYTES} bytes; this one has {len(text)}")
        link.queue.append(text)
        link.queued_bytes += len(text) + _MESSAGE_OVERHEAD
        while link.queued_bytes > MAX_QUEUE_BYTES:
            link.queued_bytes -= len(link.queue.popleft()) + _MESSAGE_OVERHEAD
            link.has_gap = True
            self.dropped += 1
        return True

    def flush(self) -> Iterator[tuple[str, bytes, int]]:
        """Take what is queued: a receiver, a batch for it, and its number of messages, until nothing is left."""
        for name in list(self._links):
            while (link := self._links.get(name)) is not None and link.queue:
                yield name, *self._take(link)

    def heartbeats(self) -> Iterator[tuple[str, bytes, int]]:
        """Take a batch for every living node, with what is queued; this node itself gets one too."""
        yield self.here.name, *self._take(self._own)
        for name in list(self._nodes()):
            if name != self.here.name and (link := self._link_to(name)) is not None:
                yield name, *self._take(link)

    def receive(self, raw: bytes, now: float) -> Arrival | None:
        """Check a batch and put it into its place; None for an own one. Raises BadBatch."""
        batch = open_batch(self._key, self.here, raw)
        link = self._own if batch.sender == self.here.name else self._link_to(batch.sender)
        if link is None or link.node.incarnation != batch.incarnation:
            raise BadBatch("unknown")
        is_restored = self._advance(link, batch)
        link.heard_at = now
        link.is_linked = True
        return None if link is self._own else Arrival(batch.sender, is_restored, batch.messages)

    def is_expected(self, raw: bytes) -> bool:
        """Return whether an unverified batch names a living node's start and this one's, which no stranger knows."""
        return any(raw.startswith(link.expected, 32) for link in (self._own, *self._links.values()))

    def is_linked(self, node: str) -> bool:
        link = self._links.get(node)
        return link is not None and link.is_linked

    def silence(self, node: str, now: float) -> float:
        """Return the seconds since a batch of this node came; 0 where none has come yet."""
        link = self._links.get(node)
        return 0.0 if link is None or not link.received else max(0.0, now - link.heard_at)

    def lose_silent(self, now: float) -> list[str]:
        """Return the nodes whose links are lost now: they are silent, or not living any more."""
        nodes = self._nodes()
        gone = [name for name, link in self._links.items() if not _is_living(link, nodes)]
        silent = [name for name, link in self._links.items() if now - link.heard_at >= SILENCE_S]
        for name in gone:
            self.dropped += self._links[name].drop_all()
        lost = self._lose([name for name in {*gone, *silent} if self._links[name].is_linked])
        self._forget_gone(nodes)
        return lost

    def lose_all(self) -> list[str]:
        """Return the nodes whose links are lost because the connection is."""
        self._own.is_linked = False
        return self._lose([name for name, link in self._links.items() if link.is_linked])

    def connect(self, now: float) -> None:
        """Begin a connection, on which nothing has come yet."""
        self._own.heard_at = now
        self._own.is_linked = False

    @property
    def hears_itself(self) -> bool:
        """Whether an own heartbeat has come back on the present connection."""
        return self._own.is_linked

    def is_deaf(self, now: float) -> bool:
        """Return whether own heartbeats do not come back."""
        return now - self._own.heard_at >= SILENCE_S

    def forgive(self, seconds: float, now: float) -> None:
        """Leave out of every silence a time in which this process read nothing."""
        for link in (self._own, *self._links.values()):
            link.heard_at = min(now, link.heard_at + seconds)

    def _link_to(self, name: str) -> _Link | None:
        """Return the link to the present start of a living node."""
        node = self._nodes().get(name)
        if node is None:
            return None
        link = self._links.get(name)
        if link is None or link.node.incarnation != node.incarnation:
            if link is not None:
                self.dropped += link.drop_all()
            link = self._links[name] = _Link(node, route_bytes(self.here, node), route_bytes(node, self.here))
        return link

    def _encoded(self, message: NodeMessage) -> bytes:
        """Encode a message once for all the nodes that it is sent to in a row."""
        if self._newest is None or self._newest[0] is not message:
            self._newest = message, encode_message(message)
        return self._newest[1]

    def _take(self, link: _Link) -> tuple[bytes, int]:
        messages: list[bytes] = []
        size = 0
        while link.queue and (not messages or size + len(link.queue[0]) <= FLUSH_BYTES):
            text = link.queue.popleft()
            size += len(text)
            link.queued_bytes -= len(text) + _MESSAGE_OVERHEAD
            messages.append(text)
        if not link.queue:
            self._newest = None
        link.sent += 2 if link.has_gap else 1
        link.has_gap = False
        return seal_batch(self._key, link.route, link.sent, link.losses, messages), len(messages)

    def _advance(self, link: _Link, batch: Batch) -> bool:
        """Move on to a batch's counter; return whether the link is restored by it. Raises BadBatch."""
        if batch.counter <= link.received:
            raise BadBatch("replayed")
        is_restored = not link.is_linked
        if batch.counter != link.received + 1:
            link.losses += 1
            is_restored = True
        if batch.losses > link.told_losses:
            is_restored = True
        link.received = batch.counter
        link.told_losses = batch.losses
        return is_restored

    def _lose(self, names: list[str]) -> list[str]:
        for name in names:
            link = self._links[name]
            link.is_linked = False
            self.dropped += link.drop_all()
        return names

    def _forget_gone(self, nodes: Mapping[str, Node]) -> None:
        """Bound the links that are kept so that no batch of a node that comes and goes is taken twice."""
        if len(self._links) - len(nodes) > _MAX_GONE:
            self._links = {name: link for name, link in self._links.items() if name in nodes}
