"""One player's line to the server: socket after socket, but every command is carried out once and answered once."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import secrets
from collections.abc import AsyncIterator
from email.utils import formatdate, parsedate_to_datetime
from typing import Final, NoReturn, Protocol, assert_never

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage, InvalidStatus
from websockets.http11 import Response
from websockets.typing import Subprotocol

from cornered.clients.sdk.backoff import Backoff
from cornered.clients.sdk.errors import ClientError, Closed, NotUnderstood, Refused, Unavailable, Unreachable
from cornered.clients.sdk.escaping import escaped
from cornered.protocol import messages
from cornered.protocol.codec import MSGPACK, ProtocolError
from cornered.protocol.commands import Command, Hello
from cornered.protocol.messages import Answer, ErrorCode, ServerMessage, Unasked, Welcome
from cornered.protocol.text import visible
from cornered.protocol.values import Value

__all__ = ["Link", "Receiver"]

MAX_UNANSWERED: Final = 64
"""How many commands may wait for their answers; the next caller waits for its turn."""
MAX_MESSAGE: Final = 4 * 2**20
"""Bytes; the longest message is the history of a very long match."""
HELLO_PATIENCE: Final = 10.0
"""Seconds that a server has to answer `hello`."""
HEARTBEAT: Final = 10.0
"""Seconds between pings, and until a missing pong means that the line is dead."""

LONGEST_WAIT: Final = 60.0
"""Seconds that a server may put a client off for."""
MAX_WORDS: Final = 200
"""Characters of a refusal that are shown."""

PASSING: Final[frozenset[ErrorCode]] = frozenset({"server_full", "shutting_down", "too_fast", "internal"})
"""Refusals of `hello` that another attempt may not meet."""
BROKEN: Final = (OSError, TimeoutError, ConnectionClosed, InvalidHandshake, InvalidMessage, EOFError)
"""How a line breaks. All of it is weather: wait a little and connect again."""

log = logging.getLogger("cornered.sdk")


class _NotNow(Exception):
    """The server refused the connection or `hello` for a reason that may pass: its words, and when to come again."""

    def __init__(self, words: str, seconds: float = 0.0) -> None:
        super().__init__(words)
        self.words = words[:MAX_WORDS]
        self.seconds = min(LONGEST_WAIT, max(0.0, seconds))


class Receiver(Protocol):
    """Who stands behind a link."""

    def hello(self) -> Hello:
        """Return what to say first on every new socket."""

    def welcomed(self, welcome: Welcome) -> list[Command]:
        """Take note of the welcome; return what has to be said again on every new socket before anything else."""

    def receive(self, message: ServerMessage) -> None:
        """Take every message, in order."""


class Link:
    """Connects, says hello, reads, and does it all again when the line breaks.

    A command that has no answer when the line breaks is sent again under its own id, and the server, which remembers
    the ids of what it carried out, answers without doing it twice.
    """

    def __init__(self, url: str, receiver: Receiver, backoff: Backoff) -> None:
        self._url = url
        self._receiver = receiver
        self._backoff = backoff
        self._socket: ClientConnection | None = None
        self._waiting: dict[str, tuple[Command, asyncio.Future[ServerMessage]]] = {}
        self._turns = asyncio.Semaphore(MAX_UNANSWERED)
        self._prefix = secrets.token_urlsafe(6)
        self._numbers = itertools.count(1)
        self._closed = False
        self._refusal = ""
        """What the server said to the newest attempt that it refused for now; empty once one succeeded."""
        self.ready = asyncio.Event()
        """Set as long as a welcomed socket is open."""

    def new_id(self) -> str:
        """Return an id that no other command of this player has, whichever program sent it."""
        return f"{self._prefix}.{next(self._numbers)}"

    @property
    def round_trip(self) -> int:
        """What the way to the server and back lately took, in milliseconds; 0 before the first heartbeat."""
        return round(self._socket.latency * 1000) if self._socket is not None else 0

    async def ask(self, command: Command) -> ServerMessage:
        """Send `command`, as often as it takes, and return its answer.

        Raises Refused, Closed or NotUnderstood, and a ValueError for the id of a command that waits for its answer.
        """
        async with self._turns:
            if self._closed:
                raise Closed("this client is closed")
            if command.id in self._waiting:
                raise ValueError(f"a command with the id {command.id!r} waits for its answer; take one from `new_id`")
            answer: asyncio.Future[ServerMessage] = asyncio.get_running_loop().create_future()
            self._waiting[command.id] = (command, answer)
            try:
                if self.ready.is_set():
                    await self.tell(command)
                return await answer
            finally:
                del self._waiting[command.id]

    def is_asking(self, kind: type[Command]) -> bool:
        """Say whether a command of this kind waits for its answer."""
        return any(type(command) is kind for command, _ in self._waiting.values())

    async def tell(self, message: Value) -> None:
        """Send `message` if the line stands; otherwise it is forgotten."""
        if self._socket is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(MSGPACK.encode(message))

    async def run(self, patience: float | None) -> None:
        """Stay connected until cancelled. Raises Refused when the server does not want this player.

        Raises Unreachable when the first connection does not come about within `patience` seconds, and Unavailable
        where the server answered by then, but takes no connections now.
        """
        try:
            try:
                async with asyncio.timeout(patience) as first:
                    await self._stay_connected(first)
            except TimeoutError:
                self._give_up()
        finally:
            self._closed = True
            self.ready.clear()
            for _, answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(Closed("the client was closed before the answer came"))

    def _give_up(self) -> NoReturn:
        if self._refusal:
            raise Unavailable(f"{self._url} takes no connections now: {self._refusal}") from None
        raise Unreachable(f"no server answers at {self._url}") from None

    async def _stay_connected(self, first: asyncio.Timeout) -> None:
        waits = self._backoff()
        was_here = is_away = False
        while True:
            is_open = False
            put_off = 0.0
            try:
                async with self._connected() as socket:
                    welcome = await self._greet(socket)
                    self._refusal = ""
                    first.reschedule(None)
                    waits = self._backoff()
                    if was_here:
                        log.info("back at %s", self._url)
                    was_here, is_open, is_away = True, True, False
                    await self._converse(socket, welcome)
                log.debug("the server closed the line; connecting again")
            except BROKEN as error:
                log.debug("the line broke: %s", visible(str(error)) or type(error).__name__)
                if not is_open and not is_away:
                    is_away = True
                    log.info("no server answers at %s; trying again", self._url)
            except _NotNow as refusal:
                put_off = refusal.seconds
                if self._refusal != refusal.words:
                    log.warning("%s takes no connections now: %s; trying again", self._url, refusal.words)
                self._refusal = refusal.words
            # On top of the server's time, which it tells to many at once, so that they do not come back in step.
            await asyncio.sleep(put_off + next(waits))

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[ClientConnection]:
        """Open a socket. Raises _NotNow where the server answers the request for one with a refusal."""
        async with contextlib.AsyncExitStack() as stack:
            try:
                socket = await stack.enter_async_context(
                    connect(
                        self._url,
                        subprotocols=[Subprotocol(MSGPACK.subprotocol)],
                        compression=None,
                        max_size=MAX_MESSAGE,
                        ping_interval=HEARTBEAT,
                        ping_timeout=HEARTBEAT,
                        close_timeout=1,
                    )
                )
            except InvalidStatus as error:
                raise _NotNow(_words(error.response), _retry_after(error.response)) from None
            yield socket

    async def _greet(self, socket: ClientConnection) -> Welcome:
        await socket.send(MSGPACK.encode(self._receiver.hello()))
        async with asyncio.timeout(HELLO_PATIENCE):
            answer = escaped(MSGPACK.decode_message(await socket.recv()))
        match answer:
            case Welcome():
                return answer
            case messages.Refused(code=code) if code in PASSING:
                raise _NotNow(answer.text, (answer.retry_after or 0) / 1000)
            case messages.Refused():
                raise Refused(answer.code, answer.text, answer.retry_after)
            case _:
                raise _NotNow(f"{answer.type!r} in place of a welcome")

    async def _converse(self, socket: ClientConnection, welcome: Welcome) -> None:
        standing = self._receiver.welcomed(welcome)
        self._socket = socket
        try:
            for command in standing:
                await self.tell(command)
            sent: set[str] = set()
            # Others may ask while this sends; `ready` is set in the very step that finds nothing more to send.
            while unsent := [command for command, _ in self._waiting.values() if command.id not in sent]:
                for command in unsent:
                    sent.add(command.id)
                    await self.tell(command)
            self.ready.set()
            async for raw in socket:
                self.receive(raw)
        finally:
            self._socket = None
            self.ready.clear()

    def receive(self, raw: str | bytes) -> None:
        """Take one frame of the server."""
        try:
            message = escaped(MSGPACK.decode_message(raw))
        except ProtocolError as error:
            log.warning("the server said something that this client does not understand: %s", error.text)
            if error.command_id is not None:
                # Nothing else will come for this id: who asked would wait for ever.
                text = f"the server answers in another version of the protocol: {error.text}"
                self._settle(error.command_id, NotUnderstood(text))
            return
        self._receiver.receive(message)
        if isinstance(message, Answer):
            self._settle(message.id, message)
        elif isinstance(message, messages.Refused):
            # A server that shuts down did nothing, and closes the line: the next one carries the command again.
            if message.code != "shutting_down":
                self._settle(message.id, Refused(message.code, message.text, message.retry_after))
        elif not isinstance(message, Unasked | Welcome):
            assert_never(message)

    def _settle(self, command_id: str | None, answer: ServerMessage | ClientError) -> None:
        _, waiting = self._waiting.get(command_id or "", (None, None))
        if waiting is None or waiting.done():
            return
        if isinstance(answer, ClientError):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)


def _words(response: Response) -> str:
    """Return the first line of an HTTP answer in plain text, or the reason phrase of another."""
    is_plain = any(kind.startswith("text/plain") for kind in response.headers.get_all("Content-Type"))
    lines = bytes(response.body).decode("utf-8", "replace").strip().splitlines() if is_plain else []
    return visible(lines[0] if lines else f"{response.status_code} {response.reason_phrase}")


def _retry_after(response: Response) -> float:
    """Return the seconds of `Retry-After` (RFC 9110, section 10.2.3), 0 where it has none that can be read."""
    given = next(iter(response.headers.get_all("Retry-After")), "")
    if given.isascii() and given.isdigit():
        return float(given)
    # A date counts from the server's own, since the two clocks need not agree.
    dates = response.headers.get_all("Date") or [formatdate(usegmt=True)]
    try:
        return (parsedate_to_datetime(given) - parsedate_to_datetime(dates[0])).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return 0.0
