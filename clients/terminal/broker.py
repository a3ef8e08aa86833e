"""`cornered watch --mqtt`: subscribes to a broker, with reconnection, and shows its matches."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from aiomqtt import Client as MqttClient
from aiomqtt import MqttError, TLSParameters

from cornered.clients.sdk import Client, ClientError
from cornered.clients.sdk.backoff import full_jitter
from cornered.clients.terminal.broadcast import BroadcastFeed
from cornered.clients.terminal.broadcast_match import Fetch
from cornered.clients.terminal.connecting import connected
from cornered.clients.terminal.cornered_app import CorneredApp
from cornered.clients.terminal.errors import CannotStart
from cornered.clients.terminal.gallery_screen import GalleryScreen
from cornered.clients.terminal.match_screen import MatchScreen
from cornered.clients.terminal.match_source import NotPossible
from cornered.clients.terminal.plain import WriteText, report_until_over, write_line
from cornered.protocol.broker_address import BrokerAddress
from cornered.protocol.feed import events_topic, state_topic
from cornered.protocol.messages import Snapshot

__all__ = ["listen", "watch_broadcast"]

CONNECT_TIMEOUT_S: Final = 5.0
SETTLE_S: Final = 15.0
"""Time after a connection in which the broker, or a server that reconnects to it, has sent every state again."""
SERVER_TIMEOUT_S: Final = 2.0
"""Time limit of a connection to the server for lost events, which is optional."""


async def listen(
    address: BrokerAddress, broadcast: BroadcastFeed, first: asyncio.Future[None], *, settle: float = SETTLE_S
) -> None:
    """Forward all messages about public matches until cancelled; `first` is done with the broker's first answer.

    A failure of the first connection is an error in `first`; after later ones it reconnects.
    """
    waits = full_jitter()
    while True:
        try:
            await _forward(address, broadcast, first, settle)
        except* MqttError as errors:
            if not first.done():
                where = f"{address.host}:{address.port}"
                first.set_exception(CannotStart(f"no broker answers at {where}: {errors.exceptions[0]}"))
        _raise_if_cancelled()
        if first.exception() is not None:
            return
        await broadcast.line("The broker is gone: reconnecting. What is missed is noticed by its numbers.")
        await asyncio.sleep(next(waits))


async def _forward(
    address: BrokerAddress, broadcast: BroadcastFeed, first: asyncio.Future[None], settle: float
) -> None:
    client = MqttClient(
        address.host,
        address.port,
        username=address.user,
        password=address.password,
        tls_params=TLSParameters(ca_certs=address.ca) if address.tls else None,
        timeout=CONNECT_TIMEOUT_S,
    )
    async with client as broker, asyncio.TaskGroup() as tasks:
        broadcast.begin()
        # Events are subscribed first, so that none after a retained state is missed.
        await broker.subscribe(events_topic("+"))
        await broker.subscribe(state_topic("+"))
        await broadcast.line(None)
        if not first.done():
            first.set_result(None)
        _raise_if_cancelled()
        settling = tasks.create_task(_settle(broadcast, settle), name="settle")
        try:
            async for message in broker.messages:
                payload = message.payload if isinstance(message.payload, bytes) else b""
                await broadcast.take(str(message.topic), payload)
        finally:
            settling.cancel()


def _raise_if_cancelled() -> None:
    """Raise CancelledError if this task was cancelled just as the broker answered or went away, which the client and
    the task group keep to themselves before Python 3.12."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


async def _settle(broadcast: BroadcastFeed, seconds: float) -> None:
    await asyncio.sleep(seconds)
    await broadcast.settle()


async def watch_broadcast(
    url: str,
    match: str | None,
    *,
    server: str | None,
    name: str | None,
    token: str | None,
    plain: bool,
    write: WriteText = write_line,
) -> None:
    """Watch one match, or the gallery, from the broker at `url`; `server` supplies lost events. Raises CannotStart."""
    if plain and match is None:
        raise CannotStart("name the match that --plain should follow")
    try:
        address = BrokerAddress.parse(url)
    except ValueError as error:
        raise CannotStart(f"--mqtt: {error}") from None
    async with _gap_filler(server, name, token) as client:
        broadcast = BroadcastFeed(_wall_clock if client is None else client.server_now, _fetch_from(client))
        first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        listening = asyncio.ensure_future(listen(address, broadcast, first))
        try:
            table = None if match is None else broadcast.table(match)
            await first
            if table is None:
                await CorneredApp(GalleryScreen(broadcast), opener=broadcast.open).run_async()
            elif plain:
                await report_until_over(table, write)
            else:
                await CorneredApp(MatchScreen(table)).run_async()
        finally:
            listening.cancel()
            broadcast.close()
            with contextlib.suppress(asyncio.CancelledError):
                await listening


@asynccontextmanager
async def _gap_filler(server: str | None, name: str | None, token: str | None) -> AsyncIterator[Client | None]:
    """Connect to the server for lost events; yield None where it does not answer."""
    async with AsyncExitStack() as stack:
        client = None
        if server is not None:
            with contextlib.suppress(CannotStart):
                client = await stack.enter_async_context(connected(server, name, token, patience=SERVER_TIMEOUT_S))
        yield client


def _fetch_from(client: Client | None) -> Fetch | None:
    """Return a function that requests a match's snapshot; None without a server."""
    if client is None:
        return None

    async def fetch(match: str) -> Snapshot:
        try:
            view = await client.join(match)
            snapshot = view.snapshot
            await view.leave()
        except ClientError as error:
            raise NotPossible(str(error)) from None
        return snapshot

    return fetch


def _wall_clock() -> int:
    return int(time.time() * 1000)
