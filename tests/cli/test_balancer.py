"""The balancer: what passes, to which node, and what one client may hold."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import random
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_network
from typing import TypeAlias

import pytest
from websockets.asyncio.client import connect
from websockets.typing import Subprotocol

from cornered.cli import balancer as balancing
from cornered.cli.balancer import Balancer, is_ready, with_visitor
from cornered.protocol.codec import JSON
from cornered.server import app
from cornered.server.settings import MEMORY_DATABASE, Settings
from tests.conftest import free_port
from tests.waiting import TIMEOUT_S, until

Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]
HELLO = b"GET /socket HTTP/1.1\r\nHost: a\r\n\r\n"


class Node:
    """A server that answers probes, and keeps the other connections for the test, each with its head."""

    def __init__(self) -> None:
        self.port = 0
        self.connections: list[Streams] = []
        self.heads: list[bytes] = []
        self._arrivals: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._arrived, "127.0.0.1", port)
        self.port = self._server.sockets[0].getsockname()[1]

    def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in self._arrivals:
            writer.transport.abort()

    async def _arrived(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._arrivals.append(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            if head.startswith(b"GET /ready "):
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                writer.close()
                return
            self.heads.append(head)
            self.connections.append((reader, writer))


class Running:
    """A balancer with its nodes."""

    def __init__(self, balancer: Balancer, nodes: list[Node], port: int) -> None:
        self.balancer, self.nodes, self.port = balancer, nodes, port
        self._opened: list[asyncio.StreamWriter] = []

    def close(self) -> None:
        for writer in self._opened:
            writer.transport.abort()

    async def connect(self, first: bytes = HELLO, *, source: str = "127.0.0.1") -> Streams:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(source, 0))
        self._opened.append(writer)
        writer.write(first)
        return reader, writer

    async def joined(self) -> tuple[Streams, Streams]:
        """Return the client's and the node's end of one connection."""
        before = {id(node): len(node.connections) for node in self.nodes}
        client = await self.connect()
        await until(lambda: sum(len(node.connections) for node in self.nodes) > sum(before.values()))
        (node,) = [node for node in self.nodes if len(node.connections) > before[id(node)]]
        return client, node.connections[-1]


@asynccontextmanager
async def balanced(*nodes: Node, ports: tuple[int, ...] = ()) -> AsyncIterator[Running]:
    for node in nodes:
        await node.start()
    async with asyncio.timeout(TIMEOUT_S), asyncio.TaskGroup() as tasks:
        balancer = Balancer(ports or [node.port for node in nodes], tasks)
        address = await balancer.open("127.0.0.1", 0)
        watching = tasks.create_task(balancer.watch())
        try:
            await until(lambda: ports or len(balancer.ready) == len(nodes))
            running = Running(balancer, list(nodes), int(address.rpartition(":")[2]))
            yield running
            running.close()
        finally:
            await balancer.close()
            watching.cancel()
            for node in nodes:
                node.stop()
    await asyncio.sleep(0)  # Aborted connections are closed in the next turn.


async def ended(reader: asyncio.StreamReader) -> bytes:
    """Return what comes until the other side closes or breaks the connection."""
    got = b""
    with contextlib.suppress(ConnectionError):
        while part := await reader.read(1 << 16):
            got += part
    return got


async def test_bytes_pass_both_ways_as_they_are() -> None:
    dice = random.Random(1)
    async with balanced(Node()) as running:
        client, node = await running.joined()
        for (_, sender), (receiver, _) in ((client, node), (node, client)):
            sent = dice.randbytes(3_000_000)
            sender.write(sent)
            sender.write_eof()
            assert await receiver.read() == sent


async def test_a_client_that_does_not_read_stops_its_node_and_loses_nothing() -> None:
    # What the buffers of the system may hold between three programs, and far less than is sent.
    much, little = 40_000_000, 4_000_000
    async with balanced(Node()) as running:
        (reader, _), (_, sender) = await running.joined()
        data = random.Random(2).randbytes(much)
        sender.write(data)
        (other, to_other), (from_other, answering) = await running.joined()
        for _ in range(100):
            to_other.write(b"?")
            assert await from_other.readexactly(1) == b"?"
            answering.write(b"!")
            assert await other.readexactly(1) == b"!"
        assert sender.transport.get_write_buffer_size() > little
        digest = hashlib.sha256()
        for _ in range(much // 100_000):
            digest.update(await reader.readexactly(100_000))
        assert digest.digest() == hashlib.sha256(data).digest()


async def test_nodes_take_turns() -> None:
    async with balanced(Node(), Node()) as running:
        for _ in range(6):
            await running.joined()
        assert [len(node.connections) for node in running.nodes] == [3, 3]


async def test_a_dead_node_is_skipped_at_once_and_used_again_when_it_is_back() -> None:
    async with balanced(Node(), Node()) as running:
        broken, _ = await running.joined()
        dead, living = sorted(running.nodes, key=lambda node: len(node.connections), reverse=True)
        await running.joined()
        dead.stop()
        assert await ended(broken[0]) == b""
        for _ in range(4):
            await running.joined()
        assert len(living.connections) == 5
        await until(lambda: running.balancer.ready == {living.port})
        await dead.start(dead.port)
        await until(lambda: len(running.balancer.ready) == 2)
        before = len(dead.connections)
        for _ in range(2):
            await running.joined()
        assert len(dead.connections) == before + 1


async def test_a_node_that_is_not_ready_or_does_not_answer_is_not_used() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
        writer.close()

    kept: list[asyncio.StreamWriter] = []
    silent = await asyncio.start_server(lambda _, writer: kept.append(writer), "127.0.0.1", 0)
    refusing = await asyncio.start_server(refuse, "127.0.0.1", 0)
    try:
        for server in (silent, refusing):
            assert not await is_ready(server.sockets[0].getsockname()[1])
        assert not await is_ready(free_port())
    finally:
        silent.close()
        refusing.close()
        for writer in kept:
            writer.transport.abort()
        await asyncio.sleep(0)


async def test_without_a_node_there_is_an_answer() -> None:
    async with balanced(ports=(free_port(),)) as running:
        reader, writer = await running.connect()
        answer = await ended(reader)
        writer.close()
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"no server is ready" in answer


def test_the_visitors_address_is_the_only_forwarded_one() -> None:
    for forged in (b"", b"X-Forwarded-For: 9.9.9.9\r\n", b"x-forwarded-FOR:9.9.9.9\r\nX-Forwarded-For : 8.8.8.8\r\n"):
        head = b"GET / HTTP/1.1\r\n" + forged + b"Host: a\r\nAccept: X-Forwarded-For: no\r\n\r\n"
        assert with_visitor(head, "10.0.0.7") == (
            b"GET / HTTP/1.1\r\nHost: a\r\nAccept: X-Forwarded-For: no\r\nX-Forwarded-For: 10.0.0.7\r\n\r\n"
        ), forged
    assert with_visitor(b"\r\n\r\n", "::1") == b"\r\nX-Forwarded-For: ::1\r\n\r\n"


async def test_a_head_may_come_in_parts_and_with_more_behind_it() -> None:
    async with balanced(Node()) as running:
        (node,) = running.nodes
        _, writer = await running.connect(b"GET /a HTTP/1.1\r\nHo")
        writer.write(b"st: a\r\n\r\nX-Forwarded-For: stays\r\n\r\n")
        await until(lambda: node.heads)
        assert node.heads == [b"GET /a HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n"]
        assert await node.connections[0][0].readuntil(b"\r\n\r\n") == b"X-Forwarded-For: stays\r\n\r\n"


async def test_a_head_is_bounded() -> None:
    async with balanced(Node()) as running:
        reader, writer = await running.connect(b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 4_000)
        assert (await ended(reader))[:13] in (b"HTTP/1.1 431 ", b"")
        writer.close()
        assert running.nodes[0].heads == []


async def test_a_head_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balancing, "HEAD_TIMEOUT_S", 0.05)
    async with balanced(Node()) as running:
        reader, writer = await running.connect(b"GET / HTTP/1.1\r\n")
        assert await ended(reader) == b""
        writer.close()
        await until(lambda: running.balancer.connections == 0)


async def test_one_address_cannot_take_every_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balancing, "MAX_HEADS_PER_ADDRESS", 5)
    async with balanced(Node()) as running:
        slow = [await running.connect(b"GET") for _ in range(5)]
        await until(lambda: running.balancer.connections == 5)
        refused, _ = await running.connect()
        assert await ended(refused) == b""
        await running.connect(source="127.0.0.2")
        await until(lambda: len(running.nodes[0].heads) == 1)
        for _, writer in slow:
            writer.write(HELLO[3:])
        await until(lambda: len(running.nodes[0].heads) == 6)
        await running.connect()
        await until(lambda: len(running.nodes[0].heads) == 7)


async def test_connections_are_bounded_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balancing, "MAX_CONNECTIONS", 3)
    async with balanced(Node()) as running:
        open_ones = [await running.joined() for _ in range(3)]
        refused, _ = await running.connect()
        assert await ended(refused) == b""
        for _, writer in open_ones[0]:
            writer.close()
        await until(lambda: running.balancer.connections == 2)
        await running.joined()


async def test_an_end_of_either_side_reaches_the_other() -> None:
    async with balanced(Node()) as running:
        for is_abort in (False, True):

            def end(writer: asyncio.StreamWriter, is_abort: bool = is_abort) -> None:
                (writer.transport.abort if is_abort else writer.close)()

            (from_node, to_node), (from_client, to_client) = await running.joined()
            end(to_client)
            assert await ended(from_node) == b""
            to_node.close()
            (_, to_node), (from_client, to_client) = await running.joined()
            end(to_node)
            assert await ended(from_client) == b""
            to_client.close()
            await until(lambda: running.balancer.connections == 0)


async def test_a_client_that_does_not_close_is_disconnected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balancing, "LINGER_S", 0.05)
    async with balanced(Node()) as running:
        (_, to_node), (_, to_client) = await running.joined()
        to_client.close()
        await until(lambda: running.balancer.connections == 0)
        assert not to_node.transport.is_closing()
        to_node.close()


async def test_limits_are_counted_by_the_visitors_own_address() -> None:
    settings = Settings(port=0, database=MEMORY_DATABASE, max_per_address=2, proxies=(ip_network("127.0.0.1"),))
    async with app.run(settings) as address, balanced(ports=(int(address.rpartition(":")[2]),)) as running:
        await until(lambda: running.balancer.ready)

        async def answer(source: str, path: str = "/ready") -> bytes:
            reader, _ = await running.connect(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode(), source=source)
            return (await ended(reader)).partition(b"\r\n")[0]

        async with contextlib.AsyncExitStack() as stack:
            for _ in range(2):
                socket = connect(
                    f"ws://127.0.0.1:{running.port}/ws",
                    subprotocols=[Subprotocol(JSON.subprotocol)],
                    local_addr=("127.0.0.2", 0),
                )
                await stack.enter_async_context(socket)
            assert b" 200 " not in await answer("127.0.0.2")
            assert b" 200 " in await answer("127.0.0.3")
        assert b" 403 " in await answer("127.0.0.1", "/metrics")


def test_a_client_that_resets_while_its_node_sends_ends_nothing_but_its_connection() -> None:
    """On the loop of the server, whose transports raise where those of the standard library do not."""

    async def run() -> None:
        async with balanced(Node()) as running:
            (node,) = running.nodes
            for number in range(30):
                client = socket.create_connection(("127.0.0.1", running.port))
                client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                client.send(HELLO)
                await until(lambda number=number: len(node.connections) > number)  # type: ignore[misc]
                _, to_node = node.connections[-1]
                # The balancer finds both at once.
                client.close()
                os.write(to_node.get_extra_info("socket").fileno(), b"news")
                await until(lambda: running.balancer.connections == 0)
            (_, to_client), (from_node, _) = await running.joined()
            to_client.write(b"more")
            assert await from_node.readexactly(4) == b"more"
        await asyncio.sleep(0)

    with asyncio.Runner(loop_factory=app.new_event_loop) as runner:
        runner.run(run())
