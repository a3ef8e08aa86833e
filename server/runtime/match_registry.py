"""Every match task of this server: opened for a new match or from the journal, closed when over and without clients.

After a start the live matches are known by their first events alone. One is loaded when its first player or watcher
comes, and the others at a bounded pace behind everything else. No match can be played before it is loaded, so its
clock is refunded up to that moment: from the later of its last event and the last sign of life of the server before.
Until a live match has its match task, its clock does not count: what storing and queueing took is refunded by the
match task.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Protocol

import structlog

from cornered.protocol.events import MatchEvent, Started
from cornered.protocol.values import MatchSummary, Player
from cornered.server.lobby.events import MatchMade
from cornered.server.match.match import Match, Patience, open_match, open_rematch, rematch_id
from cornered.server.match.terms import Opening
from cornered.server.ports import DamagedMatch, JournalUnavailable, StaleSequence
from cornered.server.refusal import Refusal
from cornered.server.runtime.archive import Archive
from cornered.server.runtime.match_task import MatchTask, Services

__all__ = ["MatchRegistry", "RegistryObserver", "new_id"]

DRAIN_SECONDS: Final = 5.0
"""How long the match tasks may take to answer what has arrived when the server stops."""
LOADERS: Final = 16
"""Matches that are loaded at once behind everything else after a start; their refunds share commits."""
LOADER_PAUSE_SECONDS: Final = 0.08
"""How long a loader rests after each match, so that 5,000 take about half a minute and others find time between."""
RETRY_SECONDS: Final = 1.0
"""When a match is tried again that could not be loaded because the store was away."""
MAX_DOUBTFUL: Final = 4_096
"""Matches looked for in the store after an append without an answer; more than these are found by the next restart."""
UNREADABLE: Final = Refusal("internal", "old matches cannot be read just now; try again")

log = structlog.get_logger("matches")


def new_id() -> str:
    """Return a random id that cannot be guessed."""
    return secrets.token_hex(8)


class RegistryObserver(Protocol):
    """What the registry reports to: the lobby service."""

    def matches_indexed(self, live: Sequence[Started]) -> None:
        """These matches go on after a start; their match tasks open later."""

    def match_resumed(self, match_task: MatchTask) -> None:
        """An indexed match is loaded."""

    def match_lost(self, match_id: str) -> None:
        """An indexed or stored match turned out to be damaged or over."""

    def match_opened(self, match_task: MatchTask) -> None:
        """A match begins, or a finished one is loaded again."""

    def match_changed(self, match_task: MatchTask) -> None:
        """A match looks different in lists now."""

    def match_ended(self, match_task: MatchTask) -> None:
        """A match is over."""

    def reserve_rematch(self, made: MatchMade) -> None:
        """A rematch is about to be stored. Raises Refusal where its players may have no more matches."""

    def release_rematch(self, match_id: str) -> None:
        """A rematch could not be stored."""


class MatchRegistry:
    """The registry. Live matches are always here, loaded or not yet; finished ones while a socket is in them."""

    def __init__(
        self,
        services: Services,
        secret: bytes,
        patience: Patience,
        tasks: asyncio.TaskGroup,
        observer: RegistryObserver,
    ) -> None:
        self._services = services
        self._observer = observer
        self._archive = Archive(services, secret, patience)
        self._patience = patience
        self._tasks = tasks
        self._match_tasks: dict[str, MatchTask] = {}
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._live: dict[str, dict[str, None]] = {}
        self._unloaded: dict[str, Started] = {}
        self._loading: dict[str, asyncio.Task[MatchTask | Refusal]] = {}
        # New matches that may be stored and have no match task, oldest first, and the task that looks for them.
        self._doubtful: dict[str, None] = {}
        self._search: asyncio.Task[None] | None = None
        self._background: list[asyncio.Task[None]] = []
        self._alive_at = 0
        self._is_closed = False
        self.all_loaded = asyncio.Event()
        """Set once no match of the server before waits to be loaded."""

    def __len__(self) -> int:
        return len(self._match_tasks)

    @property
    def max_plies(self) -> int:
        """After how many plies every match is a draw."""
        return self._patience.max_plies

    def all(self) -> tuple[MatchTask, ...]:
        """Return every open match task, the oldest first."""
        return tuple(self._match_tasks.values())

    def get(self, match_id: str) -> MatchTask | None:
        """Return the match task if it is open."""
        return self._match_tasks.get(match_id)

    def live_of(self, player: str) -> tuple[str, ...]:
        """Return the ids of a player's matches that go on, oldest first, loaded or not."""
        return tuple(self._live.get(player, ()))

    def rooms_of(self, player: str) -> tuple[MatchTask, ...]:
        """Return the open match tasks of a player's matches that go on, oldest first."""
        return tuple(
            match_task
            for match_id in self._live.get(player, ())
            if (match_task := self._match_tasks.get(match_id)) is not None
        )

    def bring(self, player: str) -> tuple[asyncio.Task[MatchTask | Refusal], ...]:
        """Load a player's matches before all others; return the tasks that do, which never raise."""
        return tuple(self._load_soon(match_id) for match_id in self._live.get(player, ()) if match_id in self._unloaded)

    async def open_new(self, made: MatchMade) -> MatchTask:
        """Store a new match and open its match task, once its game is ready. Raises JournalUnavailable and Refusal."""
        await self._services.readiness.of(made.spec.name)
        opening = Opening(made.match, made.spec, made.players, made.clock, made.private, made.delay)
        events = open_match(opening, self._archive.seed(made.match), now=self._services.now())
        try:
            await self._services.journal.append(made.match, 0, events)
        except StaleSequence:
            # It is there already: a write that seemed to fail had arrived.
            return await self.find(made.match)
        except JournalUnavailable:
            self._look_for(made.match)
            raise
        self._services.counts.events += len(events)
        match = self._archive.fold(made.match, events)
        return self._open(match, events, self._observer.match_opened, untended_since=match.at)

    async def store_rematch(self, match: Match) -> None:
        """Store the beginning of the match that follows `match`. Raises JournalUnavailable, Refusal."""
        terms, new_id = match.terms, rematch_id(match.id)
        self._observer.reserve_rematch(
            MatchMade(new_id, terms.spec, terms.players, terms.clock, terms.private, terms.delay)
        )
        events = open_rematch(match, self._archive.seed(new_id), self._services.now())
        try:
            await self._services.journal.append(new_id, 0, events)
        except StaleSequence:
            return
        except JournalUnavailable:
            self._observer.release_rematch(new_id)
            raise
        finally:
            # The event that leads to it may not be stored, or its task not open: a stored match needs a task.
            self._look_for(new_id)
        self._services.counts.events += len(events)

    async def open_rematch(self, match: Match) -> None:
        """Open the match task of the match that follows `match`. Raises Refusal."""
        await self.find(rematch_id(match.id))

    async def find(self, match_id: str) -> MatchTask:
        """Return the match task of any match, reopened from the journal if need be. Raises Refusal."""
        while (match_task := self._match_tasks.get(match_id)) is None:
            # It may be closed again before the waiting callers run.
            if self._is_closed:
                raise Refusal("shutting_down", "the server restarts; connect again in a moment")
            loading = self._load_soon(match_id)
            await asyncio.wait((loading,))
            if loading.cancelled():
                raise Refusal("shutting_down", "the server restarts; connect again in a moment")
            found = loading.result()
            if isinstance(found, Refusal):
                raise Refusal(found.code, found.text)
        return match_task

    def _look_for(self, match_id: str) -> None:
        """Open the match task of a new match, if it is stored, as soon as the store can be read."""
        if self._is_closed:
            return
        self._doubtful[match_id] = None
        if len(self._doubtful) > MAX_DOUBTFUL:
            del self._doubtful[next(iter(self._doubtful))]
        if self._search is None or self._search.done():
            self._search = self._tasks.create_task(self._find_doubtful(), name="doubtful matches")

    async def _find_doubtful(self) -> None:
        while self._doubtful:
            await asyncio.sleep(RETRY_SECONDS)
            for match_id in tuple(self._doubtful):
                found: MatchTask | Refusal | None = self._match_tasks.get(match_id)
                if found is None:
                    loading = self._load_soon(match_id)
                    await asyncio.wait((loading,))
                    found = loading.result()
                if found is UNREADABLE:
                    break
                self._doubtful.pop(match_id, None)
                if isinstance(found, MatchTask) and found.match.over:
                    # It was played to its end before the event that leads to it was stored.
                    self._observer.match_lost(match_id)
                    found.check_emptiness()

    async def summaries(self, finished: Sequence[str]) -> list[MatchSummary]:
        """Return what lists show of finished matches. Raises JournalUnavailable, and Refusal when the server stops."""
        return await self._archive.summaries(finished)

    # Matches of the server before

    async def recover(self, alive_at: int) -> None:
        """Index every match that goes on, and begin to load them; `alive_at` is the last sign of life before.

        A match that cannot be read stays closed and harms no other. Raises JournalUnavailable.
        """
        self._alive_at = alive_at
        found = await self._services.journal.live()
        for started in found:
            self._unloaded[started.match] = started
            self._index(started.match, started.players)
        if found:
            log.info("matches go on", matches=len(found))
            self._observer.matches_indexed(found)
        waiting = deque(self._unloaded)
        self._background = [
            self._tasks.create_task(self._load_in_turn(waiting), name=f"loader[{number}]") for number in range(LOADERS)
        ]
        self._background.append(self._tasks.create_task(self._await_loaders(), name="loaders"))

    async def _await_loaders(self) -> None:
        await asyncio.wait(self._background[:LOADERS])
        if not self._unloaded:
            self.all_loaded.set()

    async def _load_in_turn(self, waiting: deque[str]) -> None:
        while waiting:
            match_id = waiting.popleft()
            if match_id in self._unloaded:
                await asyncio.wait((self._load_soon(match_id),))
                if match_id in self._unloaded:
                    waiting.append(match_id)
                    await asyncio.sleep(RETRY_SECONDS)
                await asyncio.sleep(LOADER_PAUSE_SECONDS)

    def _load_soon(self, match_id: str) -> asyncio.Task[MatchTask | Refusal]:
        """Return the task that loads a match, which many may wait for."""
        task = self._loading.get(match_id)
        if task is None:
            task = self._loading[match_id] = self._tasks.create_task(self._load(match_id), name=f"load[{match_id}]")
            task.add_done_callback(lambda _: self._loading.pop(match_id, None))
        return task

    async def _load(self, match_id: str) -> MatchTask | Refusal:
        """Return the match task of a stored match, or why there is none."""
        try:
            found = await self._restore(match_id)
            return Refusal("unknown_match", f"there is no match {match_id!r}") if found is None else found
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

    async def _restore(self, match_id: str) -> MatchTask | None:
        """Open the match task of a stored match; one that went on before the start first gets its refund, which is
        stored.
        """
        while (stored := await self._archive.read(match_id, is_live=match_id in self._unloaded)) is not None:
            match, events = stored.match, tuple(stored.events)
            was_live = match_id in self._unloaded
            if match.over:
                self._lose(match_id)
            if match_id not in self._unloaded:
                match_task = self._open(match, events, self._observer.match_opened, untended_since=match.at)
                if was_live:
                    # Closed at once, since no client is joined; a waiting `find` opens it again from the cache.
                    match_task.check_emptiness()
                return match_task
            now = self._services.now()
            refund = match.resume(now, self._alive_at)
            try:
                if refund:
                    await self._services.journal.append(match_id, match.seq, refund)
            except StaleSequence:
                # An append of the server before arrived meanwhile: read again.
                continue
            for event in refund:
                match = match.evolve(event)
            async with self._archive.turn(is_live=True):
                return self._open(match, (*events, *refund), self._observer.match_resumed, untended_since=now)
        if match_id in self._unloaded:
            self._archive.set_aside(match_id, "its events are gone")
            self._lose(match_id)
        return None

    def _index(self, match_id: str, players: Sequence[Player]) -> None:
        for player in players:
            self._live.setdefault(player.id, {})[match_id] = None

    def _forget(self, match_id: str, players: Sequence[Player]) -> None:
        for player in players:
            live = self._live.get(player.id)
            if live is not None:
                live.pop(match_id, None)
                if not live:
                    del self._live[player.id]

    def _lose(self, match_id: str) -> None:
        """Forget an indexed match that does not go on."""
        started = self._unloaded.pop(match_id, None)
        if started is not None:
            self._forget(match_id, started.players)
            self._observer.match_lost(match_id)

    def _open(
        self, match: Match, events: Sequence[MatchEvent], report: Callable[[MatchTask], None], *, untended_since: int
    ) -> MatchTask:
        """Open the match task of a match whose clock has run without one since `untended_since`, if it goes on."""
        if (known := self._match_tasks.get(match.id)) is not None:
            return known
        if self._is_closed:
            # Its task would have no owner. The match is stored, and goes on after the start.
            raise Refusal("shutting_down", "the server restarts; connect again in a moment")
        match_task = MatchTask(match, list(events), self._services, self)
        self._match_tasks[match.id] = match_task
        self._unloaded.pop(match.id, None)
        self._runs[match.id] = self._tasks.create_task(match_task.run(), name=f"match[{match.id}]")
        if not match.over:
            self._index(match.id, match.terms.players)
            match_task.announce_start()
            match_task.excuse(untended_since)
        report(match_task)
        return match_task

    async def close(self) -> None:
        """Let every match task answer what has arrived, then end them all."""
        for task in self._background:
            task.cancel()
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                for match_task in tuple(self._match_tasks.values()):
                    await match_task.drained()
        except TimeoutError:
            log.warning("some commands stay unanswered: the journal does not come back")
        self._is_closed = True
        if self._search is not None:
            self._search.cancel()
        for loading in self._loading.values():
            loading.cancel()
        for match_task in self._match_tasks.values():
            match_task.close()
        for run in self._runs.values():
            run.cancel()
        self._match_tasks.clear()

    # MatchObserver, called by match tasks

    def ended(self, match_task: MatchTask) -> None:
        self._forget(match_task.match.id, match_task.match.terms.players)
        self._observer.match_ended(match_task)

    def changed(self, match_task: MatchTask) -> None:
        self._observer.match_changed(match_task)

    def emptied(self, match_task: MatchTask) -> None:
        match_id = match_task.match.id
        if self._match_tasks.pop(match_id, None) is not None:
            self._archive.keep(match_task.match, match_task.events)
            match_task.close()
            self._runs.pop(match_id).cancel()
