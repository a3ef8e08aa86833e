"""The spectators of one match: as many as want to come, never in the players' way.

Small galleries are written to at once. Large ones are written to in slices, between which the loop serves everybody
else; when that is slower than the play, or when one socket is slow, a snapshot replaces the events that were missed. A
delay holds everything back, and `shown` is the match as spectators know it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from typing import Final

from protocol.messages import ServerMessage, Snapshot, Watchers
from server.match import Match
from server.metrics import Counts
from server.peer import Broadcast, Peer, deliver_to_all

__all__ = ["Gallery"]

SLICE: Final = 200
"""Sockets written to before the loop may do something else: about 2 ms of writing."""
MAX_ROUNDS: Final = 16
"""Messages under way to a large gallery at once. Beyond that a snapshot takes the place of all of them."""
COUNT_SECONDS: Final = 1.0
"""How often at most the number of watchers is told."""


class Gallery:
    """Whoever watches one match without playing it."""

    def __init__(
        self,
        match: Match,
        *,
        now: Callable[[], int],
        snapshot: Callable[[Match], Snapshot],
        counts: Counts,
        tell: Callable[[Broadcast], None],
        announce: Callable[[ServerMessage], None],
    ) -> None:
        """`tell` reaches the players too, `announce` the world outside."""
        self.shown = match
        self._delay = match.terms.delay * 1000
        self._now = now
        self._snapshot = snapshot
        self._counts = counts
        self._tell = tell
        self._announce = announce
        self._loop = asyncio.get_running_loop()
        self._peers: dict[Peer, None] = {}
        self._behind: set[Peer] = set()
        self._held: deque[tuple[int, Broadcast, Match]] = deque()
        self._release_timer: asyncio.TimerHandle | None = None
        self._rounds: deque[tuple[Broadcast, tuple[Peer, ...]]] = deque()
        self._written = 0
        self._is_writing = False
        self._count_timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._peers)

    def __contains__(self, peer: Peer) -> bool:
        return peer in self._peers

    def add(self, peer: Peer) -> None:
        self._peers[peer] = None
        self._count_changed()

    def remove(self, peer: Peer) -> None:
        if peer in self._peers:
            del self._peers[peer]
            self._behind.discard(peer)
            self._count_changed()

    def publish(self, broadcast: Broadcast, match: Match) -> None:
        """Show where the match stands, now or after the delay; the end of the match ends the delay too."""
        if self._delay and not match.over:
            self._held.append((self._now() + self._delay, broadcast, match))
            self._arm()
            return
        while self._held:
            _, earlier, where = self._held.popleft()
            self._show(earlier, where)
        self._show(broadcast, match)

    def spread(self, broadcast: Broadcast) -> None:
        """Write one message to everybody here."""
        if not self._peers:
            return
        if not self._rounds and len(self._peers) <= SLICE:
            self._give(self._peers, broadcast)
            return
        if len(self._rounds) >= MAX_ROUNDS:
            self._rounds.clear()
            self._written = 0
            self._counts.behind += len(self._peers)
            broadcast = Broadcast(self._snapshot(self.shown))
        self._rounds.append((broadcast, tuple(self._peers)))
        if not self._is_writing:
            self._is_writing = True
            self._loop.call_soon(self._write_slice)

    def caught_up(self, peer: Peer) -> None:
        """The socket takes data again: show what it missed."""
        if peer in self._behind:
            self._behind.discard(peer)
            peer.send(self._snapshot(self.shown))

    def close(self) -> None:
        """Forget everybody and every timer."""
        for timer in (self._release_timer, self._count_timer):
            if timer is not None:
                timer.cancel()
        self._peers.clear()
        self._rounds.clear()
        self._held.clear()

    def _give(self, peers: Iterable[Peer], broadcast: Broadcast) -> None:
        """Write to those who are here still and miss nothing; who cannot take it now is owed a snapshot."""
        here, behind = self._peers, self._behind
        slow = deliver_to_all([peer for peer in peers if peer in here and peer not in behind], broadcast)
        if slow:
            behind.update(slow)
            self._counts.behind += len(slow)

    def _write_slice(self) -> None:
        if not self._rounds:
            self._is_writing = False
            return
        broadcast, peers = self._rounds[0]
        end = self._written + SLICE
        self._give(peers[self._written : end], broadcast)
        self._written = end
        if end >= len(peers):
            self._rounds.popleft()
            self._written = 0
        self._loop.call_soon(self._write_slice)

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
        self._tell(Broadcast(Watchers(match=self.shown.id, count=len(self._peers))))
