"""The server of the stage for clients."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from cornered.server import app, backing_services, log
from cornered.server.settings import MEMORY_DATABASE, Settings

__all__ = ["RestartingServer"]


class RestartingServer:
    """A server in this process whose store outlives it, so that it can be restarted."""

    def __init__(self, settings: Settings, stores: backing_services.Stores, now: Callable[[], int] | None) -> None:
        self._settings = settings
        self._stores = stores
        self._now = now
        self._running = contextlib.AsyncExitStack()
        self.url = ""

    @classmethod
    @contextlib.asynccontextmanager
    async def open(cls, now: Callable[[], int] | None = None) -> AsyncIterator[RestartingServer]:
        """Run the server inside the block, on a free port of the loopback address and a store in memory.

        `now` is its match clock in milliseconds, by default this machine's.
        """
        with tempfile.TemporaryDirectory(prefix="cornered-conform-") as folder:
            settings = Settings(
                host="127.0.0.1", port=0, database=MEMORY_DATABASE, data=Path(folder), log_level="error", mqtt=""
            )
            log.configure(settings.log_level, settings.log_format)
            async with backing_services.open_stores(settings) as stores:
                server = cls(settings, stores, now)
                try:
                    await server.start()
                    yield server
                finally:
                    await server.stop()

    async def start(self) -> None:
        """Start the server."""
        running = app.running_server(self._settings, self._stores, now=self._now)
        address = await self._running.enter_async_context(running)
        self.url = address.replace("http", "ws", 1) + "/ws"

    async def stop(self) -> None:
        """Stop the server; its store keeps what was acknowledged."""
        await self._running.aclose()
