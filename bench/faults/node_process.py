"""One node's server, forked from a process that has imported everything; it is killed, paused and started again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from cornered.bench.attacks.sockets import request
from cornered.bench.faults.disk import Disk
from cornered.bench.faults.wall_clock import WallClock

__all__ = ["NodeProcess"]

START_SECONDS: Final = 120.0
READY_SECONDS: Final = 60.0
LOOK_AGAIN_S: Final = 0.05
MAX_KEPT_LINES: Final = 5_000


class NodeProcess:
    """A node. `port` is its own; clients reach it through a link."""

    def __init__(
        self, name: str, port: int, disk: Disk, clock: WallClock | None, process: asyncio.subprocess.Process
    ) -> None:
        self.name = name
        self.port = port
        self.disk = disk
        self.clock = clock
        self.server = 0
        """The pid of the running server; 0 while there is none."""
        self.log: list[dict[str, Any]] = []
        self.complaints: list[str] = []
        """Lines of the log that report a defect."""
        self._process = process
        self._tasks: list[asyncio.Task[None]] = []
        self._told: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._wanted = asyncio.Event()
        """Set while the server is meant to run."""
        self._ended = asyncio.Event()
        """Set while there is no server, and none was asked for."""
        self._ended.set()

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls,
        name: str,
        port: int,
        disk: Disk,
        clock: WallClock | None,
        settings: Mapping[str, str],
        build: Sequence[str] = (),
    ) -> AsyncIterator[NodeProcess]:
        """Prepare a node inside the block; `settings` are environment variables, `build` names a broken build."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CORNERED_")}
        kernels = {name: value for name, value in os.environ.items() if name == "CORNERED_KERNELS"}
        own = {"CORNERED_PORT": str(port), "CORNERED_DATA": str(disk.data), "CORNERED_LOG_FORMAT": "json"}
        preloaded = {} if clock is None else clock.environment
        process = await asyncio.create_subprocess_exec(
            *disk.command([sys.executable, "-m", "cornered.bench.faults.fork_server", *build]),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=1 << 22,
            env=clean | kernels | own | preloaded | dict(settings),
            start_new_session=True,
        )
        node = cls(name, port, disk, clock, process)
        node._tasks = [
            asyncio.create_task(node._read_log(), name=f"log of {name}"),
            asyncio.create_task(node._read_words(), name=f"words of {name}"),
        ]
        keeping = asyncio.create_task(node._keep_running(), name=f"keeper of {name}")
        try:
            async with asyncio.timeout(START_SECONDS):
                if "ready" not in await node._told.get():
                    raise RuntimeError(f"node {name} cannot be prepared: {node.log}")
            yield node
        finally:
            keeping.cancel()
            if process.returncode is None:
                process.kill()
            await process.wait()
            await asyncio.gather(*node._tasks)
            with contextlib.suppress(asyncio.CancelledError):
                await keeping

    @property
    def address(self) -> str:
        """The node's own address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def data(self) -> Path:
        """The data directory, as this process sees it."""
        return self.disk.seen_from_here(self._process.pid)

    def start(self) -> None:
        """Have the server run from now on; one that ends by itself is started again."""
        self._wanted.set()

    async def is_ready(self) -> bool:
        """Return whether the server takes moves now."""
        if not self.server:
            return False
        text = f"GET /ready HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n"
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(1.0):
                return (await request(self.address, text))[0] == 200
        return False

    async def ready(self, seconds: float = READY_SECONDS) -> bool:
        """Wait until the server takes moves. False after `seconds`."""
        until = time.monotonic() + seconds
        while not await self.is_ready():
            if time.monotonic() > until:
                return False
            await asyncio.sleep(LOOK_AGAIN_S)
        return True

    async def kill(self) -> None:
        """End the server by SIGKILL."""
        self._wanted.clear()
        while not self._ended.is_set():
            # One that was just asked for has no pid yet.
            self._signal(signal.SIGKILL)
            await self._is_over(LOOK_AGAIN_S)

    async def stop(self, seconds: float = 30.0) -> bool:
        """End the server by SIGTERM; kill it, and return False, where that takes longer."""
        self._wanted.clear()
        self._signal(signal.SIGTERM)
        if await self._is_over(seconds):
            return True
        await self.kill()
        return False

    async def _is_over(self, seconds: float) -> bool:
        """Wait until the server has ended, at most for `seconds`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._ended.wait()
        return self._ended.is_set()

    async def _keep_running(self) -> None:
        """Start the server whenever it is meant to run and does not: in one place, since kills and starts overlap."""
        assert self._process.stdin is not None
        while True:
            await self._wanted.wait()
            await self._ended.wait()
            if self._wanted.is_set() and self._process.returncode is None:
                self._ended.clear()
                self._process.stdin.write(b"\n")
            await asyncio.sleep(LOOK_AGAIN_S)

    def pause(self) -> None:
        """Stop the server's process without ending it."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused server go on."""
        self._signal(signal.SIGCONT)

    def fill_disk(self) -> None:
        self.disk.fill(self._process.pid, self.server)

    def free_disk(self) -> None:
        self.disk.free(self._process.pid, self.server)

    def _signal(self, number: signal.Signals) -> None:
        if self.server:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.server, number)

    async def _read_words(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            told = json.loads(line)
            if "pid" in told:
                self.server = told["pid"]
            elif "exit" in told:
                self.server = 0
                self._ended.set()
            elif "ready" in told:
                self._told.put_nowait(told)
        self._ended.set()
        self._told.put_nowait({})

    async def _read_log(self) -> None:
        assert self._process.stderr is not None
        was_raw = False
        async for line in self._process.stderr:
            text = line.decode(errors="replace").rstrip()
            try:
                entry = json.loads(text)
            except ValueError:
                entry = None
            if not isinstance(entry, dict) or "level" not in entry:
                entry = {"level": "raw", "event": text}
            if entry["level"] == "raw" and was_raw:
                # The lines of one traceback.
                self.complaints[-1] += f"\n{text}"
            elif entry["level"] == "raw" or "exception" in entry:
                self.complaints.append(f"{self.name}: {text}")
            was_raw = entry["level"] == "raw"
            if len(self.log) < MAX_KEPT_LINES:
                self.log.append(entry | {"observed": round(time.monotonic(), 3)})
