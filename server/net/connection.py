"""One TCP connection: an HTTP request, then WebSocket frames, on the Sans-I/O layer of `websockets`.

The resources of a client are bounded. A connection is read at most `SLICE_BYTES` a turn of the event loop. Every
frame that carries no whole message costs a token. Reading stops while output waits to be read and while the session's
inbox is full; what comes while an HTTP answer is made is dropped. A write after the end does nothing, and
`connection_lost` always frees what the connection held.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from http import HTTPStatus
from typing import Final, Literal, Protocol, cast

import structlog
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import SEND_EOF, State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from cornered.protocol.codec import CODECS, MAX_FRAME
from cornered.server.log import WEBSOCKETS
from cornered.server.runtime.token_bucket import TokenBucket

__all__ = ["CLOSE_SECONDS", "HOLD_INBOX", "SLICE_BYTES", "Acceptor", "Connection", "Handler"]

SLICE_BYTES: Final = 2_048
"""Bytes that one connection may deliver in one turn of the loop: at most 340 of the smallest frames, about 3 ms."""
OUTPUT_HIGH_BYTES: Final = 1 << 16
"""Bytes in a transport's buffer from which on the client counts as behind, and is not read."""
OUTPUT_MAX_BYTES: Final = 1 << 20
"""Bytes that may wait for one client. More means that it reads too slowly to play."""
REQUEST_MAX_BYTES: Final = 16_384
HEAD_BYTES: Final = 256
"""Bytes of a request that are kept to answer one that cannot be parsed."""
CLOSE_SECONDS: Final = 2.0
"""Seconds that a client may take to close its side after the server closed its own."""
DISCARD_MAX_BYTES: Final = 1 << 16
"""Bytes that are read and dropped meanwhile, so that the client can read the close frame before a reset, and while an
HTTP answer is made, so that a client that closes is noticed."""

HOLD_TURN: Final = 1
HOLD_OUTPUT: Final = 2
HOLD_INBOX: Final = 4
"""Reasons for not reading, as bits."""

_SUBPROTOCOLS: Final = [Subprotocol(name) for name in CODECS]

log = structlog.get_logger("connection")
MAX_REASON_BYTES: Final = 123
"""Bytes of the reason in a close frame; what is longer is cut."""


class Handler(Protocol):
    """The consumer of an open WebSocket's messages: a session."""

    def receive(self, payload: bytes, *, is_text: bool) -> None:
        """Take one whole message."""

    def owe(self, cost: float) -> None:
        """Charge the client's address for what was done already, in tokens."""

    def end(self) -> None:
        """Forget the connection. Called once, in a turn of the loop of its own."""

    def fell_behind(self) -> None:
        """The client reads more slowly than it is written to."""

    def caught_up(self) -> None:
        """The client reads again."""

    def has_message(self) -> bool:
        """Whether a message waits for its turn, or is being carried out."""

    def is_awaited(self) -> bool:
        """Whether an opponent waits for this client, so that a lost network has to show soon."""


class Acceptor(Protocol):
    """The owner of connections: the gateway."""

    def arrived(self, connection: Connection) -> None:
        """A connection is established; nothing was read from it yet."""

    def requested(self, connection: Connection, request: Request) -> None:
        """Answer a request: by `accept` or `respond`, now or later."""

    def unreadable(self, connection: Connection, head: bytes) -> Response:
        """Return the answer to a request that cannot be parsed and begins with `head`."""

    def ended(self, handler: Handler) -> None:
        """A WebSocket is over: call `handler.end` soon."""

    def dropped(self) -> None:
        """A client is disconnected because it reads too slowly."""

    def departed(self, connection: Connection) -> None:
        """The TCP connection is gone."""


