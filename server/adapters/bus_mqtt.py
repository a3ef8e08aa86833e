"""The bus over an MQTT broker: events with QoS 0; the lobby, status and cleared states with QoS 1.

Retained states have a message expiry and are published again before it, so that those of a dead server disappear.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from typing import Final

import structlog
from aiomqtt import Client, MqttError, Will
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from cornered.protocol.feed import STATE_EXPIRY_S
from cornered.protocol.messages import ServerMessage
from cornered.server.adapters.broker import Broker, backoff, raise_if_cancelled, until_lost
from cornered.server.adapters.feed import Feed, Publication, status_of

__all__ = ["MqttBus"]

# Exponential backoff between connection attempts.
FIRST_RETRY_S: Final = 0.1
LONGEST_RETRY_S: Final = 10.0
GOODBYE_TIMEOUT_S: Final = 2.0
"""Time limit of the last publications before a close."""

log = structlog.get_logger("bus")


class MqttBus:
    """Implements `Bus`. Only the task of `run` publishes."""

    def __init__(self, broker: Broker, node: str, *, longest_retry_s: float = LONGEST_RETRY_S) -> None:
        self._broker = broker
        self._node = node
        self._longest_retry_s = longest_retry_s
        self._feed = Feed()
        self._client: Client | None = None

    def publish_match(self, message: ServerMessage) -> None:
        self._feed.match(message)

    def publish_lobby(self, message: ServerMessage) -> None:
        self._feed.lobby(message)

    async def run(self) -> None:
        failures = 0
        while True:
            try:
                async with self._connected() as client:
                    log.info("connected to the broker", broker=str(self._broker))
                    failures = 0
                    await self._publish_until_lost(client)
            except* MqttError as errors:
                if failures == 0:
                    log.warning("lost the broker", broker=str(self._broker), error=str(errors.exceptions[0]))
                failures += 1
            raise_if_cancelled()
            await asyncio.sleep(backoff(failures, FIRST_RETRY_S, self._longest_retry_s))

    async def close(self) -> None:
        """Do nothing: `run` publishes the offline status when it is cancelled."""

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[Client]:
        offline = status_of(self._node, "offline")
        client = self._broker.client(
            f"cornered-{self._node}-{secrets.token_hex(4)}",
            will=Will(offline.topic, offline.payload, qos=1, retain=True),
        )
        async with client:
            try:
                await _publish(client, status_of(self._node, "online"))
                yield client
            except asyncio.CancelledError:
                with contextlib.suppress(MqttError, TimeoutError):
                    async with asyncio.timeout(GOODBYE_TIMEOUT_S):
                        await self._publish_all(client)
                        await _publish(client, offline)
                raise

    async def _publish_until_lost(self, client: Client) -> None:
        """Publish the feed until the connection is lost."""
        self._feed.repeat()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(until_lost(client), name="mqtt-connection")
            while True:
                raise_if_cancelled()
                try:
                    async with asyncio.timeout(STATE_EXPIRY_S / 3):
                        await self._feed.wait()
                except TimeoutError:
                    self._feed.repeat()
                await self._publish_all(client)

    async def _publish_all(self, client: Client) -> None:
        while (publication := self._feed.take()) is not None:
            try:
                await _publish(client, publication)
            except BaseException:
                self._feed.put_back(publication)
                raise
            # A publication that fits into the socket's buffer does not yield, which would starve the match tasks.
            await asyncio.sleep(0)


async def _publish(client: Client, publication: Publication) -> None:
    properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    if publication.expires:
        properties.MessageExpiryInterval = STATE_EXPIRY_S
    is_reliable = publication.retain and (publication.match is None or not publication.payload)
    await client.publish(
        publication.topic,
        publication.payload,
        qos=1 if is_reliable else 0,
        retain=publication.retain,
        properties=properties,
    )
