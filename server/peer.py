"""One socket as rooms and the hall see it: who it is, and what is written to it.

Nothing here waits. A message is encoded and framed at most once a codec however many sockets it goes to (`Broadcast`),
and handed to each transport; the transport's buffer is the outbox. Who lets it fill up loses: watchers are skipped and
get a snapshot later, everybody else is dropped and resumes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from websockets.asyncio.server import ServerConnection
from websockets.protocol import State

from protocol.codec import JSON, MSGPACK, Codec
from protocol.messages import ErrorCode, Refused, ServerMessage
from protocol.values import Player
from server.allowance import Allowance
from server.metrics import Counts

if TYPE_CHECKING:
    from server.room import Room

__all__ = ["MAX_OUTBOX", "Broadcast", "Peer", "Write", "frame"]

MAX_OUTBOX: Final = 1 << 20
"""Bytes that may wait for one socket. More means that it reads too slowly to play."""
_OPEN: Final = State.OPEN

Write: TypeAlias = Callable[[bytes], None]
"""A transport's own `write`."""


def frame(payload: bytes, *, is_text: bool) -> bytes:
    """Return one unfragmented server's frame (RFC 6455, section 5.2)."""
    first = 0x81 if is_text else 0x82
    length = len(payload)
    if length < 126:
        return bytes((first, length)) + payload
    if length < 65_536:
        return bytes((first, 126)) + length.to_bytes(2, "big") + payload
    return bytes((first, 127)) + length.to_bytes(8, "big") + payload


class Broadcast:
    """One message for many sockets."""

    __slots__ = ("_binary", "_text", "message")

    def __init__(self, message: ServerMessage) -> None:
        self.message = message
        self._text: bytes | None = None
        self._binary: bytes | None = None

    def frame(self, codec: Codec) -> bytes:
        """Return the message as `codec`'s frame, made at the first call."""
        if codec.is_text:
            if self._text is None:
                self._text = frame(JSON.encode(self.message), is_text=True)
            return self._text
        if self._binary is None:
            self._binary = frame(MSGPACK.encode(self.message), is_text=False)
        return self._binary


class Peer:
    """An open socket whose player is known. `rooms` are the matches that it has joined."""

    __slots__ = ("_connection", "_counts", "_protocol", "allowance", "chat", "codec", "id", "player", "rooms")

    def __init__(
        self,
        connection: ServerConnection,
        codec: Codec,
        player: Player,
        allowance: Allowance,
        chat: Allowance,
        counts: Counts,
        session_id: str,
    ) -> None:
        self._connection = connection
        self._protocol = connection.protocol
        self._counts = counts
        self.codec = codec
        self.player = player
        self.allowance = allowance
        self.chat = chat
        self.id = session_id
        self.rooms: dict[str, Room] = {}

    @property
    def is_behind(self) -> bool:
        """Whether the socket takes less than it is sent."""
        return self._connection.paused

    @property
    def transport_write(self) -> Write:
        """What writes a frame with no questions asked, for who knows that the socket is open and not behind."""
        return self._connection.transport.write

    @property
    def lag(self) -> int:
        """The newest measured round trip in milliseconds; 0 before the first."""
        return int(self._connection.latency * 1000)

    def send(self, message: ServerMessage) -> None:
        """Write a message that is for this socket alone."""
        codec = self.codec
        self.write(frame(codec.encode(message), is_text=codec.is_text))

    def deliver(self, broadcast: Broadcast) -> None:
        """Write a message that others get too."""
        self.write(broadcast.frame(self.codec))

    def answer(self, answer: ServerMessage, broadcast: Broadcast | None) -> None:
        """Write an answer and what follows from it at once: two frames in one system call."""
        codec = self.codec
        framed = frame(codec.encode(answer), is_text=codec.is_text)
        self.write(framed if broadcast is None else framed + broadcast.frame(codec))

    def refuse(self, command_id: str | None, code: ErrorCode, text: str) -> None:
        """Say that a command changed nothing."""
        self._counts.refused(code)
        self.send(Refused(id=command_id, code=code, text=text))

    def write(self, framed: bytes) -> None:
        """Write one frame that is ready for the wire; after the end of the socket this does nothing."""
        if self._protocol.state is _OPEN:
            connection = self._connection
            connection.transport.write(framed)
            if connection.paused and connection.transport.get_write_buffer_size() > MAX_OUTBOX:
                self.drop()

    def drop(self) -> None:
        """Cut the socket off at once: what it has not read is lost, and it resumes with another."""
        self._counts.dropped += 1
        self._connection.transport.abort()
