"""The lobby's outbox: stores the owner's events in order, and tells them when they are stored.

Events that are put while an append is under way share the next one. Those that need no storing are told in order too,
after all that were put before them. Events that cannot be stored stay, and are tried again until they can.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from cornered.server.cluster.ports import LobbyLog
from cornered.server.lobby.events import LobbyEvent
from cornered.server.ports import JournalUnavailable, NotOwner, StaleSequence
from cornered.server.refusal import Refusal

__all__ = ["MAX_UNSTORED", "LobbyOutbox"]

MAX_UNSTORED: Final = 10_000
"""Decisions that may wait for the store; beyond that the lobby takes no commands."""
MAX_BATCH: Final = 1_000
"""Decisions that one append stores."""
CHECKPOINT_EVENTS: Final = 1_000
"""Events after which a checkpoint makes the log short again, or as many as the last checkpoint had."""
CHECKPOINT_SECONDS: Final = 300.0
"""After this time an event after a checkpoint is followed by another one, so that a quiet log is short too."""
RETRY_SECONDS: Final = 1.0
"""How long a store that was away is left alone."""

log = structlog.get_logger("lobby_outbox")


@dataclass(slots=True)
class _Decision:
    """Events of one decision: all, those to be stored, and those whose messages are sent."""

    events: Sequence[LobbyEvent]
    stored: Sequence[LobbyEvent]
    told: Sequence[LobbyEvent]
    done: asyncio.Future[Refusal | None]


class LobbyOutbox:
    """The outbox of the node that owns the lobby."""

    def __init__(
        self,
        lobby_log: LobbyLog,
        tell: Callable[[Sequence[LobbyEvent], Sequence[LobbyEvent]], None],
        checkpoint: Callable[[], Sequence[LobbyEvent]],
    ) -> None:
        """`tell` gets the events of a decision, and those whose messages are sent, once they may be known.

        `checkpoint` returns the events that everything durable so far is folded from, with all that were put.
        """
        self._log = lobby_log
        self._tell = tell
        self._checkpoint = checkpoint
        self._loop = asyncio.get_running_loop()
        self._seq = 0
        self._since_checkpoint = 0
        self._next_checkpoint = CHECKPOINT_EVENTS
        self._checkpoint_at = 0.0
        self._is_checkpoint_due = False
        self._waiting: deque[_Decision] = deque()
        # Decisions that are being stored; empty while none are.
        self._storing: Sequence[_Decision] = ()
        self._arrived = asyncio.Event()

    def __len__(self) -> int:
        return len(self._waiting) + len(self._storing)

    @property
    def is_full(self) -> bool:
        """Whether too much waits for the store."""
        return len(self) >= MAX_UNSTORED

    async def read(self) -> Sequence[LobbyEvent]:
        """Return what is stored, and continue after it. Raises JournalUnavailable."""
        self._seq, stored = await self._log.read()
        self._since_checkpoint = len(stored)
        return stored

    def put(
        self, events: Sequence[LobbyEvent], *, stored: Sequence[LobbyEvent] = (), told: Sequence[LobbyEvent] = ()
    ) -> asyncio.Future[Refusal | None] | None:
        """Take the events of one decision; return what is done when they are told, or None where they are already."""
        if not (stored or self._waiting or self._storing):
            self._tell(events, told)
            return None
        decision = _Decision(events, stored, told, self._loop.create_future())
        self._waiting.append(decision)
        self._arrived.set()
        return decision.done

    def fail(self, refusal: Refusal) -> None:
        """End what waits: it is not stored, or it is not known whether it is."""
        for decision in (*self._storing, *self._waiting):
            if not decision.done.done():
                decision.done.set_result(refusal)
        self._waiting.clear()
        self._storing = ()

    def shorten(self) -> None:
        """Write a checkpoint soon, if there is anything before it."""
        if self._since_checkpoint:
            self._is_checkpoint_due = True
            self._arrived.set()

    async def drained(self) -> None:
        """Return when everything that was put so far is told."""
        while len(self):
            last = self._waiting[-1] if self._waiting else self._storing[-1]
            await asyncio.wait([last.done])

    async def run(self) -> None:
        """Store and tell until cancelled. Raises NotOwner when another node owns the lobby."""
        while True:
            if not self._waiting and not self._is_checkpoint_due:
                self._arrived.clear()
                await self._arrived.wait()
            await self._take_turn()

    async def _take_turn(self) -> None:
        """Store some decisions, or everything as a checkpoint, and tell them."""
        if self._is_checkpoint_due:
            taken, self._waiting = list(self._waiting), deque()
            events = tuple(self._checkpoint())
        else:
            taken = [self._waiting.popleft() for _ in range(min(len(self._waiting), MAX_BATCH))]
            events = tuple(event for decision in taken for event in decision.stored)
        self._storing = taken
        if events or self._is_checkpoint_due:
            await self._store(events, is_checkpoint=self._is_checkpoint_due)
        for decision in taken:
            try:
                self._tell(decision.events, decision.told)
            except Exception:
                # A defect in telling must not keep the next events from being stored.
                log.exception("a change of the lobby was not told to all")
            if not decision.done.done():
                decision.done.set_result(None)
        self._storing = ()

    async def _store(self, events: Sequence[LobbyEvent], *, is_checkpoint: bool) -> None:
        is_away = False
        while not await self._is_stored(events, is_checkpoint=is_checkpoint):
            if not is_away:
                is_away = True
                log.warning("the lobby cannot be stored just now; what it takes is told later")
            await asyncio.sleep(RETRY_SECONDS)
        self._seq += len(events)
        now = self._loop.time()
        if is_checkpoint:
            self._is_checkpoint_due = False
            self._since_checkpoint = 0
            self._next_checkpoint = max(CHECKPOINT_EVENTS, len(events))
            return
        if not self._since_checkpoint:
            self._checkpoint_at = now + CHECKPOINT_SECONDS
        self._since_checkpoint += len(events)
        self._is_checkpoint_due = self._since_checkpoint >= self._next_checkpoint or now >= self._checkpoint_at

    async def _is_stored(self, events: Sequence[LobbyEvent], *, is_checkpoint: bool) -> bool:
        """Append, and return whether that is confirmed. Raises NotOwner."""
        try:
            await self._log.append(self._seq, events, is_checkpoint=is_checkpoint)
        except NotOwner:
            raise
        except JournalUnavailable:
            return False
        except StaleSequence:
            # An append without an answer may have arrived: what is stored decides.
            try:
                seq, stored = await self._log.read()
            except JournalUnavailable:
                return False
            if seq != self._seq + len(events) or tuple(stored)[len(stored) - len(events) :] != tuple(events):
                raise NotOwner("another node has written the lobby's log") from None
        except Exception:
            # A defect here must not end the server; the events stay.
            log.exception("the lobby's log failed")
            return False
        return True
