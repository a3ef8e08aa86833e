"""Every open match of this server: a match task for each of its own while it goes on, closed when over and empty.

Until a live match has its match task, its clock does not count: what storing and queueing took is refunded by the
match task.

With several nodes the tasks here are those of the matches that this node owns. Any other match in which a client of
this node is has a mirror; when a match changes its owner, the one takes the place of the other with all its clients.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from typing import Final

import structlog

from cornered.protocol.events import MatchEvent
from cornered.protocol.ratings import Rated
from cornered.protocol.values import MatchSummary, Player
from cornered.server.cluster.messages import TaskOpened
from cornered.server.cluster.slots import ALL_SLOTS, slot_of
from cornered.server.lobby.events import MatchMade
from cornered.server.match.match import Match, Patience, rematch_id
from cornered.server.refusal import Refusal
from cornered.server.runtime.archive import Archive
from cornered.server.runtime.client_connection import ClientConnection
from cornered.server.runtime.forwarder import Forwarder
from cornered.server.runtime.match_loader import MatchLoader
from cornered.server.runtime.match_mirror import MatchMirror
from cornered.server.runtime.match_room import MatchRoom, Services
from cornered.server.runtime.match_task import MatchTask
from cornered.server.runtime.new_matches import NewMatches
from cornered.server.runtime.registry_observer import RegistryObserver

__all__ = ["MatchRegistry", "new_id"]

DRAIN_SECONDS: Final = 5.0
"""How long the match tasks may take to answer what has arrived when the server stops."""

log = structlog.get_logger("matches")


def new_id() -> str:
    """Return a random id that cannot be guessed."""
    return secrets.token_hex(8)


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
        self._max_plies = patience.max_plies
        self._tasks = tasks
        self._rooms: dict[str, MatchRoom] = {}
        self._runs: dict[str, asyncio.Task[None]] = {}
        self._live: dict[str, dict[str, None]] = {}
        self._open: dict[str, dict[str, None]] = {}
        """The ids of each player's matches that this node has opened as their owner, also when they are over."""
        self._background: set[asyncio.Task[None]] = set()
        self.forwarder = Forwarder(services.nodes, services.tracer)
        self.is_leaving = False
        """Whether the server stops: then no mirror takes the place of a match task."""
        self._is_closed = False
        self._loader = MatchLoader(services, self._archive, self, observer, tasks, self._spawn)
        self._new_matches = NewMatches(services, self._archive, self, self._loader, observer, tasks)
        services.ratings.deliver = self._rated

    def __len__(self) -> int:
        return len(self._rooms)

    @property
    def max_plies(self) -> int:
        """After how many plies every match is a draw."""
        return self._max_plies

    @property
    def all_loaded(self) -> asyncio.Event:
        """Set once no match of the server before waits to be loaded."""
        return self._loader.all_loaded

    def all(self) -> tuple[MatchRoom, ...]:
        """Return every open match, the oldest first."""
        return tuple(self._rooms.values())

    def get(self, match_id: str) -> MatchRoom | None:
        """Return the match if it is open here."""
        return self._rooms.get(match_id)

    def owned(self, match_id: str) -> MatchTask | None:
        """Return the match task if this node owns the match and it is open."""
        room = self._rooms.get(match_id)
        return room if isinstance(room, MatchTask) else None

    def live_of(self, player: str) -> tuple[str, ...]:
        """Return the ids of a player's matches that go on, oldest first, loaded or not."""
        return tuple(self._live.get(player, ()))

    def is_over(self, match_id: str) -> bool:
        """Return whether a match is known here to have ended, of those that are open or were lately."""
        room = self._rooms.get(match_id)
        return self._archive.is_kept(match_id) if room is None else room.match.over

    def open_tasks_of(self, player: str) -> tuple[MatchTask, ...]:
        """Return a player's open match tasks as they were opened; those that are over wait for a rematch."""
        return tuple(
            match_task for match_id in self._open.get(player, ()) if (match_task := self.owned(match_id)) is not None
        )

    def bring(self, player: str) -> tuple[asyncio.Task[MatchRoom | Refusal], ...]:
        """Load a player's matches before all others; return the tasks that do, which never raise."""
        return self._loader.bring(self._live.get(player, ()))

    async def open_new(self, made: MatchMade) -> MatchRoom:
        """Store a new match and open its match task, once its game is ready. Raises JournalUnavailable and Refusal."""
        opened = await self._new_matches.open(made)
        return await self.find(made.match) if opened is None else opened

    async def store_rematch(self, match: Match) -> None:
        """Store the beginning of the match that follows `match`. Raises JournalUnavailable, Refusal."""
        await self._new_matches.store_rematch(match)

    async def open_rematch(self, match: Match) -> None:
        """Open the match task of the match that follows `match`. Raises Refusal."""
        await self.find(rematch_id(match.id))

    async def find(self, match_id: str) -> MatchRoom:
        """Return any match, reopened from the journal if need be. Raises Refusal."""
        while (room := self._rooms.get(match_id)) is None:
            await self._loader.load(match_id)
        return room

    async def find_owned(self, match_id: str) -> MatchTask | None:
        """Return the match task of a match that this node owns; None where another one does. Raises Refusal."""
        while (match_task := self.owned(match_id)) is None:
            if not self._services.nodes.owns_match(match_id):
                return None
            await self._loader.load(match_id)
        return match_task

    async def summaries(
        self, finished: Sequence[str], replayed: Callable[[int], None] | None = None
    ) -> list[MatchSummary]:
        """Return what lists show of finished matches; `replayed` is told the events of each that was not remembered.

        Raises JournalUnavailable, and Refusal when the server stops.
        """
        return await self._archive.summaries(finished, replayed)

    def forget_names(self, player: str) -> None:
        """Have a player's finished matches read again: the name may be another one in the store."""
        self._archive.forget_names(player)

    async def recover(self) -> None:
        """Index every match that goes on and is this node's, and begin to load them; from now on, all that it gains.

        A match that cannot be read stays closed and harms no other. Raises JournalUnavailable.
        """
        await self._loader.recover()

    def _spawn(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        task = self._tasks.create_task(work, name=name)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    def _rated(self, message: Rated) -> None:
        room = self._rooms.get(message.match)
        if room is not None:
            room.rated(message)

    # Changes of ownership

    async def releasing(self, slots: Collection[int]) -> None:
        """Return when the matches of slots have answered what has arrived."""
        for match_task in self._tasks_of(slots):
            await match_task.drained()

    def lost(self, slots: Collection[int]) -> None:
        """Keep mirrors of the matches of these slots, where they have clients here."""
        if self.is_leaving:
            return
        for match_task in self._tasks_of(slots):
            self.disowned(match_task)
        self._loader.lost(slots)

    def gained(self, slots: Mapping[int, int]) -> None:
        """Index and load the live matches of these slots, whose owner before was certainly there at the given times."""
        self._loader.gained(slots)

    def _tasks_of(self, slots: Collection[int]) -> list[MatchTask]:
        return [
            room for room in self._rooms.values() if isinstance(room, MatchTask) and slot_of(room.match.id) in slots
        ]

    def disowned(self, match_task: MatchTask) -> None:
        match_id = match_task.match.id
        if self._rooms.get(match_id) is not match_task or self._is_closed or self.is_leaving:
            return
        self.forget(match_id, match_task.match.terms.players)
        self._observer.match_disowned(match_id)
        mirror = self._mirror(match_task.match, match_task.events)
        requests = match_task.unanswered()
        mirror.adopt(match_task)
        self._runs.pop(match_id).cancel()
        for request in requests:
            # The node of any other socket sends the command again by itself.
            if isinstance(request.asker, ClientConnection):
                try:
                    mirror.forward(request.asker, request.command, is_held=True, trace=request.span.context)
                except Refusal as refusal:
                    request.asker.refuse(request.command.id, refusal.code, refusal.text)
            request.span.end()
        self._services.nodes.look()
        mirror.check_emptiness()

    def _mirror(self, match: Match, events: Sequence[MatchEvent]) -> MatchMirror:
        mirror = MatchMirror(match, list(events), self._services, self, self.forwarder, self._spawn)
        self._rooms[match.id] = mirror
        return mirror

    def owners_changed(self) -> None:
        """Mirrors ask the new owners of their matches, and unanswered commands go to them."""
        for mirror in self._mirrors():
            mirror.subscribe()
        self.forwarder.repeat()

    def node_died(self, node: str) -> None:
        """A node has no clients any more."""
        for room in tuple(self._rooms.values()):
            if isinstance(room, MatchTask):
                room.unsubscribe(node)

    def link_lost(self, node: str) -> None:
        """Nothing comes from a living node."""
        for room in tuple(self._rooms.values()):
            if isinstance(room, MatchTask):
                room.fell_silent(node)

    def link_restored(self, node: str) -> None:
        """Messages of a node may have been lost: ask it again for everything."""
        for mirror in self._mirrors():
            if self._services.nodes.owner_of(slot_of(mirror.match.id)) == node:
                mirror.subscribe()
        self.forwarder.repeat(node)
        for room in tuple(self._rooms.values()):
            if isinstance(room, MatchTask):
                room.heard_again(node)

    @property
    def mirrors(self) -> int:
        """How many matches of other nodes have clients here."""
        return len(self._mirrors())

    def _mirrors(self) -> list[MatchMirror]:
        return [room for room in self._rooms.values() if isinstance(room, MatchMirror)]

    # Rooms

    def open_mirror(self, match: Match, events: Sequence[MatchEvent]) -> MatchMirror:
        """Open a match of another node, and ask that node for what it knows. Raises Refusal when the server stops."""
        if self._is_closed:
            raise Refusal("shutting_down", "the server restarts; connect again in a moment")
        mirror = self._mirror(match, events)
        mirror.subscribe()
        return mirror

    def index(self, match_id: str, players: Sequence[Player]) -> None:
        """Add a match that goes on to those of its players."""
        _add(self._live, match_id, players)

    def forget(self, match_id: str, players: Sequence[Player]) -> None:
        """Remove a match from those of its players that go on; harmless where it is not there."""
        _remove(self._live, match_id, players)

    def open_task(
        self, match: Match, events: Sequence[MatchEvent], report: Callable[[MatchTask], None], *, untended_since: int
    ) -> MatchTask:
        """Open the match task of a match whose clock has run without one since `untended_since`, if it goes on.

        Raises Refusal when the server stops.
        """
        known = self._rooms.get(match.id)
        if isinstance(known, MatchTask):
            return known
        if self._is_closed:
            # Its task would have no owner. The match is stored, and goes on after the start.
            raise Refusal("shutting_down", "the server restarts; connect again in a moment")
        match_task = MatchTask(match, list(events), self._services, self)
        if known is not None:
            match_task.adopt(known)
        self._rooms[match.id] = match_task
        _add(self._open, match.id, match.terms.players)
        self._loader.opened(match.id)
        self._runs[match.id] = self._tasks.create_task(match_task.run(), name=f"match[{match.id}]")
        if not match.over:
            self.index(match.id, match.terms.players)
            match_task.announce_start()
            match_task.excuse(untended_since)
        for node in self._services.nodes.others():
            # Its mirror may be subscribed to an earlier task, here or on another node.
            self._services.nodes.send(node, TaskOpened(match=match.id))
        report(match_task)
        return match_task

    async def close(self) -> None:
        """Let every match task answer what has arrived, then end them all."""
        for task in tuple(self._background):
            task.cancel()
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                for match_task in self._tasks_of(ALL_SLOTS):
                    await match_task.drained()
        except TimeoutError:
            log.warning("some commands stay unanswered: the journal does not come back")
        self._is_closed = True
        self._new_matches.close()
        self._loader.close()
        self.forwarder.close()
        for room in self._rooms.values():
            room.close()
        for run in self._runs.values():
            run.cancel()
        self._rooms.clear()

    # MatchObserver, called by match tasks

    def ended(self, match_task: MatchTask) -> None:
        self.forget(match_task.match.id, match_task.match.terms.players)
        self._observer.match_ended(match_task)

    def changed(self, match_task: MatchTask) -> None:
        self._observer.match_changed(match_task)

    def turned(self, match_task: MatchTask) -> None:
        self._observer.match_turned(match_task)

    def emptied(self, room: MatchRoom) -> None:
        match_id = room.match.id
        if self._rooms.get(match_id) is not room:
            return
        del self._rooms[match_id]
        _remove(self._open, match_id, room.match.terms.players)
        if isinstance(room, MatchMirror):
            room.unsubscribe()
        if room.match.over:
            self._archive.keep(room.match, room.events)
        room.close()
        if isinstance(room, MatchTask):
            self._runs.pop(match_id).cancel()


def _add(matches: dict[str, dict[str, None]], match_id: str, players: Sequence[Player]) -> None:
    for player in players:
        matches.setdefault(player.id, {})[match_id] = None


def _remove(matches: dict[str, dict[str, None]], match_id: str, players: Sequence[Player]) -> None:
    for player in players:
        known = matches.get(player.id)
        if known is not None:
            known.pop(match_id, None)
            if not known:
                del matches[player.id]
