"""One match as this node's clients see it: its players, spectators and chat, and what they may read.

A subclass carries out commands: `MatchTask` where this node owns the match, `MatchMirror` where another one does.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import structlog

from cornered.protocol.analysis import LEAST_ANALYSED_DELAY
from cornered.protocol.commands import Join, MatchCommand, Play, Say
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import Acknowledged, ErrorCode, Said, SeatPresence, ServerMessage, Snapshot
from cornered.protocol.ratings import Rated
from cornered.protocol.values import Correspondence, NoClock, Player
from cornered.server.lobby.blocks import BlocksOf, nobody_blocks
from cornered.server.match import views
from cornered.server.match.match import Match
from cornered.server.match.repeats import is_repeat
from cornered.server.metrics import Counts
from cornered.server.ports import Bus, Journal
from cornered.server.refusal import Refusal, id_reused
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.nodes import Nodes
from cornered.server.runtime.rating_service import RatingService
from cornered.server.runtime.readiness import Readiness
from cornered.server.runtime.rights import Rights
from cornered.server.runtime.spectators import Spectators
from cornered.server.runtime.timekeeping import Outages
from cornered.server.tracing import NO_TRACER, Tracer

__all__ = ["MAX_PENDING", "Asker", "MatchRoom", "Services"]

MAX_PENDING: Final = 8
"""Commands of one seat that may wait for their turn."""
CHAT_LINES_KEPT: Final = 50
"""The newest lines of chat, which are sent to clients that join later. They are not stored."""

log = structlog.get_logger("match")


@dataclass(frozen=True, slots=True)
class Services:
    """What every match of a server shares. `now` is the match clock in milliseconds."""

    journal: Journal
    bus: Bus
    counts: Counts
    now: Callable[[], int]
    readiness: Readiness = field(default_factory=Readiness)
    outages: Outages = field(default_factory=Outages)
    nodes: Nodes = field(default_factory=Nodes)
    tracer: Tracer = NO_TRACER
    ratings: RatingService = field(default_factory=RatingService)
    blocks_of: BlocksOf = nobody_blocks
    rights: Rights = field(default_factory=Rights)


class Asker(Protocol):
    """The sender of a command, on this node or on another one."""

    @property
    def id(self) -> str: ...
    @property
    def player(self) -> Player: ...
    @property
    def lag(self) -> int: ...

    def send(self, message: ServerMessage) -> None: ...

    def answer(self, answer: ServerMessage, broadcast: Broadcast | None) -> None: ...

    def refuse(self, command_id: str | None, code: ErrorCode, text: str, *, retry_after: int | None = None) -> None: ...

    def charge(self) -> None: ...


class MatchRoom(ABC):
    """One match with the connections of its players and spectators on this node."""

    def __init__(self, match: Match, events: list[MatchEvent], services: Services) -> None:
        self.match = match
        self._events = events
        self._seats = {player.id: seat for seat, player in enumerate(match.terms.players)}
        self._services = services
        self._loop = asyncio.get_running_loop()
        self._players: dict[ClientConnection, int] = {}
        # Those of the players who get the legal moves whenever it is their turn.
        self._guided: set[ClientConnection] = set()
        # Since when each seat has no connection to any node.
        self._gone_since: list[int | None] = [services.now()] * match.seats
        self._said: deque[Said] = deque(maxlen=CHAT_LINES_KEPT)
        # What the result has changed, once that is known here.
        self._rated: Rated | None = None
        self._log = log.bind(match=match.id)
        self.spectators = Spectators(
            match,
            events,
            now=services.now,
            snapshot=self._snapshot_for_watchers,
            counts=services.counts,
            crowd_changed=self._crowd_changed,
            announce=self._announce,
        )

    @property
    def events(self) -> Sequence[MatchEvent]:
        """The match's log so far."""
        return self._events

    @property
    def is_listed(self) -> bool:
        """Whether the match is public."""
        return not self.match.terms.private

    @property
    @abstractmethod
    def watchers(self) -> int:
        """The number of spectators on all nodes."""

    # Commands

    @abstractmethod
    def submit(self, client: ClientConnection, command: MatchCommand, arrived: float, trace: str = "") -> None:
        """Take a player's command; its answer comes when it is stored. `trace` is its context. Raises Refusal."""

    @abstractmethod
    def say(self, client: ClientConnection, command: Say) -> None:
        """Send a line of chat to the room that it names, once, and acknowledge it. Raises Refusal."""

    @abstractmethod
    def was_said(self, player: str, command_id: str) -> bool:
        """Return whether this line of chat was sent already, as far as is known here."""

    @abstractmethod
    def check_emptiness(self) -> None:
        """Report a match that needs no room on this node any more, so that it is closed."""

    @abstractmethod
    def player_came(self, player: str) -> None:
        """A seated player has a connection again."""

    @abstractmethod
    def player_went(self, player: str) -> None:
        """A seated player's last connection closed."""

    @abstractmethod
    def _player_joined(self, seat: int) -> None:
        """A seated player joined here."""

    @abstractmethod
    def _crowd_changed(self) -> None:
        """The number of spectators on this node is another one, at most once a second."""

    @abstractmethod
    def _announce(self, message: ServerMessage) -> None:
        """Publish what spectators see now beyond this node's clients."""

    def close(self) -> None:
        """Drop all clients and cancel the timers."""
        self.spectators.close()
        self._players.clear()
        self._guided.clear()

    # Clients

    def join(self, client: ClientConnection, command: Join) -> None:
        """Add a client, which `LobbyService.sees` lets see the match, and send it the match from where it stands."""
        match = self.match
        seat = self._seats.get(client.player.id)
        if seat is not None:
            self._players[client] = seat
            if command.legal:
                self._guided.add(client)
            else:
                self._guided.discard(client)
            self._player_joined(seat)
        else:
            match = self.spectators.shown
            self.spectators.add(client)
        client.matches[match.id] = self
        if command.since is None or command.since > match.seq:
            client.send(self._snapshot(match, command.id, seat, self._legal_for(client)))
            for said in self._said:
                is_heard = said.by.id not in client.blocked
                if is_heard and said.room == ("spectators" if seat is None else "players"):
                    client.send(said)
        else:
            client.send(Acknowledged(id=command.id, seq=match.seq))
            if command.since < match.seq:
                missed = self._events[command.since : match.seq]
                client.send(views.happened(match, missed, self._legal_for(client)))
        if self._rated is not None:
            client.send(self._rated)
        elif match.ending is not None and match.ending.rated:
            self._services.ratings.tell(match.id)

    def rated(self, message: Rated) -> None:
        """The match is rated: tell its clients, once."""
        if self._rated is None:
            self._rated = message
            self._tell_rated(message)

    @abstractmethod
    def _tell_rated(self, message: Rated) -> None:
        """Send what the match has changed to the clients that it concerns here."""

    def leave(self, client: ClientConnection) -> None:
        """Remove a client that left or disconnected."""
        if self._players.pop(client, None) is None:
            self.spectators.remove(client)
        self._guided.discard(client)
        client.matches.pop(self.match.id, None)
        self.check_emptiness()

    def fell_behind(self, client: ClientConnection) -> None:
        """A client's output buffer passed its high mark."""
        self.spectators.fell_behind(client)

    def caught_up(self, client: ClientConnection) -> None:
        """A client's output buffer is below its low mark again."""
        self.spectators.caught_up(client)
        if self._rated is not None and client in self.spectators:
            client.send(self._rated)

    def answered(self, seat: int, command: MatchCommand) -> int | None:
        """Return the number of the event that this command of the seat's caused, if it was carried out before.

        Raises Refusal where a command with other content had its id.
        """
        seq = self.match.answered(seat, command.id)
        if seq is not None and not is_repeat(command, self._events[seq - 1]):
            raise id_reused()
        return seq

    def is_player(self, client: ClientConnection) -> bool:
        return self._seats.get(client.player.id) is not None

    def awaits(self, client: ClientConnection) -> bool:
        """Return whether this client's person plays here, and its opponents wait for each of its moves."""
        match = self.match
        is_person = client in self._players and client.player.kind == "person"
        return is_person and not match.over and not isinstance(match.terms.clock, Correspondence)

    def is_helped(self, client: ClientConnection) -> bool:
        """Return whether this client may have help, which is among the terms of the match, before its end."""
        seat = self._seats.get(client.player.id)
        return seat is not None and self.match.terms.is_helped(seat)

    def seen_by(self, client: ClientConnection) -> Match:
        """Return the match as this socket may see it: spectators of a delayed match see an earlier one."""
        return self.match if self._seats.get(client.player.id) is not None else self.spectators.shown

    def explored_by(self, client: ClientConnection) -> Match:
        """Return the match as this client may try moves in it: its players not until it is over, but for a person in a
        match with help. Raises Refusal."""
        if not self.match.over and self.is_player(client) and not self.is_helped(client):
            raise Refusal("not_now", "there is no help while you play; ask when the game is over")
        return self.seen_by(client)

    def studied_by(self, client: ClientConnection, *, is_variation: bool) -> Match:
        """Return the match as this client may have it analysed by a bot. Raises Refusal.

        While a person plays nobody has, since a watcher may be the player in another window, unless watchers see the
        match so late that advice helps nobody: then they have what they see, and no variations, which could make up
        for the delay.
        """
        match = self.explored_by(client)
        terms = self.match.terms
        if self.match.over or self.is_helped(client) or all(player.kind != "person" for player in terms.players):
            return match
        # Who plays without a clock, or for days, can wait for any delay to pass.
        if terms.delay < LEAST_ANALYSED_DELAY or isinstance(terms.clock, Correspondence | NoClock):
            text = (
                "a person is playing; bots look at this game when it is over "
                f"(before, only with a clock and shown at least {LEAST_ANALYSED_DELAY} seconds late)"
            )
            raise Refusal("not_now", text)
        if is_variation:
            raise Refusal("not_now", "a person is playing; bots look at variations when the game is over")
        return match

    def expects(self, client: ClientConnection, play: Play) -> bool:
        """Return whether this is a move of the seat to move at the present ply, legal or not; it never waits."""
        match, plies = self.match, self.match.plies
        is_next = play.ply == plies.ply and match.ending is None
        return is_next and self._seats.get(client.player.id) == plies.state.to_move

    def check_say(self, client: ClientConnection, command: Say) -> None:
        """Raise a Refusal where this client may not talk in the room that `command` names."""
        is_player = self._seats.get(client.player.id) is not None
        if command.room == "players" and not is_player:
            raise Refusal("not_a_player", "the players talk among themselves")
        if command.room == "spectators" and is_player:
            raise Refusal("not_a_spectator", "the spectators talk among themselves")
        if command.room == "spectators" and client not in self.spectators:
            raise Refusal("not_a_spectator", "join the match first")

    def chat_seen_by(self, client: ClientConnection) -> Sequence[Said]:
        """Return the newest chat lines that this client could read, oldest first."""
        if self._seats.get(client.player.id) is not None:
            return [said for said in self._said if said.room == "players"]
        return [said for said in self._said if said.room == "spectators"] if client in self.spectators else []

    def adopt(self, other: MatchRoom) -> None:
        """Take over the clients of the room that this one replaces, send them what it did not, and close it."""
        self._gone_since = list(other._gone_since)
        self._said.extend(other._said)
        self._rated = other._rated
        players, spectators = other._players, tuple(other.spectators)
        missed, seen = self._events[other.match.seq :], other.spectators.shown.seq
        self._guided |= other._guided
        for client, seat in players.items():
            self._players[client] = seat
            client.matches[self.match.id] = self
            if missed:
                client.send(views.happened(self.match, missed, self._legal_for(client)))
        shown = self.spectators.shown
        unseen = self._events[seen : shown.seq]
        for client in spectators:
            self.spectators.add(client)
            client.matches[self.match.id] = self
            if unseen:
                client.send(views.happened(shown, unseen))
        other.close()

    # Messages

    def _fold(self, events: Sequence[MatchEvent]) -> None:
        """Fold stored events, without publishing them."""
        match = self.match
        for event in events:
            match = match.evolve(event)
        self.match = match
        self._events += events

    def _publish(self, events: tuple[MatchEvent, ...], asker: Asker | None, answer: Acknowledged | None) -> Broadcast:
        """Send folded events to this node's clients, and before them the answer to `asker`."""
        broadcast = Broadcast(views.happened(self.match, events))
        guided = {client for client in self._guided if self._is_to_move(client)}
        guiding = Broadcast(views.happened(self.match, events, views.legal(self.match))) if guided else broadcast
        if asker is not None and answer is not None:
            own = guiding if asker in guided else broadcast
            asker.answer(answer, own if asker in self._players else None)
        for client in self._players:
            if client is not asker:
                client.deliver(guiding if client in guided else broadcast)
        self.spectators.publish(broadcast, self.match)
        return broadcast

    def _is_to_move(self, client: ClientConnection) -> bool:
        match = self.match
        return not match.over and self._players.get(client) == match.to_move

    def _legal_for(self, client: ClientConnection) -> tuple[str, ...] | None:
        """Return the legal moves, for a client who has asked for them and is to move."""
        return views.legal(self.match) if client in self._guided and self._is_to_move(client) else None

    def _send_to_players(self, broadcast: Broadcast) -> None:
        for client in self._players:
            client.deliver(broadcast)

    def _send_to_all(self, broadcast: Broadcast) -> None:
        self._send_to_players(broadcast)
        self.spectators.spread(broadcast)

    def _presence_of(self, seat: int) -> SeatPresence:
        match, gone = self.match, self._gone_since[seat]
        return SeatPresence(
            match=match.id,
            seat=seat,
            connected=gone is None,
            at=self._services.now(),
            claim_at=None if gone is None else match.claim_at(gone),
        )

    def _snapshot(
        self, match: Match, command_id: str | None, seat: int | None, legal: tuple[str, ...] | None = None
    ) -> Snapshot:
        return views.snapshot(
            match,
            seat,
            connected=(gone is None for gone in self._gone_since),
            watchers=self.watchers,
            id=command_id,
            legal=legal,
        )

    def _snapshot_for_watchers(self, match: Match) -> Snapshot:
        return self._snapshot(match, None, None)
