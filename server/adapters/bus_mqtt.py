"""The bus over an MQTT broker. QoS 0 for what happens and QoS 1 for what must not stay behind.

States are kept by the broker under a lease: they expire unless they are told again, so a server that dies leaves no
match and no lobby standing for ever.
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

FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 10.0
FAREWELL: Final = 2.0
"""Seconds that the last words may take."""


log = structlog.get_logger("bus")

_UNHEARD: Final = logging.getLogger("cornered.server.adapters.bus_mqtt.client")
_UNHEARD.setLevel(logging.CRITICAL)
"""The client reports a lost broker as an error of its own; here that is one warning."""


@dataclass(frozen=True, slots=True)
class Broker:
    """Where the broker is. `password` never shows in a representation."""

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
    """Implements `Bus`. Everything is told by the one task that runs `run`."""

    def __init__(self, broker: Broker, node: str, *, longest_pause: float = LONGEST_PAUSE) -> None:
        self._broker = broker
        self._node = node
        self._longest_pause = longest_pause
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
                    log.info("the broker listens", broker=str(self._broker))
                    failures = 0
                    await self._tell_forever(client)
            except* MqttError as errors:
                if failures == 0:
                    log.warning("the broker is away", broker=str(self._broker), error=str(errors.exceptions[0]))
                failures += 1
            _heed_cancellation()
            longest = min(self._longest_pause, FIRST_PAUSE * 2**failures)
            await asyncio.sleep(random.uniform(longest / 2, longest))

    async def close(self) -> None:
        """Nothing is left to do: `run` says goodbye when it is cancelled."""

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
            logger=_UNHEARD,
            tls_params=TLSParameters() if self._broker.tls else None,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
            keepalive=15,
            timeout=5,
        )
        async with client:
            await _tell(client, status_of(self._node, "online"))
            try:
                yield client
            except asyncio.CancelledError:
                with contextlib.suppress(MqttError, TimeoutError):
                    async with asyncio.timeout(FAREWELL):
                        await self._tell_all(client)
                        await _tell(client, offline)
                raise

    async def _tell_forever(self, client: Client) -> None:
        """Tell everything that comes, until the connection is lost."""
        self._feed.repeat()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(_until_lost(client), name="mqtt-connection")
            while True:
                _heed_cancellation()
                try:
                    async with asyncio.timeout(STATE_EXPIRY_S / 3):
                        await self._feed.wait()
                except TimeoutError:
                    self._feed.repeat()
                await self._tell_all(client)

    async def _tell_all(self, client: Client) -> None:
        while (publication := self._feed.take()) is not None:
            try:
                await _tell(client, publication)
            except BaseException:
                self._feed.put_back(publication)
                raise
            # A publication that fits into the socket's buffer never waits; the match tasks must get their turns.
            await asyncio.sleep(0)


def _heed_cancellation() -> None:
    """Raise CancelledError if this task was cancelled and something it called kept that to itself.

    Before Python 3.12 `asyncio.wait_for`, in which the client waits for the broker, does so when the answer comes just
    then, and a TaskGroup does when one of its tasks fails just then.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def _until_lost(client: Client) -> None:
    """Raise MqttError as soon as the connection is gone, which a client with nothing to say would not notice."""
    async for _ in client.messages:
        pass


async def _tell(client: Client, publication: Publication) -> None:
    lease = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    if publication.leased:
        lease.MessageExpiryInterval = STATE_EXPIRY_S
    must_arrive = publication.retain and (publication.match is None or not publication.payload)
    await client.publish(
        publication.topic,
        publication.payload,
        qos=1 if must_arrive else 0,
        retain=publication.retain,
        properties=lease,
    )
