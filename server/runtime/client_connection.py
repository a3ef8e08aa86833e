"""One WebSocket as match tasks and the lobby service use it: its player, and the messages written to it.

Nothing here waits or raises. A message is encoded and framed at most once a codec however many sockets it goes to
(`Broadcast`), and handed to each transport; the transport's buffer is the outbox. Where it fills up, watchers are
skipped and get a snapshot later, and players are disconnected and resume.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeAlias

from websockets.frames import CloseCode

from cornered.protocol.codec import JSON, MSGPACK, Codec
from cornered.protocol.messages import ErrorCode, Refused, Said, ServerMessage
from cornered.protocol.values import Player
from cornered.server.accounts import Identity
from cornered.server.metrics import Counts
from cornered.server.runtime.limits import PlayerLimits

__all__ = ["Broadcast", "ClientConnection", "Write", "frame"]


class Wire(Protocol):
    """The connection underneath. `key` is the address that rate limits count, `latency` is in seconds."""

    @property
    def id(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def is_behind(self) -> bool: ...
    @property
    def latency(self) -> float: ...

    def write(self, framed: bytes) -> None: ...

    def owe(self, cost: float) -> None: ...

    def fail(self, code: CloseCode, reason: str) -> None: ...


class JoinedMatch(Protocol):
    """What a match does for a connection that has joined it."""

    def fell_behind(self, client: ClientConnection) -> None: ...

    def caught_up(self, client: ClientConnection) -> None: ...

    def player_went(self, player: str) -> None: ...

    def leave(self, client: ClientConnection) -> None: ...

    def awaits(self, client: ClientConnection) -> bool: ...


Write: TypeAlias = Callable[[bytes], None]
"""Writes one frame that is ready for the wire. It never raises; after the end of the socket it does nothing."""


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
    """One message for many sockets. A line of chat has an `author`, and is not for those who block that player."""

    __slots__ = ("_binary", "_text", "author", "message")

    def __init__(self, message: ServerMessage) -> None:
        self.message = message
        self.author = message.by.id if isinstance(message, Said) else ""
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


class ClientConnection:
    """An open socket whose player is known. `matches` are those that it has joined.

    `address` names the client's address in rate limits, `instance` the program that said hello; `write` is the
    connection's own. `identity` is what its token permits, with the player's requested name. `blocked` are the ids of
    those whose lines of chat it does not get.
    """

    __slots__ = (
        "_connection",
        "_counts",
        "_loop",
        "address",
        "blocked",
        "codec",
        "id",
        "identity",
        "instance",
        "limits",
        "matches",
        "on_refusal",
        "player",
        "write",
    )

    def __init__(
        self,
        connection: Wire,
        codec: Codec,
        player: Player,
        limits: PlayerLimits,
        counts: Counts,
        instance: str | None = None,
        identity: Identity | None = None,
        blocked: frozenset[str] = frozenset(),
    ) -> None:
        self._connection = connection
        self._counts = counts
        self._loop = asyncio.get_running_loop()
        self.codec = codec
        self.player = player
        self.limits = limits
        self.address = connection.key
        self.id = connection.id
        self.instance = instance
        self.identity = identity or Identity(player)
        self.blocked = blocked
        self.matches: dict[str, JoinedMatch] = {}
        self.write: Write = connection.write
        self.on_refusal: Callable[[str | None, ErrorCode, str], None] | None = None
        """Called with each refusal before it is sent; it must not raise."""

    @property
    def is_behind(self) -> bool:
        """Whether the output buffer is above its high mark."""
        return self._connection.is_behind

    @property
    def lag(self) -> int:
        """The newest measured round trip in milliseconds; 0 before the first."""
        return int(self._connection.latency * 1000)

    def charge(self) -> None:
        """Take a token for a move that was admitted without one and refused."""
        self.limits.commands.spend(self._loop.time())
        self._connection.owe(1.0)

    def send(self, message: ServerMessage) -> None:
        """Write a message that is for this socket alone."""
        codec = self.codec
        self.write(frame(codec.encode(message), is_text=codec.is_text))

    def deliver(self, broadcast: Broadcast) -> None:
        """Write a message that goes to several sockets, unless it is a line of chat of somebody who is blocked."""
        if not broadcast.author or broadcast.author not in self.blocked:
            self.write(broadcast.frame(self.codec))

    def answer(self, answer: ServerMessage, broadcast: Broadcast | None) -> None:
        """Write an answer and what follows from it at once: two frames in one system call."""
        codec = self.codec
        framed = frame(codec.encode(answer), is_text=codec.is_text)
        self.write(framed if broadcast is None else framed + broadcast.frame(codec))

    def disconnect(self, reason: str) -> None:
        """Close the socket at once; the client reads `reason` in the close frame (1008)."""
        self._connection.fail(CloseCode.POLICY_VIOLATION, reason)

    def refuse(self, command_id: str | None, code: ErrorCode, text: str, *, retry_after: int | None = None) -> None:
        """Send a refusal, and count it; `retry_after` is in milliseconds."""
        self._counts.refused(code)
        if self.on_refusal is not None:
            self.on_refusal(command_id, code, text)
        self.send(Refused(id=command_id, code=code, text=text, retry_after=retry_after))
