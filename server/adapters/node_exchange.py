"""What every bus between nodes does, whatever carries its batches: it flushes, beats, checks, and delivers in order.

The carrier calls `receive` for every batch, and gives `publish_until_lost` a function that sends one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, TypeAlias

import structlog

from cornered.server.cluster.envelope import BadBatch, decode_message
from cornered.server.cluster.links import Links, MessageTooLarge
from cornered.server.cluster.messages import NodeMessage
from cornered.server.cluster.ports import Node, NodeReceiver
from cornered.server.metrics import Counts
from cornered.server.runtime.token_bucket import TokenBucket

__all__ = ["HEARTBEAT_S", "NodeExchange", "Publish"]

HEARTBEAT_S: Final = 0.5
FLUSH_INTERVAL_S: Final = 0.001
"""The least time between two flushes of a busy node; the first message after a pause waits for one turn of the loop."""
SLICE_S: Final = 0.002
"""Messages are delivered for so long, and then the other tasks have a turn."""
MAX_BACKLOG_BYTES: Final = 32 << 20
"""Messages that wait for their delivery; further batches are dropped, which their senders learn."""
FORGED_RATE: Final = 4 << 20
"""Bytes a second of forged batches whose signature is computed: 3 ms of CPU time."""
FORGED_BURST: Final = 16 << 20
FORGED_COST: Final = 1024
"""What a forged batch costs at least."""
REPLY_INTERVAL_S: Final = 0.05
"""The least time between heartbeats that answer a restored link."""
LOG_INTERVAL_S: Final = 60.0

Publish: TypeAlias = Callable[[str, bytes], Awaitable[None]]
"""Sends a batch to the node of a name."""

log = structlog.get_logger("nodes")


class NodeExchange:
    """Implements `send`, `is_linked` and `silence` of `NodeBus`, and the parts of its `run`."""

    def __init__(self, here: Node, key: bytes, nodes: Callable[[], Mapping[str, Node]], counts: Counts) -> None:
        self.links = Links(here, key, nodes)
        self._counts = counts
        self._receiver: NodeReceiver | None = None
        # Messages with their senders, and changes of links in their order: True for restored, False for lost.
        self._backlog: deque[tuple[str, bytes | bool]] = deque()
        self._backlog_bytes = 0
        self._draining: asyncio.Handle | None = None
        self._wake = asyncio.Event()
        self._is_beat_due = False
        self._beat_at = float("-inf")
        self._forged: TokenBucket | None = None
        # The time of the newest line of each kind that may repeat.
        self._logged: dict[str, float] = {}

    def send(self, node: str, message: NodeMessage) -> None:
        try:
            self.links.queue(node, message)
        except MessageTooLarge as error:
            log.error("a message for a node is too large", node=node, type=message.type, error=str(error))
        self._counts.node_messages_dropped = self.links.dropped
        self._wake.set()

    def is_linked(self, node: str) -> bool:
        return self.links.is_linked(node)

    def silence(self, node: str) -> float:
        return self.links.silence(node, asyncio.get_running_loop().time())

    async def keep_time(self, receiver: NodeReceiver) -> None:
        """Deliver to `receiver`, beat and notice silences, until cancelled."""
        loop = asyncio.get_running_loop()
        self._receiver = receiver
        self._schedule_drain()
        due = loop.time()
        try:
            while True:
                due += HEARTBEAT_S
                await asyncio.sleep(due - loop.time())
                now = loop.time()
                if now - due > HEARTBEAT_S:
                    self.links.forgive(now - due, now)
                    due = now
                self._lose(self.links.lose_silent(now), "it is silent")
                self._beat()
        finally:
            self._receiver = None
            if self._draining is not None:
                self._draining.cancel()
                self._draining = None

    async def publish_until_lost(self, publish: Publish) -> None:
        """Send what is queued and due, until cancelled or `publish` fails."""
        loop = asyncio.get_running_loop()
        self.links.connect(loop.time())
        self._beat()
        flushed_at = float("-inf")
        while True:
            await self._wake.wait()
            # Everything that this turn of the loop queues goes together; a busy node waits for more.
            await asyncio.sleep(max(0.0, flushed_at + FLUSH_INTERVAL_S - loop.time()))
            self._wake.clear()
            flushed_at = loop.time()
            for node, batch, messages in self.links.flush():
                self._counts.node_messages_sent += messages
                self._counts.node_batches_sent += 1
                await publish(node, batch)
                # A publication that fits into the socket's buffer does not yield.
                await asyncio.sleep(0)
            if self._is_beat_due:
                self._is_beat_due = False
                for node, batch, messages in self.links.heartbeats():
                    self._counts.node_messages_sent += messages
                    self._counts.node_batches_sent += 1
                    await publish(node, batch)

    def disconnect(self) -> None:
        """Take every link for lost: the connection is."""
        self._lose(self.links.lose_all(), "the connection is lost")

    def receive(self, raw: bytes) -> None:
        """Check a batch and queue its messages for delivery."""
        now = asyncio.get_running_loop().time()
        if self._forged is None:
            self._forged = TokenBucket(FORGED_RATE, FORGED_BURST, now)
        cost = max(FORGED_COST, len(raw))
        if self._forged.wait(now, cost) and not self.links.is_expected(raw):
            self._refuse("unchecked", now)
            return
        if self._backlog_bytes > MAX_BACKLOG_BYTES:
            self._refuse("backlog", now)
            return
        try:
            arrival = self.links.receive(raw, now)
        except BadBatch as error:
            if error.fault == "forged":
                self._forged.drain(now, cost)
            self._refuse(error.fault, now)
            return
        if arrival is None:
            return
        if arrival.is_restored:
            log.info("link to a node restored", node=arrival.node)
            self._backlog.append((arrival.node, True))
            if now - self._beat_at >= REPLY_INTERVAL_S:
                self._beat()
        self._backlog.extend((arrival.node, message) for message in arrival.messages)
        self._backlog_bytes += sum(map(len, arrival.messages))
        self._schedule_drain()

    def _beat(self) -> None:
        self._beat_at = asyncio.get_running_loop().time()
        self._is_beat_due = True
        self._wake.set()

    def _lose(self, nodes: list[str], reason: str) -> None:
        for node in nodes:
            log.warning("link to a node lost", node=node, reason=reason)
            self._backlog.append((node, False))
        self._counts.links_lost += len(nodes)
        self._counts.node_messages_dropped = self.links.dropped
        self._schedule_drain()

    def _refuse(self, fault: str, now: float) -> None:
        self._counts.refused_batch(fault)
        if self._may_log(fault, now):
            number = self._counts.node_batches_refused[fault]
            log.warning("a batch on this node's topic is refused", fault=fault, until_now=number)

    def _may_log(self, kind: str, now: float) -> bool:
        """Return whether a line of this kind was not logged within a minute; `now` is its time."""
        if now - self._logged.get(kind, float("-inf")) < LOG_INTERVAL_S:
            return False
        self._logged[kind] = now
        return True

    def _schedule_drain(self) -> None:
        if self._backlog and self._draining is None and self._receiver is not None:
            self._draining = asyncio.get_running_loop().call_soon(self._drain)

    def _drain(self) -> None:
        self._draining = None
        now = asyncio.get_running_loop().time
        end = now() + SLICE_S
        while self._backlog and self._receiver is not None:
            node, what = self._backlog.popleft()
            try:
                self._deliver(self._receiver, node, what)
            except BadBatch:
                self._refuse("malformed", now())
            except Exception:
                # A message that cannot be handled must not end the messages of all nodes.
                if self._may_log("failed", now()):
                    log.exception("a message of a node failed", node=node)
            if now() >= end:
                break
        self._schedule_drain()

    def _deliver(self, receiver: NodeReceiver, node: str, what: bytes | bool) -> None:
        if what is True:
            receiver.link_restored(node)
        elif what is False:
            receiver.link_lost(node)
        else:
            self._backlog_bytes -= len(what)
            self._counts.node_messages_received += 1
            receiver.received(node, decode_message(what))
