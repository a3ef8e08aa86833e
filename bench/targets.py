"""The servers that `cornered bench server` measures, each in a process of its own: Cornered, and two baselines. A
target prints its address, answers every line on standard input with its resource usage so far, and ends with standard
input."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Final

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from cornered.bench.raised_limits import RAISED_LIMITS
from cornered.protocol.codec import JSON
from cornered.protocol.events import Played
from cornered.protocol.messages import Acknowledged, Happened
from cornered.protocol.values import Clocks
from cornered.server import app
from cornered.server.runtime.client_connection import frame
from cornered.server.settings import MEMORY_DATABASE, Settings

__all__ = ["ACKNOWLEDGED", "HAPPENED_FRAME", "main"]

MATCH: Final = "0123456789abcdef"
ACKNOWLEDGED: Final = JSON.encode(Acknowledged(id="m20", seq=22))
HAPPENED_FRAME: Final = JSON.encode(
    Happened(
        match=MATCH,
        events=(
            Played(seq=22, at=1_800_000_000_000, seat=0, cause="m20", ply=20, move="c4", spent=9, left=(9999, 9999)),
        ),
        position="0xxxx../......x/...xx../...x.../..xx.../.xx..../..x1... 1",
        ply=21,
        to_move=1,
        clocks=Clocks(left=(299_000, 299_000), running=1, at=1_800_000_000_000),
    )
)
"""The baselines' answer to a move, as long as Cornered's."""


def cornered(directory: str, *, database: str = "") -> AbstractAsyncContextManager[str]:
    """Run the whole server, on SQLite with synchronous commits unless `database` is given."""
    settings = Settings(
        port=0,
        data=Path(directory),
        database=database,
        durability="full",
        log_level="warning",
        ping_seconds=60,
        **RAISED_LIMITS,  # type: ignore[arg-type]  # pydantic checks them
    )
    return app.run(settings)


@asynccontextmanager
async def echo() -> AsyncIterator[str]:
    """Answer every message with an acknowledgement and an update, and send the update to a partner."""
    waiting: list[ServerConnection] = []
    partners: dict[ServerConnection, ServerConnection] = {}
    acknowledged, happened = ACKNOWLEDGED.decode(), HAPPENED_FRAME.decode()

    async def converse(connection: ServerConnection) -> None:
        if waiting:
            partner = waiting.pop()
            partners[connection], partners[partner] = partner, connection
        else:
            waiting.append(connection)
        try:
            async for _ in connection:
                await connection.send(acknowledged)
                await connection.send(happened)
                await partners[connection].send(happened)
        except ConnectionClosed:
            pass

    async with _bare(converse) as address:
        yield address


@asynccontextmanager
async def fanout() -> AsyncIterator[str]:
    """Write one frame, built once, to every transport after any message."""
    everybody: list[ServerConnection] = []

    async def converse(connection: ServerConnection) -> None:
        everybody.append(connection)
        try:
            async for _ in connection:
                framed = frame(HAPPENED_FRAME, is_text=True)
                for one in everybody:
                    one.transport.write(framed)
        except ConnectionClosed:
            pass

    async with _bare(converse) as address:
        yield address


@asynccontextmanager
async def _bare(converse: Callable[[ServerConnection], Awaitable[None]]) -> AsyncIterator[str]:
    async with serve(
        converse,
        "127.0.0.1",
        0,
        subprotocols=[Subprotocol(JSON.subprotocol)],
        compression=None,
        ping_interval=60,
    ) as server:
        host, port = server.sockets[0].getsockname()[:2]
        yield f"http://{host}:{port}"


def _memory() -> int | None:
    """Return the process's resident bytes, where the system provides them."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * 4096
    except (OSError, ValueError):
        return None


async def _run(kind: str, directory: str) -> None:
    loop = asyncio.get_running_loop()
    asked: asyncio.Queue[str] = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(asked.put_nowait, line)
        loop.call_soon_threadsafe(asked.put_nowait, "")

    match kind:
        case "cornered":
            server = cornered(directory)
        case "memory":
            server = cornered(directory, database=MEMORY_DATABASE)
        case "echo":
            server = echo()
        case "fanout":
            server = fanout()
        case _:
            raise ValueError(f"there is no target {kind!r}")
    async with server as address:
        app.settle_memory()
        threading.Thread(target=read, daemon=True).start()
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()
        while await asked.get():
            used = {"cpu": time.process_time(), "memory": _memory()}
            sys.stdout.write(f"{json.dumps(used)}\n")
            sys.stdout.flush()


def main() -> None:
    """Run the target named by the first argument, with the directory named by the second."""
    kind, directory = sys.argv[1:]
    with asyncio.Runner(loop_factory=app.new_event_loop) as runner:
        runner.run(_run(kind, directory))


if __name__ == "__main__":
    main()
