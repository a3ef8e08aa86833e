"""The one task that owns one match: decide, store, acknowledge, publish, in this order and one command at a time.

Nothing here waits for a socket, and nothing is sent that the journal has not stored. Other nodes with clients of the
match subscribe to it, and get what is published once a node.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from cornered.protocol.commands import MatchCommand, Say
from cornered.protocol.events import MatchEvent, Rematched
from cornered.protocol.messages import Acknowledged, Said, SeatPresence, ServerMessage, Watchers
from cornered.protocol.ratings import Rated
from cornered.protocol.values import ChatRoom
from cornered.server.cluster.messages import MatchNews, NodeMessage, RoomNotice, RoomState, Subscribe
from cornered.server.match import views
from cornered.server.match.match import Match
from cornered.server.ports import JournalUnavailable, NotOwner, StaleSequence
from cornered.server.refusal import Refusal, id_reused
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.match_room import MAX_PENDING, Asker, MatchRoom, Services
from cornered.server.runtime.stalls import Stalls
from cornered.server.runtime.subscribers import Subscribers
from cornered.server.runtime.timekeeping import Interval, overlap
from cornered.server.tracing import Span

__all__ = ["MatchObserver", "MatchTask", "Request"]

RETRY_MS: Final = 1_000
"""Delay before an event of the timer that could not be stored is tried again."""
LOOK_AGAIN_MS: Final = 60_000
"""The longest delay of a refund's message while no move is made."""
MAX_ORDERS: Final = 8
"""Orders about one match's clocks that may wait for their turn."""
SAID_IDS_KEPT: Final = 256
"""Newest lines of chat in one match whose ids are known again when they are repeated."""


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

    def turned(self, match_task: MatchTask) -> None:
        """Moves were made, or taken back."""

    def emptied(self, room: MatchRoom) -> None:
        """No client needs this room any more."""

    def disowned(self, match_task: MatchTask) -> None:
        """Another node owns the match: what its task has not answered is for that node."""


class Request(NamedTuple):
    """A player's command that waits for its turn; `arrived` is the loop's time. `span` ends when it is answered."""

    asker: Asker
    seat: int
    command: MatchCommand
    arrived: float
    span: Span


Decision: TypeAlias = Callable[[Match, int], tuple[MatchEvent, ...]]
"""Returns what an organiser's order leads to in a match at a time; nothing where it is done already. Raises Refusal."""


class Order(NamedTuple):
    """An organiser's order that waits for its turn.

    `done` has no result but that it is stored; it fails with a Refusal, NotOwner or JournalUnavailable.
    """

    decide: Decision
    done: asyncio.Future[None]

    def fail(self, error: Exception) -> None:
        if not self.done.done():
            self.done.set_exception(error)


