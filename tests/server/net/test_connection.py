"""One connection: the cost of its frames, its bounds, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import re
import tracemalloc
import weakref
from collections.abc import AsyncIterator
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import CloseCode
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from cornered.protocol.codec import JSON
from cornered.protocol.commands import AskMyMatches, Hello, Join, Ping, Play, Resign, WatchLobby
from cornered.protocol.messages import Happened, SeatPresence
from cornered.protocol.values import Value
from cornered.server.net.connection import OUTPUT_HIGH_BYTES, OUTPUT_MAX_BYTES, SLICE_BYTES, Connection, Handler
from cornered.server.net.responses import plain
from cornered.server.runtime.token_bucket import TokenBucket
from tests.server.conftest import Client, Pair, Running, Start
from tests.virtual_time import after
from tests.waiting import until

pytestmark = pytest.mark.virtual_time

UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: cornered.v1.json\r\n\r\n"
)
PING = b"\x89\x80\0\0\0\0"
CLOSE = b"\x88\x80\0\0\0\0"
BAD_OPCODE = b"\x83\x80\0\0\0\0"


def masked(message: Value) -> bytes:
    """Return a message as a client's frame, masked with zeros."""
    raw = JSON.encode(message)
    length = bytes((0x80 | len(raw),)) if len(raw) < 126 else b"\xfe" + len(raw).to_bytes(2, "big")
    return b"\x81" + length + bytes(4) + raw


@contextlib.asynccontextmanager
async def raw_client(
    running: Running, *messages: Value, until: bytes = b'"scopes":["play","bot","read"]}'
) -> AsyncIterator[Any]:
    """Open a WebSocket by hand, send hello and `messages`, and read up to `until`."""
    host, port = running.address.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(UPGRADE + masked(Hello(name="Eve")) + b"".join(map(masked, messages)))
    await asyncio.wait_for(reader.readuntil(until), 30)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def gauge(running: Running, name: str) -> float:
    lines = (await running.fetch("/metrics")).body.splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(f"cornered_{name} ")))


async def test_a_bad_frame_of_a_watcher_that_keeps_its_connection_open_harms_no_match(
    running: Running, pair: Pair
) -> None:
    async with (
        running.client("Ann") as ann,
        running.client("Ben") as ben,
        running.client("Cas") as cas,
    ):
        match = await pair(ann, ben)
        await cas.join(match)
        async with raw_client(running, Join(id="j", match=match), until=b'"snapshot"') as (_, writer):
            writer.write(BAD_OPCODE)
            await after(0.05)
            played = await ann.do(Play, match=match, ply=0, move="a2")
            for one in (ann, ben, cas):
                assert played.seq in [event.seq for event in (await one.hear(Happened)).events]
            await ben.do(Resign, match=match)
            mine = await ann.ask(AskMyMatches)
            assert (mine.live, len(mine.finished)) == ((), 1)
            lobby = await cas.ask(WatchLobby)
            assert {one.player.name: one.playing for one in lobby.players if one.player.name != "Eve"} == {
                "Ann": 0,
                "Ben": 0,
                "Cas": 0,
            }


async def test_a_flood_of_pings_costs_tokens_and_ends_the_socket(start: Start) -> None:
    async with start(message_rate=1, message_burst=50) as running, raw_client(running) as (reader, writer):
        writer.write(PING * 40)
        assert (await reader.readexactly(80)).count(b"\x8a\x00") == 40
        writer.write(PING * 100_000)
        with contextlib.suppress(ConnectionResetError):
            rest = await asyncio.wait_for(reader.read(), 10)
            assert rest.count(b"\x8a\x00") <= 61 + SLICE_BYTES // len(PING)
            assert b"too fast" in rest


