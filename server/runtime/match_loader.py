"""Loads stored matches, each by one task at a time: on request, and behind all else those that go on after a start.

After a start the live matches are known by their first events alone. One is loaded when its first player or watcher
comes, and the others at a bounded pace behind everything else. No match can be played before it is loaded, so its
clock is refunded up to that moment: from the later of its last event and the last sign of life of the server before.
The matches of a slot that this node takes over are loaded in the same way.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, Protocol

import structlog

from cornered.protocol.events import MatchEvent, Started
from cornered.protocol.values import Player
from cornered.server.cluster.slots import ALL_SLOTS, slot_of
from cornered.server.match.match import Match
from cornered.server.ports import DamagedMatch, JournalUnavailable, NotOwner, StaleSequence
from cornered.server.refusal import Refusal
from cornered.server.runtime.archive import Archive
from cornered.server.runtime.match_mirror import MatchMirror
from cornered.server.runtime.match_room import MatchRoom, Services
from cornered.server.runtime.match_task import MatchTask
from cornered.server.runtime.registry_observer import RegistryObserver
from cornered.server.runtime.task_group import Spawn

__all__ = ["UNREADABLE", "MatchLoader", "Rooms"]

LOADERS: Final = 16
"""Matches that are loaded at once behind everything else after a start; their refunds share commits."""
LOADER_PAUSE_SECONDS: Final = 0.08
"""How long a loader rests after each match, so that 5,000 take about half a minute and others find time between."""
INFORM_SECONDS: Final = 1.0
"""How long a new mirror waits for what its owner knows beside the events."""
RETRY_SECONDS: Final = 1.0
"""When a match is tried again that could not be loaded because the store was away."""
UNREADABLE: Final = Refusal("internal", "old matches cannot be read just now; try again")
"""The answer for a match that can be loaded once the store is back."""

log = structlog.get_logger("matches")


class Rooms(Protocol):
    """The open matches of this node: the registry."""

    def get(self, match_id: str) -> MatchRoom | None:
        """Return the match if it is open here."""

    def owned(self, match_id: str) -> MatchTask | None:
        """Return the match task if this node owns the match and it is open."""

    def open_task(
        self, match: Match, events: Sequence[MatchEvent], report: Callable[[MatchTask], None], *, untended_since: int
    ) -> MatchTask:
        """Open the match task of a match without one since `untended_since`, in milliseconds. Raises Refusal."""

    def open_mirror(self, match: Match, events: Sequence[MatchEvent]) -> MatchMirror:
        """Open a match of another node. Raises Refusal."""

    def index(self, match_id: str, players: Sequence[Player]) -> None:
        """Add a match that goes on to those of its players."""

    def forget(self, match_id: str, players: Sequence[Player]) -> None:
        """Remove a match from those of its players that go on; harmless where it is not there."""


class MatchLoader:
    """The loader. A live match of this node that has no match task yet is here."""

    def __init__(
        self,
        services: Services,
        archive: Archive,
        rooms: Rooms,
        observer: RegistryObserver,
        tasks: asyncio.TaskGroup,
        spawn: Spawn,
    ) -> None:
        """`spawn` runs a coroutine as a named task that ends before the match tasks do."""
        self._services = services
        self._archive = archive
        self._rooms = rooms
        self._observer = observer
        self._tasks = tasks
        self._spawn = spawn
        self._unloaded: dict[str, Started] = {}
        self._loading: dict[str, asyncio.Task[MatchRoom | Refusal]] = {}
        # When the owner of each slot before this node was certainly there, in milliseconds of the match clock.
        self._alive_at: dict[int, int] = {}
        # True until `recover`: what is gained before is indexed by it.
        self._is_recovering = True
        self._is_closed = False
        self.all_loaded = asyncio.Event()
        """Set once no match of the server before waits to be loaded."""

    def close(self) -> None:
        """Cancel what is being loaded and refuse to load more."""
        self._is_closed = True
        for loading in self._loading.values():
            loading.cancel()

    # Matches of the owner before

    async def recover(self) -> None:
        """Index every match that goes on and is this node's, and begin to load them; from now on, all that it gains.

        A match that cannot be read stays closed and harms no other. Raises JournalUnavailable.
        """
        self._is_recovering = False
        await self._index_live(self._alive_at)

    def gained(self, slots: Mapping[int, int]) -> None:
        """Index and load the live matches of these slots, whose owner before was certainly there at the given times."""
        self._alive_at.update(slots)
        if not self._is_recovering:
            self.all_loaded.clear()
            self._spawn(self._take_over(slots), "take-over")

    def lost(self, slots: Collection[int]) -> None:
        """Drop the indexed matches of these slots, which another node loads."""
        for match_id, started in tuple(self._unloaded.items()):
            if slot_of(match_id) in slots:
                del self._unloaded[match_id]
                self._rooms.forget(match_id, started.players)

    def opened(self, match_id: str) -> None:
        """Drop a match from those that wait to be loaded: it has its match task."""
        self._unloaded.pop(match_id, None)

    async def _take_over(self, slots: Mapping[int, int]) -> None:
        while True:
            try:
                await self._index_live(slots)
            except JournalUnavailable:
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return

    async def _index_live(self, slots: Mapping[int, int]) -> None:
        """Index the matches that go on in slots whose owner before was certainly there at the given times."""
        live = await self._services.journal.live(None if len(slots) == len(ALL_SLOTS) else slots.keys())
        found = [
            one
            for one in live
            if slot_of(one.match) in slots
            and self._services.nodes.owns_match(one.match)
            and self._rooms.owned(one.match) is None
        ]
        for started in found:
            self._unloaded[started.match] = started
            self._rooms.index(started.match, started.players)
        if found:
            log.info("matches go on", matches=len(found))
            self.all_loaded.clear()
            self._observer.matches_indexed(found)
        # Those with clients here come first.
        waiting = deque(sorted((one.match for one in found), key=lambda match_id: self._rooms.get(match_id) is None))
        loaders = [self._spawn(self._load_in_turn(waiting), f"loader[{number}]") for number in range(LOADERS)]
        self._spawn(self._await_loaders(loaders), "loaders")

    async def _load_in_turn(self, waiting: deque[str]) -> None:
        while waiting:
            match_id = waiting.popleft()
            if match_id in self._unloaded:
                await asyncio.wait((self.load_soon(match_id),))
                if match_id in self._unloaded:
                    waiting.append(match_id)
                    await asyncio.sleep(RETRY_SECONDS)
                await asyncio.sleep(LOADER_PAUSE_SECONDS)

    async def _await_loaders(self, loaders: Sequence[asyncio.Task[None]]) -> None:
        await asyncio.wait(loaders)
        if not self._unloaded:
            self.all_loaded.set()

    # One match

    def bring(self, match_ids: Collection[str]) -> tuple[asyncio.Task[MatchRoom | Refusal], ...]:
        """Load these matches before all others, where they wait; return the tasks that do, which never raise."""
        return tuple(self.load_soon(match_id) for match_id in match_ids if match_id in self._unloaded)

    async def load(self, match_id: str) -> None:
        """Load a match. It may be closed again before the waiting callers run. Raises Refusal."""
        if self._is_closed:
            raise Refusal("shutting_down", "the server restarts; connect again in a moment")
        loading = self.load_soon(match_id)
        await asyncio.wait((loading,))
        if loading.cancelled():
            raise Refusal("shutting_down", "the server restarts; connect again in a moment")
        found = loading.result()
        if isinstance(found, Refusal):
            raise Refusal(found.code, found.text)

    def load_soon(self, match_id: str) -> asyncio.Task[MatchRoom | Refusal]:
        """Return the task that loads a match, which many may wait for and which never raises."""
        task = self._loading.get(match_id)
        if task is None:
            task = self._loading[match_id] = self._tasks.create_task(self._load(match_id), name=f"load[{match_id}]")
            task.add_done_callback(lambda _: self._loading.pop(match_id, None))
        return task

    async def _load(self, match_id: str) -> MatchRoom | Refusal:
        """Return a stored match, or why there is none."""
        try:
            while True:
                found = await self._restore(match_id)
                if found is not None:
                    return found
        except NotOwner:
            self._services.nodes.look()
            return UNREADABLE
        except JournalUnavailable:
            return UNREADABLE
        except DamagedMatch:
            self._lose(match_id)
            return Refusal("internal", "this match is damaged and cannot be shown; it is logged")
        except Refusal as refusal:
            return refusal
        except Exception as error:
            # A defect here must end neither the server nor its loaders. No traceback: its frames hold the match's seed.
            self._archive.set_aside(match_id, repr(error))
            self._lose(match_id)
            return Refusal("internal", "this match is damaged and cannot be shown; it is logged")

    async def _restore(self, match_id: str) -> MatchRoom | None:
        """Open a stored match: the match task where this node owns it, a mirror otherwise.

        One that went on under an earlier owner first gets its refund, which is stored. Return None where it has to be
        tried again. Raises Refusal where there is no such match.
        """
        is_own = self._services.nodes.owns_match(match_id)
        known = self._rooms.get(match_id)
        if known is not None and (isinstance(known, MatchTask) or not is_own):
            return known
        # A match with clients, which is what a mirror has, does not wait for replays of finished ones.
        stored = await self._archive.read(match_id, is_live=match_id in self._unloaded or known is not None)
        if stored is None:
            if match_id in self._unloaded:
                self._archive.set_aside(match_id, "its events are gone")
                self._lose(match_id)
            raise Refusal("unknown_match", f"there is no match {match_id!r}")
        match, events = stored.match, tuple(stored.events)
        if self._services.nodes.owns_match(match_id) != is_own:
            return None
        if not is_own:
            mirror = self._rooms.open_mirror(match, events)
            with contextlib.suppress(TimeoutError):
                # Who joins sees who is here and what was said; where the owner is away, who joins sees the match.
                async with asyncio.timeout(INFORM_SECONDS):
                    await mirror.informed.wait()
            return mirror
        was_live = match_id in self._unloaded
        if match.over:
            self._lose(match_id)
        if match_id not in self._unloaded:
            # One that was asked for before it was indexed may go on under an earlier owner's clock.
            untended = max(match.at, self._alive_at.get(slot_of(match_id), 0))
            match_task = self._rooms.open_task(match, events, self._observer.match_opened, untended_since=untended)
            if was_live:
                # Closed at once, since no client is joined; a waiting `find` opens it again from the cache.
                match_task.check_emptiness()
            return match_task
        now = self._services.now()
        refund = match.resume(now, self._alive_at.get(slot_of(match_id), 0))
        try:
            if refund:
                await self._services.journal.append(match_id, match.seq, refund)
        except StaleSequence:
            # An append of the owner before arrived meanwhile: read again.
            return None
        for event in refund:
            match = match.evolve(event)
        async with self._archive.turn(is_live=True):
            if not self._services.nodes.owns_match(match_id):
                return None
            return self._rooms.open_task(match, (*events, *refund), self._observer.match_resumed, untended_since=now)

    def _lose(self, match_id: str) -> None:
        """Forget an indexed match that does not go on."""
        started = self._unloaded.pop(match_id, None)
        if started is not None:
            self._rooms.forget(match_id, started.players)
            self._observer.match_lost(match_id)
