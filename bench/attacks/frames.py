"""Attacks with WebSocket frames: invalid, endless, and excessive ones."""

from __future__ import annotations

import asyncio
import contextlib
from itertools import islice
from typing import Final

from cornered.bench.attacks.sockets import BINARY, CONTINUATION, PING, TEXT, RawSocket, frame, start_match
from cornered.bench.attacks.stage import Stage, attack

WAVES: Final = 4
HALF_OPEN: Final = 1_300
REFUSAL_SECONDS: Final = 2.0
"""Seconds within which the server has to close a connection beyond its limit."""
LEAVERS: Final = 100
"""Number of the address of players who disconnect while others break the protocol."""
BAD_FRAME: Final = frame(3)
MAX_PER_ADDRESS: Final = 1_000 + 64
"""The server's default limit of connections from an address, half-open and closing ones included."""


async def _watch(stage: Stage, sockets: list[RawSocket]) -> None:
    """Let the sockets watch the bystanders' current match: the newest of theirs in the lobby."""
    lobby = await sockets[0].ask("watch_lobby")
    await sockets[0].ask("leave_lobby")
    for one in lobby["matches"]:
        if one["players"][0]["id"] == stage.players[0]:
            for number, socket in enumerate(sockets):
                socket.tell({"type": "join", "id": f"w{number}", "match": one["id"]})


@attack("bad-frame", "watchers send a frame of opcode 3 and keep the TCP connection open", keeps_matches=True)
async def bad_frame(stage: Stage) -> str:
    """A transport that closes for writing while its socket still is a spectator of a match."""
    sockets = await stage.guests(12)
    one, two = await stage.guest(LEAVERS), await stage.guest(LEAVERS)
    match = await start_match(one, two, game={"name": "trapgrid"})
    for number, socket in enumerate((one, two, *sockets)):
        socket.tell({"type": "join", "id": f"o{number}", "match": match})
    await stage.begin()
    poisoned = 0
    while stage.is_on and poisoned < len(sockets):
        group = sockets[poisoned : poisoned + 3]
        await _watch(stage, group)
        await asyncio.sleep(0.05)
        for socket in group:
            socket.transport.pause_reading()
            socket.write(BAD_FRAME)
        poisoned += len(group)
        await asyncio.sleep(stage.seconds / 5)
    for socket in (one, two):
        await socket.close()
    await stage.rest()
    return f"{poisoned} watchers sent opcode 3, 2 players left"


