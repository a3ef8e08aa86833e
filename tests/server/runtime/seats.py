"""A match on a server, with its players and a spectator who has not joined it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple

from cornered.protocol.commands import Play
from tests.server.conftest import Client, Pair, Running

__all__ = ["Seats", "seated"]


class Seats(NamedTuple):
    ann: Client
    ben: Client
    cas: Client
    match: str

    async def play(self, *moves: str) -> None:
        """Play the first moves of the match."""
        for ply, move in enumerate(moves):
            await self[ply % 2].do(Play, match=self.match, ply=ply, move=move)  # type: ignore[union-attr]


@contextlib.asynccontextmanager
async def seated(
    server: Running | AbstractAsyncContextManager[Running], pair: Pair, **terms: Any
) -> AsyncIterator[Seats]:
    """Have Ann and Ben play TrapGrid on 3x3, on a server that runs or is started for it."""
    async with contextlib.AsyncExitStack() as stack:
        running = server if isinstance(server, Running) else await stack.enter_async_context(server)
        ann, ben, cas = [await stack.enter_async_context(running.client(name)) for name in ("Ann", "Ben", "Cas")]
        yield Seats(ann, ben, cas, await pair(ann, ben, **terms))
