"""What clients ask about ratings: profiles, histories, leaderboards and pools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
)
from cornered.protocol.values import Player
from cornered.server.ports import Accounts, AccountsUnavailable
from cornered.server.rating.pools import spec_of
from cornered.server.rating.ports import Ratings, RatingsUnavailable, Standing
from cornered.server.rating.ratings import PROVISIONAL_ABOVE
from cornered.server.refusal import Refusal

__all__ = ["DELETED", "PAGE_LEADERS", "RatingAnswers"]

PAGE_LEADERS: Final = 50
MAX_STANDINGS: Final = 50
MAX_POINTS: Final = 300
"""Points of a history: more than a graph has pixels for, and read without those between them."""
MAX_POOLS: Final = 100
POOLS_LAST_MS: Final = 60_000
"""How long a list of all pools is kept, for which all ratings are counted."""
DELETED: Final = "deleted"
"""The name of a player whose account is gone."""


class RatingAnswers:
    """Answers from the store of ratings, with the names that players have today."""

    def __init__(self, store: Ratings | None, accounts: Accounts, now: Callable[[], int]) -> None:
        """`now` is the match clock in milliseconds."""
        self._known_store = store
        self._accounts = accounts
        self._now = now
        self._pools: tuple[int, Sequence[tuple[str, int]]] | None = None

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
            game, speed = spec_of(pool)
            found.append(PoolInfo(pool=pool, game=game, speed=speed, players=players))
        return Pools(id=command.id, pools=tuple(found))

    async def _ask_profile(self, command: AskProfile) -> Profile:
        known = await self._accounts.by_id(command.player)
        if known is None:
            raise Refusal("unknown_player", "there is no such player")
        now = self._now()
        standings = await self._store.standings(command.player, now, MAX_STANDINGS)
        return Profile(id=command.id, player=known, ratings=tuple(_pool_rating(one, now) for one in standings))

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
        first, found = await self._store.leaders(pool, kind, now, PAGE_LEADERS + 1, command.after)
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
                    player=known.get(leader.player) or Player(id=leader.player, name=DELETED, kind=kind),
                    rating=round(leader.rating.rating),
                    deviation=round(leader.rating.deviation_at(now)),
                    games=leader.rating.games,
                )
                for rank, leader in enumerate(leaders, first)
            ),
            total=await self._store.established(pool, kind, now),
            more=leaders[-1].player if len(found) > PAGE_LEADERS else None,
        )


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
    )
