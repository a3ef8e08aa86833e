"""A client of the kit: one socket, which sends what it is told to and hides nothing of what it gets."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Any, Final, TypeVar

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from cornered.cli.conformance.verdict import Violation
from cornered.protocol.codec import JSON, Codec, ProtocolError
from cornered.protocol.commands import Command, Hello
from cornered.protocol.messages import Acknowledged, Happened, Refused, ServerMessage, Snapshot, Welcome
from cornered.protocol.values import Player, Value

__all__ = ["PATIENCE_S", "Peer", "connected", "expect_refusal", "shown"]

PATIENCE_S: Final = 8.0
"""Time limit of an answer, and of a client's move, in seconds."""
MAX_MESSAGE_BYTES: Final = 4 * 2**20
SHOWN_MESSAGES: Final = 3
"""Messages that a violation names."""

M = TypeVar("M", bound=Value)


class Peer:
    """One socket of one player. `hear` waits for a message of one kind and keeps the others for later."""

    _numbers = itertools.count(1)
    _run = secrets.token_hex(4)
    """Command ids are unique for a player, also among several runs of the kit."""

    def __init__(self, socket: ClientConnection, codec: Codec) -> None:
        self.socket = socket
        self._codec = codec
        self._heard: list[ServerMessage] = []
        self.log: list[ServerMessage] = []
        """Every message so far."""
        self.token = ""
        self.player: Player
        """Known from `hello` on."""

    def new_id(self) -> str:
        """Return an id that no other command of this player has."""
        return f"{self._run}.{next(self._numbers)}"

    async def tell(self, message: Value) -> None:
        """Send a message."""
        await self.tell_raw(self._codec.encode(message))

    async def tell_raw(self, raw: str | bytes) -> None:
        """Send any payload as a frame of this codec's kind."""
        await self.socket.send(raw, text=self._codec.is_text)

    async def next(self, wanted: str, patience: float = PATIENCE_S) -> ServerMessage:
        """Return the next message. Raises Violation where none comes in time, or one that cannot be read."""
        try:
            async with asyncio.timeout(patience):
                raw = await self.socket.recv()
        except TimeoutError:
            raise Violation(f"waited in vain for {wanted}; {self._newest()}") from None
        except ConnectionClosed as closed:
            raise Violation(f"the connection closed before what was waited for, {wanted}: {closed}") from None
        try:
            message = self._codec.decode_message(raw)
        except ProtocolError as error:
            raise Violation(f"a message of the server cannot be read: {error.text}; it is {raw[:200]!r}") from None
        self.log.append(message)
        return message

    async def hear(
        self,
        kind: type[M],
        which: Callable[[M], bool] = lambda _: True,
        *,
        what: str = "",
        patience: float = PATIENCE_S,
    ) -> M:
        """Return the first message of `kind` that is so. Raises Violation, which names `what` was wanted."""
        wanted = what or f"a `{kind.model_fields['type'].default}`"
        found = await self._first(lambda one: isinstance(one, kind) and which(one), wanted, patience)
        assert isinstance(found, kind)
        return found

    async def _first(self, which: Callable[[ServerMessage], bool], wanted: str, patience: float) -> ServerMessage:
        """Return the first message that is so, of those that were kept and those that come. Raises Violation."""
        for index, kept in enumerate(self._heard):
            if which(kept):
                return self._heard.pop(index)
        loop = asyncio.get_running_loop()
        until = loop.time() + patience
        while True:
            message = await self.next(wanted, max(0.0, until - loop.time()))
            if which(message):
                return message
            self._heard.append(message)

    async def answer(self, command_id: str, *, what: str = "an answer") -> ServerMessage:
        """Return the answer to a command. Raises Violation."""
        return await self._first(lambda one: getattr(one, "id", None) == command_id, what, PATIENCE_S)

    async def ask(self, kind: type[Command], **fields: Any) -> ServerMessage:
        """Send a command, under a new id unless `fields` have one, and return its answer."""
        command = kind(id=fields.pop("id", None) or self.new_id(), **fields)
        await self.tell(command)
        return await self.answer(command.id, what=f"the answer to `{kind.model_fields['type'].default}`")

    async def do(self, kind: type[Command], **fields: Any) -> Acknowledged:
        """Send a command and return its acknowledgement. Raises Violation for any other answer."""
        answer = await self.ask(kind, **fields)
        if not isinstance(answer, Acknowledged):
            raise Violation(f"`{kind.model_fields['type'].default}` was answered by {shown(answer)}")
        return answer

    async def refused(self, code: str, kind: type[Command], **fields: Any) -> Refused:
        """Send a command that has to be refused with `code`, and return the refusal. Raises Violation."""
        return expect_refusal(await self.ask(kind, **fields), code, f"`{kind.model_fields['type'].default}`")

    async def quiet(self, seconds: float) -> list[ServerMessage]:
        """Return the messages of the next `seconds`."""
        came: list[ServerMessage] = []
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while True:
                    raw = await self.socket.recv()
                    came.append(self._codec.decode_message(raw))
                    self.log.append(came[-1])
                    self._heard.append(came[-1])
        return came

    async def hello(self, **fields: Any) -> Welcome:
        """Say hello and return the welcome. Raises Violation."""
        await self.tell(Hello(**fields))
        first = await self.next("the answer to `hello`")
        if not isinstance(first, Welcome):
            raise Violation(f"`hello` was answered by {shown(first)}")
        self.player, self.token = first.player, first.token or fields.get("token") or ""
        return first

    def drop_news(self, match: str) -> None:
        """Forget the news of a match for which `hear` has not been asked."""
        self._heard = [one for one in self._heard if not (isinstance(one, Happened) and one.match == match)]

    def seen(self, match: str) -> list[int]:
        """Return the sequence numbers of a match's events in the order in which they came."""
        return [
            event.seq
            for message in self.log
            if isinstance(message, Happened) and message.match == match
            for event in message.events
        ]

    def newest(self, match: str) -> tuple[str, int, int]:
        """Return the newest position of a match, the number of plies, and the seat to move."""
        for message in reversed(self.log):
            if isinstance(message, Happened | Snapshot) and message.match == match:
                return message.position, message.ply, message.to_move
        raise Violation(f"nothing has come of the match {match}")

    def _newest(self) -> str:
        if not self.log:
            return "nothing has come"
        return "the newest messages are " + ", ".join(shown(message) for message in self.log[-SHOWN_MESSAGES:])


