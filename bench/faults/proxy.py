"""TCP links with faults: delay, split, stall, reset, half-close, duplicate, garble and limited bandwidth.

`python -m cornered.bench.faults.proxy` runs them in a process of its own, with one command a line on standard input.
It imports nothing but the standard library and the splitter of MQTT packets.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import socket
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

from cornered.bench.faults.mqtt_packets import PacketSplitter, is_publication

__all__ = ["CLEAR", "Direction", "Impairment", "Link", "LinkKind"]

Direction: TypeAlias = Literal["up", "down"]
"""`up` is from the side that connects to the side that listens."""
LinkKind: TypeAlias = Literal["stream", "mqtt"]

READ_BYTES: Final = 16_384
MAX_QUEUED: Final = 256
"""Pieces of at most READ_BYTES that wait in one direction; then the sender is not read any more."""
MAX_SPLIT_BYTES: Final = 512
"""Bytes of a piece that are written one by one; the rest follows at once."""
LOOK_AGAIN_S: Final = 0.01
"""How often a stalled direction looks whether it may go on."""
CONNECT_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class Impairment:
    """What one direction of a link suffers from."""

    delay_s: float = 0.0
    jitter_s: float = 0.0
    """Up to so many seconds more than `delay_s`, at random; bytes keep their order."""
    is_split: bool = False
    is_stalled: bool = False
    """No byte passes, nor the end of a stream; what is sent meanwhile arrives later."""
    bytes_per_second: int = 0
    """0 is no limit."""
    duplicates: float = 0.0
    """The share of an MQTT link's publications that arrive twice."""


CLEAR: Final = Impairment()