async def test_owed_pongs_are_bounded_like_any_other_output(start: Start) -> None:
    payload = b"\x89\xfd" + bytes(4) + b"p" * 125
    who = ("message", "address", "server")
    generous = dict.fromkeys((f"{one}_{what}" for one in who for what in ("rate", "burst")), 1e9) | {"ping_seconds": 4}
    async with start(**generous) as running, raw_client(running) as (_, writer):
        # Nothing is read from here on: the server stops reading, so this side cannot write either.
        with contextlib.suppress(ConnectionResetError):
            writer.transport.pause_reading()
            for _ in range(200):
                writer.write(payload * 1_000)
            for _ in range(600):
                if writer.transport.is_closing():
                    break
                unread = writer.transport.get_write_buffer_size()
                await after(0.05)
            else:
                pytest.fail("the socket is still open")
        # Most of the flood stays on this side, because the server stopped reading it.
        assert unread > 100 * len(payload) * 1_000


async def test_connections_that_say_nothing_count_and_end(start: Start) -> None:
    async with start(max_per_address=3, hello_seconds=0.3) as running:
        host, port = running.address.removeprefix("http://").split(":")
        silent = [await asyncio.open_connection(host, int(port)) for _ in range(3)]
        silent[0][1].write(b"GET / HT")
        refused = await running.fetch("/health")
        assert (refused.status, "too many connections" in refused.body) == (429, True)
        for reader, writer in silent:
            with contextlib.suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), 10) == b""
            writer.close()
        assert (await running.fetch("/health")).status == 200


async def test_new_connections_of_one_address_are_limited(start: Start) -> None:
    async with start(arrival_rate=0.001, arrival_burst=2) as running:
        assert [(await running.fetch("/health")).status for _ in range(3)] == [200, 200, 429]


async def has_its_share(running: Running, ann: Client) -> None:
    """Check that a client and a newcomer of a flooded address are served."""
    async with asyncio.timeout(60):
        answers = [(await ann.ask(Ping)).type for _ in range(20)]
        async with running.client("Ben") as newcomer:
            assert newcomer.welcome.player.name == "Ben"
    assert answers == ["pong"] * 20


async def test_a_flood_of_one_player_leaves_its_neighbours_their_share(start: Start) -> None:
    limits = {"address_rate": 100, "address_burst": 10, "message_rate": 1e9, "message_burst": 1e9}
    async with start(**limits) as running, running.client("Ann") as ann, raw_client(running) as (_, writer):
        writer.write(b"".join(masked(WatchLobby(id=f"f{number}")) for number in range(500)))
        await has_its_share(running, ann)


WASTE = {
    "pings": PING,
    "stray pongs": b"\x8a\x80\0\0\0\0" + PING,
    "malformed": b"\x81\x81\0\0\0\0x",
    "second hello": masked(Hello()),
}


@pytest.mark.parametrize("waste", WASTE)
async def test_what_changes_nothing_is_charged_to_the_address_too(start: Start, waste: str) -> None:
    limits = {"address_rate": 100, "address_burst": 50, "message_rate": 1e9, "message_burst": 1e9}
    async with start(**limits) as running, running.client("Ann") as ann, raw_client(running) as (reader, writer):
        writer.write(WASTE[waste] * 1_000)
        await has_its_share(running, ann)
        said = await reader.read(1 << 20)
        # A slice, an address's burst, and its rate over these seconds.
        assert 0 < said.count(b"\x8a\x00") + said.count(b'"refused"') < 700


async def test_a_ping_of_its_own_holds_no_move_up_where_the_address_has_no_tokens(start: Start, pair: Pair) -> None:
    limits = {"address_rate": 0.001, "address_burst": 200, "message_rate": 1e9, "message_burst": 1e9}
    async with start(**limits) as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        async with raw_client(running) as (reader, writer):
            writer.write(PING * 1_000)
            await reader.readexactly(2 * 100)
            async with asyncio.timeout(60):
                await (await ann.socket.ping())
                await ann.do(Play, match=match, ply=0, move="a2")


