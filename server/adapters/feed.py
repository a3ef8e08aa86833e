"""What the outside is to be told, behind the move: bounded, coalesced, and the same for every bus.

A `Feed` takes messages as they are published and gives out *publications*, a topic and a payload each. States coalesce
to the newest of each match, and of the lobby, and are rendered only when somebody takes them. Events queue; when the
queue is full the oldest are lost, which watchers see by the sequence numbers. A match is told about from its `started`
event or a snapshot on; one that was never introduced, or is private, is not told about at all.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Final, Literal, assert_never

from cornered.protocol.events import Ended, Intermediate, MatchEvent, Started
from cornered.protocol.feed import LOBBY, MatchState, NodeStatus, events_topic, state_topic, status_topic
from cornered.protocol.messages import Happened, LobbyChanged, LobbyState, ServerMessage, Snapshot
from cornered.protocol.values import Clock, GameSpec, Player, Value

__all__ = ["Feed", "Publication", "status_of"]

MAX_EVENTS: Final = 10_000
MAX_LOBBY: Final = 100
"""Words about the lobby that wait to be told; who misses older ones goes by the page that is kept."""
MAX_OVER: Final = 1_000
"""How many finished matches are remembered, so that what follows the end (a rematch) is still told."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One message for the outside. `retain` asks to keep it for those who come later; empty retained ones clear.

    What is `leased` is kept only for a while, unless it is told again.
    """

    topic: str
    payload: bytes
    retain: bool = False
    leased: bool = False
    match: str | None = None


@dataclass(slots=True)
class _Introduced:
    """What stays the same in a match, and the newest message that tells where it stands."""

    players: tuple[Player, ...]
    game: GameSpec
    clock: Clock
    newest: Snapshot | Happened


def _json(value: Value) -> bytes:
    return value.__pydantic_serializer__.to_json(value)


def status_of(node: str, status: Literal["online", "offline"]) -> Publication:
    """Return the word that `node` is there, or is not."""
    return Publication(status_topic(node), _json(NodeStatus(node=node, status=status)), retain=True)


class Feed:
    """Everything not yet told. Noting and taking never wait."""

    def __init__(self, *, max_events: int = MAX_EVENTS) -> None:
        self._live: dict[str, _Introduced] = {}
        self._over: dict[str, None] = {}
        self._events: deque[tuple[str, MatchEvent]] = deque(maxlen=max_events)
        self._lobby: LobbyState | None = None
        self._is_lobby_due = False
        self._lobby_changes: deque[LobbyChanged] = deque(maxlen=MAX_LOBBY)
        self._changed: dict[str, None] = {}
        self._told: set[str] = set()
        self._something = asyncio.Event()

    def match(self, message: ServerMessage) -> None:
        """Note what a `snapshot` or `happened` tells; other messages are not for the outside."""
        match message:
            case Snapshot():
                self._note_snapshot(message)
            case Happened():
                self._note_happened(message)
            case _:
                raise ValueError(f"{message.type!r} is not published")

    def lobby(self, message: ServerMessage) -> None:
        """Note the lobby as it is, which makes what changed before it old news, or a change of it."""
        match message:
            case LobbyState():
                self._lobby, self._is_lobby_due = message, True
                self._lobby_changes.clear()
            case LobbyChanged():
                self._lobby_changes.append(message)
            case _:
                raise ValueError(f"{message.type!r} is not published")
        self._something.set()

    def _note_snapshot(self, message: Snapshot) -> None:
        if message.private or message.over:
            return
        players = tuple(seat.player for seat in message.seats)
        self._live[message.match] = _Introduced(players, message.game, message.clock, message)
        # It goes on from before: an earlier process of this server may have told its state.
        self._told.add(message.match)
        self._change(message.match)

    def _note_happened(self, message: Happened) -> None:
        name = message.match
        over = False
        for event in message.events:
            if isinstance(event, Started):
                if not event.private:
                    self._live[name] = _Introduced(event.players, event.game, event.clock, message)
            elif isinstance(event, Ended):
                over = True
            elif not isinstance(event, Intermediate):
                assert_never(event)
        known = self._live.get(name)
        if known is None and name not in self._over:
            return
        self._events.extend((name, event) for event in message.events)
        if known is not None:
            known.newest = message
            self._change(name)
        if over:
            self._forget(name)
        self._something.set()

    def _change(self, name: str) -> None:
        self._changed[name] = None
        self._something.set()

    def _forget(self, name: str) -> None:
        self._live.pop(name, None)
        if name not in self._told:
            # Nobody keeps a state that was never told, so none has to be cleared: what waits stays bounded.
            self._changed.pop(name, None)
        self._over[name] = None
        if len(self._over) > MAX_OVER:
            del self._over[next(iter(self._over))]

    async def wait(self) -> None:
        """Return once there is something to take."""
        await self._something.wait()

    def take(self) -> Publication | None:
        """Return what is to be told next, events before the states that they led to, or None for nothing."""
        if self._lobby is not None and self._is_lobby_due:
            self._is_lobby_due = False
            return Publication(LOBBY, _json(self._lobby), retain=True, leased=True)
        if self._lobby_changes:
            return Publication(LOBBY, _json(self._lobby_changes.popleft()))
        if self._events:
            name, event = self._events.popleft()
            return Publication(events_topic(name), _json(event), match=name)
        if self._changed:
            name = next(iter(self._changed))
            del self._changed[name]
            return self._state_of(name)
        self._something.clear()
        return None

    def put_back(self, publication: Publication) -> None:
        """Let a publication that was taken and not told come again: states do, as they are then; the rest is lost."""
        if publication.retain and publication.match is not None:
            self._told.add(publication.match)
            self._change(publication.match)
        elif publication.retain:
            self._is_lobby_due = True
            self._something.set()

    def repeat(self) -> None:
        """Let the lobby and the states of all live matches be told again: whoever kept them may have lost them."""
        for name in self._live:
            self._change(name)
        if self._lobby is not None:
            self._is_lobby_due = True
            self._something.set()

    def _state_of(self, name: str) -> Publication:
        known = self._live.get(name)
        if known is None:
            self._told.discard(name)
            return Publication(state_topic(name), b"", retain=True, leased=True, match=name)
        self._told.add(name)
        newest = known.newest
        state = MatchState(
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
        return Publication(state_topic(name), _json(state), retain=True, leased=True, match=name)
