"""A journal in memory, lost with the process."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import assert_never

from cornered.protocol.archive import HeadToHeadCount, OpeningMove
from cornered.protocol.events import Ended, Intermediate, MatchEvent, Started
from cornered.server.archive.index import Indexed, Line, Pair, Scores, heads, index_of, moves_of
from cornered.server.archive.search import ArchivePage, Cursor, Search
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
        self._archive: dict[str, Indexed] = {}
        self._pairs: dict[Pair, Scores] = {}
        self._lines: dict[Line, Scores] = {}
        self._secret = secrets.token_bytes(32)
        self.newest: tuple[str, int] | None = None
        self.results: list[tuple[Started, Ended]] = []
        """The first and last events of matches whose results count for the ratings, in the order of their ends."""
        self.ratings_before: Callable[[str], Sequence[float]] = lambda match: ()
        """What the players of a match were rated before it."""

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
                self._index(log)
            elif not isinstance(event, Intermediate):
                assert_never(event)

    def _index(self, log: _Log) -> None:
        match = index_of(log.events)
        if match is None:
            return
        self._archive[match.match] = match
        for pair, score in match.pairs():
            self._pairs[pair] = score.plus(self._pairs.get(pair, Scores(0, 0, 0)))
        for line, score in match.lines():
            self._lines[line] = score.plus(self._lines.get(line, Scores(0, 0, 0)))

    async def search(self, search: Search, limit: int, after: Cursor | None = None) -> ArchivePage:
        def place(match: Indexed) -> Cursor:
            return Cursor(match.plies if search.by_plies else match.ended, match.tie)

        is_rising = search.wanted.order == "oldest"
        found = sorted(
            (each for each in self._archive.values() if search.has(each, self.ratings_before(each.match))),
            key=place,
            reverse=not is_rising,
        )
        if after is not None:
            found = [each for each in found if (place(each) > after if is_rising else place(each) < after)]
        more = place(found[limit - 1]) if len(found) > limit else None
        return ArchivePage(tuple(each.match for each in found[:limit]), more)

    async def head_to_head(self, player: str, opponent: str, game: str | None = None) -> Sequence[HeadToHeadCount]:
        return heads(
            (pair.game, score)
            for pair, score in self._pairs.items()
            if (pair.player, pair.opponent) == (player, opponent) and game in (None, pair.game)
        )

    async def opening(self, variant: str, line: str) -> tuple[int, Sequence[OpeningMove]]:
        return moves_of(
            (each.move, score) for each, score in self._lines.items() if (each.variant, each.line) == (variant, line)
        )

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
