"""The one task that owns one match: decide, store, acknowledge, publish, in this order and one command at a time.

Nothing here waits for a socket, and nothing is sent that the journal has not stored.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

import structlog

from cornered.protocol.commands import Join, MatchCommand, Play, Say
from cornered.protocol.events import MatchEvent, Rematched
from cornered.protocol.messages import Acknowledged, Said, SeatPresence, ServerMessage, Snapshot
from cornered.server.match import views
from cornered.server.match.match import Match
from cornered.server.metrics import Counts
from cornered.server.ports import Bus, Journal, JournalUnavailable, StaleSequence
from cornered.server.refusal import Refusal
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.readiness import Readiness
from cornered.server.runtime.spectators import Spectators
from cornered.server.runtime.timekeeping import SLOWEST_MS, Interval, Outages, overlap

__all__ = ["MatchObserver", "MatchTask", "Services"]

MAX_PENDING: Final = 8
"""Commands of one seat that may wait for their turn."""
CHAT_LINES_KEPT: Final = 50
"""The newest lines of chat, which are sent to clients that join later. They are not stored."""
RETRY_MS: Final = 1_000
"""Delay before an event of the timer that could not be stored is tried again."""
LOOK_AGAIN_MS: Final = 60_000
"""The longest delay of a refund's message while no move is made."""

log = structlog.get_logger("match")


@dataclass(frozen=True, slots=True)
class Services:
    """What every match task of a server shares. `now` is the match clock in milliseconds."""

    journal: Journal
    bus: Bus
    counts: Counts
    now: Callable[[], int]
    readiness: Readiness = field(default_factory=Readiness)
    outages: Outages = field(default_factory=Outages)


class MatchObserver(Protocol):
    """The owner of match tasks: the registry."""

    async def store_rematch(self, match: Match) -> None:
        """Store the beginning of the match that follows `match`; harmless when it is there already."""

    async def open_rematch(self, match: Match) -> None:
        """Open the match that follows `match`, and notify its players."""

    def ended(self, match_task: MatchTask) -> None:
        """The match is over; clients may still look at it and chat."""

    def changed(self, match_task: MatchTask) -> None:
        """The match changed in a way that lists show."""

    def emptied(self, match_task: MatchTask) -> None:
        """The match is over and no client is joined to it."""


class _Request(NamedTuple):
    client: ClientConnection
    seat: int
    command: MatchCommand
    arrived: float


