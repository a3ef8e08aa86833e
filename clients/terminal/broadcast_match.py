"""One match from a broker's messages: retained states, and events with sequence numbers. Any of them may be lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, TypeAlias

from cornered import engine
from cornered.clients.sdk.fold import advance
from cornered.clients.terminal.match_source import Action, Change, LineState, NotPossible, Seen, Told
from cornered.clients.terminal.words import event_text
from cornered.protocol.events import Ended, MatchEvent, Played, Rolled
from cornered.protocol.feed import PublicMatchState
from cornered.protocol.messages import Happened, Moves, Snapshot
from cornered.protocol.values import SeatInfo

__all__ = ["BroadcastMatch", "Fetch"]

MAX_PENDING_CHANGES: Final = 256

Fetch: TypeAlias = Callable[[str], Awaitable[Snapshot]]
"""Requests a match's snapshot from a server. Raises NotPossible."""


class BroadcastMatch:
    """One match, assembled from states and events. Implements `MatchSource` for watching only."""

    def __init__(self, match: str, now: Callable[[], int], fetch: Fetch | None) -> None:
        self._id = match
        self._now = now
        self._fetch = fetch
        self._match: Snapshot | None = None
        # Events by number that wait for the state that they led to.
        self._pending: dict[int, MatchEvent] = {}
        self._changes: asyncio.Queue[Change] = asyncio.Queue(MAX_PENDING_CHANGES)

    def now(self) -> int:
        return self._now()

    async def follow(self) -> AsyncIterator[Change]:
        if self._match is not None:
            yield Seen(self._match)
        while True:
            yield await self._changes.get()

    async def line(self, trouble: str | None) -> None:
        """Pass the state of the connection on to the screen."""
        await self._changes.put(LineState(trouble))

    async def state(self, state: PublicMatchState) -> None:
        """Apply a state, with the pending events up to it, or without them where one was lost."""
        if self._match is None:
            self._match = await self._first(state)
            await self._changes.put(Seen(self._match))
            self._forget_old()
        elif state.seq > self._match.seq:
            await self._reach(state)

    async def event(self, event: MatchEvent) -> None:
        """Queue an event until the state that it led to; `ended`, which no state follows, is applied at once."""
        if self._match is not None and event.seq <= self._match.seq:
            return
        self._pending[event.seq] = event
        if isinstance(event, Ended):
            await self._finish(event)
        elif self._match is not None and self._match.over and event.seq == self._match.seq + 1:
            await self._apply(self._match, [event])

    async def end_of_feed(self) -> None:
        """Conclude that the match is over; where its `ended` event was lost, ask the server or show it as over."""
        if self._match is None or self._match.over:
            return
        snapshot = await self._fetched() if self._fetch is not None else None
        if snapshot is None:
            await self._changes.put(Told("No more is told of this match: its end was lost on the way."))
            snapshot = self._match.model_copy(update={"over": True})
        await self._take(snapshot, [])

    async def _first(self, state: PublicMatchState) -> Snapshot:
        if self._fetch is not None:
            return await self._fetched() or _snapshot_of(state)
        return _snapshot_of(state)

    async def _fetched(self) -> Snapshot | None:
        """Request the snapshot from the server; show its refusal and return None where it refuses."""
        assert self._fetch is not None
        try:
            return await self._fetch(self._id)
        except NotPossible as refusal:
            await self._changes.put(Told(f"The server cannot tell more: {refusal}"))
            return None

    async def _reach(self, state: PublicMatchState) -> None:
        assert self._match is not None
        events = self._events_to(state.seq)
        if events is None:
            await self._bridge(state)
            return
        happened = Happened(
            match=self._id,
            events=tuple(events),
            position=state.position,
            ply=state.ply,
            to_move=state.to_move,
            clocks=state.clocks,
        )
        await self._take(advance(self._match, happened), events)

    async def _finish(self, ended: Ended) -> None:
        """Apply the end. No state has the position after the last moves, so the rules compute it."""
        if self._match is None:
            return
        events = self._events_to(ended.seq)
        if events is not None:
            await self._apply(self._match, events)
            return
        await self._missed(ended.seq)
        snapshot = await self._fetched() if self._fetch is not None else None
        if snapshot is None:
            snapshot = self._match.model_copy(
                update={"over": True, "winner": ended.winner, "reason": ended.reason, "seq": ended.seq}
            )
        await self._take(snapshot, [ended])

    async def _apply(self, match: Snapshot, events: list[MatchEvent]) -> None:
        moves = [event.move for event in events if isinstance(event, Played | Rolled)]
        position, to_move = await asyncio.to_thread(_after, match, moves) if moves else (match.position, match.to_move)
        happened = Happened(
            match=self._id,
            events=tuple(events),
            position=position,
            ply=match.ply + len(moves),
            to_move=to_move,
            clocks=match.clocks,
        )
        await self._take(advance(match, happened), events)

    async def _bridge(self, state: PublicMatchState) -> None:
        """Continue after lost events: from the server's snapshot, or from the newest state."""
        assert self._match is not None
        await self._missed(state.seq)
        snapshot = await self._fetched() if self._fetch is not None else None
        if snapshot is None:
            known = self._match.moves[: state.ply]
            snapshot = self._match.model_copy(
                update={
                    "seq": state.seq,
                    "position": state.position,
                    "ply": state.ply,
                    "to_move": state.to_move,
                    "clocks": state.clocks,
                    "moves": known + ("?",) * (state.ply - len(known)),
                    "over": False,
                }
            )
        await self._take(snapshot, [])

    async def _missed(self, seq: int) -> None:
        assert self._match is not None
        lost = [n for n in range(self._match.seq + 1, seq + 1) if n not in self._pending]
        await self._changes.put(Told(f"Lost on the way: {len(lost)} of the events, from number {lost[0]} on."))

    async def _take(self, snapshot: Snapshot, events: list[MatchEvent]) -> None:
        self._match = snapshot
        self._forget_old()
        for event in events:
            if (text := event_text(snapshot, event)) is not None:
                await self._changes.put(Told(text, isinstance(event, Played | Rolled)))
        await self._changes.put(Seen(snapshot))

    def _events_to(self, seq: int) -> list[MatchEvent] | None:
        """Return the events that lead up to `seq`, or None when one is missing."""
        assert self._match is not None
        numbers = range(self._match.seq + 1, seq + 1)
        return [self._pending[n] for n in numbers] if all(n in self._pending for n in numbers) else None

    def _forget_old(self) -> None:
        assert self._match is not None
        self._pending = {seq: event for seq, event in self._pending.items() if seq > self._match.seq}

    async def legal(self, ply: int) -> Moves | None:
        return None

    async def play(self, move: str, ply: int) -> None:
        raise NotPossible("a broadcast can only be watched")

    async def do(self, action: Action) -> None:
        raise NotPossible("a broadcast can only be watched")

    async def say(self, text: str) -> None:
        raise NotPossible("a broadcast can only be watched")

    async def leave(self) -> None:
        return


def _after(match: Snapshot, moves: list[str]) -> tuple[str, int]:
    """Return the position after `moves` and who is to move there."""
    state = engine.load(match.game.name, **match.game.options).parse(match.position)
    for move in moves:
        state = engine.apply(state, move)
    return str(state), match.to_move if state.outcome is not None else state.to_move


def _snapshot_of(state: PublicMatchState) -> Snapshot:
    """Return a snapshot from a state alone, in which earlier moves are unknown."""
    return Snapshot(
        id=None,
        match=state.match,
        seq=state.seq,
        game=state.game,
        title=state.game.name.capitalize(),
        clock=state.clock,
        seats=tuple(SeatInfo(player=player) for player in state.players),
        seat=None,
        position=state.position,
        ply=state.ply,
        to_move=state.to_move,
        moves=("?",) * state.ply,
        clocks=state.clocks,
        connected=tuple(True for _ in state.players),
        watchers=0,
        commitment="",
        private=False,
        delay=0,
        has_draws=False,
        draw_offer=None,
        takeback=None,
        rematch=(),
        over=False,
        winner=None,
        reason=None,
        seed=None,
        next=None,
    )
