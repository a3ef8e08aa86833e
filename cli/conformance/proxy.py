"""A WebSocket proxy that changes, holds back and repeats whole messages, and records what passes."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.frames import CloseCode
from websockets.typing import Subprotocol

from cornered.cli.conformance.verdict import Violation
from cornered.protocol.codec import CODECS, JSON

__all__ = ["Direction", "Document", "Line", "Proxy", "Rewrite", "pass_on"]

Direction: TypeAlias = Literal["up", "down"]
"""`up` is from the client to the server."""
Document: TypeAlias = dict[str, Any]
"""A message before it is validated."""
Rewrite: TypeAlias = Callable[[Document], Iterable[Document]]
"""Returns what passes in place of a message, which it must not change: the message itself, others, or none."""

MAX_MESSAGE_BYTES: Final = 4 * 2**20
UPSTREAM_S: Final = 5.0
WRITE_S: Final = 5.0
"""Time limit of a write to the client: a longer one means that it does not read."""


@dataclass(frozen=True, slots=True)
class Line:
    """A message that passed: upwards as the client sent it, downwards as it was delivered."""

    direction: Direction
    connection: int
    """Connections are counted from 1."""
    message: Document


def pass_on(message: Document) -> Iterable[Document]:
    """Let a message pass."""
    return (message,)


class Proxy:
    """Listens on a free port of the loopback address while it is open."""

    def __init__(self, target: str) -> None:
        self.target = target
        """The server's WebSocket URL, for new connections."""
        self.url = ""
        self.rewrites: dict[Direction, Rewrite] = {"up": pass_on, "down": pass_on}
        self.lines: list[Line] = []
        self._connections: dict[int, tuple[ServerConnection, ClientConnection]] = {}
        self._count = 0
        self._passing: dict[Direction, asyncio.Event] = {"up": asyncio.Event(), "down": asyncio.Event()}
        self._stops: dict[Direction, Callable[[Document], bool]] = {}
        self._changed = asyncio.Event()
        for passing in self._passing.values():
            passing.set()

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[str]:
        """Listen inside the block, which gets the URL for clients."""
        names = [Subprotocol(name) for name in CODECS]
        async with serve(
            self._relay,
            "127.0.0.1",
            0,
            subprotocols=names,
            compression=None,
            ping_interval=None,
            max_size=MAX_MESSAGE_BYTES,
            close_timeout=0.5,
        ) as listener:
            self.url = f"ws://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
            try:
                yield self.url
            finally:
                self.clear()
                self.cut()

    @property
    def is_connected(self) -> bool:
        """Whether a client is connected, and through to the server."""
        return bool(self._connections)

    def clear(self) -> None:
        """Let everything pass unchanged again."""
        self.rewrites = {"up": pass_on, "down": pass_on}
        self.release()

    def hold(self, direction: Direction, first: Callable[[Document], bool] = lambda message: True) -> None:
        """Keep back the first message that is so and what comes after it, in order, until `release`."""
        self._stops[direction] = first
        self._passing[direction].clear()

    def release(self, *directions: Direction) -> None:
        """Deliver what was kept back, by default of both directions."""
        for direction in directions or tuple(self._passing):
            self._passing[direction].set()

    def cut(self) -> None:
        """Break every connection without a closing handshake."""
        for near, far in tuple(self._connections.values()):
            near.transport.abort()
            far.transport.abort()

    async def inject(self, payload: Document | str | bytes) -> None:
        """Send a message to the client's newest connection. Raises Violation where the client does not read."""
        near = self._newest()
        raw = payload if isinstance(payload, str | bytes) else _encode(payload, is_text=_is_text(near))
        await _write(near, raw, is_text=_is_text(near))
        if isinstance(payload, dict):
            self._record("down", self._count, payload)

    async def ping(self, patience: float) -> None:
        """Send a WebSocket ping to the client. Raises Violation where no pong comes in time."""
        try:
            async with asyncio.timeout(patience):
                await (await self._newest().ping())
        except TimeoutError:
            raise Violation(f"no pong came within {patience:g} s of a WebSocket ping") from None
        except ConnectionClosed as closed:
            raise Violation(f"the client closed the connection: {closed}") from None

    async def until(
        self, direction: Direction, which: Callable[[Document], bool], *, since: int, what: str, patience: float
    ) -> int:
        """Wait for a message that passes, of the lines from index `since` on; return its index. Raises Violation."""
        looked = since
        try:
            async with asyncio.timeout(patience):
                while True:
                    while looked < len(self.lines):
                        line = self.lines[looked]
                        if line.direction == direction and which(line.message):
                            return looked
                        looked += 1
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise Violation(f"waited {patience:g} s in vain for {what}") from None

    def sent(self, since: int, kind: str, **fields: object) -> Sequence[Document]:
        """Return the messages of this kind that the client has sent from line `since` on."""
        return [
            line.message
            for line in self.lines[since:]
            if line.direction == "up"
            and line.message.get("type") == kind
            and all(line.message.get(name) == value for name, value in fields.items())
        ]

    def _newest(self) -> ServerConnection:
        if not self._connections:
            raise Violation("the client is not connected")
        return self._connections[max(self._connections)][0]

    def _record(self, direction: Direction, connection: int, message: Document) -> None:
        self.lines.append(Line(direction, connection, message))
        self._changed.set()

    async def _relay(self, near: ServerConnection) -> None:
        chosen = Subprotocol(near.subprotocol or JSON.subprotocol)
        # The server is away, as during a restart, unless a connection says otherwise.
        code, reason = int(CloseCode.TRY_AGAIN_LATER), ""
        try:
            async with connect(
                self.target,
                subprotocols=[chosen],
                compression=None,
                proxy=None,
                ping_interval=None,
                open_timeout=UPSTREAM_S,
                close_timeout=0.5,
                max_size=MAX_MESSAGE_BYTES,
            ) as far:
                self._count += 1
                number = self._count
                self._connections[number] = (near, far)
                passing = [
                    asyncio.create_task(self._pass(number, "up", near, far), name=f"up[{number}]"),
                    asyncio.create_task(self._pass(number, "down", far, near), name=f"down[{number}]"),
                ]
                try:
                    await asyncio.wait(passing, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    for task in passing:
                        task.cancel()
                    await asyncio.gather(*passing, return_exceptions=True)
                    del self._connections[number]
                code, reason = far.close_code or CloseCode.NORMAL_CLOSURE, far.close_reason or ""
        except (OSError, TimeoutError, WebSocketException, EOFError):
            pass
        # A code that no frame may carry (RFC 6455, section 7.4.1) stands for a connection that broke.
        await near.close(CloseCode.GOING_AWAY if code in (1005, 1006) else code, reason)

    async def _pass(
        self,
        number: int,
        direction: Direction,
        source: ClientConnection | ServerConnection,
        sink: ClientConnection | ServerConnection,
    ) -> None:
        """Pass the messages of one direction on until one end is gone, or the client does not read."""
        with contextlib.suppress(ConnectionClosed, Violation):
            async for raw in source:
                message = _decode(raw)
                if direction == "up":
                    self._record(direction, number, message)
                if not self._passing[direction].is_set() and self._stops[direction](message):
                    await self._passing[direction].wait()
                for out in self.rewrites[direction](message):
                    is_text = _is_text(sink)
                    payload = raw if out is message else _encode(out, is_text=is_text)
                    # A frame of the wrong kind stays one: the server has to refuse it.
                    await _write(sink, payload, is_text=isinstance(raw, str) if out is message else is_text)
                    if direction == "down":
                        self._record(direction, number, out)


def _is_text(connection: ClientConnection | ServerConnection) -> bool:
    return CODECS[connection.subprotocol or JSON.subprotocol].is_text


def _decode(raw: str | bytes) -> Document:
    """Return the message; one without a type where the payload is none."""
    try:
        read = json.loads(raw) if isinstance(raw, str) else msgpack.unpackb(raw)
    except (ValueError, RecursionError, msgpack.UnpackException):
        return {}
    return read if isinstance(read, dict) else {}


def _encode(message: Document, *, is_text: bool) -> bytes:
    if is_text:
        return json.dumps(message).encode()
    packed: bytes = msgpack.packb(message)
    return packed


async def _write(connection: ClientConnection | ServerConnection, raw: str | bytes, *, is_text: bool) -> None:
    try:
        async with asyncio.timeout(WRITE_S):
            await connection.send(raw, text=is_text)
    except TimeoutError:
        raise Violation(f"the client has not read its messages for {WRITE_S:g} s") from None
