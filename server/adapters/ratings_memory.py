"""Ratings in memory, lost with the process."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from cornered.protocol.values import PlayerKind
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.rating.ports import MAX_RANK, Backlog, Leader, NumberTaken, Pending, Standing
from cornered.server.rating.ratings import Change, Rating, result_of
from cornered.server.rating.thinning import thinned

__all__ = ["MemoryRatings"]


class MemoryRatings:
    """Implements `Ratings`, over the results of `journal`."""

    def __init__(self, journal: MemoryJournal) -> None:
        self._journal = journal
        # The results of the journal are rated in its order, so a result's number is its place there.
        self._newest = 0
        self._ratings: dict[tuple[str, str], tuple[PlayerKind, Rating]] = {}
        self._changes: dict[str, dict[int, Change]] = {}
        self._courses: dict[tuple[str, str], dict[int, Change]] = {}
        journal.ratings_before = self._before

    def _before(self, match: str) -> Sequence[float]:
        return [change.before for change in self._changes.get(match, {}).values()]

    async def newest(self) -> int:
        return self._newest

    async def pending(self, limit: int) -> Sequence[Pending]:
        return self._results(self._newest, limit)

    def _results(self, since: int, limit: int) -> list[Pending]:
        found = self._journal.results[since : since + limit]
        return [Pending(started.match, result_of(started, ended)) for started, ended in found]

    async def backlog(self) -> Backlog:
        waiting = self._journal.results[self._newest :]
        return Backlog(len(waiting), waiting[0][1].at if waiting else 0)

    async def current(self, keys: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], Rating]:
        return {key: self._ratings[key][1] for key in keys if key in self._ratings}

    async def store(self, newest: int, rated: Sequence[tuple[str, Sequence[Change]]]) -> None:
        first = dict[tuple[str, str], Change]()
        for change in (change for _, changes in rated for change in changes):
            first.setdefault((change.player, change.pool), change)
        for key, change in first.items():
            known = self._ratings.get(key)
            begun = (change.before, change.after.games - 1) if change.after.games > 1 else None
            if (None if known is None else (known[1].rating, known[1].games)) != begun:
                raise NumberTaken(change.match)
        if newest != self._newest:
            raise NumberTaken(newest)
        self._newest += len(rated)
        for _, changes in rated:
            await self.correct(changes)
            for change in changes:
                self._ratings[change.player, change.pool] = (change.kind, change.after)

    async def changes(self, matches: Collection[str]) -> Mapping[str, Sequence[Change]]:
        return {match: self._of(match) for match in matches if match in self._changes}

    def _of(self, match: str) -> list[Change]:
        return [change for _, change in sorted(self._changes.get(match, {}).items())]

    async def standings(self, player: str, now: int, limit: int) -> Sequence[Standing]:
        own = [(pool, kind, rating) for (whose, pool), (kind, rating) in self._ratings.items() if whose == player]
        own.sort(key=lambda one: (-one[2].games, one[0]))
        return [Standing(pool, rating, self._rank(player, pool, kind, now)) for pool, kind, rating in own[:limit]]

    def _rank(self, player: str, pool: str, kind: PlayerKind, now: int) -> int | None:
        board = [leader.player for leader in self._board(pool, kind, now)]
        return board.index(player) + 1 if player in board[:MAX_RANK] else None

    def _board(self, pool: str, kind: PlayerKind, now: int) -> list[Leader]:
        found = [
            Leader(player, rating)
            for (player, where), (what, rating) in self._ratings.items()
            if (where, what) == (pool, kind) and rating.established_until > now
        ]
        return sorted(found, key=lambda leader: (leader.rating.rating, leader.player), reverse=True)

    async def history(self, player: str, pool: str, points: int) -> Sequence[Rating]:
        course = self._courses.get((player, pool), {})
        return [course[games].after for games in thinned(len(course), points) if games in course]

    async def leaders(
        self, pool: str, kind: PlayerKind, now: int, limit: int, after: str | None = None
    ) -> Sequence[Leader]:
        board = self._board(pool, kind, now)
        if after is not None:
            # A cursor may name who is not established any more.
            known = self._ratings.get((after, pool))
            last = (known[1].rating, after) if known else None
            board = [one for one in board if last is not None and (one.rating.rating, one.player) < last]
        return board[:limit]

    async def established(self, pool: str, kind: PlayerKind, now: int) -> int:
        return len(self._board(pool, kind, now))

    async def pools(self, limit: int) -> Sequence[tuple[str, int]]:
        counts = dict[str, int]()
        for _, pool in self._ratings:
            counts[pool] = counts.get(pool, 0) + 1
        return sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:limit]

    async def rated(self, since: int, limit: int) -> Sequence[tuple[int, Pending, Sequence[Change]]]:
        results = self._results(since, min(limit, self._newest - since))
        return [(number, one, self._of(one.match)) for number, one in enumerate(results, since + 1)]

    async def all(self, limit: int, after: tuple[str, str] | None = None) -> Sequence[tuple[str, str, Rating]]:
        keys = sorted(key for key in self._ratings if after is None or key > after)
        return [(*key, self._ratings[key][1]) for key in keys[:limit]]

    async def correct(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self._changes.setdefault(change.match, {})[change.seat] = change
            self._courses.setdefault((change.player, change.pool), {})[change.after.games] = change

    async def replace(
        self, newest: int, ratings: Sequence[tuple[str, str, PlayerKind, Rating]], gone: Sequence[tuple[str, str]]
    ) -> None:
        if newest != self._newest:
            raise NumberTaken(newest)
        self._ratings |= {(player, pool): (kind, rating) for player, pool, kind, rating in ratings}
        for key in gone:
            self._ratings.pop(key, None)