class Link:
    """A listener whose connections are forwarded to one of its targets, each to the next one that answers."""

    def __init__(self, targets: Sequence[int], kind: LinkKind = "stream", seed: int = 0) -> None:
        self._targets = itertools.cycle(targets)
        self._attempts = len(targets)
        self._connections: set[_Connection] = set()
        self._server: asyncio.Server | None = None
        self.kind = kind
        self.chance = random.Random(seed)
        self.impairments: dict[Direction, Impairment] = {"up": CLEAR, "down": CLEAR}
        self.port = 0

    async def open(self) -> int:
        """Listen on a free port of the loopback address, and return it."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=READ_BYTES)
        self.port = self._server.sockets[0].getsockname()[1]
        return self.port

    async def close(self) -> None:
        """Stop listening, and reset every connection."""
        if self._server is not None:
            self._server.close()
        self.reset()
        while self._connections:  # noqa: ASYNC110 - each ends within a few steps
            await asyncio.sleep(LOOK_AGAIN_S)

    def __len__(self) -> int:
        return len(self._connections)

    def impair(self, direction: Direction, **changes: Any) -> None:
        """Change the impairments of one direction for all its present and later connections."""
        self.impairments[direction] = replace(self.impairments[direction], **changes)

    def reset(self) -> None:
        """Reset every connection at both ends."""
        for connection in tuple(self._connections):
            connection.reset()

    def half_close(self, direction: Direction) -> None:
        """End the stream of one direction of every connection; the other one goes on."""
        for connection in tuple(self._connections):
            connection.half_close(direction)

    def garble(self, direction: Direction) -> None:
        """Repeat the first half of the next piece of every connection, which makes garbage of the stream."""
        for connection in tuple(self._connections):
            connection.garbled.add(direction)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = _Connection(self, (reader, writer))
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)

    async def connect(self) -> _Streams | None:
        """Connect to the next target that answers; None where none does."""
        for _ in range(self._attempts):
            with contextlib.suppress(OSError, TimeoutError):
                async with asyncio.timeout(CONNECT_SECONDS):
                    return await asyncio.open_connection("127.0.0.1", next(self._targets), limit=READ_BYTES)
        return None


_Streams: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Connection:
    """One connection through a link. Each direction is read by one task and written by another, in order."""

    def __init__(self, link: Link, near: _Streams) -> None:
        self._link = link
        self._near = near
        self._far: _Streams | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._cut: set[Direction] = set()
        """Directions whose stream was ended by a fault; what still comes is dropped."""
        self.garbled: set[Direction] = set()

    async def run(self) -> None:
        """Forward both directions until both have ended, or one end is reset."""
        try:
            # A stalled link lets no connection through either.
            await self._passes("up")
            self._far = await self._link.connect()
            if self._far is None:
                return
            pieces: dict[Direction, asyncio.Queue[tuple[float, bytes]]] = {
                "up": asyncio.Queue(MAX_QUEUED),
                "down": asyncio.Queue(MAX_QUEUED),
            }
            up, down = (self._near[0], self._far[1]), (self._far[0], self._near[1])
            self._tasks = [
                asyncio.create_task(self._collect("up", up[0], pieces["up"]), name="collect up"),
                asyncio.create_task(self._collect("down", down[0], pieces["down"]), name="collect down"),
                asyncio.create_task(self._deliver("up", pieces["up"], up[1]), name="deliver up"),
                asyncio.create_task(self._deliver("down", pieces["down"], down[1]), name="deliver down"),
            ]
            delivering = set(self._tasks[2:])
            while delivering:
                done, delivering = await asyncio.wait(delivering, return_when=asyncio.FIRST_COMPLETED)
                if any(task.cancelled() or task.exception() is not None for task in done):
                    # One end is gone; a stalled link hides even that from the other one.
                    await self._passes("up")
                    await self._passes("down")
                    break
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._abort()

    def reset(self) -> None:
        """Reset both ends at once."""
        self._abort()
        for task in self._tasks:
            task.cancel()

    def half_close(self, direction: Direction) -> None:
        """End the stream of one direction at once."""
        receiver = self._far if direction == "up" else self._near
        if receiver is not None and direction not in self._cut:
            self._cut.add(direction)
            _end(receiver[1])

    def _abort(self) -> None:
        for streams in (self._near, self._far):
            if streams is not None:
                raw = streams[1].get_extra_info("socket")
                # Closing with a linger of 0 sends RST.
                with contextlib.suppress(OSError, AttributeError):
                    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                streams[1].transport.abort()

    async def _passes(self, direction: Direction) -> None:
        while self._link.impairments[direction].is_stalled:  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(LOOK_AGAIN_S)

    async def _collect(
        self, direction: Direction, reader: asyncio.StreamReader, pieces: asyncio.Queue[tuple[float, bytes]]
    ) -> None:
        """Read until the end; an empty piece stands for it. An error of the connection ends the stream as well."""
        loop, link = asyncio.get_running_loop(), self._link
        splitter = PacketSplitter() if link.kind == "mqtt" else None
        due = 0.0
        data = b"-"
        while data:
            try:
                data = await reader.read(READ_BYTES)
            except OSError:
                data = b""
            impairment = link.impairments[direction]
            due = max(due, loop.time() + impairment.delay_s + link.chance.uniform(0.0, impairment.jitter_s))
            if splitter is None or not data:
                await pieces.put((due, data))
                continue
            for packet in splitter.feed(data):
                await pieces.put((due, packet))
                if is_publication(packet) and link.chance.random() < impairment.duplicates:
                    await pieces.put((due, packet))

    async def _deliver(
        self, direction: Direction, pieces: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter
    ) -> None:
        """Write what was collected when it is due. Raises OSError where the receiver is gone."""
        loop = asyncio.get_running_loop()
        while True:
            due, data = await pieces.get()
            await asyncio.sleep(due - loop.time())
            await self._passes(direction)
            if not data:
                if direction not in self._cut:
                    _end(writer)
                return
            if direction in self.garbled:
                self.garbled.discard(direction)
                data = data[: max(1, len(data) // 2)] + data
            if direction not in self._cut:
                await self._write(direction, writer, data)

    async def _write(self, direction: Direction, writer: asyncio.StreamWriter, data: bytes) -> None:
        impairment, size = self._link.impairments[direction], len(data)
        if impairment.is_split:
            for number in range(min(len(data), MAX_SPLIT_BYTES)):
                writer.write(data[number : number + 1])
                await writer.drain()
                await asyncio.sleep(0)
            data = data[MAX_SPLIT_BYTES:]
        if data:
            writer.write(data)
            await writer.drain()
        if impairment.bytes_per_second:
            await asyncio.sleep(size / impairment.bytes_per_second)


def _end(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        writer.write_eof()


async def _carry_out(links: dict[str, Link], order: dict[str, Any]) -> object:
    """Carry out one command of the controlling process, and return the answer."""
    match order["do"]:
        case "open":
            link = Link(order["targets"], order["kind"], order["seed"])
            links[order["link"]] = link
            return await link.open()
        case "impair":
            links[order["link"]].impair(order["direction"], **order["changes"])
        case "reset":
            links[order["link"]].reset()
        case "half_close":
            links[order["link"]].half_close(order["direction"])
        case "garble":
            links[order["link"]].garble(order["direction"])
        case unknown:
            raise ValueError(f"there is no order {unknown!r}")
    return len(links[order["link"]])


async def _main() -> None:
    """Carry out commands until standard input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    links: dict[str, Link] = {}
    while line := await reader.readline():
        sys.stdout.write(f"{json.dumps(await _carry_out(links, json.loads(line)))}\n")
        sys.stdout.flush()
    for link in links.values():
        await link.close()


if __name__ == "__main__":
    asyncio.run(_main())
