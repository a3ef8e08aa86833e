"""One case of the fuzzer: the input of one connection and how it ends. Generated from a seed, stored in a file,
repeatable."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from cornered.bench.attacks.sockets import RawSocket, frame
from cornered.bench.fuzzing.frames import framed, handshake
from cornered.bench.fuzzing.messages import Messages, spoiled, to_json, to_msgpack

__all__ = ["Case", "load", "make", "play", "save"]

End = Literal["close", "abort", "reset", "wait"]
MAX_MESSAGES: Final = 12
_SUBPROTOCOL_IS_TEXT: Final = {"cornered.v1.json": True, "cornered.v1.msgpack": False}


@dataclass(frozen=True, slots=True)
class Case:
    """Writes are separate system calls; `pauses` are the seconds after each."""

    name: str
    writes: tuple[bytes, ...]
    pauses: tuple[float, ...]
    is_deaf: bool
    end: End


def make(seed: int, number: int) -> Case:
    """Return a case, determined by the seed and the number."""
    chance = random.Random(f"{seed}/{number}")
    messages = Messages(chance)
    subprotocol = chance.choice(tuple(_SUBPROTOCOL_IS_TEXT))
    is_text = _SUBPROTOCOL_IS_TEXT[subprotocol]

    def payload(message: object, *, good: bool) -> bytes:
        if good:
            return json.dumps(message).encode() if is_text else to_msgpack(random.Random(7), message)
        return to_json(chance, message) if is_text else to_msgpack(chance, message)

    writes = [handshake(chance, subprotocol)]
    if chance.random() < 0.95:
        writes.append(frame(1 if is_text else 2, payload(messages.hello(), good=True)))
    for _ in range(chance.randrange(MAX_MESSAGES)):
        message: object = messages.command()
        match chance.randrange(10):
            case 0 | 1 | 2:
                message = spoiled(chance, message)
            case 3:
                message = {"type": chance.choice(("join", "leave")), "id": "s", "match": "MATCH-0000000000"}
            case 4:
                message = messages.hello()
            case _:
                pass
        raw = payload(message, good=chance.random() < 0.7 and not isinstance(message, float))
        writes.append(
            framed(chance, raw, is_text=is_text) if chance.random() < 0.5 else frame(1 if is_text else 2, raw)
        )
    if chance.random() < 0.15:
        # All in one write, the handshake included, or byte by byte.
        joined = b"".join(writes)
        writes = [joined] if chance.random() < 0.7 else [joined[i : i + 97] for i in range(0, len(joined), 97)][:60]
    pauses = tuple(chance.choice((0.0, 0.0, 0.0, 0.002, 0.02)) for _ in writes)
    ends: tuple[End, ...] = ("close", "abort", "reset", "wait")
    return Case(f"{seed}/{number}", tuple(writes), pauses, chance.random() < 0.05, chance.choice(ends))


async def play(case: Case, address: str, *, local: str, places: Mapping[str, str]) -> None:
    """Send the case's writes, with `places` filled in; any reaction of the server to the connection is valid."""
    with suppress(OSError, TimeoutError):
        socket = await RawSocket.connect(address, local=local, shake=False)
        if case.is_deaf:
            socket.transport.pause_reading()
        try:
            for data, pause in zip(case.writes, case.pauses, strict=True):
                for place, found in places.items():
                    data = data.replace(place.encode(), found.encode())
                socket.write(data)
                await asyncio.sleep(pause)
                if socket.closed.is_set():
                    return
            await asyncio.sleep(0.02)
            match case.end:
                case "close":
                    await socket.close()
                case "reset":
                    socket.reset()
                case "wait":
                    await asyncio.sleep(0.2)
                case "abort":
                    pass
        finally:
            socket.abort()


def save(cases: Iterable[Case], path: Path) -> None:
    """Write cases as lines of JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        for case in cases:
            writes = [data.decode("latin-1") for data in case.writes]
            file.write(json.dumps([case.name, writes, case.pauses, case.is_deaf, case.end]) + "\n")


def load(path: Path) -> list[Case]:
    """Read cases. Raises ValueError for a file of other content."""
    cases = []
    for line in path.read_text(encoding="utf-8").splitlines():
        name, writes, pauses, is_deaf, end = json.loads(line)
        cases.append(Case(name, tuple(one.encode("latin-1") for one in writes), tuple(pauses), is_deaf, end))
    return cases
