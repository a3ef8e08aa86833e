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
from websockets.frames import CloseCode
from websockets.http11 import Response
from websockets.typing import Subprotocol

from cornered.clients.sdk.backoff import Backoff
from cornered.clients.sdk.errors import ClientError, Closed, CommandRefused, NotUnderstood, Unavailable, Unreachable
from cornered.clients.sdk.escaping import escaped
from cornered.protocol import messages
from cornered.protocol.codec import MSGPACK, ProtocolError
from cornered.protocol.commands import Command, Hello
from cornered.protocol.messages import Answer, ErrorCode, ServerMessage, Unasked, Welcome
from cornered.protocol.text import visible
from cornered.protocol.values import Value

__all__ = ["Link", "Receiver"]

MAX_UNANSWERED: Final = 64
"""Commands that may wait for their answers at once; the next caller waits."""
MAX_MESSAGE_BYTES: Final = 4 * 2**20
"""Enough for the longest message, the history of a very long match."""
HELLO_TIMEOUT_S: Final = 10.0
"""Time limit of the answer to `hello`."""
PING_INTERVAL_S: Final = 10.0
"""Interval of WebSocket pings, and time limit of a pong."""

MAX_RETRY_AFTER_S: Final = 60.0
"""Upper bound on a server's `retry_after`."""
MAX_REFUSAL_CHARS: Final = 200
"""Characters of a refusal that are logged."""

TRANSIENT_CODES: Final[frozenset[ErrorCode]] = frozenset({"server_full", "shutting_down", "too_fast", "internal"})
"""Refusals of `hello` after which another attempt may succeed."""
CONNECTION_ERRORS: Final = (OSError, TimeoutError, ConnectionClosed, InvalidHandshake, InvalidMessage, EOFError)
"""Errors of a connection after which the link reconnects."""

log = logging.getLogger("cornered.sdk")


class _Spoilt(Exception):
    """A frame holds no message of any version, so others may be lost with it: only a new connection has them all."""


class _RefusedForNow(Exception):
    """The server refused the connection or `hello` for a transient reason; `seconds` is its `retry_after`."""

    def __init__(self, text: str, seconds: float = 0.0) -> None:
        super().__init__(text)
        self.text = text[:MAX_REFUSAL_CHARS]
        self.seconds = min(MAX_RETRY_AFTER_S, max(0.0, seconds))


class Receiver(Protocol):
    """The owner of a link, which gets its messages."""

    def hello(self) -> Hello:
        """Return the first message of every new socket."""

    def welcomed(self, welcome: Welcome) -> list[Command]:
        """Record the welcome; return the commands that restore this connection's state, which are sent first."""

    def receive(self, message: ServerMessage) -> None:
        """Process a message; called for every message, in order."""

    def missed(self, match: str) -> None:
        """An update of this match cannot be decoded: a later server has events that this client does not know."""


