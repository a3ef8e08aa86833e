"""A server in a child process, observed from outside: log, memory, handles, metrics, signals."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from cornered.bench.attacks.sockets import request

__all__ = ["STOP_TIMEOUT_S", "ServerProcess"]

STOP_TIMEOUT_S: Final = 20.0
"""The server's own deadline for shutdown, in seconds."""
START_TIMEOUT_S: Final = 60.0
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_GAUGE: Final = re.compile(r"^cornered_(\w+) ([0-9.e+]+)$", re.MULTILINE)


class ServerProcess:
    """`cornered serve --no-bots` on a free port. `log` collects the lines of its standard error."""

    def __init__(self, process: asyncio.subprocess.Process, address: str) -> None:
        self._process = process
        self.address = address
        self.ready_cpu = 0.0
        """CPU seconds of the process until it was ready."""
        self.log: list[dict[str, Any]] = []
        self._reading = asyncio.create_task(self._read(), name="server log")

    @classmethod
    @contextlib.asynccontextmanager
    async def start(cls, data: Path, port: int = 0, /, **settings: str) -> AsyncIterator[ServerProcess]:
        """Run a server on the data directory inside the block; `settings` are environment variables."""
        clean = {name: value for name, value in os.environ.items() if not name.startswith("CORNERED_")}
        kernels = {name: value for name, value in os.environ.items() if name == "CORNERED_KERNELS"}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cornered", "serve", "--no-bots", "--port", str(port), "--data", str(data)),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=1 << 20,
            env=clean | kernels | {"CORNERED_LOG_FORMAT": "json", "PYTHONUNBUFFERED": "1"} | settings,
            # A session of its own: Ctrl-C reaches only the measuring process, which then stops the server in order.
            start_new_session=True,
        )
        server: ServerProcess | None = None
        try:
            assert process.stdout is not None
            async with asyncio.timeout(START_TIMEOUT_S):
                line = (await process.stdout.readline()).decode()
                found = re.search(r"http://\S+", line)
                if found is None:
                    assert process.stderr is not None
                    raise RuntimeError(f"the server does not start: {(await process.stderr.read()).decode()}")
                server = cls(process, found.group())
                await server.ready()
                server.ready_cpu = server._cpu_seconds
            yield server
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            if server is not None:
                await server._reading

    async def _read(self) -> None:
        assert self._process.stderr is not None
        async for line in self._process.stderr:
            text = line.decode(errors="replace").rstrip()
            try:
                entry = json.loads(text)
            except ValueError:
                entry = {"level": "raw", "event": text}
            self.log.append(entry if isinstance(entry, dict) else {"level": "raw", "event": text})

    async def ready(self) -> None:
        """Wait until every game is compiled."""
        while await self.get("/ready") != 200:  # noqa: ASYNC110 - another process has no event to wait for
            await asyncio.sleep(0.02)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        return self._process.returncode is None

    @property
    def resident(self) -> int:
        """Resident bytes; 0 when the process has ended."""
        try:
            return int(Path(f"/proc/{self.pid}/statm").read_text(encoding="utf-8").split()[1]) * _PAGE_BYTES
        except (OSError, IndexError):
            return 0

    @property
    def _cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    @property
    def handles(self) -> dict[str, int]:
        """Number of open file descriptors: `all` of them, and the `sockets` among them."""
        names = []
        with contextlib.suppress(OSError):
            for one in os.scandir(f"/proc/{self.pid}/fd"):
                with contextlib.suppress(OSError):
                    names.append(os.readlink(one.path))
        return {"all": len(names), "sockets": sum(name.startswith("socket:") for name in names)}

    async def get(self, path: str) -> int:
        """Return the status of a GET request."""
        return (await self._fetch(path))[0]

    async def gauges(self) -> dict[str, float]:
        """Return the metrics without labels, with their prefix removed."""
        return {name: float(value) for name, value in _GAUGE.findall((await self._fetch("/metrics"))[2].decode())}

    async def _fetch(self, path: str) -> tuple[int, str, bytes]:
        host = self.address.removeprefix("http://")
        return await request(self.address, f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")

    def signal(self, number: signal.Signals) -> None:
        """Send a signal."""
        os.kill(self.pid, number)

    async def stop(self, patience: float) -> float | None:
        """Stop the server; return the seconds that it took, or None when it was killed after `patience` seconds."""
        began = time.monotonic()
        self.signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(patience):
                await self._process.wait()
        except TimeoutError:
            return None
        return time.monotonic() - began
