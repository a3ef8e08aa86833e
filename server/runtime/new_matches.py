"""Stores the first events of new matches.

An append that fails may have arrived: a match that may be stored without a match task is looked for in the store.
"""

from __future__ import annotations

import asyncio
from typing import Final

from cornered.server.lobby.events import MatchMade
from cornered.server.match.match import Match, open_match, open_rematch, rematch_id, rematch_of
from cornered.server.match.terms import Opening
from cornered.server.ports import JournalUnavailable, StaleSequence
from cornered.server.refusal import Refusal
from cornered.server.runtime.archive import Archive
from cornered.server.runtime.match_loader import UNREADABLE, MatchLoader, Rooms
from cornered.server.runtime.match_room import MatchRoom, Services
from cornered.server.runtime.match_task import MatchTask
from cornered.server.runtime.registry_observer import RegistryObserver

__all__ = ["NewMatches"]

RETRY_SECONDS: Final = 1.0
"""How long after a doubtful append, and after each failed search, the store is asked for the match."""
MAX_DOUBTFUL: Final = 4_096
"""Matches looked for in the store after an append without an answer; more than these are found by the next restart."""


class NewMatches:
    """The matches that begin on this node, until their match tasks are open."""

    def __init__(
        self,
        services: Services,
        archive: Archive,
        rooms: Rooms,
        loader: MatchLoader,
        observer: RegistryObserver,
        tasks: asyncio.TaskGroup,
    ) -> None:
        self._services = services
        self._archive = archive
        self._rooms = rooms
        self._loader = loader
        self._observer = observer
        self._tasks = tasks
        # New matches that may be stored and have no match task, oldest first, and the task that looks for them.
        self._doubtful: dict[str, None] = {}
        self._search: asyncio.Task[None] | None = None
        self._is_closed = False

    def close(self) -> None:
        """End the search; the next start finds what is stored."""
        self._is_closed = True
        if self._search is not None:
            self._search.cancel()

    async def open(self, made: MatchMade) -> MatchTask | None:
        """Store a new match and open its match task, once its game is ready; return None where it was stored before.

        Raises JournalUnavailable and Refusal.
        """
        await self._services.readiness.of(made.spec.name)
        opening = Opening(
            made.match,
            made.spec,
            made.players,
            made.clock,
            made.private,
            made.delay,
            made.with_help,
            made.rated,
            made.tournament,
            made.versions,
        )
        ratings = await self._services.ratings.at_start(opening)
        events = open_match(opening, self._archive.seed(made.match), now=self._services.now(), ratings=ratings)
        try:
            await self._services.journal.append(made.match, 0, events)
        except StaleSequence:
            # It is there already: a write that seemed to fail had arrived.
            return None
        except JournalUnavailable:
            self._look_for(made.match)
            raise
        self._services.counts.events += len(events)
        match = self._archive.fold(made.match, events)
        return self._rooms.open_task(match, events, self._observer.match_opened, untended_since=match.at)

    async def store_rematch(self, match: Match) -> None:
        """Store the beginning of the match that follows `match`. Raises JournalUnavailable, Refusal."""
        terms, new_id = match.terms, rematch_id(match.id)
        await self._observer.reserve_rematch(
            MatchMade(
                new_id,
                terms.spec,
                terms.players,
                terms.clock,
                terms.private,
                terms.delay,
                with_help=terms.with_help,
                rated=terms.rated,
            )
        )
        # A bot may have come back as another version since the match began.
        versions = self._observer.versions_of(rematch_of(match).players)
        ratings = await self._services.ratings.at_start(rematch_of(match, versions))
        events = open_rematch(match, self._archive.seed(new_id), self._services.now(), ratings, versions)
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
                found: MatchRoom | Refusal | None = self._rooms.get(match_id)
                if found is None:
                    loading = self._loader.load_soon(match_id)
                    await asyncio.wait((loading,))
                    found = loading.result()
                if found is UNREADABLE:
                    break
                self._doubtful.pop(match_id, None)
                if isinstance(found, MatchRoom) and found.match.over:
                    # It was played to its end before the event that leads to it was stored.
                    self._observer.match_lost(match_id)
                    found.check_emptiness()