def shown(message: ServerMessage) -> str:
    """Return a message in a few words."""
    if isinstance(message, Refused):
        return f"`refused` {message.code} ({message.text})"
    if isinstance(message, Happened):
        return f"`happened` {', '.join(f'{event.seq} {event.type}' for event in message.events)}"
    if isinstance(message, Acknowledged):
        return f"`acknowledged` (seq {message.seq})"
    return f"`{message.type}`"


def expect_refusal(answer: ServerMessage, code: str, what: str) -> Refused:
    """Return the refusal. Raises Violation for any other answer, and for another code."""
    if not isinstance(answer, Refused) or answer.code != code:
        raise Violation(f"{what} was answered by {shown(answer)}, not by `refused` {code}")
    return answer


@contextlib.asynccontextmanager
async def connected(url: str, codec: Codec = JSON, **hello: Any) -> AsyncIterator[Peer]:
    """Connect inside the block, and say hello where `hello` has fields."""
    async with connect(
        url,
        subprotocols=[Subprotocol(codec.subprotocol)],
        compression=None,
        proxy=None,
        max_size=MAX_MESSAGE_BYTES,
        max_queue=None,
        close_timeout=1,
    ) as socket:
        if socket.subprotocol != codec.subprotocol:
            raise Violation(f"the server took the subprotocol {socket.subprotocol!r}, not {codec.subprotocol!r}")
        peer = Peer(socket, codec)
        if hello:
            await peer.hello(**hello)
        yield peer
