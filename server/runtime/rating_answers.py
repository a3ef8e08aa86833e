"""What clients ask about ratings: profiles, histories, leaderboards and pools."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from cornered.protocol.commands import AskLeaderboard, AskPools, AskProfile, AskRatingHistory, RatingCommand
from cornered.protocol.ratings import (
    Leaderboard,
    PoolInfo,
    PoolRating,
    Pools,
    Profile,
    RankedPlayer,
    RatingHistory,
    RatingPoint,
    VersionRating,
)
from cornered.protocol.values import Player, PlayerKind
from cornered.server.accounts import DELETED_NAME, Accounts, AccountsUnavailable
from cornered.server.rating.pools import spec_of
from cornered.server.rating.ports import Ratings, RatingsUnavailable, Standing
from cornered.server.rating.ratings import PROVISIONAL_ABOVE
from cornered.server.refusal import Refusal

__all__ = ["PAGE_LEADERS", "RatingAnswers"]

PAGE_LEADERS: Final = 50
MAX_RANK_DIGITS: Final = 9
"""Digits of a rank in a cursor: a larger number could not be sent back."""
MAX_STANDINGS: Final = 30
MAX_POINTS: Final = 200
"""Points of a history: more than a graph has pixels for, and read without those between them."""
MAX_POOLS: Final = 100
POOLS_LAST_MS: Final = 60_000
"""How long a list of all pools is kept, for which all ratings are counted."""
TOTALS_LAST_MS: Final = 10_000
"""How long the length of a leaderboard is kept."""
MAX_TOTALS: Final = 256


class RatingAnswers:
    """Answers from the store of ratings, with the names that players have today."""

    def __init__(self, store: Ratings | None, accounts: Accounts, now: Callable[[], int]) -> None:
        """`now` is the match clock in milliseconds."""
        self._known_store = store
        self._accounts = accounts
        self._now = now
        self._pools: tuple[int, Sequence[tuple[str, int]]] | None = None
        # When each leaderboard was counted, and how many players it had.
        self._totals: OrderedDict[tuple[str, PlayerKind], tuple[int, int]] = OrderedDict()

    @property
    def _store(self) -> Ratings:
        if self._known_store is None:
            raise Refusal("internal", "this server keeps no ratings")
        return self._known_store

    async def answer(self, command: RatingCommand) -> Pools | Profile | RatingHistory | Leaderboard:
        """Return the answer. Raises Refusal."""
        try:
            match command:
                case AskPools():
                    return await self._ask_pools(command)
                case AskProfile():
                    return await self._ask_profile(command)
                case AskRatingHistory():
                    return await self._ask_history(command)
                case AskLeaderboard():
                    return await self._ask_leaderboard(command)
        except (RatingsUnavailable, AccountsUnavailable):
            raise Refusal("internal", "ratings cannot be read just now; try again") from None

    async def _ask_pools(self, command: AskPools) -> Pools:
        now = self._now()
        if self._pools is None or now - self._pools[0] > POOLS_LAST_MS:
            self._pools = now, await self._store.pools(MAX_POOLS)
        found = []
        for pool, players in self._pools[1]:
            # A game may be gone that an earlier version had.
            with suppress(Refusal):
                game, speed = spec_of(pool)
                found.append(PoolInfo(pool=pool, game=game, speed=speed, players=players))
        return Pools(id=command.id, pools=tuple(found))

    async def _ask_profile(self, command: AskProfile) -> Profile:
        known = await self._accounts.by_id(command.player)
        if known is None:
            raise Refusal("unknown_player", "there is no such player")
        now = self._now()
        standings = await self._store.standings(command.player, now, MAX_STANDINGS)
        ratings = []
        for one in standings:
            with suppress(Refusal):
                ratings.append(_pool_rating(one, now))
        return Profile(id=command.id, player=known, ratings=tuple(ratings))

    async def _ask_history(self, command: AskRatingHistory) -> RatingHistory:
        spec_of(command.pool)
        points = await self._store.history(command.player, command.pool, MAX_POINTS)
        return RatingHistory(
            id=command.id,
            player=command.player,
            pool=command.pool,
            points=tuple(
                RatingPoint(at=one.at, rating=round(one.rating), deviation=round(one.deviation), games=one.games)
                for one in points
            ),
        )

    async def _ask_leaderboard(self, command: AskLeaderboard) -> Leaderboard:
        game, speed = spec_of(command.pool)
        now, pool, kind = self._now(), command.pool, command.kind
        ranked, last = _cursor(command.after)
        found = await self._store.leaders(pool, kind, now, PAGE_LEADERS + 1, last)
        leaders = found[:PAGE_LEADERS]
        known = await self._accounts.by_ids([leader.player for leader in leaders])
        return Leaderboard(
            id=command.id,
            pool=pool,
            game=game,
            speed=speed,
            kind=kind,
            entries=tuple(
                RankedPlayer(
                    rank=rank,
                    player=known.get(leader.player) or Player(id=leader.player, name=DELETED_NAME, kind=kind),
                    rating=round(leader.rating.rating),
                    deviation=round(leader.rating.deviation_at(now)),
                    games=leader.rating.games,
                )
                for rank, leader in enumerate(leaders, ranked + 1)
            ),
            total=await self._total(pool, kind, now),
            more=f"{ranked + len(leaders)}_{leaders[-1].player}" if len(found) > PAGE_LEADERS else None,
        )

    async def _total(self, pool: str, kind: PlayerKind, now: int) -> int:
        counted, total = self._totals.get((pool, kind), (0, 0))
        if now - counted > TOTALS_LAST_MS:
            total = await self._store.established(pool, kind, now)
            self._totals[pool, kind] = now, total
            self._totals.move_to_end((pool, kind))
            if len(self._totals) > MAX_TOTALS:
                self._totals.popitem(last=False)
        return total


def _cursor(after: str | None) -> tuple[int, str | None]:
    """Return the rank and the id of the last player of an earlier page. Raises Refusal."""
    if after is None:
        return 0, None
    rank, _, player = after.partition("_")
    if not (rank.isascii() and rank.isdigit() and len(rank) <= MAX_RANK_DIGITS and player):
        raise Refusal("bad_options", "`after` is what an earlier page gave as `more`; leave it out for the first page")
    return int(rank), player


def _pool_rating(standing: Standing, now: int) -> PoolRating:
    game, speed = spec_of(standing.pool)
    deviation = standing.rating.deviation_at(now)
    return PoolRating(
        pool=standing.pool,
        game=game,
        speed=speed,
        rating=round(standing.rating.rating),
        deviation=round(deviation),
        games=standing.rating.games,
        provisional=deviation > PROVISIONAL_ABOVE,
        rank=standing.rank,
        versions=tuple(
            VersionRating(
                version=one.version,
                games=one.games,
                rating=round(one.rating),
                deviation=round(one.deviation),
                at=one.at,
            )
            for one in reversed(standing.rating.versions)
        ),
    )