@attack("mass-reset", "hundreds of watchers and players are reset at once", keeps_matches=True)
async def mass_reset(stage: Stage) -> str:
    """Many transports close for writing in one iteration of the server's event loop, before any `connection_lost`."""
    sockets = await stage.guests(int(500 * stage.scale))
    wave = max(20, len(sockets) // WAVES)
    await stage.begin()
    for start in range(0, len(sockets), wave):
        group = sockets[start : start + wave]
        await _watch(stage, group)
        for one, two in zip(group[0:10:2], group[1:10:2], strict=False):
            # Each of these players is notified of the others' disconnection.
            match = await start_match(one, two, game={"name": "trapgrid"})
            for number, socket in enumerate(group[:20]):
                socket.tell({"type": "join", "id": f"p{match}{number}", "match": match})
        await asyncio.sleep(0.1)
        for socket in group:
            socket.reset()
    await stage.rest()
    return f"{len(sockets)} sockets were reset, {wave} at a time"


async def _flood(stage: Stage, data: bytes, count: int, *, first: bytes = b"", is_deaf: bool = False) -> int:
    """Write `data`, which holds `count` frames, as fast as the server accepts it; return the number of frames sent."""
    sent = 0
    await stage.begin()
    async for socket in stage.again():
        if is_deaf:
            socket.transport.pause_reading()
        socket.write(first)
        while stage.is_on and await socket.flood(data):
            sent += count
    return sent


@attack("ping-flood", "one socket sends pings, packed into large writes")
async def ping_flood(stage: Stage) -> str:
    """Control frames cost tokens as data frames do."""
    return f"{await _flood(stage, frame(PING) * 10_000, 10_000):,} pings"


@attack("unread-pongs", "one socket sends full pings and reads no pongs")
async def unread_pongs(stage: Stage) -> str:
    """Pongs to a socket that does not read accumulate in the write buffer, which is bounded."""
    return f"{await _flood(stage, frame(PING, b'x' * 125) * 500, 500, is_deaf=True):,} pings of 125 bytes"


@attack("empty-fragments", "one message is continued by empty fragments without an end")
async def empty_fragments(stage: Stage) -> str:
    """Fragments never become a message, so the limits have to count frames."""
    data = frame(CONTINUATION, fin=False) * 10_000
    return f"{await _flood(stage, data, 10_000, first=frame(TEXT, b'{', fin=False)):,} empty fragments"


@attack("tiny-messages", "one socket sends messages of two bytes")
async def tiny_messages(stage: Stage) -> str:
    """Each message is refused, until the sender is disconnected and reconnects."""
    return f"{await _flood(stage, frame(TEXT, b'{}') * 5_000, 5_000):,} messages"


@attack("unread-answers", "one socket asks for much and reads nothing")
async def unread_answers(stage: Stage) -> str:
    """Answers to a socket that does not read are bounded, as are the events of the matches that it watches."""
    ask = b'{"type":"ask_games","id":"a"}'
    return f"{await _flood(stage, frame(TEXT, ask) * 100, 100, is_deaf=True):,} questions"


@attack("huge-frames", "sockets announce frames of up to 2**63 - 1 bytes, and send some of them")
async def huge_frames(stage: Stage) -> str:
    """A frame's length is checked when its header is read, before memory is allocated."""
    sent = 0
    await stage.begin()
    async for socket in stage.again():
        for length in (2**63 - 1, 2**32, 3 << 20):
            head = bytes((0x80 | BINARY, 255)) + length.to_bytes(8, "big") + b"\0\0\0\0"
            socket.write(head)
            if not await socket.flood(b"x" * 65_536):
                break
            sent += 1
        await asyncio.sleep(0.01)
    return f"{sent:,} frames announced and begun"


@attack("half-frames", "many sockets send half a frame and wait")
async def half_frames(stage: Stage) -> str:
    """Half a frame occupies its socket's connection slot and its own bytes, nothing else."""
    sockets = await stage.guests(int(300 * stage.scale))
    await stage.begin()
    for socket in sockets:
        socket.write(frame(TEXT, b"x" * 60_000)[:30_000])
    await stage.rest()
    return f"{len(sockets)} halves of frames"


@attack("slow-handshakes", "many connections send a byte of their handshake now and then")
async def slow_handshakes(stage: Stage) -> str:
    """Connections in the handshake are limited and time out, and do not keep others out."""
    await stage.begin()
    sockets = await stage.sockets(HALF_OPEN, per_address=HALF_OPEN, shake=False)
    request = b"GET /ws HTTP/1.1\r\nHost: x\r\nX-Slow: " + b"y" * 10_000
    at = 0
    while stage.is_on:
        for socket in sockets:
            socket.write(request[at : at + 1])
        at += 1
        await asyncio.sleep(0.2)
    # The last connections are refused with a delay.
    ends = asyncio.as_completed([socket.closed.wait() for socket in sockets], timeout=REFUSAL_SECONDS)
    with contextlib.suppress(TimeoutError):
        for end in islice(ends, max(0, len(sockets) - MAX_PER_ADDRESS)):
            await end
    held = sum(not socket.closed.is_set() for socket in sockets)
    if held > MAX_PER_ADDRESS:
        stage.fault(f"one address holds {held} half-open connections; the bound is {MAX_PER_ADDRESS}")
    return f"{len(sockets)} connections, {held} held"
