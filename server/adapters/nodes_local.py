"""Buses between nodes within one process, for tests, and the bus of a single node.

They encode, sign, beat and notice losses like the one over a broker; only the carrier is another.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

from cornered.server.adapters.node_exchange import NodeExchange
from cornered.server.cluster.messages import NodeMessage
from cornered.server.cluster.ports import Node, NodeReceiver
from cornered.server.metrics import Counts

__all__ = ["LocalNetwork", "LocalNodeBus", "SingleNodeBus"]

_NO_KEY: Final = bytes(32)


class LocalNetwork:
    """Carries batches between the buses of one event loop, in order, and fails where it is told to."""

    def __init__(self) -> None:
        self._receivers: dict[str, Callable[[bytes], None]] = {}
        self._cut: set[tuple[str, str]] = set()
        self._delays: dict[tuple[str, str], float] = {}
        self._drops: dict[tuple[str, str], int] = {}
        # The batches of each pair that are under way, and when the newest one arrives, which none overtakes.
        self._under_way: dict[tuple[str, str], deque[bytes]] = {}
        self._arrivals: dict[tuple[str, str], float] = {}

    def cut(self, sender: str, receiver: str) -> None:
        """Drop everything from one node to another from now on."""
        self._cut.add((sender, receiver))

    def cut_both(self, one: str, other: str) -> None:
        """Drop everything between two nodes from now on."""
        self.cut(one, other)
        self.cut(other, one)

    def mend(self, one: str, other: str) -> None:
        """Carry again between two nodes, in both directions, without delay."""
        for pair in ((one, other), (other, one)):
            self._cut.discard(pair)
            self._delays.pop(pair, None)
            self._drops.pop(pair, None)

    def delay(self, sender: str, receiver: str, seconds: float) -> None:
        """Deliver everything from one node to another so much later, in order."""
        self._delays[sender, receiver] = seconds

    def drop(self, sender: str, receiver: str, batches: int = 1) -> None:
        """Drop the next batches from one node to another."""
        self._drops[sender, receiver] = batches

    def connect(self, name: str, receive: Callable[[bytes], None]) -> None:
        """Deliver to a node from now on."""
        self._receivers[name] = receive

    def disconnect(self, name: str, receive: Callable[[bytes], None]) -> None:
        """Drop everything to a node from now on, unless a later start of it is connected."""
        if self._receivers.get(name) == receive:
            del self._receivers[name]

    def inject(self, receiver: str, raw: bytes) -> None:
        """Deliver the bytes of a stranger to a node."""
        self._deliver(receiver, raw)

    async def carry(self, sender: str, receiver: str, raw: bytes) -> None:
        """Deliver a batch in a later turn of the loop."""
        pair = sender, receiver
        drops = self._drops.get(pair, 0)
        if pair in self._cut or drops:
            self._drops[pair] = max(0, drops - 1)
            return
        loop = asyncio.get_running_loop()
        self._arrivals[pair] = max(loop.time() + self._delays.get(pair, 0.0), self._arrivals.get(pair, 0.0))
        self._under_way.setdefault(pair, deque()).append(raw)
        # Timers that are due at the same time run in any order: each delivers the oldest batch.
        loop.call_at(self._arrivals[pair], self._deliver_oldest, pair)

    def _deliver_oldest(self, pair: tuple[str, str]) -> None:
        self._deliver(pair[1], self._under_way[pair].popleft())

    def _deliver(self, receiver: str, raw: bytes) -> None:
        receive = self._receivers.get(receiver)
        if receive is not None:
            receive(raw)


class LocalNodeBus:
    """Implements `NodeBus` over a `LocalNetwork`; `nodes` returns the living nodes."""

    def __init__(
        self,
        network: LocalNetwork,
        here: Node,
        nodes: Callable[[], Mapping[str, Node]],
        key: bytes = _NO_KEY,
        counts: Counts | None = None,
    ) -> None:
        self._network = network
        self._here = here
        self._exchange = NodeExchange(here, key, nodes, counts or Counts())

    def send(self, node: str, message: NodeMessage) -> None:
        self._exchange.send(node, message)

    def is_linked(self, node: str) -> bool:
        return self._exchange.is_linked(node)

    def silence(self, node: str) -> float:
        return self._exchange.silence(node)

    def reset(self) -> None:
        """Lose every link, as the bus over a broker does when this node's connection to it is reset."""
        self._exchange.disconnect()

    async def run(self, receiver: NodeReceiver) -> None:
        async def publish(node: str, batch: bytes) -> None:
            await self._network.carry(self._here.name, node, batch)

        self._network.connect(self._here.name, self._exchange.receive)
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._exchange.keep_time(receiver), name="node-heartbeats")
                tasks.create_task(self._exchange.publish_until_lost(publish), name="node-batches")
        finally:
            self._network.disconnect(self._here.name, self._exchange.receive)


class SingleNodeBus:
    """Implements `NodeBus` for a node without others."""

    def send(self, node: str, message: NodeMessage) -> None:
        raise ValueError(f"there is no node {node!r} beside this one")

    def is_linked(self, node: str) -> bool:
        return False

    def silence(self, node: str) -> float:
        return 0.0

    async def run(self, receiver: NodeReceiver) -> None:
        await asyncio.Event().wait()
