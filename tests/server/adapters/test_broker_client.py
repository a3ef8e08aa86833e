"""Connections to a broker that fail in every way leave nothing behind: no socket, and no exception in the loop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Final

import pytest
from aiomqtt import MqttError

from cornered.server.adapters.broker import Broker, backoff, until_lost
from cornered.server.app import new_event_loop
from tests.waiting import TIMEOUT_S, until

CONNACK: Final = bytes([0x20, 3, 0, 0, 0])
PINGRESP: Final = bytes([0xD0, 0])
ABORTS: Final = 30
TURNS: Final = 2_000
"""Turns of the loop in which what the sockets brought is handled."""
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


async def _pass_turns() -> None:
    for _ in range(TURNS):
        await asyncio.sleep(0)


def test_a_broker_may_be_away_for_any_time() -> None:
    """Ten thousand attempts are made in two hours."""
    for failures in (0, 3, 100, 10_000):
        bound = min(0.8, 0.05 * 2**failures) if failures < 100 else 0.8
        assert bound / 2 <= backoff(failures, 0.05, 0.8) <= bound


class _Scene:
    """A broker of which each test tells what it does, and what the loop reported meanwhile."""

    def __init__(self) -> None:
        self.reported: list[str] = []
        self.accepted = 0
        self.closed = 0

    @contextlib.asynccontextmanager
    async def broker(self, serve: Serve) -> AsyncIterator[Broker]:
        async def count(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.accepted += 1
            with contextlib.suppress(OSError):
                await serve(reader, writer)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
            self.closed += 1

        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: self.reported.append(repr(context)))
        server = await asyncio.start_server(count, "127.0.0.1", 0)
        async with server:
            yield Broker("127.0.0.1", server.sockets[0].getsockname()[1], None, None, tls=False)
        await until(lambda: self.closed == self.accepted)
        for _ in range(3):
            gc.collect()
            await asyncio.sleep(0)


@pytest.fixture(params=["asyncio", "server"])
def runner(request: pytest.FixtureRequest) -> Iterator[asyncio.Runner]:
    """The standard loop, and the one of the server."""
    factory = new_event_loop if request.param == "server" else asyncio.new_event_loop
    with asyncio.Runner(loop_factory=factory) as found:
        yield found


async def _to_the_end(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read everything and answer nothing."""
    while await reader.read(1 << 16):
        pass


def _abort(writer: asyncio.StreamWriter) -> None:
    sock: Any = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


def test_an_opening_that_is_given_up_closes_its_socket(runner: asyncio.Runner) -> None:
    async def run() -> None:
        scene = _Scene()
        async with scene.broker(_to_the_end) as broker:
            opening = asyncio.create_task(broker.client("n1").__aenter__())
            await until(lambda: scene.accepted)
            opening.cancel()
            with pytest.raises(asyncio.CancelledError):
                await opening
            await until(lambda: scene.closed)
        assert not scene.reported

    runner.run(run())


def test_a_broker_that_ends_what_was_given_up_is_not_reported(runner: asyncio.Runner) -> None:
    """The exception was CancelledError, which ended the loop's callback."""

    async def run() -> None:
        scene = _Scene()
        end = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            await end.wait()

        async with scene.broker(serve) as broker:
            client = broker.client("n1")
            opening = asyncio.create_task(client.__aenter__())
            await until(lambda: scene.accepted)
            await _pass_turns()
            opening.cancel()
            end.set()
            with pytest.raises(asyncio.CancelledError):
                await opening
            await until(lambda: scene.closed)
            await _pass_turns()
        assert not scene.reported

    runner.run(run())


def test_an_opening_without_an_answer_ends_in_time_and_closes_its_socket(runner: asyncio.Runner) -> None:
    async def run() -> None:
        scene = _Scene()
        async with scene.broker(_to_the_end) as broker:
            with pytest.raises(MqttError):
                await broker.client("n1", timeout_s=0.1).__aenter__()
            await until(lambda: scene.closed)
        assert not scene.reported

    runner.run(run())


@pytest.mark.parametrize("is_welcomed", [False, True])
def test_connections_that_break_at_once_are_errors_of_their_callers(
    runner: asyncio.Runner, *, is_welcomed: bool
) -> None:
    async def run() -> None:
        scene = _Scene()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            if is_welcomed:
                await reader.read(1)
                writer.write(CONNACK)
                await writer.drain()
            _abort(writer)

        async def use(broker: Broker) -> None:
            async with broker.client("n1", timeout_s=0.3) as client, asyncio.timeout(TIMEOUT_S):
                await until_lost(client)

        async with scene.broker(serve) as broker:
            found = await asyncio.gather(*(use(broker) for _ in range(ABORTS)), return_exceptions=True)
            assert all(isinstance(one, MqttError) for one in found), found
        assert not scene.reported

    runner.run(run())


def test_a_broker_that_is_lost_while_much_waits_to_be_written_is_an_error_of_the_caller(runner: asyncio.Runner) -> None:
    """Much is waiting to be written when the broker is lost: its callback for writing ends with the socket."""

    async def run() -> None:
        scene = _Scene()
        lose = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            writer.write(CONNACK)
            await writer.drain()
            await lose.wait()
            _abort(writer)

        async def use(broker: Broker) -> None:
            async with broker.client("n1", timeout_s=0.3) as client:
                payload = bytes(1 << 20)
                sending = [asyncio.create_task(client.publish("a", payload, qos=0)) for _ in range(16)]
                await _pass_turns()
                assert not all(task.done() for task in sending)
                lose.set()
                try:
                    await until_lost(client)
                finally:
                    await asyncio.gather(*sending, return_exceptions=True)

        async with scene.broker(serve) as broker:
            with pytest.raises(MqttError):
                await use(broker)
        assert not scene.reported

    runner.run(run())


@pytest.mark.parametrize("is_writing", [False, True])
def test_a_loss_is_noticed_behind_much_that_had_come_before_it(runner: asyncio.Runner, *, is_writing: bool) -> None:
    """The server's loop stops watching a socket with an error after one call, whatever can still be read from it."""

    async def run() -> None:
        scene = _Scene()
        lose = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read(1)
            writer.write(CONNACK)
            await writer.drain()
            await lose.wait()
            # In one turn of the loop: the client finds all of it at once.
            writer.write(PINGRESP * 100)
            _abort(writer)

        async def use(broker: Broker) -> None:
            async with broker.client("n1", timeout_s=0.3) as client, asyncio.timeout(TIMEOUT_S):
                lose.set()
                lost = asyncio.create_task(until_lost(client))
                while is_writing and not lost.done():
                    await asyncio.sleep(0)
                    with contextlib.suppress(MqttError):
                        await client.publish("a", b"", qos=0)
                await lost

        async with scene.broker(serve) as broker:
            with pytest.raises(MqttError):
                await use(broker)
        assert not scene.reported

    runner.run(run())