class MatchTask(MatchRoom):
    """One match that this node owns, with the connections of its players and spectators."""

    def __init__(self, match: Match, events: list[MatchEvent], services: Services, observer: MatchObserver) -> None:
        self._observer = observer
        self._subscribers = Subscribers(services.nodes.silence_ms)
        super().__init__(match, events, services)
        # Bounded: at most MAX_PENDING commands a seat, MAX_ORDERS, None for the timer, and a future for each call of
        # `drained`.
        self._inbox: deque[Request | Order | asyncio.Future[None] | None] = deque()
        # What `run` waits for while the inbox is empty; `_put` sets its result.
        self._arrival: asyncio.Future[None] | None = None
        # The command that is being carried out, until it is answered.
        self._current: Request | None = None
        self._pending = [0] * match.seats
        # True while a None of the timer is in the inbox, so that there is at most one.
        self._is_woken = False
        self._is_closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0
        # Outages up to this time are taken account of in `_gone_since`.
        self._excused_at = services.now()
        self._stalls = Stalls()
        # Digests of the newest commands to say something, by sender and id.
        self._said_digests: dict[tuple[str, str], str] = {}

    @property
    def watchers(self) -> int:
        return self.spectators.people + self._subscribers.watchers

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
                if isinstance(item, Request):
                    await self._carry_out(item)
                elif isinstance(item, Order):
                    await self._carry_out_order(item)
                elif item is None:
                    self._is_woken = False
                    await self._tick()
                elif not item.done():
                    item.set_result(None)
            except Exception:
                # A defect in one match must not end the others.
                self._log.exception("a match command failed")
                if isinstance(item, Request):
                    item.asker.refuse(item.command.id, "internal", "the server made a mistake; it is logged")
                elif isinstance(item, Order):
                    item.fail(Refusal("internal", "the server made a mistake; it is logged"))
                elif item is None:
                    # The timer is spent, and without one the match might never end.
                    self._set_timer(self._services.now() + RETRY_MS)
            if isinstance(item, Request):
                self._pending[item.seat] -= 1
                item.span.end()
            if self.match.over:
                self.check_emptiness()

    def _put(self, item: Request | Order | asyncio.Future[None] | None) -> None:
        self._inbox.append(item)
        arrival, self._arrival = self._arrival, None
        if arrival is not None and not arrival.done():
            arrival.set_result(None)

    def close(self) -> None:
        """Drop all clients and cancel the timers. The owner cancels the task."""
        super().close()
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for item in self._inbox:
            if isinstance(item, Order):
                item.fail(NotOwner(self.match.id))
            elif isinstance(item, asyncio.Future) and not item.done():
                item.set_result(None)
        # The cancellation comes when the task waits next: it decides nothing more before.
        self._inbox.clear()

    # Clients

    def check_emptiness(self) -> None:
        is_used = any(self._pending) or self._players or self.spectators or self._subscribers
        if self.match.over and not is_used:
            self._observer.emptied(self)

    def _player_joined(self, seat: int) -> None:
        others = list(self._players.values())
        others.remove(seat)
        self._settle_silence(others)
        self._seat_came(seat)

    def player_came(self, player: str) -> None:
        """A seated player has a connection again."""
        seat = self._seats.get(player)
        if seat is not None:
            self._seat_came(seat)

    def _seat_came(self, seat: int) -> None:
        if self._gone_since[seat] is not None:
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
        self._notify("all", self._presence_of(seat))

    def is_seen_by(self, seat: int) -> bool:
        """Return whether the player in a seat has the match open, on any node."""
        return seat in self._players.values() or self._subscribers.serves(seat)

    # Commands

    def submit(self, client: ClientConnection, command: MatchCommand, arrived: float, trace: str = "") -> None:
        self.submit_for(client, command, arrived, trace)

    def submit_for(
        self, asker: Asker, command: MatchCommand, arrived: float, trace: str, *, is_remote: bool = False
    ) -> None:
        """Take a command of a player who is connected to any node, to another one where it `is_remote`. Raises Refusal.

        One that is under way is not taken again, however often a node repeats it while the store is away.
        """
        seat = self._seats.get(asker.player.id)
        if seat is None:
            raise Refusal("not_a_player", "you do not play in this match")
        for one in self.unanswered() if self._pending[seat] else ():
            if one.asker.id == asker.id and one.command.id == command.id:
                if one.command != command:
                    raise id_reused()
                return
        if self._pending[seat] >= MAX_PENDING:
            raise Refusal("too_fast", "wait for the answers to your earlier commands")
        self._pending[seat] += 1
        span = self._services.tracer.step("execute", trace, is_remote=is_remote)
        self._put(Request(asker, seat, command, arrived, span))

    async def order(self, decide: Decision) -> None:
        """Carry out what an order leads to; return when that is stored.

        The caller has checked that the order comes from an organiser. Raises Refusal, JournalUnavailable and NotOwner.
        """
        if self._is_closed:
            raise NotOwner(self.match.id)
        if sum(isinstance(item, Order) for item in self._inbox) >= MAX_ORDERS:
            raise Refusal("busy", "wait until the earlier orders for this match are carried out")
        order = Order(decide, self._loop.create_future())
        self._put(order)
        await order.done

    def unanswered(self) -> list[Request]:
        """Return the commands that have arrived and are not answered, in order; the first one may be stored already."""
        waiting = [item for item in self._inbox if isinstance(item, Request)]
        return waiting if self._current is None else [self._current, *waiting]

    def say(self, client: ClientConnection, command: Say) -> None:
        self.check_say(client, command)
        self.say_for(client, command)

    def was_said(self, player: str, command_id: str) -> bool:
        return (player, command_id) in self._said_digests

    def say_for(self, asker: Asker, command: Say) -> None:
        """Send a line of chat whose sender may talk there, once, and acknowledge it. Raises Refusal."""
        key, digest = (asker.player.id, command.id), command.digest()
        known = self._said_digests.get(key)
        if known is not None and known != digest:
            raise id_reused()
        if known is None:
            self._said_digests[key] = digest
            if len(self._said_digests) > SAID_IDS_KEPT:
                del self._said_digests[next(iter(self._said_digests))]
            said = Said(
                match=self.match.id, room=command.room, by=asker.player, text=command.text, at=self._services.now()
            )
            self._said.append(said)
            self._notify(command.room, said)
        asker.send(Acknowledged(id=command.id))

    # Other nodes

    def subscribe(self, node: str, wish: Subscribe) -> None:
        """Send a node what is published from now on, and tell it where the match stands."""
        watchers = self.watchers
        self._settle_silence(self._players.values())
        self._subscribers.add(node, wish)
        for seat in wish.seats:
            if seat < len(self._gone_since):
                self._seat_came(seat)
        if self.watchers != watchers:
            self._crowd_changed()
        state = RoomState(
            match=self.match.id,
            seq=self.match.seq,
            gone=tuple(self._gone_since),
            watchers=self.watchers,
            said=tuple(self._said),
        )
        self._services.nodes.send(node, state)

    def unsubscribe(self, node: str) -> None:
        """Send a node nothing any more: it has no clients of this match, or is dead."""
        watchers = self.watchers
        self._settle_silence(self._players.values())
        if self._subscribers.remove(node):
            if self.watchers != watchers:
                self._crowd_changed()
            self.check_emptiness()

    def fell_silent(self, node: str) -> None:
        """Nothing comes from a living node: what its players cannot do meanwhile costs them no time."""
        self._subscribers.fell_silent(node, self._services.now())

    def heard_again(self, node: str) -> None:
        """Something comes from a node again, which need not have noticed that nothing came."""
        self._settle_silence(self._players.values())
        if self._subscribers.heard(node):
            # The end of its mirror may have been lost; where there is none, it answers so.
            self._services.nodes.send(node, MatchNews(match=self.match.id, events=()))

    def _settle_silence(self, local: Collection[int]) -> None:
        """Keep the time in which the player to move could not be heard, before it is served differently."""
        silence = self._silence(local, self._services.now())
        if silence is not None:
            self._stalls.add(silence)

    def _silence(self, local: Collection[int], now: int) -> Interval | None:
        return self._subscribers.silent_stretch(self.match.plies.state.to_move, local, now)

    def _tell_rated(self, message: Rated) -> None:
        self._notify("all", message)

    def _notify(self, room: ChatRoom | Literal["all"], message: Said | SeatPresence | Watchers | Rated) -> None:
        """Send a message that is not stored to the clients of all nodes."""
        broadcast = Broadcast(message)
        if room != "spectators":
            self._send_to_players(broadcast)
        if room != "players":
            self.spectators.spread(broadcast)
        self._send_to_nodes(RoomNotice(match=self.match.id, message=message))

    def _send_to_nodes(self, message: NodeMessage) -> None:
        for node in self._subscribers:
            self._services.nodes.send(node, message)

    def _crowd_changed(self) -> None:
        self._notify("all", Watchers(match=self.match.id, count=self.watchers))

    # Decisions and time

    async def _carry_out(self, request: Request) -> None:
        self._current = request
        try:
            await self._decide(request)
        except NotOwner:
            self._observer.disowned(self)
        except JournalUnavailable:
            self._services.counts.stalls += 1
            command = request.command
            self._log.warning("the journal is away", command=command.type)
            request.asker.refuse(command.id, "internal", "this could not be stored just now; try again")
            self._set_timer(self._services.now() + RETRY_MS)
        finally:
            self._current = None

    async def _decide(self, request: Request) -> None:
        """Decide, store and answer one command. Raises JournalUnavailable."""
        asker, seat, command, trace = request.asker, request.seat, request.command, request.span.context
        for attempt in (1, 2):
            try:
                seq = self.answered(seat, command)
                if seq is not None:
                    asker.send(Acknowledged(id=command.id, seq=seq))
                    return
                now = self._services.now()
                match, refund = self._refunded(now)
                with self._services.tracer.step("decide", trace):
                    events = match.decide(command, seat, now, lag=asker.lag, gone_since=self._gone_since)
                decided = (*refund, *events) if refund else events
                await self._store(decided, now, trace)
            except Refusal as refusal:
                if command.type == "play":
                    asker.charge()
                asker.refuse(command.id, refusal.code, refusal.text, retry_after=refusal.retry_after)
                return
            except StaleSequence:
                if attempt == 2:
                    raise
                # A write that seemed to fail had reached the store: fold it, and decide again.
                await self._catch_up()
                continue
            self._current = None
            self._advance(decided, asker, Acknowledged(id=command.id, seq=events[0].seq), trace)
            self._services.counts.acknowledged(self._loop.time() - request.arrived)
            if _leads_on(events):
                await self._open_rematch()
            return

    async def _carry_out_order(self, order: Order) -> None:
        try:
            await self._decide_order(order.decide)
        except NotOwner as error:
            order.fail(error)
            self._observer.disowned(self)
        except (JournalUnavailable, Refusal) as error:
            order.fail(error)
        else:
            if not order.done.done():
                order.done.set_result(None)

    async def _decide_order(self, decide: Decision) -> None:
        """Decide and store one order. Raises JournalUnavailable, NotOwner and Refusal."""
        for attempt in (1, 2):
            now = self._services.now()
            match, refund = self._refunded(now)
            try:
                events = decide(match, now)
                if events:
                    events = (*refund, *events)
                    await self._store(events, now)
            except StaleSequence:
                if attempt == 2:
                    raise
                await self._catch_up()
                continue
            if events:
                self._advance(events)
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
        except NotOwner:
            self._observer.disowned(self)
        except JournalUnavailable:
            self._services.counts.stalls += 1
            self._set_timer(now + RETRY_MS)

    async def _store(self, events: tuple[MatchEvent, ...], begun: int, trace: str = "") -> None:
        """Append what was decided at `begun`. Raises JournalUnavailable, StaleSequence, and a rematch's Refusal."""
        now, outages = self._services.now, self._services.outages
        if _leads_on(events):
            # First the new match, then the event that leads to it: a crash between the two leaves no dangling id.
            await self._observer.store_rematch(self.match)
            begun = now()
        try:
            with self._services.tracer.step("append", trace):
                await self._services.journal.append(self.match.id, self.match.seq, events)
        except NotOwner:
            raise
        except JournalUnavailable:
            outages.is_store_away = True
            self._stalls.write_failed(begun)
            raise
        except StaleSequence:
            self._answered(begun, now())
            raise
        self._answered(begun, now())

    def _answered(self, begun: int, done: int) -> None:
        """Record that the store answered: the time that this write and failed ones before it took is refunded."""
        self._services.outages.is_store_away = False
        self._stalls.write_answered(begun, done)

    def excuse(self, since: int) -> None:
        """Refund the time since `since`, in which the match had no task, as an outage of the store."""
        if self._stalls.add((since, self._services.now())):
            self._wake()

    def _refunded(self, now: int) -> tuple[Match, tuple[MatchEvent, ...]]:
        """Return the match with the refund of the outages since its newest event, and that refund, not yet stored.

        The time in which the server was away counts as no player's absence.
        """
        match, excused_at = self.match, self._excused_at
        settled_at = min(match.at, excused_at)
        outages = [*self._services.outages.after(settled_at, now), *self._stalls.after(settled_at, now)]
        silence = self._silence(self._players.values(), now)
        if silence is not None:
            outages.append(silence)
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
        self,
        events: tuple[MatchEvent, ...],
        asker: Asker | None = None,
        answer: Acknowledged | None = None,
        trace: str = "",
    ) -> None:
        """Fold stored events: first the match, its timer and the registry, then the messages, `asker`'s first."""
        was_over = self.match.over
        was_paused = self.match.pause is not None
        self._fold(events)
        self._services.counts.events += len(events)
        self._arm()
        ending = None if was_over else self.match.ending
        if ending is not None:
            self._observer.ended(self)
        self._observer.turned(self)
        try:
            with self._services.tracer.step("publish", trace) as span:
                self._publish(events, asker, answer)
                if self._subscribers:
                    self._send_to_nodes(MatchNews(match=self.match.id, events=events, trace=span.context))
        except Exception:
            # The events are stored: a defect in publishing them must not look like a refusal.
            self._log.exception("the events of a match were not published to all")
        if ending is not None and ending.rated:
            self._services.ratings.tell(self.match.id)
        if was_paused is not (self.match.pause is not None):
            # A pause moves the time from which victory may be claimed.
            for seat, gone in enumerate(self._gone_since):
                if gone is not None:
                    self._send_presence(seat)

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


def _leads_on(events: Sequence[MatchEvent]) -> bool:
    """Return whether these events, of which there is at least one, end with a rematch."""
    return isinstance(events[-1], Rematched)
