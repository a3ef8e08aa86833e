"""Every room of this server: opened for a new match, reopened from the journal, given up when nobody needs it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import structlog

from protocol.events import MatchEvent, Started
from server.dice import seed_of
from server.lobbystate import MatchMade
from server.match import Match, Patience, open_match, open_rematch, rematch_id
from server.ports import JournalUnavailable, StaleSequence, StoredMatch
from server.refusal import Refusal
from server.room import Room, Services

__all__ = ["Rooms", "new_id"]

DRAIN_SECONDS: Final = 5.0
"""How long the rooms may take to answer what has arrived when the server stops."""

log = structlog.get_logger("rooms")


def new_id() -> str:
    """Return a name that nobody can guess."""
    return secrets.token_hex(8)


class Rooms:
    """The registry. Live matches are always here; finished ones while somebody looks at them."""

    def __init__(self, services: Services, secret: bytes, patience: Patience, tasks: asyncio.TaskGroup) -> None:
        self._services = services
        self._secret = secret
        self._patience = patience
        self._tasks = tasks
        self._rooms: dict[str, Room] = {}
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._live: dict[str, dict[str, Room]] = {}
        self.on_opened: Callable[[Room], None]
        self.on_changed: Callable[[Room], None]
        self.on_ended: Callable[[Room], None]
        """The hall's ears."""

    def __len__(self) -> int:
        return len(self._rooms)

    def all(self) -> tuple[Room, ...]:
        """Return every open room, the oldest first."""
        return tuple(self._rooms.values())

    def get(self, match_id: str) -> Room | None:
        """Return the room if it is open."""
        return self._rooms.get(match_id)

    def live_of(self, player: str) -> tuple[str, ...]:
        """Return the ids of a player's matches that go on, oldest first."""
        return tuple(self._live.get(player, ()))

    def rooms_of(self, player: str) -> tuple[Room, ...]:
        """Return the rooms of a player's matches that go on, oldest first."""
        return tuple(self._live.get(player, {}).values())

    async def open_new(self, made: MatchMade) -> Room:
        """Store a new match and open its room, once its game is ready. Raises JournalUnavailable."""
        await self._services.readiness.of(made.spec.name)
        events = open_match(
            made.match,
            made.spec,
            made.players,
            made.clock,
            seed_of(self._secret, made.match),
            now=self._services.now(),
            private=made.private,
            delay=made.delay,
        )
        return self._open(made.match, await self._store(made.match, events))

    async def store_rematch(self, match: Match) -> None:
        """Store the beginning of the match that follows `match`. Raises JournalUnavailable."""
        new_id = rematch_id(match.id)
        await self._store(new_id, open_rematch(match, seed_of(self._secret, new_id), self._services.now()))

    async def open_rematch(self, match: Match) -> None:
        """Open the room of the match that follows `match`. Raises Refusal."""
        await self.find(rematch_id(match.id))

    async def _store(self, match_id: str, events: Sequence[MatchEvent]) -> Sequence[MatchEvent]:
        """Store the beginning of a match and return it; of one that is there already return all."""
        try:
            await self._services.journal.append(match_id, 0, events)
        except StaleSequence:
            return await self._services.journal.read(match_id)
        self._services.counts.events += len(events)
        return events

    async def find(self, match_id: str) -> Room:
        """Return the room of any match, reopening a finished one from the journal. Raises Refusal."""
        room = self._rooms.get(match_id)
        if room is not None:
            return room
        try:
            events = await self._services.journal.read(match_id)
        except JournalUnavailable:
            raise Refusal("internal", "old matches cannot be read just now; try again") from None
        await self.ready_for(events)
        try:
            found = self._rooms.get(match_id) or (self._open(match_id, events) if events else None)
        except Exception as error:
            log.error("a match cannot be replayed", match=match_id, error=repr(error))
            raise Refusal("internal", "this match is damaged and cannot be shown; it is logged") from None
        if found is None:
            raise Refusal("unknown_match", f"there is no match {match_id!r}")
        return found

    def _replay(self, match_id: str, events: Sequence[MatchEvent]) -> Match:
        """Return the match that these events made. Raises whatever is wrong with them."""
        return Match.replay(events, seed_of(self._secret, match_id), self._patience)

    async def ready_for(self, events: Sequence[MatchEvent]) -> None:
        """Return when the game of these events is ready. Raises Refusal when the server stops before."""
        if events and isinstance(events[0], Started):
            await self._services.readiness.of(events[0].game.name)

    def replayed(self, stored: Iterable[StoredMatch]) -> Iterator[Match]:
        """Yield these matches, but for those that this version of the server cannot replay."""
        for one in stored:
            try:
                match = self._replay(one.id, one.events)
            except Exception as error:
                log.warning("a match cannot be replayed and is not listed", match=one.id, error=repr(error))
                continue
            yield match

    async def recover(self, alive_at: int) -> None:
        """Reopen every match that was going on; clocks get back what passed since `alive_at`.

        A match that cannot be replayed stays closed and harms no other. Raises JournalUnavailable.
        """
        journal = self._services.journal
        live = waiting = list(await journal.live())
        logs: dict[str, tuple[MatchEvent, ...]] = {}
        while waiting:
            refunds: dict[str, tuple[MatchEvent, ...]] = {}
            for match_id in waiting:
                try:
                    events = tuple(await journal.read(match_id))
                    await self.ready_for(events)
                    resumed = self._replay(match_id, events).resume(self._services.now(), alive_at)
                except JournalUnavailable:
                    raise
                except Exception as error:
                    # Whatever it is, the other matches go on. No traceback: its frames hold the match's seed.
                    log.error("a match cannot be replayed and stays closed", match=match_id, error=repr(error))
                    continue
                logs[match_id] = events
                if resumed:
                    refunds[match_id] = resumed
            # All at once, so that the refunds share commits.
            outcomes = await asyncio.gather(
                *(journal.append(match_id, len(logs[match_id]), resumed) for match_id, resumed in refunds.items()),
                return_exceptions=True,
            )
            waiting = []
            for (match_id, resumed), outcome in zip(refunds.items(), outcomes, strict=True):
                if outcome is None:
                    logs[match_id] += resumed
                elif isinstance(outcome, StaleSequence):
                    # What seemed lost when the server before this one went has arrived after all: look again.
                    waiting.append(match_id)
                else:
                    raise outcome
        for match_id in live:
            if match_id in logs:
                self._open(match_id, logs[match_id]).check_emptiness()
        if self._rooms:
            log.info("matches go on", matches=len(self._rooms))

    def _open(self, match_id: str, events: Sequence[MatchEvent]) -> Room:
        room = Room(self._replay(match_id, events), list(events), self._services, self)
        self._rooms[match_id] = room
        self._runs[match_id] = self._tasks.create_task(room.run(), name=f"room[{match_id}]")
        if not room.match.over:
            for player in room.match.terms.players:
                self._live.setdefault(player.id, {})[match_id] = room
            room.announce_start()
        self.on_opened(room)
        return room

    async def close(self) -> None:
        """Let every room answer what has arrived, then end them all."""
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                for room in tuple(self._rooms.values()):
                    await room.drained()
        except TimeoutError:
            log.warning("some commands stay unanswered: the journal does not come back")
        for room in self._rooms.values():
            room.close()
        for run in self._runs.values():
            run.cancel()
        self._rooms.clear()

    # What rooms tell their landlord

    def ended(self, room: Room) -> None:
        for player in room.match.terms.players:
            live = self._live.get(player.id)
            if live is not None:
                live.pop(room.match.id, None)
                if not live:
                    del self._live[player.id]
        self.on_ended(room)

    def changed(self, room: Room) -> None:
        self.on_changed(room)

    def emptied(self, room: Room) -> None:
        match_id = room.match.id
        if self._rooms.pop(match_id, None) is not None:
            room.close()
            self._runs.pop(match_id).cancel()
