"""A match that another node owns, for this node's clients: its events are folded here, its commands forwarded.

Everything that is read is answered here. What the owner publishes comes once for all clients of this node; a gap in its
numbers is read from the journal, so a mirror shows what is stored and nothing else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, Protocol, assert_never

from cornered.protocol.commands import AskAnalysis, AskMoves, AskVariation, Command, Join, MatchCommand, Say
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import Said, SeatPresence, ServerMessage, Watchers
from cornered.protocol.ratings import Rated
from cornered.server.cluster.messages import MatchNews, RoomNotice, RoomState, Subscribe, Unsubscribe
from cornered.server.cluster.slots import slot_of
from cornered.server.match.match import Match
from cornered.server.ports import DamagedMatch, JournalUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.forwarder import Forwarder
from cornered.server.runtime.match_room import MatchRoom, Services
from cornered.server.runtime.task_group import Spawn

__all__ = ["MatchMirror", "MirrorObserver"]

RETRY_SECONDS: Final = 0.5
"""When events that could not be read are asked for again."""


class MirrorObserver(Protocol):
    """The owner of mirrors: the registry."""

    def emptied(self, room: MatchRoom) -> None:
        """No client needs this room any more."""


class MatchMirror(MatchRoom):
    """One match of another node, with the connections of its players and spectators on this node."""

    def __init__(
        self,
        match: Match,
        events: list[MatchEvent],
        services: Services,
        observer: MirrorObserver,
        forwarder: Forwarder,
        spawn: Spawn,
    ) -> None:
        """`spawn` runs a coroutine as a named task that ends with the server."""
        self._observer = observer
        self._forwarder = forwarder
        self._spawn = spawn
        self._slot = slot_of(match.id)
        # The number of spectators on all nodes as the owner counts them; None until it has told.
        self._watchers: int | None = None
        super().__init__(match, events, services)
        self._forwarding = 0
        # The newest event that is known to be stored, and the task that reads up to it.
        self._reached = match.seq
        self._reader: asyncio.Task[None] | None = None
        self._is_closed = False
        self.informed = asyncio.Event()
        """Set once the owner has told what it knows beside the events."""

    @property
    def watchers(self) -> int:
        return self.spectators.people if self._watchers is None else self._watchers

    def close(self) -> None:
        super().close()
        self._is_closed = True
        if self._reader is not None:
            self._reader.cancel()

    # The owner

    def subscribe(self) -> None:
        """Ask the owner for what it publishes, and tell it which clients are here."""
        owner = self._services.nodes.owner_of(self._slot)
        if owner is not None and owner != self._services.nodes.here:
            wish = Subscribe(
                match=self.match.id,
                seats=tuple(sorted(set(self._players.values()))),
                watchers=self.spectators.people,
            )
            self._services.nodes.send(owner, wish)

    def unsubscribe(self) -> None:
        """Tell the owner that no client is left here."""
        owner = self._services.nodes.owner_of(self._slot)
        if owner is not None and owner != self._services.nodes.here:
            self._services.nodes.send(owner, Unsubscribe(match=self.match.id))

    def take(self, message: MatchNews | RoomState | RoomNotice) -> None:
        """Take what the owner publishes."""
        match message:
            case MatchNews():
                with self._services.tracer.step("deliver", message.trace, is_remote=True):
                    self._take_news(message.events)
            case RoomState():
                self._take_state(message)
            case RoomNotice():
                self._take_notice(message)
            case _:
                assert_never(message)

    def _take_news(self, events: Sequence[MatchEvent]) -> None:
        newest = self.match.seq
        if not events or events[-1].seq <= newest:
            return
        if events[0].seq > newest + 1 or self._reader is not None:
            self._read_to(events[-1].seq)
        else:
            self._advance(events)

    def _take_state(self, state: RoomState) -> None:
        if len(state.gone) == len(self._gone_since):
            for seat, gone in enumerate(state.gone):
                if gone != self._gone_since[seat]:
                    self._gone_since[seat] = gone
                    self._send_to_all(Broadcast(self._presence_of(seat)))
        known = set(self._said)
        for said in state.said:
            if said not in known:
                self._take_said(said)
        self._show_watchers(state.watchers)
        self._read_to(state.seq)
        self.informed.set()

    def _take_notice(self, notice: RoomNotice) -> None:
        message = notice.message
        match message:
            case SeatPresence():
                if message.seat < len(self._gone_since):
                    self._gone_since[message.seat] = None if message.connected else message.at
            case Said():
                self._take_said(message)
                return
            case Watchers():
                self._watchers = message.count
            case Rated():
                self.rated(message)
                return
            case _:
                assert_never(message)
        self._send_to_all(Broadcast(message))

    def _tell_rated(self, message: Rated) -> None:
        self._send_to_all(Broadcast(message))

    def _take_said(self, said: Said) -> None:
        self._said.append(said)
        if said.room == "players":
            self._send_to_players(Broadcast(said))
        else:
            self.spectators.spread(Broadcast(said))

    def _show_watchers(self, count: int) -> None:
        if count != self.watchers:
            self._watchers = count
            self._send_to_all(Broadcast(Watchers(match=self.match.id, count=count)))
        self._watchers = count

    def _advance(self, events: Sequence[MatchEvent]) -> None:
        """Fold and publish stored events without a gap before them, but for those that are known."""
        events = tuple(event for event in events if event.seq > self.match.seq)
        if not events:
            return
        self._fold(events)
        self._reached = max(self._reached, self.match.seq)
        self._publish(events, None, None)

    def _read_to(self, seq: int) -> None:
        """Read the journal up to an event that is stored."""
        self._reached = max(self._reached, seq)
        if self._reached > self.match.seq and self._reader is None and not self._is_closed:
            self._reader = self._spawn(self._read(), f"mirror[{self.match.id}]")

    async def _read(self) -> None:
        try:
            while self.match.seq < self._reached:
                if not await self._read_on():
                    await asyncio.sleep(RETRY_SECONDS)
        finally:
            self._reader = None

    async def _read_on(self) -> bool:
        """Read the journal once; return whether there was anything."""
        try:
            missed = await self._services.journal.read(self.match.id, self.match.seq)
        except (JournalUnavailable, DamagedMatch) as error:
            self._log.warning("the events of a match of another node cannot be read", reason=str(error))
            return False
        if not self._is_closed:
            self._advance(missed)
        return bool(missed)

    def is_behind(self, command: Command) -> bool:
        """Return whether the sender has seen more of the match, on another node, than is known here."""
        if isinstance(command, Join):
            return command.since is not None and command.since > self.match.seq
        return isinstance(command, AskMoves | AskVariation | AskAnalysis) and command.ply > self.match.ply

    async def catch_up(self) -> None:
        """Read what is stored by now: once, since a client may name what there never was."""
        await self._read_on()

    # Commands

    def submit(self, client: ClientConnection, command: MatchCommand, arrived: float, trace: str = "") -> None:
        if self._seats.get(client.player.id) is None:
            raise Refusal("not_a_player", "you do not play in this match")
        self.forward(client, command, trace=trace)

    def say(self, client: ClientConnection, command: Say) -> None:
        self.check_say(client, command)
        self.forward(client, command)

    def was_said(self, player: str, command_id: str) -> bool:
        return False

    def forward(
        self, client: ClientConnection, command: MatchCommand | Say, *, is_held: bool = False, trace: str = ""
    ) -> None:
        """Have the owner carry out a command, at the next change of owners where it `is_held`. Raises Refusal."""
        if self._forwarder.forward(client, command, self._slot, done=self._forwarded, is_held=is_held, trace=trace):
            self._forwarding += 1

    def _forwarded(self) -> None:
        self._forwarding -= 1
        if not self._is_closed:
            self.check_emptiness()

    # Clients

    def player_came(self, player: str) -> None:
        """Do nothing: the owner learns from the lobby who is here."""

    def player_went(self, player: str) -> None:
        """Do nothing: the owner learns from the lobby who is here."""

    def leave(self, client: ClientConnection) -> None:
        was_player = client in self._players
        super().leave(client)
        if was_player and not self._is_closed:
            self.subscribe()

    def check_emptiness(self) -> None:
        if not (self._forwarding or self._players or self.spectators):
            self._observer.emptied(self)

    def _player_joined(self, seat: int) -> None:
        self.subscribe()

    def _crowd_changed(self) -> None:
        self.subscribe()

    def _announce(self, message: ServerMessage) -> None:
        """Do nothing: the owner publishes beyond the clients."""
