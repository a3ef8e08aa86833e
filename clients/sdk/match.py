"""A match as its players and watchers see it: always the newest position, and every event on the way there."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import Final, Protocol, TypeVar

from cornered.clients.sdk.errors import Closed
from cornered.clients.sdk.fold import advance, with_presence
from cornered.clients.sdk.pulse import Pulse
from cornered.engine import load
from cornered.engine.game import State
from cornered.protocol.commands import (
    Abort,
    AcceptDraw,
    AcceptTakeback,
    AskHistory,
    AskMoves,
    AskVariation,
    Claim,
    Command,
    DeclineDraw,
    DeclineRematch,
    DeclineTakeback,
    Leave,
    OfferDraw,
    Play,
    Rematch,
    RequestTakeback,
    Resign,
    Say,
)
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import (
    Acknowledged,
    Happened,
    History,
    Moves,
    Said,
    SeatPresence,
    Snapshot,
    Variation,
    Watchers,
)
from cornered.protocol.ratings import Rated
from cornered.protocol.values import ChatRoom, Delay, Player, Value

__all__ = ["MatchClient", "MatchView"]

MAX_CHAT_LINES: Final = 200
"""Chat lines that are kept."""

T = TypeVar("T", bound=Value)


class MatchClient(Protocol):
    """The part of a client that a match uses."""

    def new_id(self) -> str:
        """Return a unique command id."""

    def server_now(self) -> int:
        """Return the estimated time of the server in milliseconds."""

    async def ask(self, command: Command, expected: type[T]) -> T:
        """Send a command and return its answer."""

    def forget(self, match: str) -> None:
        """Drop the view of a match."""


class MatchView:
    """A live copy of one match. `snapshot` is its newest state; `version` grows with every change of any field."""

    def __init__(self, client: MatchClient, snapshot: Snapshot) -> None:
        self._client = client
        self._pulse = Pulse()
        self._events: list[MatchEvent] = []
        self._parsed: tuple[str, State] | None = None
        self.snapshot = snapshot
        self.said: deque[Said] = deque(maxlen=MAX_CHAT_LINES)
        """The newest chat lines since this client joined."""
        self.claim_at: dict[int, int] = {}
        """Server time from which victory may be claimed over an absent seat."""
        self.rated: Rated | None = None
        """What a rated match has changed, once the server has told it: shortly after the end."""

    @property
    def id(self) -> str:
        """The match's id."""
        return self.snapshot.match

    @property
    def seat(self) -> int | None:
        """The client's own seat, None for a watcher."""
        return self.snapshot.seat

    @property
    def players(self) -> tuple[Player, ...]:
        """The players in seat order."""
        return tuple(info.player for info in self.snapshot.seats)

    @property
    def ply(self) -> int:
        """Moves and rolls so far."""
        return self.snapshot.ply

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.snapshot.over

    @property
    def my_turn(self) -> bool:
        """Whether the match waits for this client's move."""
        is_on = not self.over and self.snapshot.paused_until is None
        return is_on and self.seat is not None and self.snapshot.to_move == self.seat

    @property
    def legal(self) -> tuple[str, ...] | None:
        """The legal moves that came with this client's turn, where it has joined with `legal`; None otherwise."""
        return self.snapshot.legal

    @property
    def state(self) -> State:
        """The position as a state of the game's rules, which the first use loads."""
        text = self.snapshot.position
        if self._parsed is None or self._parsed[0] != text:
            spec = self.snapshot.game
            self._parsed = (text, load(spec.name, **spec.options).parse(text))
        return self._parsed[1]

    @property
    def version(self) -> int:
        """Grows with every change: moves, offers, chat, presence."""
        return self._pulse.count

    async def changed(self, seen: int) -> int:
        """Return the version once it is above `seen`. Raises Closed when the match is left or the client closed."""
        return await self._pulse.after(seen)

    async def ended(self) -> Snapshot:
        """Wait for the end of the match and return its snapshot."""
        while not self.over:
            await self.changed(self.version)
        return self.snapshot

    async def __aiter__(self) -> AsyncIterator[MatchEvent]:
        """Yield every event since this client joined, in order, until the match is over or left.

        A watcher that falls behind misses the events that the server skips for it; a player gets all. Events of a later
        server, whose type this client does not know, are left out.
        """
        position = 0
        while True:
            seen = self.version
            while position < len(self._events):
                yield self._events[position]
                position += 1
            if self.over:
                return
            try:
                await self.changed(seen)
            except Closed:
                return

    def left(self, seat: int) -> int | None:
        """Return the remaining time of `seat` in milliseconds; None without a clock."""
        clocks = self.snapshot.clocks
        left = clocks.left[seat]
        if left is None or clocks.running != seat:
            return left
        spent = self._client.server_now() - clocks.at
        if isinstance(self.snapshot.clock, Delay):
            spent -= 1000 * self.snapshot.clock.delay
        return max(0, left - max(0, spent))

    async def play(self, move: str, ply: int | None = None) -> None:
        """Make a move in the position after `ply` plies, by default the newest. Carried out exactly once.

        The move is stored when it returns. Raises CommandRefused, with `stale_ply` when another event came first.
        """
        at = self.ply if ply is None else ply
        await self._do(Play(id=self._client.new_id(), match=self.id, ply=at, move=move))

    async def resign(self) -> None:
        """Resign."""
        await self._do(Resign(id=self._client.new_id(), match=self.id))

    async def abort(self) -> None:
        """Abort the match before its second ply."""
        await self._do(Abort(id=self._client.new_id(), match=self.id))

    async def claim(self) -> None:
        """Claim victory over an absent opponent."""
        await self._do(Claim(id=self._client.new_id(), match=self.id))

    async def rematch(self) -> None:
        """Offer a rematch, or accept one; `snapshot.next` is its match once all players have."""
        await self._do(Rematch(id=self._client.new_id(), match=self.id))

    async def decline_rematch(self, reason: str = "") -> None:
        """Decline the offer of a rematch, or withdraw one's own."""
        await self._do(DeclineRematch(id=self._client.new_id(), match=self.id, reason=reason))

    async def offer_draw(self) -> None:
        """Offer a draw."""
        await self._do(OfferDraw(id=self._client.new_id(), match=self.id))

    async def answer_draw(self, *, accept: bool) -> None:
        """Answer the opponent's offer."""
        answer = AcceptDraw if accept else DeclineDraw
        await self._do(answer(id=self._client.new_id(), match=self.id))

    async def request_takeback(self) -> None:
        """Request a takeback of one's own last move."""
        await self._do(RequestTakeback(id=self._client.new_id(), match=self.id))

    async def answer_takeback(self, *, accept: bool) -> None:
        """Answer the opponent's request."""
        answer = AcceptTakeback if accept else DeclineTakeback
        await self._do(answer(id=self._client.new_id(), match=self.id))

    async def say(self, text: str, room: ChatRoom | None = None) -> None:
        """Send a chat line to `room`, by default the players' for a player and the spectators' for a watcher."""
        where: ChatRoom = room or ("spectators" if self.seat is None else "players")
        await self._do(Say(id=self._client.new_id(), match=self.id, text=text, room=where))

    async def moves(self, ply: int | None = None) -> Moves:
        """Request the legal moves, and why other moves are not; `join` with `legal` saves this round trip."""
        at = self.ply if ply is None else ply
        return await self._client.ask(AskMoves(id=self._client.new_id(), match=self.id, ply=at), Moves)

    async def history(self) -> History:
        """Request every position so far."""
        return await self._client.ask(AskHistory(id=self._client.new_id(), match=self.id), History)

    async def variation(self, ply: int, moves: Sequence[str]) -> tuple[str, ...]:
        """Request the positions after each of `moves`, from the position after `ply` plies. Raises CommandRefused."""
        command = AskVariation(id=self._client.new_id(), match=self.id, ply=ply, moves=tuple(moves))
        return (await self._client.ask(command, Variation)).positions

    async def leave(self) -> None:
        """Unsubscribe from the match; a player keeps the seat."""
        self._client.forget(self.id)
        await self._client.ask(Leave(id=self._client.new_id(), match=self.id), Acknowledged)

    async def _do(self, command: Command) -> None:
        """Send a command; its events are part of `snapshot` when this returns."""
        done = await self._client.ask(command, Acknowledged)
        while done.seq is not None and self.snapshot.seq < done.seq:
            await self.changed(self.version)

    def reset(self, snapshot: Snapshot) -> None:
        """Replace the snapshot."""
        self.snapshot = snapshot
        self._pulse.beat()

    def happen(self, happened: Happened) -> bool:
        """Apply events; return False, and change nothing, when earlier events are missing."""
        unseen = [event for event in happened.events if event.seq > self.snapshot.seq]
        if not unseen:
            return True
        if unseen[0].seq != self.snapshot.seq + 1:
            return False
        self.snapshot = advance(self.snapshot, happened)
        self._events.extend(event for event in happened.known if event.seq >= unseen[0].seq)
        self._pulse.beat()
        return True

    def note(self, news: SeatPresence | Watchers | Said | Rated) -> None:
        """Apply a message about the match that is no event of it."""
        match news:
            case Said():
                self.said.append(news)
            case Watchers():
                self.snapshot = self.snapshot.model_copy(update={"watchers": news.count})
            case Rated():
                self.rated = news
            case SeatPresence():
                self.snapshot = with_presence(self.snapshot, news)
                self.claim_at.pop(news.seat, None)
                if news.claim_at is not None:
                    self.claim_at[news.seat] = news.claim_at
        self._pulse.beat()

    def close(self) -> None:
        """Wake all waiting tasks with Closed."""
        self._pulse.close()
