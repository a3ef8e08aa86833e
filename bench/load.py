"""Clients with low overhead for measuring servers: raw sockets with a minimal WebSocket, and scripted matches. Frames
are masked with a zero key, which is valid and costs the receiver as much as any other."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, cast
from urllib.parse import urlsplit

from cornered import engine

__all__ = ["PLAY", "LoadPair", "Socket", "connect_all", "scripts", "split_frames"]

PLAY: Final = b'{"type":"play","id":"%s","match":"%s","ply":%d,"move":"%s"}'


def split_frames(buffer: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """Return opcode and payload of each complete server frame at the start of `buffer`, and the remaining bytes."""
    frames: list[tuple[int, bytes]] = []
    start, end = 0, len(buffer)
    while end - start >= 2:
        length, body = buffer[start + 1], start + 2
        if length == 126:
            length, body = int.from_bytes(buffer[body : body + 2], "big"), body + 2
        elif length == 127:
            length, body = int.from_bytes(buffer[body : body + 8], "big"), body + 8
        if end < body + length:
            break
        frames.append((buffer[start] & 15, buffer[body : body + length]))
        start = body + length
    return frames, buffer[start:]


class Socket(asyncio.Protocol):
    """One client's connection. `hear` is called with the payload of each frame as it arrives."""

    def __init__(self, host: str) -> None:
        self._host = host
        self._buffer = b""
        self._is_open = False
        self._transport: asyncio.Transport
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.hear: Callable[[bytes], None] = lambda _: None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.write(
            f"GET /ws HTTP/1.1\r\nHost: {self._host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: cornered.v1.json\r\n\r\n".encode()
        )

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.opened.done():
            self.opened.set_exception(exc or ConnectionError("the server closed the socket"))

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer + data if self._buffer else data
        if not self._is_open:
            if self.opened.done():
                # The waiting caller may have been cancelled.
                return
            head, found, buffer = buffer.partition(b"\r\n\r\n")
            if not found:
                self._buffer = head
                return
            if b" 101 " not in head:
                self.opened.set_exception(ConnectionError(head.partition(b"\r\n")[0].decode()))
                return
            self._is_open = True
            self.opened.set_result(None)
        frames, self._buffer = split_frames(buffer)
        for opcode, payload in frames:
            if opcode < 3:
                self.hear(payload)
            elif opcode == 9:
                self._send(0x8A, payload)

    def send(self, payload: bytes) -> None:
        """Send one text message."""
        self._send(0x81, payload)

    def _send(self, first: int, payload: bytes) -> None:
        length = len(payload)
        if length < 126:
            self._transport.write(bytes((first, 128 | length, 0, 0, 0, 0)) + payload)
        else:
            self._transport.write(bytes((first, 254)) + length.to_bytes(2, "big") + b"\0\0\0\0" + payload)

    def close(self) -> None:
        self._transport.abort()

    async def ask(self, message: dict[str, Any], *kinds: str) -> list[dict[str, Any]]:
        """Send a message, and return the next message of each kind; others received meanwhile are dropped."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[None] = loop.create_future()
        found: dict[str, dict[str, Any]] = {}

        def hear(payload: bytes) -> None:
            answer = json.loads(payload)
            found.setdefault(answer["type"], answer)
            if "refused" in found and not answered.done():
                answered.set_exception(RuntimeError(str(found["refused"])))
            elif all(kind in found for kind in kinds) and not answered.done():
                answered.set_result(None)

        self.hear = hear
        self.send(json.dumps(message).encode())
        await answered
        self.hear = lambda _: None
        return [found[kind] for kind in kinds]


async def connect_all(address: str, count: int) -> list[Socket]:
    """Return `count` open sockets."""
    parts = urlsplit(address)
    loop = asyncio.get_running_loop()
    sockets: list[Socket] = []
    for _ in range(count):
        _, socket = await loop.create_connection(lambda: Socket(parts.netloc), parts.hostname or "", parts.port or 80)
        await socket.opened
        sockets.append(socket)
    return sockets


def scripts(count: int) -> list[tuple[str, ...]]:
    """Return long random games of TrapGrid on the default board: the longest of many."""
    chance = random.Random(1)
    start = engine.load("trapgrid").start()
    games = []
    for _ in range(count * 8):
        state, moves = start, []
        while state.outcome is None:
            moves.append(chance.choice(state.moves()))
            state = state.play(moves[-1])
        games.append(tuple(moves))
    return sorted(games, key=len)[-count:]


class LoadPair:
    """Two sockets that play scripted matches in turn, each move as soon as both have received the previous one."""

    def __init__(self, first: Socket, second: Socket, work: Iterator[tuple[str, tuple[str, ...]]]) -> None:
        self._sockets = (first, second)
        self._work = work
        self._match = b""
        self._script: tuple[str, ...] = ()
        self._ply = 0
        self._heard = 0
        """How many of the two sockets have received the current move."""
        self._sent = 0.0
        """When the current move was sent."""
        self.pause = 0.0
        self.latencies: list[float] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        first.hear = second.hear = self._hear

    def start(self) -> None:
        """Play the next match of the work; set `done` when there is none."""
        following = next(self._work, None)
        if following is None:
            if not self.done.done():
                self.done.set_result(None)
            return
        name, self._script = following
        self._match = name.encode()
        self._ply = 0
        self._play()

    def _play(self) -> None:
        ply = self._ply
        payload = PLAY % (b"m%d" % ply, self._match, ply, self._script[ply].encode())
        self._sent = time.perf_counter()
        self._sockets[ply & 1].send(payload)

    def _hear(self, payload: bytes) -> None:
        if payload.startswith(b'{"type":"acknowledged"'):
            self.latencies.append(time.perf_counter() - self._sent)
        elif payload.startswith(b'{"type":"happened"'):
            self._heard += 1
            if self._heard < 2:
                return
            self._heard = 0
            self._ply += 1
            if self._ply == len(self._script):
                self.start()
            elif self.pause:
                asyncio.get_running_loop().call_later(self.pause, self._play)
            else:
                self._play()
        elif payload.startswith(b'{"type":"refused"') and not self.done.done():
            self.done.set_exception(RuntimeError(payload.decode()))
