"""A connection to an MQTT broker: a client with the options that all of ours share."""

from __future__ import annotations

import asyncio
import logging
import random
import socket
from typing import Final

from aiomqtt import Client, Message, ProtocolVersion, TLSParameters, Will
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from cornered.protocol.broker_address import BrokerAddress
from cornered.server.adapters.broker_client import BrokerClient

__all__ = ["Broker", "backoff", "raise_if_cancelled", "until_lost"]

KEEPALIVE_S: Final = 15
REPLY_TIMEOUT_S: Final = 5.0
"""Time limit of one exchange with the broker."""

MAX_DOUBLINGS: Final = 20

_CLIENT_LOG: Final = logging.getLogger("cornered.server.adapters.broker.client")
_CLIENT_LOG.setLevel(logging.CRITICAL)
"""Silences the client library, which logs a lost broker as an error; the adapters log one warning."""


def backoff(failures: int, first_s: float, longest_s: float) -> float:
    """Return the random seconds to wait after so many failures in a row; their bound doubles from `first_s`."""
    # A power of two beyond 1,023 is no float.
    bound = min(longest_s, first_s * 2 ** min(failures, MAX_DOUBLINGS))
    return random.uniform(bound / 2, bound)


class Broker(BrokerAddress):
    """The address of a broker, and its clients."""

    __slots__ = ()

    def client(
        self,
        identifier: str,
        *,
        will: Will | None = None,
        inbox: type[asyncio.Queue[Message]] | None = None,
        max_packet_bytes: int | None = None,
        timeout_s: float = REPLY_TIMEOUT_S,
    ) -> BrokerClient:
        """Return a client that is not connected yet. The broker withholds packets above `max_packet_bytes`."""
        properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        if max_packet_bytes is not None:
            properties.MaximumPacketSize = max_packet_bytes
        return BrokerClient(
            self.host,
            self.port,
            username=self.user,
            password=self.password,
            identifier=identifier,
            protocol=ProtocolVersion.V5,
            will=will,
            logger=_CLIENT_LOG,
            queue_type=inbox,
            properties=properties,
            tls_params=TLSParameters(ca_certs=self.ca) if self.tls else None,
            socket_options=[(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)],
            keepalive=KEEPALIVE_S,
            timeout=timeout_s,
        )


def raise_if_cancelled() -> None:
    """Raise CancelledError if this task was cancelled and a callee swallowed the exception.

    Before Python 3.12 `asyncio.wait_for`, in which the client waits for the broker, swallows it when the answer arrives
    at the same time, and a TaskGroup when one of its tasks fails at the same time.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def until_lost(client: Client) -> None:
    """Raise MqttError as soon as the connection is lost, which a client that publishes nothing would not detect."""
    async for _ in client.messages:
        pass
