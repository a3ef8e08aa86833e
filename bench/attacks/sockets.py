"""Raw WebSocket clients that can violate any rule of RFC 6455, and bind any loopback address. Frames are masked with a
zero key, which is valid and costs the receiver as much as any other."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import socket
import struct
from collections.abc import Callable
from typing import Any, Final, cast
from urllib.parse import urlsplit

from cornered.bench.load import split_frames

__all__ = [
    "BINARY",
    "CLOSE_OPCODE",
    "CONTINUATION",
    "PING",
    "TEXT",
    "RawSocket",
    "frame",
    "request",
    "start_match",
    "upgrade_request",
]

CONTINUATION: Final = 0x0
TEXT: Final = 0x1
BINARY: Final = 0x2
CLOSE_OPCODE: Final = 0x8
PING: Final = 0x9
_PONG_OPCODE: Final = 0xA
_COMMAND_IDS: Final = itertools.count(1)
"""Ids of commands, unique across the successive sockets of a player."""
MEET_SECONDS: Final = 0.05
OPEN_SECONDS: Final = 10.0
"""Timeout of a handshake and of an answer, in seconds."""


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True, bits: int = 0) -> bytes:
    """Return a masked frame; `bits` are the three reserved bits as a number."""
    first = (0x80 if fin else 0) | bits << 4 | opcode
    length = len(payload)
    if length < 126:
        head = bytes((first, 128 | length))
    elif length < 65_536:
        head = bytes((first, 254)) + length.to_bytes(2, "big")
    else:
        head = bytes((first, 255)) + length.to_bytes(8, "big")
    return head + b"\0\0\0\0" + payload


def upgrade_request(host: str, *headers: str, subprotocol: str = "cornered.v1.json") -> bytes:
    """Return the HTTP request of a handshake."""
    lines = (
        "GET /ws HTTP/1.1",
        f"Host: {host}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Protocol: {subprotocol}",
        *headers,
    )
    return "\r\n".join((*lines, "", "")).encode()


class RawSocket(asyncio.Protocol):
    """One connection. `hear` is called with the payload of each data message as it arrives."""

    def __init__(self, host: str) -> None:
        loop = asyncio.get_running_loop()
        self._host = host
        self._buffer = b""
        """Received bytes of an incomplete handshake or frame."""
        self._is_open = False
        """True after the handshake: before, data are HTTP, then frames."""
        self._writable = asyncio.Event()
        self._writable.set()
        self._answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        """Pending commands by id; the empty id is the hello."""
        self.transport: asyncio.Transport
        self.opened: asyncio.Future[None] = loop.create_future()
        self.closed = asyncio.Event()
        self.hear: Callable[[bytes], None] = lambda _: None
        self.lost: Callable[[], None] = lambda: None
        """Called when the connection is closed, by whichever side."""
        self.player = ""
        self.token = ""

    @classmethod
    async def connect(cls, address: str, *, local: str | None = "127.0.0.1", shake: bool = True) -> RawSocket:
        """Return an open socket from the local address `local`, of the system's choice for None, with TLS where the
        address says so. Raises OSError when the handshake fails."""
        parts = urlsplit(address)
        loop = asyncio.get_running_loop()
        is_secure = parts.scheme in ("https", "wss")
        async with asyncio.timeout(OPEN_SECONDS):
            _, one = await loop.create_connection(
                lambda: cls(parts.netloc),
                parts.hostname or "",
                parts.port or (443 if is_secure else 80),
                local_addr=None if local is None else (local, 0),
                ssl=is_secure or None,
            )
            if shake:
                one.transport.write(upgrade_request(parts.netloc))
                try:
                    await one.opened
                except BaseException:
                    one.abort()
                    raise
        return one

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()
        self._writable.set()
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("the server closed the socket"))
            # Retrieved here: an exception that is never retrieved is logged as a warning.
            self.opened.exception()
        for waiting in self._answers.values():
            if not waiting.done():
                waiting.set_exception(ConnectionError("the server closed the socket"))
                waiting.exception()
        self.lost()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer + data if self._buffer else data
        if not self._is_open:
            head, found, buffer = buffer.partition(b"\r\n\r\n")
            if not found:
                self._buffer = head
                return
            if self.opened.done():
                return
            if b" 101 " not in head:
                self.opened.set_exception(ConnectionError(head.partition(b"\r\n")[0].decode("latin-1")))
                self.opened.exception()
                return
            self._is_open = True
            self.opened.set_result(None)
        frames, self._buffer = split_frames(buffer)
        for opcode, payload in frames:
            if opcode <= BINARY:
                self._take(payload)
            elif opcode == PING:
                self.write(frame(_PONG_OPCODE, payload))
            elif opcode == CLOSE_OPCODE:
                self.transport.close()

    def _take(self, payload: bytes) -> None:
        if self._answers:
            message = json.loads(payload)
            named = "" if message["type"] in ("welcome", "refused") and "id" not in message else message.get("id")
            waiting = self._answers.pop(named or "", None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
        self.hear(payload)

    def write(self, data: bytes) -> None:
        """Write raw bytes."""
        if not self.transport.is_closing():
            self.transport.write(data)

    async def flood(self, data: bytes) -> bool:
        """Write raw bytes and wait until the buffer has mostly drained; return False when the socket is closed."""
        self.write(data)
        await self._writable.wait()
        await asyncio.sleep(0)
        return not self.closed.is_set()

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message without waiting for an answer."""
        self.write(frame(TEXT, json.dumps(message).encode()))

    async def ask(self, kind: str, /, **fields: object) -> dict[str, Any]:
        """Send a command and return its answer, possibly a refusal. Raises OSError when the socket closes first."""
        name = "" if kind == "hello" else f"n{next(_COMMAND_IDS)}"
        waiting = self._answers[name] = asyncio.get_running_loop().create_future()
        self.tell({"type": kind, **({"id": name} if name else {}), **fields})
        if self.closed.is_set():
            raise ConnectionError("the server closed the socket")
        try:
            async with asyncio.timeout(OPEN_SECONDS):
                answer: dict[str, Any] = await waiting
                return answer
        finally:
            self._answers.pop(name, None)

    async def greet(self, name: str, **fields: object) -> RawSocket:
        """Send hello. Raises ConnectionError when it is refused."""
        welcome = await self.ask("hello", **({"token": self.token} if self.token else {"name": name}), **fields)
        if welcome["type"] != "welcome":
            raise ConnectionError(f"hello was refused: {welcome['code']}")
        self.player = welcome["player"]["id"]
        self.token = welcome["token"] or self.token
        return self

    async def close(self) -> None:
        """Send a close frame, and wait at most a second for the server to close."""
        self.write(frame(CLOSE_OPCODE, b"\x03\xe8"))
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(1):
                    await self.closed.wait()
        finally:
            self.abort()

    def abort(self) -> None:
        """Close the transport without a close frame."""
        self.transport.abort()

    def reset(self) -> None:
        """Close with a TCP reset, as after a crash of the client."""
        raw = self.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


