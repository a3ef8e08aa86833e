"""The lobby's watchers: each gets its first page, and then updates of bounded size and rate.

An update is encoded once for all watchers. The larger it is, the later the next one comes, so that what one watcher is
sent a second is bounded whatever happens in the lobby. A watcher that reads too slowly is passed over, and gets the
page again when it has caught up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from cornered.protocol.commands import AskLobby
from cornered.protocol.messages import LobbyPage, LobbyState
from cornered.protocol.values import MatchSummary
from cornered.server.lobby.state import LobbyFacts
from cornered.server.lobby.updates import LobbyUpdates
from cornered.server.lobby.views import for_viewer
from cornered.server.match import views
from cornered.server.ports import Bus
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.match_registry import MatchRegistry
from cornered.server.runtime.match_task import MatchTask

__all__ = ["BYTES_A_SECOND", "PUBLISH_INTERVAL_S", "LobbyWatchers"]

PUBLISH_INTERVAL_S: Final = 0.25
"""Least interval of updates to the watchers."""
BYTES_A_SECOND: Final = 16_000
"""Average output to one watcher: after an update of so many bytes the next is sent a second later."""
RETAIN_SECONDS: Final = 5.0
"""Least interval at which the bus gets the whole first page, which it retains."""
SLICE_SOCKETS: Final = 200
"""Connections written to in one step of the event loop."""


class LobbyWatchers:
    """The watchers of one lobby."""

    def __init__(
        self,
        lobby: LobbyFacts,
        registry: MatchRegistry,
        bus: Bus,
        *,
        now: Callable[[], int],
        peers_of: Callable[[str], Iterable[ClientConnection]],
    ) -> None:
        """`peers_of` returns the sockets of a player."""
        self._lobby = lobby
        self._match_tasks = registry
        self._bus = bus
        self._now = now
        self._peers_of = peers_of
        self._loop = asyncio.get_running_loop()
        self._updates = LobbyUpdates(lobby, self._summary)
        # The number of updates before each watcher got its page, which it does not get again.
        self._watching: dict[ClientConnection, int] = {}
        self._behind: set[ClientConnection] = set()
        self._update_number = 0
        self._rounds: deque[tuple[int, Broadcast, Iterator[ClientConnection]]] = deque()
        self._is_writing = False
        # The first page as cached for new watchers; None once an update has changed it.
        self._page: LobbyState | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._next_at = 0.0
        self._retain_timer: asyncio.TimerHandle | None = None
        self._retain()

    def __len__(self) -> int:
        return len(self._watching)

    # Watchers

    def watch(self, client: ClientConnection, command_id: str) -> None:
        """Subscribe a client: send it the first page, and updates from now on."""
        self._show(client, command_id)

    def caught_up(self, client: ClientConnection) -> None:
        """A client's output buffer is below its low mark again: send it the page if it missed updates."""
        if client in self._behind:
            self._show(client, None)

    def leave(self, client: ClientConnection) -> None:
        """Unsubscribe a client."""
        self._watching.pop(client, None)
        self._behind.discard(client)

    def page(self, command: AskLobby) -> LobbyPage:
        """Return one more page. Raises Refusal."""
        return self._updates.lists.page(command)

    # Changes

    def changed(self) -> None:
        """The lobby has changed."""
        self._page = None
        self._publish_soon()

    def match_began(self, match_task: MatchTask) -> None:
        """A match begins, or is loaded after a restart."""
        if match_task.is_listed:
            self._updates.match_began(match_task.match.id)
            self.changed()

    def match_moved(self, match_task: MatchTask) -> None:
        """A match looks different in lists."""
        self._updates.match_moved(match_task.match.id)
        self._publish_soon()

    def match_ended(self, match_task: MatchTask) -> None:
        """A match is over."""
        self._updates.match_ended(match_task.match.id)
        self.changed()

    def close(self) -> None:
        """Stop every timer."""
        for timer in (self._timer, self._retain_timer):
            if timer is not None:
                timer.cancel()
        self._rounds.clear()
        self._watching.clear()

    # Updates

    def _publish_soon(self) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(
                max(PUBLISH_INTERVAL_S, self._next_at - self._loop.time()), self._publish
            )

    def _publish(self) -> None:
        self._timer = None
        update = self._updates.take(self._now())
        if update.public is not None:
            self._bus.publish_lobby(update.public)
            if self._retain_timer is None:
                self._retain_timer = self._loop.call_later(RETAIN_SECONDS, self._retain)
            if isinstance(update.public, LobbyState):
                # The page replaces everything, so a player with tables of its own gets one that includes them.
                self._behind.update(client for client in self._watching if client.player.id in self._lobby.seeks_of)
            self._spread(Broadcast(update.public))
        for player, personal in update.personal.items():
            broadcast = Broadcast(personal)
            for client in self._peers_of(player):
                if client in self._watching and client not in self._behind:
                    client.deliver(broadcast)
        if self._updates.is_waiting:
            self._publish_soon()

    def _spread(self, broadcast: Broadcast) -> None:
        """Write an update to all watchers, in slices between which the event loop runs other tasks."""
        self._update_number += 1
        self._page = None
        if not self._watching:
            return
        size = len(broadcast.frame(next(iter(self._watching)).codec))
        self._next_at = self._loop.time() + size / BYTES_A_SECOND
        self._rounds.append((self._update_number, broadcast, iter(tuple(self._watching))))
        if not self._is_writing:
            self._is_writing = True
            self._write_slice()

    def _write_slice(self) -> None:
        if not self._rounds:
            self._is_writing = False
            return
        number, broadcast, clients = self._rounds[0]
        count = 0
        for client in islice(clients, SLICE_SOCKETS):
            count += 1
            if self._watching.get(client, number) >= number:
                continue
            if client.is_behind:
                self._behind.add(client)
            elif client in self._behind:
                self._show(client, None)
            else:
                client.deliver(broadcast)
        if count < SLICE_SOCKETS:
            self._rounds.popleft()
        if self._rounds:
            self._loop.call_soon(self._write_slice)
        else:
            self._is_writing = False

    def _show(self, client: ClientConnection, command_id: str | None) -> None:
        """Send a client the page, and none of the updates before it."""
        self._watching[client] = self._update_number
        self._behind.discard(client)
        client.send(self._state_for(client.player.id, command_id))

    def _state_for(self, player: str, command_id: str | None) -> LobbyState:
        if self._page is None:
            self._page = self._updates.first_page()
        own = (
            self._summary(match_task.match.id)
            for match_task in self._match_tasks.rooms_of(player)
            if match_task.is_listed
        )
        return for_viewer(self._page, command_id, player, self._lobby, [one for one in own if one is not None])

    def _retain(self) -> None:
        """Publish the first page to the bus, which retains it."""
        self._retain_timer = None
        self._bus.publish_lobby(self._updates.first_page())

    def _summary(self, match: str) -> MatchSummary | None:
        """Return a match as its spectators see it, with their delay."""
        match_task = self._match_tasks.get(match)
        return None if match_task is None else views.summary(match_task.spectators.shown, len(match_task.spectators))