async def test_many_connections_that_are_lost_at_once_free_everything(start: Start, pair: Pair) -> None:
    async with start() as running, running.client("Ann") as ann, running.client("Ben") as ben:
        match = await pair(ann, ben)
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(100):
                await stack.enter_async_context(raw_client(running, Join(id="j", match=match), until=b'"snapshot"'))
            assert await gauge(running, "players") == 102
        async with asyncio.timeout(60):
            while await gauge(running, "players") > 2:
                pass
        # The connection of the request counts too.
        assert await gauge(running, "sockets") == 3
        await ann.do(Play, match=match, ply=0, move="a2")
        assert not [one for one in ben.heard if isinstance(one, SeatPresence)]


async def test_a_full_server_says_so(start: Start) -> None:
    async with start(max_connections=1) as running, running.client("Ann"):
        with pytest.raises(InvalidStatus, match="503"):
            async with running.socket():
                pass
        assert (await running.fetch("/")).status == 503


def undated(answer: bytes) -> bytes:
    """Return an HTTP answer without the second in which it was made."""
    return re.sub(rb"Date: [^\r]*", b"", answer)


async def test_a_request_is_answered_whatever_follows_it_at_once(running: Running) -> None:
    for path in ("/health", "/nowhere", "/.."):
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        answer = undated(await running.send_raw(request))
        for more in (b"\r\n", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", PING, CLOSE, BAD_OPCODE, b"\x81"):
            assert undated(await running.send_raw(request + more)) == answer, (path, more)


async def test_text_that_is_not_utf8_ends_the_socket(running: Running) -> None:
    async with running.client("Eve") as eve:
        await eve.socket.send(b"\xff\xfe", text=True)
        with pytest.raises(ConnectionClosed) as closed:
            await eve.listen()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == CloseCode.INVALID_DATA


class Book:
    """An acceptor that records its calls."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.handler = Deaf()

    def arrived(self, connection: Connection) -> None:
        self.told.append("arrived")

    def requested(self, connection: Connection, request: Request) -> None:
        connection.accept(request, lambda: self.handler)

    def unreadable(self, connection: Connection, head: bytes) -> Response:
        return plain(400, "no")

    def ended(self, handler: Handler) -> None:
        self.told.append("ended")

    def dropped(self) -> None:
        self.told.append("dropped")

    def departed(self, connection: Connection) -> None:
        self.told.append("departed")


class Deaf:
    """A handler that keeps what it receives."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.plays = False

    def receive(self, payload: bytes, *, is_text: bool) -> None:
        self.received.append(payload)

    def owe(self, cost: float) -> None: ...

    def end(self) -> None: ...

    def fell_behind(self) -> None: ...

    def caught_up(self) -> None: ...

    def has_message(self) -> bool:
        return False

    def is_awaited(self) -> bool:
        return self.plays


class Broken(asyncio.Transport):
    """A transport that breaks on demand, and raises as uvloop's does."""

    def __init__(self) -> None:
        super().__init__()
        self.is_broken = False
        self.is_aborted = False
        self.waiting = 0

    def write(self, data: Any) -> None:
        if self.is_broken:
            raise RuntimeError("unable to perform operation on a closed transport; the handler is closed")

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        assert high == OUTPUT_HIGH_BYTES

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def is_closing(self) -> bool:
        return self.is_aborted

    def can_write_eof(self) -> bool:
        return False

    def abort(self) -> None:
        self.is_aborted = True


def deliver(connection: Connection, data: bytes) -> None:
    """Deliver received data at once."""
    connection.get_buffer(len(data))[: len(data)] = data
    connection.buffer_updated(len(data))


@pytest.fixture
async def opened() -> AsyncIterator[tuple[Connection, Broken, Book]]:
    """A connection whose handshake is done, on a transport that can break."""
    buffer = memoryview(bytearray(SLICE_BYTES))
    book, transport = Book(), Broken()
    bucket = TokenBucket(1, 1_000, asyncio.get_running_loop().time())
    connection = Connection(book, buffer, bucket, hello_seconds=60, ping_seconds=60, playing_ping_seconds=60)
    connection.connection_made(transport)
    deliver(connection, UPGRADE)
    assert connection.is_open
    yield connection, transport, book
    connection.connection_lost(None)


class Ponging(Broken):
    """A transport whose far end answers every ping, and notes when it came."""

    def __init__(self) -> None:
        super().__init__()
        self.connection: Connection | None = None
        self.pinged: list[float] = []

    def write(self, data: Any) -> None:
        if self.connection is not None and data[:2] == b"\x89\x04":
            loop = asyncio.get_running_loop()
            self.pinged.append(round(loop.time()))
            loop.call_soon(deliver, self.connection, b"\x8a\x84\0\0\0\0" + data[2:])


@pytest.mark.virtual_time
async def test_only_a_client_that_is_awaited_is_pinged_sooner() -> None:
    book, transport = Book(), Ponging()
    loop = asyncio.get_running_loop()
    bucket = TokenBucket(1, 1_000, loop.time())
    buffer = memoryview(bytearray(SLICE_BYTES))
    connection = Connection(book, buffer, bucket, hello_seconds=60, ping_seconds=20, playing_ping_seconds=4)
    connection.connection_made(transport)
    deliver(connection, UPGRADE)
    transport.connection = connection
    began = round(loop.time())
    connection.greeted()
    await after(45)
    book.handler.plays = True
    connection.await_closely()
    await after(13)
    book.handler.plays = False
    await after(42)
    assert [at - began for at in transport.pinged] == [0, 20, 40, 49, 53, 57, 61, 81]
    connection.connection_lost(None)


async def test_a_write_to_a_broken_transport_never_raises_and_ends_the_session_once(
    opened: tuple[Connection, Broken, Book],
) -> None:
    connection, transport, book = opened
    transport.is_broken = True
    for _ in range(3):
        connection.write(b"\x81\x00")
    assert transport.is_aborted
    assert book.told == ["arrived", "ended"]
    connection.fail(CloseCode.INTERNAL_ERROR)
    connection.abort()
    assert book.told == ["arrived", "ended"]


async def test_a_client_whose_output_grows_beyond_the_bound_is_cut_off(opened: tuple[Connection, Broken, Book]) -> None:
    connection, transport, book = opened
    connection.pause_writing()
    transport.waiting = OUTPUT_MAX_BYTES
    connection.write(b"\x81\x00")
    assert not transport.is_aborted
    transport.waiting += 1
    connection.write(b"\x81\x00")
    assert transport.is_aborted
    assert book.told == ["arrived", "dropped", "ended"]


async def test_a_client_that_closed_before_its_hello_was_answered_is_cut_off_all_the_same(
    opened: tuple[Connection, Broken, Book], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cornered.server.net.connection.CLOSE_SECONDS", 0.0)
    connection, transport, _ = opened
    deliver(connection, CLOSE)
    assert not connection.is_open
    connection.greeted()
    await after(0.01)
    assert transport.is_aborted


async def test_empty_fragments_take_no_memory(opened: tuple[Connection, Broken, Book]) -> None:
    connection, _, book = opened
    tracemalloc.start()
    try:
        deliver(connection, b"\x01\x81\0\0\0\0a")
        before, _ = tracemalloc.get_traced_memory()
        for _ in range(900):
            deliver(connection, b"\x00\x80\0\0\0\0")
        assert tracemalloc.get_traced_memory()[0] - before < 2_000
    finally:
        tracemalloc.stop()
    deliver(connection, b"\x80\x81\0\0\0\0b")
    assert book.handler.received == [b"ab"]


async def test_a_connection_that_is_over_is_gone_at_once(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that only the garbage collector frees stays occupied until then."""
    protocols: list[weakref.ref[ServerProtocol]] = []

    class Noted(ServerProtocol):
        def __init__(self, *given: Any, **more: Any) -> None:
            super().__init__(*given, **more)
            protocols.append(weakref.ref(self))

    monkeypatch.setattr("cornered.server.net.connection.ServerProtocol", Noted)
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        for ending in (CLOSE, b""):
            async with raw_client(running) as (_, writer):
                assert protocols[-1]() is not None
                writer.write(ending)
                writer.close()
                await until(lambda: not any(one() for one in protocols))
    finally:
        if was_enabled:
            gc.enable()
