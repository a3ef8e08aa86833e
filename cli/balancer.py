"""A TCP balancer in front of the nodes of one machine.

It reads one thing of HTTP, the head of a connection's first request, to which it adds the visitor's address: the server
answers one request a connection, and limits are counted by address. Everything else passes as it is, both ways.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Sequence
from typing import Final

from cornered.server.net.visitors import rate_limit_key

__all__ = ["Balancer", "is_ready", "with_visitor"]

PROBE_INTERVAL_S: Final = 0.25
PROBE_TIMEOUT_S: Final = 0.5
"""With the interval, a node that does not answer gets no new connection after 0.75 s."""
CONNECT_TIMEOUT_S: Final = 0.5
HEAD_MAX_BYTES: Final = 16_384
HEAD_TIMEOUT_S: Final = 10.0
LINGER_S: Final = 5.0
"""How long a client may take to close its side after its node has closed."""
CHUNK_BYTES: Final = 1 << 16
MAX_CONNECTIONS: Final = 10_000
MAX_HEADS_PER_ADDRESS: Final = 64
"""Connections of one address that have not sent a whole head. The nodes count all others."""

_BROKEN: Final = (OSError, RuntimeError)
"""What a write to a connection that its peer has reset raises; the second one is uvloop's."""
_HEAD_END: Final = b"\r\n\r\n"
_UNAVAILABLE: Final = "503 Service Unavailable", "no server is ready; try again in a moment"
_TOO_LARGE: Final = "431 Request Header Fields Too Large", "the request's head is too long"


class Balancer:
    """Gives each connection to the next node that is ready, in turn."""

    def __init__(self, ports: Sequence[int], tasks: asyncio.TaskGroup) -> None:
        """The nodes listen on `ports` of 127.0.0.1; the tasks of connections run in `tasks`."""
        self._ports = tuple(ports)
        self._tasks = tasks
        self._ready: set[int] = set()
        self._turn = 0
        self._connections: set[asyncio.Task[None]] = set()
        self._heads: Counter[str] = Counter()
        self._server: asyncio.Server | None = None

    @property
    def ready(self) -> frozenset[int]:
        """The ports of the nodes that answered the newest probe."""
        return frozenset(self._ready)

    @property
    def connections(self) -> int:
        return len(self._connections)

    async def open(self, host: str, port: int) -> str:
        """Listen, and return the address for clients. Raises OSError when the port is taken."""
        self._server = await asyncio.start_server(self._arrived, host, port, limit=HEAD_MAX_BYTES)
        bound_host, bound_port = self._server.sockets[0].getsockname()[:2]
        return f"http://{f'[{bound_host}]' if ':' in bound_host else bound_host}:{bound_port}"

    async def watch(self) -> None:
        """Keep `ready` up to date until cancelled."""
        async with asyncio.TaskGroup() as probes:
            for port in self._ports:
                probes.create_task(self._watch(port), name=f"probe[{port}]")

    async def close(self) -> None:
        """Stop listening, and break every connection."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _watch(self, port: int) -> None:
        while True:
            if await is_ready(port):
                self._ready.add(port)
            else:
                self._ready.discard(port)
            await asyncio.sleep(PROBE_INTERVAL_S)

    def _arrived(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        address = str((writer.get_extra_info("peername") or ("",))[0])
        key = rate_limit_key(address)
        if len(self._connections) >= MAX_CONNECTIONS or self._heads[key] >= MAX_HEADS_PER_ADDRESS:
            writer.transport.abort()
            return
        self._heads[key] += 1
        task = self._tasks.create_task(self._serve(reader, writer, address, key), name="balanced connection")
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str, key: str) -> None:
        try:
            try:
                async with asyncio.timeout(HEAD_TIMEOUT_S):
                    head = await reader.readuntil(_HEAD_END)
            finally:
                self._heads[key] -= 1
                if not self._heads[key]:
                    del self._heads[key]
            node = await self._connect()
            if node is None:
                await _answer(writer, *_UNAVAILABLE)
                return
            node[1].write(with_visitor(head, address))
            await _join(reader, writer, *node)
        except asyncio.LimitOverrunError:
            with contextlib.suppress(*_BROKEN):
                await _answer(writer, *_TOO_LARGE)
        except (*_BROKEN, asyncio.IncompleteReadError):
            pass  # A client that left, or that sent no head in time.
        finally:
            writer.transport.abort()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        """Connect to the next node in turn that takes the connection; None where none does."""
        self._turn += 1
        for offset in range(len(self._ports)):
            port = self._ports[(self._turn + offset) % len(self._ports)]
            if port in self._ready:
                try:
                    async with asyncio.timeout(CONNECT_TIMEOUT_S):
                        return await asyncio.open_connection("127.0.0.1", port, limit=HEAD_MAX_BYTES)
                except OSError:
                    self._ready.discard(port)
        return None


def with_visitor(head: bytes, address: str) -> bytes:
    """Return a request's head with `address` as its only X-Forwarded-For; `head` ends with an empty line."""
    first, *fields = head.removesuffix(_HEAD_END).split(b"\r\n")
    kept = [field for field in fields if field.partition(b":")[0].strip().lower() != b"x-forwarded-for"]
    return b"\r\n".join([first, *kept, b"X-Forwarded-For: " + address.encode()]) + _HEAD_END


async def is_ready(port: int) -> bool:
    """Return whether the node at a port of 127.0.0.1 says that it is ready, and soon."""
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(b"GET /ready HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                return b" 200 " in await reader.readline()
            finally:
                writer.transport.abort()
    except (OSError, ValueError):
        return False


async def _answer(writer: asyncio.StreamWriter, status: str, text: str) -> None:
    body = f"{text}\n".encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + body)
    writer.write_eof()
    async with asyncio.timeout(LINGER_S):
        await writer.drain()
        writer.close()
        await writer.wait_closed()


async def _join(
    client: asyncio.StreamReader,
    to_client: asyncio.StreamWriter,
    node: asyncio.StreamReader,
    to_node: asyncio.StreamWriter,
) -> None:
    """Forward bytes both ways until the node has closed, and the client too or `LINGER_S` later."""
    upward = asyncio.ensure_future(_forward(client, to_node))
    try:
        await _forward(node, to_client)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                await asyncio.wait([upward])
    finally:
        upward.cancel()
        to_node.transport.abort()
        await asyncio.wait([upward])


async def _forward(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    """Forward bytes until `source` ends, and then that; a connection that breaks breaks the other one."""
    try:
        while data := await source.read(CHUNK_BYTES):
            sink.write(data)
            await sink.drain()
        if not sink.is_closing():
            sink.write_eof()
    except _BROKEN:
        sink.transport.abort()