async def start_match(one: RawSocket, two: RawSocket, **fields: object) -> str:
    """Start a match by a challenge, with the first player in seat 0; return its id.

    A player who has just come to another node is waited for. Raises OSError when the server refuses the match.
    """
    async with asyncio.timeout(OPEN_SECONDS):
        sent = await one.ask("challenge", to=two.player, seat=0, **fields)
        while sent["type"] == "refused" and sent["code"] == "unknown_player":
            await asyncio.sleep(MEET_SECONDS)
            sent = await one.ask("challenge", to=two.player, seat=0, **fields)
    accepted = await two.ask("accept_challenge", challenge=sent["ref"]) if sent["type"] == "acknowledged" else sent
    if accepted["type"] != "acknowledged":
        raise ConnectionError(f"the match was refused: {accepted['code']}")
    return str(accepted["ref"])


async def request(address: str, text: str, *, local: str = "127.0.0.1") -> tuple[int, str, bytes]:
    """Send a plain HTTP request of any content; return status (0 for none), head and body. Raises OSError."""
    parts = urlsplit(address)
    async with asyncio.timeout(OPEN_SECONDS):
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, local_addr=(local, 0))
        try:
            writer.write(text.encode("latin-1"))
            answer = await reader.read()
        finally:
            writer.close()
    head, _, body = answer.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    return int(words[1]) if len(words) > 1 and words[1].isdigit() else 0, head.decode("latin-1"), body
