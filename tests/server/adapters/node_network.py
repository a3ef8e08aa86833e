"""Carriers of batches between nodes for the contract of `NodeBus`: one in the process, and a real Mosquitto.

Each records every batch that it carries, and publishes those of a stranger.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Protocol

import aiomqtt

from cornered.server.adapters.broker import Broker
from cornered.server.adapters.nodes_local import LocalNetwork, LocalNodeBus
from cornered.server.adapters.nodes_mqtt import MqttNodeBus, node_topic
from cornered.server.cluster.messages import NodeMessage
from cornered.server.cluster.ports import Node, NodeBus
from cornered.server.metrics import Counts
from tests.waiting import until

KEY = b"k" * 32
TIMEOUT_S = 60.0


class RecordingReceiver:
    """Keeps everything that it is told, in order: a message, "restored" or "lost", each with the node."""

    def __init__(self) -> None:
        self.told: list[tuple[str, NodeMessage | str]] = []
        self._new = asyncio.Event()

    def received(self, node: str, message: NodeMessage) -> None:
        self._tell(node, message)

    def link_lost(self, node: str) -> None:
        self._tell(node, "lost")

    def link_restored(self, node: str) -> None:
        self._tell(node, "restored")

    def _tell(self, node: str, what: NodeMessage | str) -> None:
        self.told.append((node, what))
        self._new.set()

    def messages(self, node: str) -> list[NodeMessage]:
        return [what for sender, what in self.told if sender == node and not isinstance(what, str)]

    def links(self, node: str) -> list[str]:
        return [what for sender, what in self.told if sender == node and isinstance(what, str)]

    async def until(self, is_so: Callable[[], object]) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            while not is_so():
                self._new.clear()
                await self._new.wait()


class Member:
    """A node with its bus, while it runs."""

    def __init__(self, node: Node, bus: NodeBus, counts: Counts, receiver: RecordingReceiver) -> None:
        self.node = node
        self.bus = bus
        self.counts = counts
        self.receiver = receiver
        self.task = asyncio.create_task(bus.run(receiver))

    def refused(self, fault: str) -> int:
        return self.counts.node_batches_refused.get(fault, 0)

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.wait([self.task], timeout=TIMEOUT_S)
        assert self.task.done(), "cancelled once, it goes on"
        assert self.task.cancelled(), self.task.exception()


class Carrier(Protocol):
    """What carries the batches of one test."""

    carried: list[tuple[str, bytes]]
    """Every batch with its receiver."""

    def bus(self, here: Node, nodes: Mapping[str, Node], counts: Counts, key: bytes) -> NodeBus: ...

    async def inject(self, receiver: str, raw: bytes) -> None:
        """Publish the batch of a stranger, and return when those before it are delivered."""


class RecordingNetwork(LocalNetwork):
    def __init__(self) -> None:
        super().__init__()
        self.carried: list[tuple[str, bytes]] = []

    async def carry(self, sender: str, receiver: str, raw: bytes) -> None:
        self.carried.append((receiver, raw))
        await super().carry(sender, receiver, raw)


class LocalCarrier:
    def __init__(self) -> None:
        self.network = RecordingNetwork()
        self.carried = self.network.carried

    def bus(self, here: Node, nodes: Mapping[str, Node], counts: Counts, key: bytes) -> NodeBus:
        return LocalNodeBus(self.network, here, lambda: nodes, key, counts)

    async def inject(self, receiver: str, raw: bytes) -> None:
        self.network.inject(receiver, raw)


class MqttCarrier:
    def __init__(self, url: str, client: aiomqtt.Client) -> None:
        self.carried: list[tuple[str, bytes]] = []
        self._broker = Broker.parse(url)
        self._client = client

    def bus(self, here: Node, nodes: Mapping[str, Node], counts: Counts, key: bytes) -> NodeBus:
        return MqttNodeBus(self._broker, here, key, lambda: nodes, counts)

    async def inject(self, receiver: str, raw: bytes) -> None:
        await self._client.publish(node_topic(receiver), raw)

    async def record(self) -> None:
        async for message in self._client.messages:
            assert isinstance(message.payload, bytes)
            self.carried.append((str(message.topic).rpartition("/")[2], message.payload))

    @classmethod
    @contextlib.asynccontextmanager
    async def connected(cls, url: str) -> AsyncIterator[MqttCarrier]:
        broker = Broker.parse(url)
        version = aiomqtt.ProtocolVersion.V5
        async with aiomqtt.Client(broker.host, broker.port, protocol=version) as client:
            carrier = cls(url, client)
            await client.subscribe(node_topic("+"))
            recording = asyncio.create_task(carrier.record())
            yield carrier
            recording.cancel()
            await asyncio.wait([recording])


class Cluster:
    """The nodes of one test. `living` is what every node takes for the living ones."""

    def __init__(self, carrier: Carrier) -> None:
        self.carrier = carrier
        self.living: dict[str, Node] = {}
        self._members: list[Member] = []

    def start(
        self,
        name: str,
        *,
        incarnation: str = "first",
        key: bytes = KEY,
        is_living: bool = True,
        receiver: RecordingReceiver | None = None,
    ) -> Member:
        node = Node(name, incarnation, "")
        if is_living:
            self.living[name] = node
        counts = Counts()
        bus = self.carrier.bus(node, self.living, counts, key)
        member = Member(node, bus, counts, receiver or RecordingReceiver())
        self._members.append(member)
        return member

    async def pair(self) -> tuple[Member, Member]:
        """Return two nodes that are linked, and each told so once.

        Neither is living before both send, which they do once they read: a batch for a node that does not read yet is
        a loss, and its sender is told so after the link.
        """
        one, two = self.start("one", is_living=False), self.start("two", is_living=False)
        await until(lambda: one.counts.node_batches_sent and two.counts.node_batches_sent)
        self.living |= {"one": one.node, "two": two.node}
        await linked(one, two)
        return one, two

    async def stop(self) -> None:
        for member in self._members:
            if not member.task.done() or not member.task.cancelled():
                await member.stop()


async def linked(*members: Member) -> None:
    """Return when all these nodes are linked and have been told so."""
    for member in members:
        for other in members:
            if other is not member:
                await member.receiver.until(
                    lambda member=member, name=other.node.name: member.receiver.links(name)[-1:] == ["restored"]  # type: ignore[misc]
                )
                assert member.bus.is_linked(other.node.name)
