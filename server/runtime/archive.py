"""Reads stored matches back: in slices, so that a long match does not block the loop; damage is reported once."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from cornered.protocol.events import MatchEvent, Started
from cornered.protocol.values import MatchSummary, Player
from cornered.server.match import views
from cornered.server.match.dice import seed_of
from cornered.server.match.match import Match, Patience
from cornered.server.ports import DamagedMatch
from cornered.server.runtime.match_room import Services

__all__ = ["Archive", "Restored"]

SLICE_SECONDS: Final = 0.002
"""How long a replay may hold the event loop."""
MAX_SUMMARIES: Final = 2_048
"""Summaries of finished matches that are kept, about 1 KB each."""
MAX_KEPT_PLIES: Final = 10_000
"""Plies of finished matches that stay replayed after their match tasks are closed, all of them together."""
MAX_DAMAGED: Final = 10_000
"""Damaged matches that are known again, so that they are neither read nor logged twice."""

log = structlog.get_logger("archive")


@dataclass(frozen=True, slots=True)
class Restored:
    """A match as its stored events made it."""

    match: Match
    events: Sequence[MatchEvent]


class Archive:
    """Every stored match. One live match and one finished one are replayed at a time, each in slices."""

    def __init__(self, services: Services, secret: bytes, patience: Patience) -> None:
        self._services = services
        self._secret = secret
        self._patience = patience
        self._turns = {True: asyncio.Lock(), False: asyncio.Lock()}
        self._summaries: OrderedDict[str, MatchSummary] = OrderedDict()
        self._finished: OrderedDict[str, Restored] = OrderedDict()
        self._kept_plies = 0
        self._damaged: OrderedDict[str, str] = OrderedDict()

    def seed(self, match_id: str) -> bytes:
        """Return the seed of a match's dice."""
        return seed_of(self._secret, match_id)

    async def read(self, match_id: str, *, is_live: bool = False) -> Restored | None:
        """Return a match, or None for an unknown one; a live one does not wait for replays of finished ones.

        Raises DamagedMatch, JournalUnavailable, and Refusal when the server stops before the match's game is ready.
        """
        if (reason := self._damaged.get(match_id)) is not None:
            raise DamagedMatch(reason)
        if (known := self._finished.get(match_id)) is not None:
            self._finished.move_to_end(match_id)
            return known
        try:
            events = await self._services.journal.read(match_id)
            if not events:
                return None
            if isinstance(events[0], Started):
                await self._services.readiness.of(events[0].game.name)
            async with self.turn(is_live=is_live):
                match = await self._replay(match_id, events)
        except DamagedMatch as error:
            self.set_aside(match_id, str(error))
            raise
        return Restored(match, events)

    def turn(self, *, is_live: bool) -> asyncio.Lock:
        """Return the lock under which matches of one kind are replayed and opened, one in each turn of the loop."""
        return self._turns[is_live]

    def fold(self, match_id: str, events: Sequence[MatchEvent]) -> Match:
        """Return the match that its first few events make."""
        return Match.replay(events, self.seed(match_id), self._patience)

    async def _replay(self, match_id: str, events: Sequence[MatchEvent]) -> Match:
        now = asyncio.get_running_loop().time
        try:
            if not isinstance(events[0], Started) or events[0].match != match_id:
                raise DamagedMatch("event 1 does not begin this match")
            began = now()
            for match in Match.replaying(events, self.seed(match_id), self._patience):  # noqa: B007 - the last counts
                if now() - began > SLICE_SECONDS:
                    await asyncio.sleep(0)
                    began = now()
        except DamagedMatch:
            raise
        except Exception as error:
            # No cause and no traceback: its frames hold the match's seed.
            raise DamagedMatch(f"its events cannot be replayed: {error!r}") from None
        return match

    def set_aside(self, match_id: str, reason: str) -> None:
        """Record and log that a match is damaged, once. Other matches are not affected."""
        if match_id not in self._damaged:
            advice = "`cornered admin check` reports and exports what is readable"
            log.error("a match is damaged and set aside", match=match_id, reason=reason, advice=advice)
        self._damaged[match_id] = reason
        if len(self._damaged) > MAX_DAMAGED:
            self._damaged.popitem(last=False)

    def keep(self, match: Match, events: Sequence[MatchEvent]) -> None:
        """Cache a finished match whose match task is closed, since it is often opened again."""
        self._drop(match.id)
        self._finished[match.id] = Restored(match, tuple(events))
        self._kept_plies += match.ply + 1
        while self._kept_plies > MAX_KEPT_PLIES:
            self._drop(next(iter(self._finished)))

    def is_kept(self, match_id: str) -> bool:
        """Return whether this is a finished match that is cached."""
        return match_id in self._finished

    def forget_names(self, player: str) -> None:
        """Drop what is cached of a player's finished matches: the name may be another one in the store."""
        for match_id in [name for name, one in self._finished.items() if _has(one.match.terms.players, player)]:
            self._drop(match_id)
        for match_id in [name for name, one in self._summaries.items() if _has(one.players, player)]:
            del self._summaries[match_id]

    def _drop(self, match_id: str) -> None:
        if (known := self._finished.pop(match_id, None)) is not None:
            self._kept_plies -= known.match.ply + 1

    async def summaries(
        self, finished: Iterable[str], replayed: Callable[[int], None] | None = None
    ) -> list[MatchSummary]:
        """Return what lists show of finished matches, but for damaged ones.

        `replayed` is called with the number of events of every match that had to be replayed for that. Raises
        JournalUnavailable and Refusal.
        """
        found: list[MatchSummary] = []
        for match_id in finished:
            summary = self._summaries.get(match_id)
            if summary is None:
                try:
                    restored = await self.read(match_id)
                except DamagedMatch:
                    continue
                if restored is None:
                    continue
                if replayed is not None:
                    replayed(len(restored.events))
                summary = self._summaries[match_id] = views.summary(restored.match, 0)
                if len(self._summaries) > MAX_SUMMARIES:
                    self._summaries.popitem(last=False)
            self._summaries.move_to_end(match_id)
            found.append(summary)
        return found


def _has(players: Iterable[Player], player: str) -> bool:
    return any(one.id == player for one in players)
