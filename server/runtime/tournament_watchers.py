"""Sends the tournaments that clients watch, at most once a second, and an organiser's lines to the participants."""

from __future__ import annotations

import asyncio
from typing import Final

from cornered.protocol.messages import ServerMessage
from cornered.server.runtime.client_connection import Broadcast, ClientConnection

__all__ = ["TournamentWatchers"]

INTERVAL_S: Final = 1.0
"""Seconds between two updates of a tournament."""
BYTES_A_SECOND: Final = 4_000_000
"""What updates may amount to: a larger crowd gets them more rarely."""
SLICE_SOCKETS: Final = 64
"""Sockets that are written to in one turn of the event loop."""


class TournamentWatchers:
    """The clients of this node that watch a tournament, each one at most."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._watched: dict[ClientConnection, str] = {}
        self._watchers: dict[str, dict[ClientConnection, None]] = {}
        # Tournaments whose newest state is to be sent, each with when that is.
        self._due: dict[str, float] = {}
        self._sent_until: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._watched)

    def watch(self, client: ClientConnection, tournament: str) -> None:
        """Send a client the updates of a tournament, instead of those of another one."""
        self.leave(client)
        self._watched[client] = tournament
        self._watchers.setdefault(tournament, {})[client] = None

    def leave(self, client: ClientConnection) -> None:
        """Send a client no further updates."""
        tournament = self._watched.pop(client, None)
        if tournament is not None:
            watchers = self._watchers[tournament]
            del watchers[client]
            if not watchers:
                del self._watchers[tournament]
                self._sent_until.pop(tournament, None)
                self._due.pop(tournament, None)

    def of(self, tournament: str) -> tuple[ClientConnection, ...]:
        """Return the clients that watch a tournament."""
        return tuple(self._watchers.get(tournament, ()))

    def changed(self, tournament: str) -> None:
        """A tournament has changed: `due` returns it when its watchers may get it."""
        if tournament in self._watchers:
            self._due.setdefault(tournament, self._sent_until.get(tournament, 0.0))

    def due(self) -> list[str]:
        """Return the tournaments that are to be sent now."""
        now = self._loop.time()
        return [tournament for tournament, at in self._due.items() if at <= now]

    async def send(self, tournament: str, message: ServerMessage) -> None:
        """Write an update to all watchers. One that is behind gets the next one, which has everything too."""
        self._due.pop(tournament, None)
        watchers = tuple(self._watchers.get(tournament, ()))
        if not watchers:
            return
        broadcast = Broadcast(message)
        size = len(broadcast.frame(watchers[0].codec)) * len(watchers)
        again = self._loop.time() + max(INTERVAL_S, size / BYTES_A_SECOND)
        self._sent_until[tournament] = again
        for number, client in enumerate(watchers, 1):
            if self._watched.get(client) != tournament:
                continue
            if client.is_behind:
                self._due[tournament] = again
            else:
                client.deliver(broadcast)
            if number % SLICE_SOCKETS == 0:
                await asyncio.sleep(0)
