"""A journal in memory, lost with the process."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from cornered.protocol.events import Ended, Intermediate, MatchEvent, Started
from cornered.server.cluster.slots import slot_of
from cornered.server.ports import StaleSequence, check_sequence

__all__ = ["MemoryJournal"]


@dataclass(slots=True)
class _Log:
    events: list[MatchEvent] = field(default_factory=list)
    started: Started | None = None
    ended: Ended | None = None

    def is_for(self, player: str | None) -> bool:
        """Return whether the log is on the list of `player`, or, for None, on the public one."""
        if self.started is None:
            return False
        if player is None:
            return not self.started.private
        return any(seated.id == player for seated in self.started.players)


class MemoryJournal:
    """Implements `Journal`."""

    def __init__(self) -> None:
        self._logs: dict[str, _Log] = {}
        self._secret = secrets.token_bytes(32)
        self.newest: tuple[str, int] | None = None
        self.results: list[tuple[Started, Ended]] = []
        """The first and last events of matches whose results count for the ratings, in the order of their ends."""

    @property
    def obstacle(self) -> str:
        return ""

    @property
    def waiting(self) -> int:
        return 0

    async def holds(self, match: str, seq: int) -> bool:
        log = self._logs.get(match)
        return log is not None and 0 < seq <= len(log.events)

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        check_sequence(expected_seq, events)
        log = self._logs.get(match) or _Log()
        if len(log.events) != expected_seq:
            raise StaleSequence(match, expected_seq)
        self._logs[match] = log
        log.events.extend(events)
        self.newest = (match, events[-1].seq)
        for event in events:
            if isinstance(event, Started):
                log.started = event
            elif isinstance(event, Ended):
                log.ended = event
                if event.rated and log.started is not None:
                    self.results.append((log.started, event))
            elif not isinstance(event, Intermediate):
                assert_never(event)

    async def read(self, match: str, since: int = 0) -> Sequence[MatchEvent]:
        log = self._logs.get(match)
        return () if log is None else tuple(log.events[since:])

    async def live(self, slots: Collection[int] | None = None) -> Sequence[Started]:
        beginnings = [log.started for log in self._logs.values() if log.started and not log.ended]
        chosen = [started for started in beginnings if slots is None or slot_of(started.match) in slots]
        return sorted(chosen, key=lambda started: (started.at, started.match))

    async def finished(self, player: str | None, limit: int, after: str | None = None) -> Sequence[str]:
        over = [(log.ended.at, name) for name, log in self._logs.items() if log.ended and log.is_for(player)]
        if after is not None:
            last = self._logs[after].ended if after in self._logs else None
            over = [each for each in over if last is not None and each < (last.at, after)]
        return [name for _, name in sorted(over, reverse=True)[:limit]]

    async def secret(self) -> bytes:
        return self._secret

    async def watch(self) -> None:
        """Memory has no outages."""

    async def close(self) -> None:
        """Do nothing."""
