"""The broker and the database under faults: kills, pauses and starts, which may overlap."""

from __future__ import annotations

import asyncio
import time
from typing import Final

from cornered.services.service import Service, ServiceError

__all__ = ["FaultyService"]

START_SECONDS: Final = 60.0
LOOK_AGAIN_S: Final = 0.05


class FaultyService:
    """A service whose kills and starts take turns."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._changes = asyncio.Lock()

    @property
    def port(self) -> int:
        return self._service.port

    async def start(self) -> None:
        """Start it unless it runs, and return when it answers; a kill meanwhile waits until then.

        Raises ServiceError.
        """
        until = time.monotonic() + START_SECONDS
        async with self._changes:
            while not self._service.is_running:
                try:
                    # The thread lives until the loop ends, and so does the service.
                    await asyncio.to_thread(self._service.start)
                except ServiceError:
                    # A killed server's children may still hold its shared memory for a moment.
                    if time.monotonic() > until:
                        raise
                    await asyncio.sleep(LOOK_AGAIN_S)

    async def kill(self) -> None:
        """End it by SIGKILL, with its children."""
        async with self._changes:
            await asyncio.to_thread(self._service.crash)

    def pause(self) -> None:
        self._service.pause()

    def resume(self) -> None:
        self._service.resume()
