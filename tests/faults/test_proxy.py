"""The links of the proxy, over real sockets: what arrives, when, and how a connection ends."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from cornered.bench.faults.proxy import Link
from cornered.bench.faults.proxy_process import ProxyProcess
from tests.faults.test_mqtt_packets import packet
from tests.waiting import TIMEOUT_S, until

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[Link], Awaitable[Streams]]


class Server:
    """Records what arrives on every connection, and answers with the same bytes in capitals."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        """Pieces of all connections, as they were read."""
        self.ends: list[str] = []
        self.writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        try:
            while data := await reader.read(65_536):
                self.received.append(data)
                writer.write(data.upper())
            self.ends.append("end")
        except ConnectionResetError:
            self.ends.append("reset")
        writer.close()

    @property
    def text(self) -> bytes:
        return b"".join(self.received)


@pytest.fixture
async def server() -> AsyncIterator[tuple[Server, int]]:
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    yield server, listening.sockets[0].getsockname()[1]
    for writer in server.writers:
        writer.transport.abort()
    listening.close()
    await listening.wait_closed()


@pytest.fixture
async def link(server: tuple[Server, int]) -> AsyncIterator[Link]:
    link = Link([server[1]])
    await link.open()
    yield link
    await link.close()


@contextlib.asynccontextmanager
async def connected(link: Link) -> AsyncIterator[Streams]:
    reader, writer = await asyncio.open_connection("127.0.0.1", link.port)
    try:
        async with asyncio.timeout(TIMEOUT_S):
            yield reader, writer
    finally:
        writer.transport.abort()


async def settle() -> None:
    """Return when a fresh server has answered three times: what was on its way to another one has arrived."""
    listening = await asyncio.start_server(Server().serve, "127.0.0.1", 0)
    link = Link([listening.sockets[0].getsockname()[1]])
    await link.open()
    async with connected(link) as (reader, writer):
        for _ in range(3):
            writer.write(b"a")
            assert await reader.readexactly(1) == b"A"
    await link.close()
    listening.close()
    await listening.wait_closed()


async def test_bytes_pass_in_both_directions_and_the_end_too(link: Link, server: tuple[Server, int]) -> None:
    async with connected(link) as (reader, writer):
        writer.write(b"hello")
        assert await reader.readexactly(5) == b"HELLO"
        writer.write_eof()
        assert await reader.read() == b""
    assert server[0].ends == ["end"]
    await until(lambda: not len(link))


async def test_a_delay_delays_each_way_and_keeps_the_order(link: Link, server: tuple[Server, int]) -> None:
    link.impair("up", delay_s=0.15, jitter_s=0.1)
    link.impair("down", delay_s=0.15)
    async with connected(link) as (reader, writer):
        began = time.monotonic()
        for number in range(10):
            writer.write(bytes([65 + number]))
            await settle()
        assert await reader.readexactly(10) == b"ABCDEFGHIJ"
        assert 0.3 <= time.monotonic() - began < 2.0


async def test_a_split_piece_arrives_byte_by_byte(link: Link, server: tuple[Server, int]) -> None:
    link.impair("up", is_split=True)
    async with connected(link) as (reader, writer):
        writer.write(b"twenty-three characters")
        assert await reader.readexactly(23) == b"TWENTY-THREE CHARACTERS"
    assert len(server[0].received) > 5


async def test_a_stall_up_holds_back_what_is_sent_and_lets_answers_through(
    link: Link, server: tuple[Server, int]
) -> None:
    async with connected(link) as (reader, writer):
        writer.write(b"one ")
        assert await reader.readexactly(4) == b"ONE "
        link.impair("up", is_stalled=True)
        writer.write(b"two")
        server[0].writers[0].write(b"news")
        assert await reader.readexactly(4) == b"news"
        await settle()
        assert server[0].text == b"one "
        link.impair("up", is_stalled=False)
        assert await reader.readexactly(3) == b"TWO"


async def test_a_stall_down_holds_back_answers_alone(link: Link, server: tuple[Server, int]) -> None:
    link.impair("down", is_stalled=True)
    async with connected(link) as (reader, writer):
        writer.write(b"one")
        await until(lambda: server[0].text == b"one")
        answer = asyncio.create_task(reader.readexactly(3))
        await settle()
        assert not answer.done()
        link.impair("down", is_stalled=False)
        assert await answer == b"ONE"


async def test_a_stalled_link_hides_the_end_of_a_connection_and_a_new_one(
    link: Link, server: tuple[Server, int]
) -> None:
    async with connected(link) as (reader, writer):
        writer.write(b"one")
        assert await reader.readexactly(3) == b"ONE"
        link.impair("up", is_stalled=True)
        link.impair("down", is_stalled=True)
    async with connected(link) as (_, writer):
        writer.write(b"two")
        await settle()
        assert server[0].ends == []
        assert len(server[0].writers) == 1
        link.impair("up", is_stalled=False)
        link.impair("down", is_stalled=False)
        await until(lambda: server[0].text == b"onetwo" and server[0].ends)


async def test_a_reset_ends_both_sides_by_rst(link: Link, server: tuple[Server, int]) -> None:
    async with connected(link) as (reader, writer):
        writer.write(b"one")
        assert await reader.readexactly(3) == b"ONE"
        link.reset()
        with pytest.raises(ConnectionResetError):
            await reader.read(1)
    await until(lambda: server[0].ends == ["reset"])
    assert not len(link)


async def test_a_half_closed_direction_ends_and_the_other_one_goes_on(link: Link, server: tuple[Server, int]) -> None:
    async with connected(link) as (reader, writer):
        writer.write(b"one")
        assert await reader.readexactly(3) == b"ONE"
        link.half_close("down")
        assert await reader.read() == b""
        writer.write(b"two")
        await until(lambda: server[0].text == b"onetwo")


async def test_a_garbled_piece_has_its_first_half_twice_and_once(link: Link, server: tuple[Server, int]) -> None:
    async with connected(link) as (reader, writer):
        writer.write(b"a")
        assert await reader.readexactly(1) == b"A"
        link.garble("down")
        writer.write(b"abcd")
        assert await reader.readexactly(6) == b"ABABCD"
        writer.write(b"abcd")
        assert await reader.readexactly(4) == b"ABCD"


async def test_bandwidth_is_limited(link: Link, server: tuple[Server, int]) -> None:
    link.impair("up", bytes_per_second=50_000)
    async with connected(link) as (reader, writer):
        began = time.monotonic()
        writer.write(b"x" * 20_000)
        await reader.readexactly(20_000)
        assert 0.2 < time.monotonic() - began < 2.0


async def test_publications_are_duplicated_whole_and_other_packets_never(server: tuple[Server, int]) -> None:
    link = Link([server[1]], "mqtt")
    await link.open()
    link.impair("up", duplicates=1.0)
    connect, publish = packet(1, b"c" * 20), packet(3, b"p" * 300)
    async with connected(link) as (_, writer):
        for start in range(0, 40, 7):
            writer.write((connect + publish)[start : start + 7])
            await settle()
        writer.write((connect + publish)[42:])
        await until(lambda: len(server[0].text) >= len(connect + publish + publish))
    assert server[0].text == connect + publish + publish
    await link.close()


async def test_a_connection_goes_to_the_next_target_that_answers(server: tuple[Server, int]) -> None:
    closed = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = closed.sockets[0].getsockname()[1]
    closed.close()
    await closed.wait_closed()
    link = Link([port, server[1]])
    await link.open()
    for _ in range(3):
        async with connected(link) as (reader, writer):
            writer.write(b"one")
            assert await reader.readexactly(3) == b"ONE"
    await link.close()


async def test_without_a_target_a_connection_is_reset(server: tuple[Server, int]) -> None:
    link = Link([1])
    await link.open()
    async with connected(link) as (reader, _):
        with contextlib.suppress(ConnectionResetError):
            assert await reader.read(1) == b""
    await link.close()


async def test_the_process_carries_out_the_same_orders(server: tuple[Server, int]) -> None:
    async with ProxyProcess.open() as proxy, asyncio.timeout(TIMEOUT_S):
        port = await proxy.open_link("a>b", [server[1]])
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await proxy.impair("a>b", "up", is_stalled=True)
        writer.write(b"one")
        await settle()
        assert server[0].text == b""
        await proxy.impair("a>b", "up", is_stalled=False)
        assert await reader.readexactly(3) == b"ONE"
        await proxy.reset("a>b")
        with pytest.raises(ConnectionResetError):
            await reader.read(1)
        writer.transport.abort()
