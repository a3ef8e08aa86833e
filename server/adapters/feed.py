"""The queue of publications about public matches and the lobby: bounded, coalesced, and the same for every bus.

A `Feed` takes messages and returns *publications*, a topic and a payload each. States coalesce to the newest of each
match, and of the lobby, and are serialized when they are taken. Events queue; a full queue drops its oldest ones, which
watchers detect by the sequence numbers. A match is published from its `started` event or a snapshot on, and never where
it is private.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Final, Literal, assert_never

from cornered.protocol.events import Ended, Intermediate, MatchEvent, Started
from cornered.protocol.feed import LOBBY, NodeStatus, PublicMatchState, events_topic, state_topic, status_topic
from cornered.protocol.messages import Happened, LobbyChanged, LobbyState, ServerMessage, Snapshot
from cornered.protocol.values import Clock, GameSpec, Player, Value

__all__ = ["Feed", "Publication", "status_of"]

MAX_EVENTS: Final = 10_000
"""Queued events; beyond that the oldest are dropped."""
MAX_LOBBY_CHANGES: Final = 100
"""Queued changes of the lobby; a subscriber that misses older ones has the retained page."""
MAX_FINISHED: Final = 1_000
"""Finished matches whose later events, such as a rematch, are still published."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One message for the broker. A retained one is kept for later subscribers; an empty retained one clears it.

    A retained one that `expires` has to be published again to be kept.
    """

    topic: str
    payload: bytes
    retain: bool = False
    expires: bool = False
    match: str | None = None


@dataclass(slots=True)
class _LiveMatch:
    """The constant part of a match's state, and the newest message with the rest."""

    players: tuple[Player, ...]
    game: GameSpec
    clock: Clock
    newest: Snapshot | Happened


def _json(value: Value) -> bytes:
    return value.__pydantic_serializer__.to_json(value)


def status_of(node: str, status: Literal["online", "offline"]) -> Publication:
    """Return the publication of a node's status."""
    return Publication(status_topic(node), _json(NodeStatus(node=node, status=status)), retain=True)


class Feed:
    """The pending publications. Only `wait` waits."""

    def __init__(self, *, max_events: int = MAX_EVENTS) -> None:
        self._live: dict[str, _LiveMatch] = {}
        # An ordered set, the oldest first.
        self._finished: dict[str, None] = {}
        self._events: deque[tuple[str, MatchEvent]] = deque(maxlen=max_events)
        self._lobby: LobbyState | None = None
        self._is_lobby_due = False
        self._lobby_changes: deque[LobbyChanged] = deque(maxlen=MAX_LOBBY_CHANGES)
        # Matches whose state is to be published: an ordered set.
        self._changed: dict[str, None] = {}
        # Matches whose state the broker may have, and which have to be cleared at the end.
        self._published: set[str] = set()
        # Set while `take` may have a publication; only `take` clears it.
        self._pending = asyncio.Event()

    def match(self, message: ServerMessage) -> None:
        """Queue a `snapshot` or `happened`; other messages are a ValueError."""
        match message:
            case Snapshot():
                self._note_snapshot(message)
            case Happened():
                self._note_happened(message)
            case _:
                raise ValueError(f"{message.type!r} is not published")

    def lobby(self, message: ServerMessage) -> None:
        """Queue the whole lobby, which replaces the queued changes, or a change of it."""
        match message:
            case LobbyState():
                self._lobby, self._is_lobby_due = message, True
                self._lobby_changes.clear()
            case LobbyChanged():
                self._lobby_changes.append(message)
            case _:
                raise ValueError(f"{message.type!r} is not published")
        self._pending.set()

    def _note_snapshot(self, message: Snapshot) -> None:
        if message.private or message.over:
            return
        players = tuple(seat.player for seat in message.seats)
        self._live[message.match] = _LiveMatch(players, message.game, message.clock, message)
        # The match continues: an earlier process of this server may have published its state.
        self._published.add(message.match)
        self._mark_changed(message.match)

    def _note_happened(self, message: Happened) -> None:
        name = message.match
        over = False
        for event in message.known:
            if isinstance(event, Started):
                if not event.private:
                    self._live[name] = _LiveMatch(event.players, event.game, event.clock, message)
            elif isinstance(event, Ended):
                over = True
            elif not isinstance(event, Intermediate):
                assert_never(event)
        known = self._live.get(name)
        if known is None and name not in self._finished:
            return
        self._events.extend((name, event) for event in message.known)
        if known is not None:
            known.newest = message
            self._mark_changed(name)
        if over:
            self._forget(name)
        self._pending.set()

    def _mark_changed(self, name: str) -> None:
        self._changed[name] = None
        self._pending.set()

    def _forget(self, name: str) -> None:
        self._live.pop(name, None)
        if name not in self._published:
            # A state that was never published need not be cleared; this bounds `_changed`.
            self._changed.pop(name, None)
        self._finished[name] = None
        if len(self._finished) > MAX_FINISHED:
            del self._finished[next(iter(self._finished))]

    async def wait(self) -> None:
        """Return once a publication is pending."""
        await self._pending.wait()

    def take(self) -> Publication | None:
        """Return the next publication, events before the states that they led to; None when none is pending."""
        if self._lobby is not None and self._is_lobby_due:
            self._is_lobby_due = False
            return Publication(LOBBY, _json(self._lobby), retain=True, expires=True)
        if self._lobby_changes:
            return Publication(LOBBY, _json(self._lobby_changes.popleft()))
        if self._events:
            name, event = self._events.popleft()
            return Publication(events_topic(name), _json(event), match=name)
        if self._changed:
            name = next(iter(self._changed))
            del self._changed[name]
            return self._state_of(name)
        self._pending.clear()
        return None

    def put_back(self, publication: Publication) -> None:
        """Queue a publication that could not be delivered again: states in their newest form; other ones are lost."""
        if publication.retain and publication.match is not None:
            self._published.add(publication.match)
            self._mark_changed(publication.match)
        elif publication.retain:
            self._is_lobby_due = True
            self._pending.set()

    def repeat(self) -> None:
        """Queue the lobby and the states of all live matches again, since the broker may have lost them."""
        for name in self._live:
            self._mark_changed(name)
        if self._lobby is not None:
            self._is_lobby_due = True
            self._pending.set()

    def _state_of(self, name: str) -> Publication:
        known = self._live.get(name)
        if known is None:
            self._published.discard(name)
            return Publication(state_topic(name), b"", retain=True, expires=True, match=name)
        self._published.add(name)
        newest = known.newest
        state = PublicMatchState(
            match=name,
            seq=newest.seq if isinstance(newest, Snapshot) else newest.events[-1].seq,
            game=known.game,
            players=known.players,
            clock=known.clock,
            position=newest.position,
            ply=newest.ply,
            to_move=newest.to_move,
            clocks=newest.clocks,
        )
        return Publication(state_topic(name), _json(state), retain=True, expires=True, match=name)
