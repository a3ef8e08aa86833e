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
from cornered.server.ports import Bus
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.match_summaries import MatchSummaries

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
        summaries: MatchSummaries,
        bus: Bus,
        *,
        now: Callable[[], int],
        peers_of: Callable[[str], Iterable[ClientConnection]],
        live_of: Callable[[str], Iterable[str]],
    ) -> None:
        """`peers_of` returns the sockets of a player, `live_of` the ids of its matches that go on, on all nodes."""
        self._lobby = lobby
        self._summaries = summaries
        summaries.observer = self
        self._bus = bus
        self._now = now
        self._peers_of = peers_of
        self._live_of = live_of
        self._loop = asyncio.get_running_loop()
        self._updates = LobbyUpdates(lobby, summaries.of)
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

    def best_matches(self) -> tuple[MatchSummary, ...]:
        """Return the best live match of each game."""
        found = map(self._summaries.of, self._updates.channels.best())
        return tuple(one for one in found if one is not None)

    # Changes

    def changed(self) -> None:
        """The lobby has changed."""
        self._page = None
        self._publish_soon()

    def replace(self, lobby: LobbyFacts) -> None:
        """Show another lobby from now on: every watcher gets its first page."""
        known = [match for _, match in self._updates.lists.matches.after()]
        self._lobby = lobby
        self._updates = LobbyUpdates(lobby, self._summaries.of)
        for match in reversed(known):
            self._updates.match_began(match)
        page = self._updates.restart()
        self._bus.publish_lobby(page)
        self._send_page(page)

    # SummariesObserver

    def match_began(self, match: str) -> None:
        self._updates.match_began(match)
        self.changed()

    def match_moved(self, match: str) -> None:
        self._updates.match_moved(match)
        self._publish_soon()

    def match_ended(self, match: str) -> None:
        self._updates.match_ended(match)
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
                self._send_page(update.public)
            else:
                self._spread(Broadcast(update.public))
        for player, personal in update.personal.items():
            broadcast = Broadcast(personal)
            for client in self._peers_of(player):
                if client in self._watching and client not in self._behind:
                    client.deliver(broadcast)
        if self._updates.is_waiting:
            self._publish_soon()

    def _send_page(self, page: LobbyState) -> None:
        """Write the first page to all watchers, in the place of everything before."""
        # A player with tables of its own gets a page that includes them.
        self._behind.update(client for client in self._watching if client.player.id in self._lobby.seeks_of)
        self._spread(Broadcast(page))

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
        own = map(self._summaries.of, self._live_of(player))
        return for_viewer(self._page, command_id, player, self._lobby, [one for one in own if one is not None])

    def _retain(self) -> None:
        """Publish the first page to the bus, which retains it."""
        self._retain_timer = None
        self._bus.publish_lobby(self._updates.first_page())
