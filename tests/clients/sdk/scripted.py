"""A server that follows a test's scripts, one for each connection, in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import msgpack
from websockets.asyncio.server import ServerConnection, serve
from websockets.typing import Subprotocol

from cornered import engine
from cornered.clients.sdk import Client
from cornered.protocol.codec import MSGPACK
from cornered.protocol.commands import ClientMessage, Command, Hello, Join, Ping
from cornered.protocol.events import Played
from cornered.protocol.messages import Acknowledged, ErrorCode, Happened, Pong, Refused, Snapshot, Welcome
from cornered.protocol.values import Clocks, Player, Value
from tests.clients.snapshots import beginning

T = TypeVar("T", bound=ClientMessage)

TOKEN = "a-token-of-twenty-characters"
ANN = Player(id="ann", name="Ann", kind="person")
BOB = Player(id="bob", name="Bob", kind="bot")
CLOCKS = Clocks(left=(None, None), running=None, at=1)


@dataclass
class Wire:
    """The server's end of one connection."""

    socket: ServerConnection
    heard: list[ClientMessage] = field(default_factory=list)

    async def hear(self, kind: type[T]) -> T:
        """Receive the next message, which has to be of this kind."""
        message = MSGPACK.decode_command(await self.socket.recv())
        self.heard.append(message)
        assert isinstance(message, kind), message
        return message

    async def say(self, *news: Value) -> None:
        for message in news:
            await self.socket.send(MSGPACK.encode(message))

    async def welcome(self, *matches: str, token: str | None = None) -> Hello:
        hello = await self.hear(Hello)
        await self.say(Welcome(player=ANN, token=token, server="0", now=1_000_000, matches=matches))
        return hello

    async def join(self, *, seat: int | None = 0, seq: int = 1, **told: object) -> Join:
        """Answer the next command, which has to join the match of `snapshot`."""
        join = await self.hear(Join)
        await self.say(snapshot(join.id, seat=seat, seq=seq).model_copy(update=told))
        return join

    async def pong(self) -> None:
        await self.say(Pong(id=(await self.hear(Ping)).id, sent=0, now=1_000_000))

    async def refuse(
        self, command: Command | None, code: ErrorCode, text: str = "later", *, retry_after: int | None = None
    ) -> None:
        """Refuse a command, or without one the connection."""
        await self.say(
            Refused(id=None if command is None else command.id, code=code, text=text, retry_after=retry_after)
        )

    async def acknowledge(self, command: Command, seq: int | None = None, ref: str | None = None) -> None:
        await self.say(Acknowledged(id=command.id, seq=seq, ref=ref))

    async def answer_in_a_later_version(self, command: Command) -> None:
        """Answer with a message class that this version does not have."""
        await self.socket.send(msgpack.packb({"type": "a_later_answer", "id": command.id}))

    async def stay(self) -> None:
        """Keep the connection open until the client closes it."""
        await self.socket.wait_closed()

    def cut(self) -> None:
        """Drop the connection without a close frame, as a broken cable does."""
        self.socket.transport.abort()


Script = Callable[[Wire], Awaitable[object]]
"""What a connection does; at its end the connection stays open until the client closes it."""


@dataclass
class Scripted:
    url: str
    wires: list[Wire]


@asynccontextmanager
async def scripted(*scripts: Script) -> AsyncIterator[Scripted]:
    """Run a server whose connections follow `scripts`; an assertion that fails in one fails the test."""
    waiting = list(scripts)
    wires: list[Wire] = []
    failures: list[BaseException] = []

    async def serve_one(socket: ServerConnection) -> None:
        wire = Wire(socket)
        wires.append(wire)
        try:
            assert waiting, "the client connects once more than the test expects"
            await waiting.pop(0)(wire)
            await wire.stay()
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            failures.append(error)

    server = await serve(
        serve_one, "127.0.0.1", 0, subprotocols=[Subprotocol(MSGPACK.subprotocol)], compression=None, ping_interval=None
    )
    port = next(iter(server.sockets)).getsockname()[1]
    try:
        yield Scripted(f"ws://127.0.0.1:{port}", wires)
    finally:
        server.close()
        await server.wait_closed()
    assert not waiting, f"{len(waiting)} connections never came"
    if failures:
        raise failures[0]


def at_once() -> Iterator[float]:
    """Yield zero waits: retry immediately."""
    while True:
        yield 0.0


@asynccontextmanager
async def connected(server: Scripted) -> AsyncIterator[Client]:
    async with asyncio.timeout(60):
        async with Client.connect(server.url, name="Ann", token=TOKEN, backoff=at_once) as client:
            yield client


@asynccontextmanager
async def client_of(*scripts: Script) -> AsyncIterator[Client]:
    """Connect a client to a server whose connections follow `scripts`."""
    async with scripted(*scripts) as server, connected(server) as client:
        yield client


def snapshot(command_id: str | None, *, seat: int | None = 0, seq: int = 1) -> Snapshot:
    """Return a match on 3x3 TrapGrid after `seq` - 1 plies."""
    plies = seq - 1
    return beginning(
        engine.load("trapgrid", size=3),
        (ANN, BOB),
        id=command_id,
        match="m",
        seq=seq,
        seat=seat,
        position=POSITIONS[plies],
        ply=plies,
        to_move=plies % 2,
        moves=MOVES[:plies],
        clocks=CLOCKS,
    )


MOVES = ("b3", "c2", "b2", "c3")
POSITIONS = ("0../.../..1 0", "x0./.../..1 1", "x0./..1/..x 0", "xx./.01/..x 1", "xx1/.0x/..x 0")


def played(*plies: int, cause: str = "c") -> Happened:
    """Return the `happened` message of some consecutive moves of that match."""
    last = plies[-1] + 1
    return Happened(
        match="m",
        events=tuple(
            Played(seq=ply + 2, at=1, seat=ply % 2, cause=cause, ply=ply, move=MOVES[ply], spent=0, left=(None, None))
            for ply in plies
        ),
        position=POSITIONS[last],
        ply=last,
        to_move=last % 2,
        clocks=CLOCKS,
    )