class MatchTask:
    """One match with the connections of its players and spectators."""

    def __init__(self, match: Match, events: list[MatchEvent], services: Services, observer: MatchObserver) -> None:
        self.match = match
        self._events = events
        self._seats = {player.id: seat for seat, player in enumerate(match.terms.players)}
        self._services = services
        self._observer = observer
        self._loop = asyncio.get_running_loop()
        # Bounded: at most MAX_PENDING commands a seat, None for the timer, and a future for each call of `drained`.
        self._inbox: deque[_Request | asyncio.Future[None] | None] = deque()
        # What `run` waits for while the inbox is empty; `_put` sets its result.
        self._arrival: asyncio.Future[None] | None = None
        self._pending = [0] * match.seats
        # True while a None of the timer is in the inbox, so that there is at most one.
        self._is_woken = False
        self._is_closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0
        self._players: dict[ClientConnection, int] = {}
        opened_at = services.now()
        self._gone_since: list[int | None] = [opened_at] * match.seats
        # Outages up to this time are taken account of in `_gone_since`.
        self._excused_at = opened_at
        # When the oldest of the failed writes since the last good one began, and the slow or failed stretches before.
        self._failing_since: int | None = None
        self._stalls: list[Interval] = []
        self._said: deque[Said] = deque(maxlen=CHAT_LINES_KEPT)
        self._log = log.bind(match=match.id)
        self.spectators = Spectators(
            match,
            events,
            now=services.now,
            snapshot=self._snapshot_for_watchers,
            counts=services.counts,
            send_to_all=self._send_to_all,
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

    async def drained(self) -> None:
        """Return when every command that has arrived is answered."""
        if not self._is_closed:
            served = self._loop.create_future()
            self._put(served)
            await served

    async def run(self) -> None:
        """Carry out commands until cancelled."""
        self._arm()
        while True:
            if not self._inbox:
                self._arrival = self._loop.create_future()
                await self._arrival
            item = self._inbox.popleft()
            try:
                if isinstance(item, _Request):
                    await self._carry_out(item)
                elif item is None:
                    self._is_woken = False
                    await self._tick()
                elif not item.done():
                    item.set_result(None)
            except Exception:
                # A defect in one match must not end the others.
                self._log.exception("a match command failed")
                if isinstance(item, _Request):
                    item.client.refuse(item.command.id, "internal", "the server made a mistake; it is logged")
                elif item is None:
                    # The timer is spent, and without one the match might never end.
                    self._set_timer(self._services.now() + RETRY_MS)
            if isinstance(item, _Request):
                self._pending[item.seat] -= 1
            if self.match.over:
                self.check_emptiness()

    def _put(self, item: _Request | asyncio.Future[None] | None) -> None:
        self._inbox.append(item)
        arrival, self._arrival = self._arrival, None
        if arrival is not None and not arrival.done():
            arrival.set_result(None)

    def close(self) -> None:
        """Drop all clients and cancel the timers. The owner cancels the task."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for item in self._inbox:
            if isinstance(item, asyncio.Future) and not item.done():
                item.set_result(None)
        self.spectators.close()
        self._players.clear()

    # Clients

    def join(self, client: ClientConnection, command: Join) -> None:
        """Add a client as a player or spectator, and send it the match from where it stands."""
        match = self.match
        seat = self._seats.get(client.player.id)
        if seat is not None:
            self._players[client] = seat
            self.player_came(client.player.id)
        elif match.terms.private:
            raise Refusal("private", "only its players see this match")
        else:
            match = self.spectators.shown
            self.spectators.add(client)
        client.matches[match.id] = self
        if command.since is None or command.since > match.seq:
            client.send(self._snapshot(match, command.id, seat))
            for said in self._said:
                if said.room == ("spectators" if seat is None else "players"):
                    client.send(said)
            return
        client.send(Acknowledged(id=command.id, seq=match.seq))
        if command.since < match.seq:
            client.send(views.happened(match, self._events[command.since : match.seq]))

    def leave(self, client: ClientConnection) -> None:
        """Remove a client that left or disconnected."""
        if self._players.pop(client, None) is None:
            self.spectators.remove(client)
        client.matches.pop(self.match.id, None)
        self.check_emptiness()

    def fell_behind(self, client: ClientConnection) -> None:
        """A client's output buffer passed its high mark."""
        self.spectators.fell_behind(client)

    def caught_up(self, client: ClientConnection) -> None:
        """A client's output buffer is below its low mark again."""
        self.spectators.caught_up(client)

    def check_emptiness(self) -> None:
        """Report a match that is over and has no clients, so that its task is closed."""
        if self.match.over and not any(self._pending) and not self._players and not self.spectators:
            self._observer.emptied(self)

    def is_player(self, client: ClientConnection) -> bool:
        return self._seats.get(client.player.id) is not None

    def seen_by(self, client: ClientConnection) -> Match:
        """Return the match as this socket may see it: spectators of a delayed match see an earlier one."""
        if self._seats.get(client.player.id) is not None:
            return self.match
        if self.match.terms.private:
            raise Refusal("private", "only its players see this match")
        return self.spectators.shown

    def studied_by(self, client: ClientConnection) -> Match:
        """Return the match as this client may have it analysed: its players not until it is over. Raises Refusal."""
        if not self.match.over and self.is_player(client):
            raise Refusal("not_now", "there is no help while you play; ask when the game is over")
        return self.seen_by(client)

    def player_came(self, player: str) -> None:
        """A seated player has a connection again."""
        seat = self._seats.get(player)
        if seat is not None and self._gone_since[seat] is not None:
            self._gone_since[seat] = None
            self._arm()
            self._send_presence(seat)

    def player_went(self, player: str) -> None:
        """A seated player's last connection closed."""
        seat = self._seats.get(player)
        if seat is not None and self._gone_since[seat] is None:
            self._gone_since[seat] = self._services.now()
            self._arm()
            self._send_presence(seat)

    def _send_presence(self, seat: int) -> None:
        match, gone = self.match, self._gone_since[seat]
        self._send_to_all(
            Broadcast(
                SeatPresence(
                    match=match.id,
                    seat=seat,
                    connected=gone is None,
                    at=self._services.now(),
                    claim_at=None if gone is None else match.claim_at(gone),
                )
            )
        )

    # Commands

    def submit(self, client: ClientConnection, command: MatchCommand, arrived: float) -> None:
        """Take a player's command; its answer comes when it is stored. Raises Refusal."""
        seat = self._seats.get(client.player.id)
        if seat is None:
            raise Refusal("not_a_player", "you do not play in this match")
        if self._pending[seat] >= MAX_PENDING:
            raise Refusal("too_fast", "wait for the answers to your earlier commands")
        self._pending[seat] += 1
        self._put(_Request(client, seat, command, arrived))

    def expects(self, client: ClientConnection, play: Play) -> bool:
        """Return whether this is a move of the seat to move at the present ply, legal or not; it never waits."""
        match, plies = self.match, self.match.plies
        is_next = play.ply == plies.ply and match.ending is None
        return is_next and self._seats.get(client.player.id) == plies.state.to_move

    def say(self, client: ClientConnection, command: Say) -> None:
        """Send a line of chat to the room that it names. Raises Refusal."""
        is_player = self._seats.get(client.player.id) is not None
        if command.room == "players" and not is_player:
            raise Refusal("not_a_player", "the players talk among themselves")
        if command.room == "spectators" and is_player:
            raise Refusal("not_a_spectator", "the spectators talk among themselves")
        if command.room == "spectators" and client not in self.spectators:
            raise Refusal("not_a_spectator", "join the match first")
        said = Said(
            match=self.match.id, room=command.room, by=client.player, text=command.text, at=self._services.now()
        )
        self._said.append(said)
        if command.room == "players":
            self._send_to_players(Broadcast(said))
        else:
            self.spectators.spread(Broadcast(said))

    # Decisions and time

    async def _carry_out(self, request: _Request) -> None:
        try:
            await self._decide(request)
        except JournalUnavailable:
            self._services.counts.stalls += 1
            command = request.command
            self._log.warning("the journal is away", command=command.type)
            request.client.refuse(command.id, "internal", "this could not be stored just now; try again")
            self._set_timer(self._services.now() + RETRY_MS)

    async def _decide(self, request: _Request) -> None:
        """Decide, store and answer one command. Raises JournalUnavailable."""
        client, seat, command = request.client, request.seat, request.command
        for attempt in (1, 2):
            seq = self.match.answered(seat, command.id)
            if seq is not None:
                client.send(Acknowledged(id=command.id, seq=seq))
                return
            now = self._services.now()
            match, refund = self._refunded(now)
            try:
                events = match.decide(command, seat, now, lag=client.lag, gone_since=self._gone_since)
                decided = (*refund, *events) if refund else events
                await self._store(decided, now)
            except Refusal as refusal:
                if command.type == "play":
                    client.charge()
                client.refuse(command.id, refusal.code, refusal.text, retry_after=refusal.retry_after)
                return
            except StaleSequence:
                if attempt == 2:
                    raise
                # A write that seemed to fail had reached the store: fold it, and decide again.
                await self._catch_up()
                continue
            self._advance(decided, client, Acknowledged(id=command.id, seq=events[0].seq))
            self._services.counts.acknowledged(self._loop.time() - request.arrived)
            if _leads_on(events):
                await self._open_rematch()
            return

    async def _tick(self) -> None:
        """Carry out what time decides, and store a refund even where nothing else is decided."""
        now = self._services.now()
        match, refund = self._refunded(now)
        try:
            events = (*refund, *(match.tick(now) or match.abandon(now, self._gone_since)))
            if events:
                try:
                    await self._store(events, now)
                    self._advance(events)
                except StaleSequence:
                    if not await self._catch_up():
                        # The store has less than this match task: an immediate retry would never end.
                        raise
            self._arm()
        except JournalUnavailable:
            self._services.counts.stalls += 1
            self._set_timer(now + RETRY_MS)

    async def _store(self, events: tuple[MatchEvent, ...], begun: int) -> None:
        """Append what was decided at `begun`. Raises JournalUnavailable, StaleSequence, and a rematch's Refusal."""
        now, outages = self._services.now, self._services.outages
        if _leads_on(events):
            # First the new match, then the event that leads to it: a crash between the two leaves no dangling id.
            await self._observer.store_rematch(self.match)
            begun = now()
        try:
            await self._services.journal.append(self.match.id, self.match.seq, events)
        except JournalUnavailable:
            outages.is_store_away = True
            if self._failing_since is None:
                self._failing_since = begun
            raise
        except StaleSequence:
            self._answered(begun, now())
            raise
        self._answered(begun, now())

    def _answered(self, begun: int, done: int) -> None:
        """Record that the store answered: the time that this write and failed ones before it took is refunded."""
        self._services.outages.is_store_away = False
        if self._failing_since is not None:
            begun, self._failing_since = self._failing_since, None
        elif done - begun <= SLOWEST_MS:
            return
        self._stalls.append((begun, done))

    def excuse(self, since: int) -> None:
        """Refund the time since `since`, in which the match had no task, as an outage of the store."""
        now = self._services.now()
        if now - since > SLOWEST_MS:
            self._stalls.append((since, now))
            self._wake()

    def _refunded(self, now: int) -> tuple[Match, tuple[MatchEvent, ...]]:
        """Return the match with the refund of the outages since its newest event, and that refund, not yet stored.

        The time in which the server was away counts as no player's absence.
        """
        match, excused_at = self.match, self._excused_at
        settled_at = min(match.at, excused_at)
        outages = self._services.outages.after(settled_at, now)
        if self._stalls:
            self._stalls = [stall for stall in self._stalls if stall[1] > settled_at]
            outages += self._stalls
        if self._failing_since is not None:
            outages.append((self._failing_since, now))
        if not outages:
            return match, ()
        self._excused_at = now
        for seat, since in enumerate(self._gone_since):
            excused = 0 if since is None else overlap(max(since, excused_at), now, outages)
            if since is not None and excused:
                self._gone_since[seat] = since + excused
                self._send_presence(seat)
        refund = match.refund(now, overlap(match.at, now, outages))
        for event in refund:
            match = match.evolve(event)
        return match, refund

    async def _catch_up(self) -> bool:
        """Fold what the store holds beyond the match; return whether there was anything."""
        missed = tuple(await self._services.journal.read(self.match.id, self.match.seq))
        if missed:
            self._advance(missed)
            if _leads_on(missed):
                await self._open_rematch()
        return bool(missed)

    async def _open_rematch(self) -> None:
        """Open the rematch that is stored. Where that fails now, the first of its players to connect opens it."""
        try:
            await self._observer.open_rematch(self.match)
        except Refusal as refusal:
            self._log.warning("the rematch does not open yet", reason=refusal.text)

    def _advance(
        self, events: tuple[MatchEvent, ...], asker: ClientConnection | None = None, answer: Acknowledged | None = None
    ) -> None:
        """Fold stored events: first the match, its timer and the registry, then the messages, `asker`'s first."""
        match, was_over = self.match, self.match.over
        for event in events:
            match = match.evolve(event)
        self.match = match
        self._events += events
        self._services.counts.events += len(events)
        self._arm()
        if match.over and not was_over:
            self._observer.ended(self)
        try:
            self._publish(events, asker, answer)
        except Exception:
            # The events are stored: a defect in publishing them must not look like a refusal.
            self._log.exception("the events of a match were not published to all")

    def _publish(
        self, events: tuple[MatchEvent, ...], asker: ClientConnection | None, answer: Acknowledged | None
    ) -> None:
        broadcast = Broadcast(views.happened(self.match, events))
        if asker is not None and answer is not None:
            asker.answer(answer, broadcast if asker in self._players else None)
        for client in self._players:
            if client is not asker:
                client.deliver(broadcast)
        self.spectators.publish(broadcast, self.match)

    def announce_start(self) -> None:
        """Publish the match on the bus: it begins, or goes on after a restart."""
        shown, started = self.spectators.shown, self._events[:1]
        self._announce(views.happened(shown, started) if shown.seq == 1 else self._snapshot_for_watchers(shown))

    def _announce(self, message: ServerMessage) -> None:
        if self.is_listed:
            self._services.bus.publish_match(message)
            self._observer.changed(self)

    def _due(self) -> int | None:
        """Return when time decides something."""
        due, abandoned = self.match.deadline(), self.match.abandoned_at(self._gone_since)
        return due if abandoned is None else abandoned if due is None else min(due, abandoned)

    def _arm(self) -> None:
        due = self._due()
        if self._timer is not None:
            # A timer that fires too early looks again, which is cheaper than setting it anew for every move.
            if due is not None and self._timer_at <= due:
                return
            self._timer.cancel()
            self._timer = None
        if due is not None and not self._is_closed:
            self._set_timer(due)

    def _set_timer(self, at: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        now = self._services.now()
        # An outage moves what is due, in a match where nothing happens too: looking again now and then notices it.
        self._timer_at = min(at, now + LOOK_AGAIN_MS)
        self._timer = self._loop.call_later(max(0, self._timer_at - now) / 1000, self._wake)

    def _wake(self) -> None:
        self._timer = None
        if not self._is_woken:
            self._is_woken = True
            self._put(None)

    # Messages

    def _send_to_players(self, broadcast: Broadcast) -> None:
        for client in self._players:
            client.deliver(broadcast)

    def _send_to_all(self, broadcast: Broadcast) -> None:
        self._send_to_players(broadcast)
        self.spectators.spread(broadcast)

    def _snapshot(self, match: Match, command_id: str | None, seat: int | None) -> Snapshot:
        return views.snapshot(
            match,
            seat,
            connected=(gone is None for gone in self._gone_since),
            watchers=len(self.spectators),
            id=command_id,
        )

    def _snapshot_for_watchers(self, match: Match) -> Snapshot:
        return self._snapshot(match, None, None)


def _leads_on(events: Sequence[MatchEvent]) -> bool:
    """Return whether these events, of which there is at least one, end with a rematch."""
    return isinstance(events[-1], Rematched)
