"""Subscribing to a broker, and ending the subscription."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import aiomqtt
import pytest

from cornered.clients.terminal.broadcast import BroadcastFeed
from cornered.clients.terminal.broker import listen, watch_broadcast
from cornered.clients.terminal.errors import CannotStart
from cornered.protocol.broker_address import BrokerAddress
from tests.conftest import Mosquitto
from tests.secured_mosquitto import SecuredMosquitto
from tests.secured_mosquitto import encrypted as encrypted


@pytest.mark.mqtt
@pytest.mark.parametrize("end", [None, aiomqtt.MqttError("lost")])
async def test_a_subscription_ends_when_cancelled_even_if_the_client_swallows_it(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch, end: Exception | None
) -> None:
    """`wait_for` swallows a cancellation when the broker's answer arrives at that moment, and so does a task group when
    the connection ends."""
    really_subscribe = aiomqtt.Client.subscribe
    first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    broadcast = BroadcastFeed(lambda: 0, None)
    listening = asyncio.create_task(listen(BrokerAddress.parse(mosquitto.url), broadcast, first))

    async def subscribe(*about: Any, **more: Any) -> None:
        await really_subscribe(*about, **more)
        if not listening.cancelling():
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0)
            if end is not None:
                raise end

    monkeypatch.setattr(aiomqtt.Client, "subscribe", subscribe)
    await asyncio.wait([listening], timeout=60)
    assert listening.cancelled()
    broadcast.close()
    if end is not None:
        assert first.exception() is not None


@pytest.mark.mqtt
async def test_a_broker_of_the_given_authority_is_trusted(encrypted: SecuredMosquitto) -> None:
    first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    broadcast = BroadcastFeed(lambda: 0, None)
    address = BrokerAddress.parse(f"mqtts://127.0.0.1:{encrypted.port}?ca={encrypted.folder}/ca.pem")
    listening = asyncio.create_task(listen(address, broadcast, first))
    async with asyncio.timeout(60):
        await first
    assert not listening.done()
    listening.cancel()
    await asyncio.wait([listening])
    broadcast.close()


# The client library leaves the socket of a failed handshake to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.mqtt
async def test_a_broker_of_another_authority_is_refused_without_the_password(encrypted: SecuredMosquitto) -> None:
    url = f"mqtts://a:secret@127.0.0.1:{encrypted.port}?ca={encrypted.folder}/other.pem"
    with pytest.raises(CannotStart, match="certificate verify failed") as caught:
        await watch_broadcast(url, "m", server=None, name=None, token=None, plain=True)
    assert "secret" not in str(caught.value)


async def test_what_is_no_broker_is_refused_at_once() -> None:
    with pytest.raises(CannotStart, match=r"--mqtt: a broker is mqtt://"):
        await watch_broadcast("http://host", "m", server=None, name=None, token=None, plain=True)
