"""A network between browsers and a server that can be stalled: no byte passes, and no socket is closed."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

from cornered.bench.faults.proxy import Link

__all__ = ["Network"]

CONTROL_SECONDS = 30.0


class Network:
    """A proxy in a thread of its own; `address` is the page's address behind it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, link: Link) -> None:
        self._loop = loop
        self._link = link
        self.address = f"http://127.0.0.1:{link.port}"

    @classmethod
    @contextlib.contextmanager
    def before(cls, address: str) -> Iterator[Network]:
        """Forward to the server at `address` inside the block."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="network", daemon=True)
        thread.start()
        port = urlsplit(address).port
        assert port is not None
        link = Link([port])
        try:
            asyncio.run_coroutine_threadsafe(link.open(), loop).result(CONTROL_SECONDS)
            network = cls(loop, link)
            yield network
            network.mend()
            asyncio.run_coroutine_threadsafe(link.close(), loop).result(CONTROL_SECONDS)
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(CONTROL_SECONDS)
            loop.close()

    def stall(self) -> None:
        """Let no byte pass in either direction."""
        self._impair(is_stalled=True)

    def mend(self) -> None:
        """Let everything pass again, what was sent meanwhile first."""
        self._impair(is_stalled=False)

    def _impair(self, *, is_stalled: bool) -> None:
        async def impair() -> None:
            self._link.impair("up", is_stalled=is_stalled)
            self._link.impair("down", is_stalled=is_stalled)

        asyncio.run_coroutine_threadsafe(impair(), self._loop).result(CONTROL_SECONDS)
