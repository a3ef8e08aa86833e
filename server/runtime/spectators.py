"""The spectators of one match, whose number is not bounded and who delay no player.

Up to `SLICE_SOCKETS` spectators are written to at once. More are written to in slices, between which the loop runs
everything else; where that is slower than the play, or one socket is slow, a snapshot replaces the events that were
missed. A delay holds everything back, and `shown` is the match as spectators see it.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, islice, takewhile
from typing import Final, NamedTuple

from cornered.protocol.codec import JSON, MSGPACK, Codec
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import ServerMessage, Snapshot
from cornered.server.match import views
from cornered.server.match.match import Match
from cornered.server.metrics import Counts
from cornered.server.runtime.client_connection import Broadcast, ClientConnection, Write

__all__ = ["Spectators"]

SLICE_SOCKETS: Final = 200
"""Sockets written to before the loop may do something else: about 2 ms of writing."""
MAX_ROUNDS: Final = 32
"""Messages under way to a large crowd of spectators at once. Beyond that a snapshot takes the place of all of them."""
COUNT_SECONDS: Final = 1.0
"""The shortest time between two messages with the number of watchers."""


class _Round(NamedTuple):
    """One frame for all clients that were `ready` for it, and an iterator over those that it was not yet written to.

    Those who block the `author` of a line of chat do not get it.
    """

    framed: bytes
    author: str
    ready: dict[ClientConnection, Write]
    clients: Iterator[ClientConnection]


class Spectators:
    """The clients that watch one match without playing it."""

    def __init__(
        self,
        match: Match,
        events: Sequence[MatchEvent],
        *,
        now: Callable[[], int],
        snapshot: Callable[[Match], Snapshot],
        counts: Counts,
        crowd_changed: Callable[[], None],
        announce: Callable[[ServerMessage], None],
    ) -> None:
        """`events` made `match`. `crowd_changed` is called at most once a second, `announce` for all that is shown."""
        self.shown = match
        self._delay = match.terms.delay * 1000
        self._now = now
        self._snapshot = snapshot
        self._counts = counts
        self._crowd_changed = crowd_changed
        self._announce = announce
        self._loop = asyncio.get_running_loop()
        self._ready: dict[Codec, dict[ClientConnection, Write]] = {JSON: {}, MSGPACK: {}}
        self._behind: set[ClientConnection] = set()
        self._crowd = 0
        # The people among the clients by id, each with the number of their windows.
        self._people: Counter[str] = Counter()
        self._held: deque[tuple[int, Broadcast, Match]] = deque()
        self._release_timer: asyncio.TimerHandle | None = None
        self._rounds: deque[_Round] = deque()
        # True from `spread`'s first call_soon until `_write_slice` finds no round.
        self._is_writing = False
        self._count_timer: asyncio.TimerHandle | None = None
        if self._delay and not match.over:
            self._hold_back(events)

    def __len__(self) -> int:
        return self._crowd

    @property
    def people(self) -> int:
        """The number of those who watch: one with several windows is one watcher."""
        return len(self._people)

    def __contains__(self, client: ClientConnection) -> bool:
        return client in self._ready[client.codec] or client in self._behind

    def __iter__(self) -> Iterator[ClientConnection]:
        for ready in self._ready.values():
            yield from ready
        yield from self._behind

    def add(self, client: ClientConnection) -> None:
        if client not in self:
            self._crowd += 1
            self._people[client.player.id] += 1
            if client.is_behind:
                self._behind.add(client)
            else:
                self._ready[client.codec][client] = client.write
            self._count_changed()

    def remove(self, client: ClientConnection) -> None:
        if client in self:
            self._crowd -= 1
            self._people[client.player.id] -= 1
            if not self._people[client.player.id]:
                del self._people[client.player.id]
            self._ready[client.codec].pop(client, None)
            self._behind.discard(client)
            self._count_changed()

    def fell_behind(self, client: ClientConnection) -> None:
        """The client's output buffer is above its high mark: it is skipped until `caught_up`."""
        if self._ready[client.codec].pop(client, None) is not None:
            self._behind.add(client)
            self._counts.behind += 1

    def caught_up(self, client: ClientConnection) -> None:
        """The client's output buffer is below its low mark: send it a snapshot of what it missed."""
        if client in self._behind:
            self._behind.discard(client)
            self._ready[client.codec][client] = client.write
            client.send(self._snapshot(self.shown))

    def publish(self, broadcast: Broadcast, match: Match) -> None:
        """Send `broadcast`, which led to `match`, now or after the delay, which ends with the match."""
        if self._delay and not match.over:
            self._held.append((self._now() + self._delay, broadcast, match))
            self._arm()
            return
        while self._held:
            _, earlier, where = self._held.popleft()
            self._show(earlier, where)
        self._show(broadcast, match)

    def spread(self, broadcast: Broadcast) -> None:
        """Write one message to every client that is ready."""
        if not self._crowd:
            return
        if not self._rounds and self._crowd <= SLICE_SOCKETS:
            for codec, ready in self._ready.items():
                if ready:
                    framed = broadcast.frame(codec)
                    # A copy: a write may call `fell_behind`, which changes the dictionary.
                    for client, write in tuple(ready.items()):
                        if not broadcast.author or broadcast.author not in client.blocked:
                            write(framed)
            return
        if len(self._rounds) >= MAX_ROUNDS:
            self._rounds.clear()
            self._counts.behind += self._crowd
            broadcast = Broadcast(self._snapshot(self.shown))
        for codec, ready in self._ready.items():
            if ready:
                self._rounds.append(_Round(broadcast.frame(codec), broadcast.author, ready, iter(tuple(ready))))
        if self._rounds and not self._is_writing:
            self._is_writing = True
            self._loop.call_soon(self._write_slice)

    def close(self) -> None:
        """Forget all clients, timers and the match task, which a cycle of references would keep until a collection."""
        for timer in (self._release_timer, self._count_timer):
            if timer is not None:
                timer.cancel()
        self._release_timer = self._count_timer = None
        for ready in self._ready.values():
            ready.clear()
        self._behind.clear()
        self._people.clear()
        self._crowd = 0
        self._rounds.clear()
        self._held.clear()
        del self._snapshot, self._crowd_changed, self._announce

    def _write_slice(self) -> None:
        if not self._rounds:
            self._is_writing = False
            return
        framed, author, ready, clients = self._rounds[0]
        is_done = True
        for client in islice(clients, SLICE_SOCKETS):
            is_done = False
            # A client that left or fell behind since the round began is not ready any more.
            write = ready.get(client)
            if write is not None and (not author or author not in client.blocked):
                write(framed)
        if is_done:
            self._rounds.popleft()
        self._loop.call_soon(self._write_slice)

    def _hold_back(self, events: Sequence[MatchEvent]) -> None:
        """Show a reopened match only as far as its delay allows, and schedule the rest."""
        terms, latest = self.shown.terms, self._now() - self._delay
        # The beginning of a match is not delayed.
        public = max(1, sum(1 for _ in takewhile(lambda event: event.at <= latest, events)))
        match = self.shown = Match.replay(events[:public], terms.seed, terms.patience)
        for at, together in groupby(events[public:], key=lambda event: event.at):
            simultaneous = tuple(together)
            for event in simultaneous:
                match = match.evolve(event)
            self._held.append((at + self._delay, Broadcast(views.happened(match, simultaneous)), match))
        self._arm()

    def _show(self, broadcast: Broadcast, match: Match) -> None:
        self.shown = match
        self.spread(broadcast)
        self._announce(broadcast.message)

    def _arm(self) -> None:
        if self._held and self._release_timer is None:
            wait = max(0, self._held[0][0] - self._now()) / 1000
            self._release_timer = self._loop.call_later(wait, self._release)

    def _release(self) -> None:
        self._release_timer = None
        now = self._now()
        while self._held and self._held[0][0] <= now:
            _, broadcast, match = self._held.popleft()
            self._show(broadcast, match)
        self._arm()

    def _count_changed(self) -> None:
        if self._count_timer is None:
            self._count_timer = self._loop.call_later(COUNT_SECONDS, self._tell_count)

    def _tell_count(self) -> None:
        self._count_timer = None
        self._crowd_changed()