class Connection(asyncio.BufferedProtocol):
    """One client's TCP connection. `remote` is its IP address as the socket shows it."""

    __slots__ = (
        "_acceptor",
        "_buffer",
        "_discarded",
        "_drained",
        "_fragments",
        "_frames",
        "_handler",
        "_head",
        "_hello_seconds",
        "_holds",
        "_is_answering",
        "_is_awaited",
        "_is_dropped",
        "_is_ending",
        "_is_text",
        "_loop",
        "_ping_number",
        "_ping_seconds",
        "_ping_sent",
        "_playing_ping_seconds",
        "_protocol",
        "_received",
        "_stall_timer",
        "_timer",
        "_transport",
        "is_behind",
        "is_open",
        "key",
        "latency",
        "remote",
    )

    def __init__(
        self,
        acceptor: Acceptor,
        buffer: memoryview,
        frames: TokenBucket,
        *,
        hello_seconds: float,
        ping_seconds: float,
        playing_ping_seconds: float,
    ) -> None:
        """`buffer` has `SLICE_BYTES` and is shared: its contents are copied before the callback returns."""
        self._acceptor = acceptor
        self._buffer = buffer
        self._frames = frames
        self._hello_seconds = hello_seconds
        self._ping_seconds = ping_seconds
        self._playing_ping_seconds = playing_ping_seconds
        self._loop = asyncio.get_running_loop()
        self._protocol = ServerProtocol(
            subprotocols=_SUBPROTOCOLS,
            # More than a message may have: what is slightly too large is refused with a message, not by closing.
            max_size=2 * MAX_FRAME,
            logger=WEBSOCKETS,
        )
        self._transport: asyncio.Transport | None = None
        self._handler: Handler | None = None
        # The HOLD_ bits that are set; reading is paused while there is one.
        self._holds = 0
        # Bytes of the request so far, and the first of them; unused once the WebSocket is open.
        self._received = 0
        self._head = b""
        # While a fragmented message is being received: its payload so far, and whether it is text.
        self._fragments: bytearray | None = None
        self._is_text = False
        # Couples `_take` with `accept` and `respond`: True from an HTTP request until it is answered.
        self._is_answering = False
        # True once this side is closed: what still arrives is discarded, counted by `_discarded`.
        self._is_ending = False
        self._discarded = 0
        # The payload of the newest ping, and when it was sent; None once its pong came.
        self._ping_number = 0
        self._ping_sent: float | None = None
        # True while the handler is asked at each ping whether the next one is due sooner.
        self._is_awaited = False
        # True once the client is dropped, which has no close frame.
        self._is_dropped = False
        # Runs while the transport's buffer is above its high mark: the client is dropped at its end.
        self._stall_timer: asyncio.TimerHandle | None = None
        # What `add` waits for while the client is behind.
        self._drained = asyncio.Event()
        # One timer for the one thing that is due next: the handshake and hello, a ping, or the end.
        self._timer = self._loop.call_later(hello_seconds, self._hello_is_overdue)
        self.remote = ""
        self.key = ""
        """Names the client's address in rate limits; the acceptor sets it."""
        self.is_open = False
        """Whether messages can be written."""
        self.is_behind = False
        """Whether the client reads more slowly than it is written to."""
        self.latency = 0.0
        """The newest measured round trip in seconds; 0 before the first."""

    @property
    def id(self) -> str:
        """A name for the log."""
        return self._protocol.id.hex[:12]

    @property
    def subprotocol(self) -> str:
        """The name of the codec that the handshake agreed on."""
        return str(self._protocol.subprotocol)

    @property
    def farewell(self) -> tuple[int, str, Literal["server", "program"] | None]:
        """The code and reason of the close frame that ended the WebSocket, and which side sent it first.

        1006 where there was none.
        """
        sent, received = self._protocol.close_sent, self._protocol.close_rcvd
        if received is not None and (sent is None or self._protocol.close_rcvd_then_sent):
            return int(received.code), received.reason, "program"
        if sent is not None:
            return int(sent.code), sent.reason, "server"
        return int(CloseCode.ABNORMAL_CLOSURE), "reads too slowly" if self._is_dropped else "", None

    @property
    def handshake_error(self) -> BaseException | None:
        """Why the request could not be read; None while it can, and where it is merely too long."""
        return self._protocol.handshake_exc

    # asyncio.BufferedProtocol, called by the transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=OUTPUT_HIGH_BYTES)
        remote = self._transport.get_extra_info("peername")
        self.remote = str(remote[0]) if remote else ""
        self._acceptor.arrived(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._is_ending or self._is_answering:
            self._discarded += nbytes
            if self._discarded > DISCARD_MAX_BYTES:
                self.abort()
            return
        if nbytes == SLICE_BYTES and not self._holds & HOLD_TURN:
            # More may have arrived already. The other connections are read first.
            self.hold(HOLD_TURN)
            self._loop.call_soon(self.release, HOLD_TURN)
        try:
            self._take(bytes(self._buffer[:nbytes]))
        except Exception:
            # A defect in one connection must not reach the others.
            log.exception("a connection failed", session=self.id)
            self.fail(CloseCode.INTERNAL_ERROR)

    def eof_received(self) -> bool:
        if self._is_answering:
            # The transport stays open for an answer that is made in this turn; one that must wait is dropped.
            self._loop.call_soon(self._abort_unanswered)
            return True
        self._protocol.receive_eof()
        self._flush()
        return False

    def pause_writing(self) -> None:
        self.is_behind = True
        self._drained.clear()
        self.hold(HOLD_OUTPUT)
        if not self._is_ending:
            self._stall_timer = self._loop.call_later(self._ping_seconds, self._drop)
        if self._handler is not None:
            self._handler.fell_behind()

    def resume_writing(self) -> None:
        self.is_behind = False
        self._drained.set()
        self._cancel_stall()
        self.release(HOLD_OUTPUT)
        if self._handler is not None:
            self._handler.caught_up()

    def connection_lost(self, exc: Exception | None) -> None:
        try:
            self._timer.cancel()
            self._cancel_stall()
            self._detach()
            self._is_ending = True
            # The library's parser and its exception hold the protocol: in a circle it would stay for a while.
            self._protocol.parser.close()
            self._protocol.parser_exc = None
        finally:
            self._transport = None
            self._drained.set()
            self._acceptor.departed(self)

    # Reading

    def hold(self, reason: int) -> None:
        """Stop reading for one more reason."""
        if not self._holds and self._transport is not None and not self._transport.is_closing():
            self._transport.pause_reading()
        self._holds |= reason

    def release(self, reason: int) -> None:
        """Take one reason away, and read again when none is left."""
        if not self._holds & reason:
            return
        self._holds &= ~reason
        if not self._holds and self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def _take(self, data: bytes) -> None:
        protocol = self._protocol
        if protocol.state is State.CONNECTING:
            self._received += len(data)
            if len(self._head) < HEAD_BYTES:
                self._head += data[:HEAD_BYTES]
            if self._received > REQUEST_MAX_BYTES:
                return self.respond(self._acceptor.unreadable(self, self._head))
        was_open = self.is_open
        protocol.receive_data(data)
        while events := protocol.events_received():
            for event in events:
                if isinstance(event, Frame):
                    self._take_frame(event)
                elif isinstance(event, Request):
                    self._is_answering = True
                    self._acceptor.requested(self, event)
                if self._is_ending:
                    return None
            if was_open or not self.is_open or not protocol.reader.buffer:
                break
            # What came with the handshake was not parsed yet.
            protocol.receive_data(b"")
        if not self._is_answering:
            self._flush()
        return None

    def _take_frame(self, frame: Frame) -> None:
        data, opcode = bytes(frame.data), frame.opcode
        # Whole messages come first: all the others are rare from an honest client, and cost it a token each.
        if frame.fin and (opcode is Opcode.TEXT or opcode is Opcode.BINARY):
            self._deliver(data, is_text=opcode is Opcode.TEXT)
            return
        match opcode:
            case Opcode.TEXT | Opcode.BINARY:
                self._charge()
                self._fragments, self._is_text = bytearray(data), opcode is Opcode.TEXT
            case Opcode.CONT if self._fragments is not None:
                self._charge()
                self._fragments += data
                if frame.fin:
                    whole, self._fragments = bytes(self._fragments), None
                    self._deliver(whole, is_text=self._is_text)
            case Opcode.PONG if self._ping_sent is not None and data == self._ping_payload():
                self.latency = self._loop.time() - self._ping_sent
                self._ping_sent = None
            case Opcode.CLOSE:
                pass
            case _:
                self._charge()

    def _deliver(self, payload: bytes, *, is_text: bool) -> None:
        if is_text:
            try:
                payload.decode()
            except UnicodeDecodeError:
                self.fail(CloseCode.INVALID_DATA, "text must be UTF-8")
                return
        if self._handler is not None and self.is_open:
            self._handler.receive(payload, is_text=is_text)

    def _charge(self) -> None:
        self._frames.spend(self._loop.time())
        if self._frames.is_hostile:
            self.fail(CloseCode.POLICY_VIOLATION, "too fast")
        else:
            self.owe(1.0)

    def owe(self, cost: float) -> None:
        """Charge the client's address for what was done already, in tokens."""
        if self._handler is not None:
            self._handler.owe(cost)

    # Writing

    def write(self, framed: bytes) -> None:
        """Write one frame that is ready for the wire. After the end this does nothing; it never raises."""
        if not self.is_open or self._transport is None:
            return
        try:
            self._transport.write(framed)
            if self.is_behind and self._transport.get_write_buffer_size() > OUTPUT_MAX_BYTES:
                self._drop()
        except Exception:
            # A broken transport raises here before it calls `connection_lost`.
            self.abort()

    def accept(self, request: Request, make_handler: Callable[[], Handler]) -> None:
        """Open the WebSocket with its handler; an invalid handshake gets an HTTP error."""
        response = self._protocol.accept(request)
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            self.respond(response)
            return
        self._protocol.send_response(response)
        self._head = b""
        self._handler = make_handler()
        self.is_open = True
        self._is_answering = False
        self._flush()

    def respond(self, response: Response) -> None:
        """Send an HTTP answer, and close."""
        if self._transport is None or self._is_ending:
            return
        # What came with the request was parsed as frames; the protocol's output for those is no part of the answer.
        self._protocol.data_to_send()
        if not self._protocol.eof_sent:
            self._protocol.send_response(response)
            self._flush()
        else:
            # The parser failed and closed its side: the answer does not pass through it any more.
            self._send(response.serialize())
            self._linger()

    def begin(self, head: Response) -> None:
        """Send the head of an HTTP answer whose body follows by `add` and ends with `finish`.

        A client that reads nothing for `ping_seconds` is disconnected, as one of a WebSocket is.
        """
        if self._transport is not None and not self._is_ending:
            self._timer.cancel()
            self._protocol.data_to_send()
            self._send(head.serialize())

    async def add(self, part: bytes) -> bool:
        """Send a part of a body once the client has read enough of those before; return False when it is gone."""
        while self.is_behind and self._transport is not None:
            await self._drained.wait()
        if self._transport is None or self._is_ending:
            return False
        self._send(part)
        return True

    def finish(self) -> None:
        """Close this side behind the last part of a body."""
        if self._transport is not None and not self._is_ending:
            self._linger()

    def greeted(self) -> None:
        """The client has said hello: from now on it is pinged, and the first pong measures its round trip."""
        if self.is_open:
            self._timer.cancel()
            self._ping()

    def await_closely(self) -> None:
        """Ping sooner from now on, while the handler is awaited. Between games a client costs what an idle one does."""
        if self.is_open and not self._is_awaited:
            self._is_awaited = True
            self._timer.cancel()
            self._timer = self._loop.call_later(self._playing_ping_seconds, self._ping)

    def fail(self, code: CloseCode, reason: str = "") -> None:
        """End the WebSocket with a close frame, and the TCP connection soon after."""
        if not self._is_ending:
            if self._protocol.state is State.CONNECTING:
                self.abort()
                return
            # A control frame has at most 125 bytes, two of which are the code.
            self._protocol.fail(code, reason.encode()[:MAX_REASON_BYTES].decode(errors="ignore"))
            self._flush()

    def abort(self) -> None:
        """Abort the connection: what the client has not read is lost."""
        self._detach()
        self._is_ending = True
        if self._transport is not None:
            self._transport.abort()

    def _abort_unanswered(self) -> None:
        if self._is_answering:
            self.abort()

    def _drop(self) -> None:
        """Disconnect a client that reads too slowly."""
        self._is_dropped = True
        self._acceptor.dropped()
        self.abort()

    def _flush(self) -> None:
        """Write the protocol's output, and close this side where it does."""
        writes = self._protocol.data_to_send()
        if not writes:
            if self._protocol.state is not State.OPEN and self.is_open:
                self._detach()
            return None
        owes_eof = SEND_EOF in writes
        if owes_eof and self._protocol.handshake_exc is not None and not self._protocol.accept_called:
            # The parser failed. Its own answer, if there is one, is replaced.
            return self.respond(self._acceptor.unreadable(self, self._head))
        self._send(b"".join(writes))
        if self._protocol.state is not State.OPEN:
            self._detach()
        if owes_eof and not self._is_ending:
            self._linger()
        return None

    def _send(self, data: bytes) -> None:
        if data and self._transport is not None and not self._transport.is_closing():
            try:
                self._transport.write(data)
            except Exception:
                self.abort()

    def _detach(self) -> None:
        """Stop receiving and writing messages, and have the session ended."""
        self.is_open = False
        handler, self._handler = self._handler, None
        if handler is not None:
            self._acceptor.ended(handler)

    def _linger(self) -> None:
        """Close this side, and discard input until the client closes its own."""
        self._is_ending = True
        self._is_answering = False
        self._cancel_stall()
        if self._transport is None or self._transport.is_closing():
            return
        try:
            if self._transport.can_write_eof():
                self._transport.write_eof()
        except Exception:
            self.abort()
            return
        self._timer.cancel()
        self._timer = self._loop.call_later(CLOSE_SECONDS, self._end_linger, self._transport.get_write_buffer_size())
        self.release(self._holds)

    def _end_linger(self, unread_before: int) -> None:
        """Abort, unless the client is still reading a long answer."""
        unread = 0 if self._transport is None else self._transport.get_write_buffer_size()
        if 0 < unread < unread_before:
            self._timer = self._loop.call_later(CLOSE_SECONDS, self._end_linger, unread)
        else:
            self.abort()

    def _cancel_stall(self) -> None:
        if self._stall_timer is not None:
            self._stall_timer.cancel()
            self._stall_timer = None

    # Time

    def _hello_is_overdue(self) -> None:
        if self._handler is not None and self._handler.has_message():
            # It waits for its turn here: that is no silence of the client's.
            self._timer = self._loop.call_later(self._hello_seconds, self._hello_is_overdue)
        elif self.is_open:
            self.fail(CloseCode.POLICY_VIOLATION, "no hello")
        elif self._is_answering:
            # The request is complete, and the server is still making its answer.
            self._timer = self._loop.call_later(self._ping_seconds, self.abort)
        else:
            self.abort()

    def _ping_payload(self) -> bytes:
        return self._ping_number.to_bytes(4, "big")

    def _ping(self) -> None:
        """Send a ping; where the previous one has no pong, fail the connection."""
        if not self.is_open:
            return
        # While the client is not read its pong cannot be either; the stall timer and the inbox bound that.
        if self._ping_sent is not None and not self._holds & (HOLD_INBOX | HOLD_OUTPUT):
            self.fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")
            return
        self._ping_number = (self._ping_number + 1) & 0xFFFF_FFFF
        self._ping_sent = self._loop.time()
        self._protocol.send_ping(self._ping_payload())
        self._flush()
        self._is_awaited = self._is_awaited and self._handler is not None and self._handler.is_awaited()
        interval = self._playing_ping_seconds if self._is_awaited else self._ping_seconds
        self._timer = self._loop.call_later(interval, self._ping)
