"""Subscribing to a broker, and ending the subscription."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import aiomqtt
import pytest

from cornered.clients.terminal.broadcast import BroadcastFeed
from cornered.clients.terminal.broker import listen
from tests.conftest import Mosquitto


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
    listening = asyncio.create_task(listen(mosquitto.url, broadcast, first))

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
