"""The bus over an MQTT broker: events with QoS 0; the lobby, status and cleared states with QoS 1.

Retained states have a message expiry and are published again before it, so that those of a dead server disappear.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

import structlog
from aiomqtt import Client, MqttError, ProtocolVersion, TLSParameters, Will
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from cornered.protocol.feed import STATE_EXPIRY_S
from cornered.protocol.messages import ServerMessage
from cornered.server.adapters.feed import Feed, Publication, status_of

__all__ = ["Broker", "MqttBus"]

# Exponential backoff between connection attempts.
FIRST_RETRY_S: Final = 0.1
LONGEST_RETRY_S: Final = 10.0
GOODBYE_TIMEOUT_S: Final = 2.0
"""Time limit of the last publications before a close."""


log = structlog.get_logger("bus")

_CLIENT_LOG: Final = logging.getLogger("cornered.server.adapters.bus_mqtt.client")
_CLIENT_LOG.setLevel(logging.CRITICAL)
"""Silences the client library, which logs a lost broker as an error; `MqttBus.run` logs one warning."""


@dataclass(frozen=True, slots=True)
class Broker:
    """Address and credentials of a broker; `repr` omits the credentials."""

    host: str
    port: int
    user: str | None
    password: str | None
    tls: bool

    @classmethod
    def parse(cls, url: str) -> Broker:
        """Return the broker of `mqtt://[user:password@]host[:port]` or `mqtts://...`. Raises a ValueError."""
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("mqtt", "mqtts") or not parts.hostname or parts.path.strip("/") or port == -1:
            raise ValueError("a broker is mqtt://[user:password@]host[:port], or mqtts:// for TLS")
        tls = parts.scheme == "mqtts"
        user = None if parts.username is None else unquote(parts.username)
        password = None if parts.password is None else unquote(parts.password)
        return cls(parts.hostname, port or (8883 if tls else 1883), user, password, tls)

    def __repr__(self) -> str:
        return f"Broker({self.host}:{self.port})"


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
            _raise_if_cancelled()
            longest = min(self._longest_retry_s, FIRST_RETRY_S * 2**failures)
            await asyncio.sleep(random.uniform(longest / 2, longest))

    async def close(self) -> None:
        """Do nothing: `run` publishes the offline status when it is cancelled."""

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[Client]:
        offline = status_of(self._node, "offline")
        client = Client(
            self._broker.host,
            self._broker.port,
            username=self._broker.user,
            password=self._broker.password,
            identifier=f"cornered-{self._node}-{secrets.token_hex(4)}",
            protocol=ProtocolVersion.V5,
            will=Will(offline.topic, offline.payload, qos=1, retain=True),
            logger=_CLIENT_LOG,
            tls_params=TLSParameters() if self._broker.tls else None,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
            keepalive=15,
            timeout=5,
        )
        async with client:
            await _publish(client, status_of(self._node, "online"))
            try:
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
            tasks.create_task(_until_lost(client), name="mqtt-connection")
            while True:
                _raise_if_cancelled()
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


def _raise_if_cancelled() -> None:
    """Raise CancelledError if this task was cancelled and a callee swallowed the exception.

    Before Python 3.12 `asyncio.wait_for`, in which the client waits for the broker, swallows it when the answer arrives
    at the same time, and a TaskGroup when one of its tasks fails at the same time.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def _until_lost(client: Client) -> None:
    """Raise MqttError as soon as the connection is lost, which a client that publishes nothing would not detect."""
    async for _ in client.messages:
        pass


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