class Link:
    """A connection that reconnects when it is lost.

    A command without an answer is sent again on the next connection under the same id, by which the server recognizes
    one that it has carried out, so every command is carried out at most once.
    """

    def __init__(self, url: str, server: str, receiver: Receiver, backoff: Backoff) -> None:
        """`url` is the WebSocket's, and `server` the address that messages show."""
        self._url = url
        self._server = server
        self._receiver = receiver
        self._backoff = backoff
        self._socket: ClientConnection | None = None
        self._pending: dict[str, tuple[Command, asyncio.Future[ServerMessage]]] = {}
        self._slots = asyncio.Semaphore(MAX_UNANSWERED)
        self._prefix = secrets.token_urlsafe(6)
        self._numbers = itertools.count(1)
        self._closed = False
        self._refusal = ""
        """Text of the newest transient refusal; empty after a successful attempt."""
        self.ready = asyncio.Event()
        """Set while a connection is open and welcomed."""

    def new_id(self) -> str:
        """Return a command id that is unique among all programs of this player."""
        return f"{self._prefix}.{next(self._numbers)}"

    @property
    def round_trip(self) -> int:
        """The round-trip time of the newest ping in milliseconds; 0 before the first one."""
        return round(self._socket.latency * 1000) if self._socket is not None else 0

    async def ask(self, command: Command) -> ServerMessage:
        """Send `command`, again after every reconnection, and return its answer.

        Raises CommandRefused, Closed or NotUnderstood, and a ValueError for the id of a pending command.
        """
        async with self._slots:
            if self._closed:
                raise Closed("this client is closed")
            if command.id in self._pending:
                raise ValueError(f"a command with the id {command.id!r} waits for its answer; take one from `new_id`")
            answer: asyncio.Future[ServerMessage] = asyncio.get_running_loop().create_future()
            self._pending[command.id] = (command, answer)
            try:
                if self.ready.is_set():
                    await self.send(command)
                return await answer
            finally:
                del self._pending[command.id]

    def is_asking(self, kind: type[Command]) -> bool:
        """Return whether a command of this kind waits for its answer."""
        return any(type(command) is kind for command, _ in self._pending.values())

    async def send(self, message: Value) -> None:
        """Send `message` if there is a connection; otherwise drop it."""
        if self._socket is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._socket.send(MSGPACK.encode(message))

    async def run(self, patience: float | None) -> None:
        """Stay connected until cancelled. Raises CommandRefused when the server refuses this player for good.

        `patience` is the time limit of the first connection in seconds: after it, Unavailable where the server has
        refused for a transient reason, and Unreachable otherwise.
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
            for _, answer in self._pending.values():
                if not answer.done():
                    answer.set_exception(Closed("the client was closed before the answer came"))

    def _give_up(self) -> NoReturn:
        if self._refusal:
            raise Unavailable(f"{self._server} takes no connections now: {self._refusal}") from None
        raise Unreachable(f"no server answers at {self._server}") from None

    async def _stay_connected(self, first: asyncio.Timeout) -> None:
        waits = self._backoff()
        was_connected = has_logged = False
        while True:
            is_open = False
            retry_after_s = 0.0
            try:
                async with self._connected() as socket:
                    welcome = await self._handshake(socket)
                    self._refusal = ""
                    first.reschedule(None)
                    waits = self._backoff()
                    if was_connected:
                        log.info("back at %s", self._server)
                    was_connected, is_open, has_logged = True, True, False
                    await self._run_session(socket, welcome)
                log.debug("the server closed the line; connecting again")
            except CONNECTION_ERRORS as error:
                log.debug("the line broke: %s", visible(str(error)) or type(error).__name__)
                if not is_open and not has_logged:
                    has_logged = True
                    log.info("no server answers at %s; trying again", self._server)
            except _Spoilt:
                log.info("what comes over this line cannot be read; connecting again")
            except _RefusedForNow as refusal:
                retry_after_s = refusal.seconds
                if self._refusal != refusal.text:
                    log.warning("%s takes no connections now: %s; trying again", self._server, refusal.text)
                self._refusal = refusal.text
            # Jitter is added to the server's `retry_after`, which many clients get at the same time.
            await asyncio.sleep(retry_after_s + next(waits))

    @contextlib.asynccontextmanager
    async def _connected(self) -> AsyncIterator[ClientConnection]:
        """Open a socket. Raises _RefusedForNow where the server answers the upgrade request with an HTTP error."""
        async with contextlib.AsyncExitStack() as stack:
            try:
                socket = await stack.enter_async_context(
                    connect(
                        self._url,
                        subprotocols=[Subprotocol(MSGPACK.subprotocol)],
                        compression=None,
                        max_size=MAX_MESSAGE_BYTES,
                        ping_interval=PING_INTERVAL_S,
                        ping_timeout=PING_INTERVAL_S,
                        close_timeout=1,
                    )
                )
            except InvalidStatus as error:
                raise _RefusedForNow(_refusal_text(error.response), _retry_after(error.response)) from None
            try:
                yield socket
            except asyncio.CancelledError:
                # The client closes, which is no error; the context manager of the socket would send 1011.
                await socket.close(CloseCode.NORMAL_CLOSURE)
                raise

    async def _handshake(self, socket: ClientConnection) -> Welcome:
        await socket.send(MSGPACK.encode(self._receiver.hello()))
        async with asyncio.timeout(HELLO_TIMEOUT_S):
            raw = await socket.recv()
        try:
            answer = escaped(MSGPACK.decode_message(raw))
        except ProtocolError as error:
            raise _RefusedForNow(f"it does not say welcome: {error.text}") from None
        match answer:
            case Welcome():
                return answer
            case messages.Refused(code=code) if code in TRANSIENT_CODES:
                raise _RefusedForNow(answer.text, (answer.retry_after or 0) / 1000)
            case messages.Refused():
                raise CommandRefused(answer.code, answer.text, answer.retry_after)
            case _:
                raise _RefusedForNow(f"{answer.type!r} in place of a welcome")

    async def _run_session(self, socket: ClientConnection, welcome: Welcome) -> None:
        restored = self._receiver.welcomed(welcome)
        self._socket = socket
        try:
            for command in restored:
                await self.send(command)
            sent: set[str] = set()
            # Other tasks may `ask` during these sends; `ready` is set in the same step that finds no unsent command.
            while unsent := [command for command, _ in self._pending.values() if command.id not in sent]:
                for command in unsent:
                    sent.add(command.id)
                    await self.send(command)
            self.ready.set()
            async for raw in socket:
                self.receive(raw)
        finally:
            self._socket = None
            self.ready.clear()

    def receive(self, raw: str | bytes) -> None:
        """Handle one frame of the server. Raises _Spoilt where it holds no message."""
        try:
            message = escaped(MSGPACK.decode_message(raw))
        except ProtocolError as error:
            log.warning("the server said something that this client does not understand: %s", error.text)
            if error.type is None:
                raise _Spoilt from None
            if error.command_id is not None:
                # No other answer will come for this id, so its caller would wait for ever.
                text = f"the server answers in another version of the protocol: {error.text}"
                self._settle(error.command_id, NotUnderstood(text))
            elif error.match is not None:
                self._receiver.missed(error.match)
            return
        self._receiver.receive(message)
        if isinstance(message, Answer):
            self._settle(message.id, message)
        elif isinstance(message, messages.Refused):
            # A server that shuts down has not carried out the command, which is sent again on the next connection.
            if message.code != "shutting_down":
                self._settle(message.id, CommandRefused(message.code, message.text, message.retry_after))
        elif not isinstance(message, Unasked | Welcome):
            assert_never(message)

    def _settle(self, command_id: str | None, answer: ServerMessage | ClientError) -> None:
        _, waiting = self._pending.get(command_id or "", (None, None))
        if waiting is None or waiting.done():
            return
        if isinstance(answer, ClientError):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)


def _refusal_text(response: Response) -> str:
    """Return the first line of a plain-text HTTP answer, or the status and reason phrase of any other."""
    is_plain = any(kind.startswith("text/plain") for kind in response.headers.get_all("Content-Type"))
    lines = bytes(response.body).decode("utf-8", "replace").strip().splitlines() if is_plain else []
    return visible(lines[0] if lines else f"{response.status_code} {response.reason_phrase}")


def _retry_after(response: Response) -> float:
    """Return the seconds of `Retry-After` (RFC 9110, section 10.2.3), 0 where it is missing or invalid."""
    given = next(iter(response.headers.get_all("Retry-After")), "")
    if given.isascii() and given.isdigit():
        return float(given)
    # A date is relative to the server's own `Date`, since the clocks may differ.
    dates = response.headers.get_all("Date") or [formatdate(usegmt=True)]
    try:
        return (parsedate_to_datetime(given) - parsedate_to_datetime(dates[0])).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return 0.0
