"""The bus between nodes over an MQTT broker: one topic a receiving node, QoS 0.

A node sends heartbeats to itself too. Where they stop, the broker hangs or the connection is dead; where they never
come, the broker's ACL denies the topic, since MQTT grants a denied subscription.
"""

from __future__ import annotations

import asyncio
import math
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import structlog
from aiomqtt import Client, Message, MqttError
from paho.mqtt.subscribeoptions import SubscribeOptions

from cornered.server.adapters.broker import Broker, backoff, raise_if_cancelled, until_lost
from cornered.server.adapters.node_exchange import HEARTBEAT_S, NodeExchange
from cornered.server.cluster.envelope import MAX_BATCH_BYTES
from cornered.server.cluster.messages import NodeMessage
from cornered.server.cluster.ports import Node, NodeReceiver
from cornered.server.metrics import Counts

__all__ = ["MqttNodeBus", "node_topic"]

FIRST_RETRY_S: Final = 0.05
LONGEST_RETRY_S: Final = 0.8
REPLY_TIMEOUT_S: Final = 2.0
MAX_PACKET_BYTES: Final = MAX_BATCH_BYTES + 1024
"""A batch with its topic; the broker withholds larger packets."""
_NEVER_RETAINED: Final = 2
"""The MQTT 5 retain handling of a subscription that gets no retained messages."""

_SILENT: Final = "the broker is silent"
_DENIED: Final = (
    "no message from this node to itself comes back: the broker hangs, or its ACL denies this user to read and write "
    "cornered/v1/nodes/# (deploy/mosquitto.acl)"
)

log = structlog.get_logger("nodes")


def node_topic(name: str) -> str:
    """Return the topic of the batches for a node."""
    return f"cornered/v1/nodes/{name}"


class MqttNodeBus:
    """Implements `NodeBus`. `nodes` returns the living nodes; `key` is the same on all of them.

    `pause` waits for some seconds between two attempts to connect.
    """

    def __init__(
        self,
        broker: Broker,
        here: Node,
        key: bytes,
        nodes: Callable[[], Mapping[str, Node]],
        counts: Counts | None = None,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._broker = broker
        self._here = here
        self._exchange = NodeExchange(here, key, nodes, counts or Counts())
        self._pause = pause
        self._is_connected = False
        # The failures since the last connection that worked, each of which is logged once.
        self._reported: set[str] = set()

    def send(self, node: str, message: NodeMessage) -> None:
        self._exchange.send(node, message)

    def is_linked(self, node: str) -> bool:
        return self._exchange.is_linked(node)

    def silence(self, node: str) -> float:
        return self._exchange.silence(node)

    async def run(self, receiver: NodeReceiver) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._exchange.keep_time(receiver), name="node-heartbeats")
            tasks.create_task(self._stay_connected(), name="node-connection")

    async def _stay_connected(self) -> None:
        failures = 0
        while True:
            try:
                async with self._client() as client:
                    await self._exchange_until_lost(client)
            except* MqttError as errors:
                self._report(str(errors.exceptions[0]))
            failures = 0 if self._exchange.links.hears_itself else failures + 1
            self._exchange.disconnect()
            raise_if_cancelled()
            await self._pause(backoff(failures, FIRST_RETRY_S, LONGEST_RETRY_S))

    def _client(self) -> Client:
        receive = self._exchange.receive

        class Inbox(asyncio.Queue[Message]):
            """Takes every message as it is read, since a task that waits for each would cost more than its check."""

            def put_nowait(self, item: Message) -> None:
                if isinstance(item.payload, bytes):
                    receive(item.payload)

        return self._broker.client(
            f"cornered-nodes-{self._here.name}-{secrets.token_hex(4)}",
            inbox=Inbox,
            max_packet_bytes=MAX_PACKET_BYTES,
            timeout_s=REPLY_TIMEOUT_S,
        )

    async def _exchange_until_lost(self, client: Client) -> None:
        async def publish(node: str, batch: bytes) -> None:
            # The heartbeats have the time limit: one here would cost a task a publication.
            await client.publish(node_topic(node), batch, timeout=math.inf)
            raise_if_cancelled()

        options = SubscribeOptions(qos=0, retainHandling=_NEVER_RETAINED)
        await client.subscribe(node_topic(self._here.name), options=options)
        raise_if_cancelled()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(until_lost(client), name="mqtt-connection")
            tasks.create_task(self._exchange.publish_until_lost(publish), name="node-batches")
            await self._watch_heartbeats()

    async def _watch_heartbeats(self) -> None:
        """Raise MqttError when own heartbeats do not come back."""
        links = self._exchange.links
        now = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(HEARTBEAT_S)
            raise_if_cancelled()
            if links.is_deaf(now()):
                raise MqttError(_SILENT if links.hears_itself else _DENIED)
            if links.hears_itself and not self._is_connected:
                self._is_connected = True
                self._reported.clear()
                log.info("connected to the broker of the nodes", broker=str(self._broker))

    def _report(self, error: str) -> None:
        self._is_connected = False
        if error not in self._reported:
            self._reported.add(error)
            log.error("no connection to other nodes", broker=str(self._broker), error=error)
