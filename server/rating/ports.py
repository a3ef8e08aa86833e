"""The store of ratings, as a protocol."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from cornered.protocol.values import PlayerKind
from cornered.server.rating.ratings import Change, Rating, Result

__all__ = ["MAX_RANK", "Backlog", "Leader", "NumberTaken", "Pending", "Ratings", "RatingsUnavailable", "Standing"]


MAX_RANK: Final = 1_000
"""The last rank that is counted, so that what a profile costs does not grow with the number of players."""


class RatingsUnavailable(Exception):
    """The store of ratings is unreachable, or was lost before it confirmed."""


class NumberTaken(Exception):
    """Another node has rated results since these were read: nothing was stored."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A result that has ended: None where its events cannot be read. It is numbered then too, and changes nothing."""

    match: str
    result: Result | None


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many results are not rated yet, and the end of the oldest of them, 0 where there is none."""

    waiting: int
    oldest: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's rating in a pool. `rank` counts from 1 to MAX_RANK among established ratings of the kind."""

    pool: str
    rating: Rating
    rank: int | None


@dataclass(frozen=True, slots=True)
class Leader:
    """A player of a leaderboard, by id."""

    player: str
    rating: Rating


class Ratings(Protocol):
    """Ratings and their changes, and the numbers of rated results: from 1 without gaps, in the order of rating.

    A result waits here from the transaction that stores its match's end. Every method raises RatingsUnavailable when
    the store is unreachable.
    """

    async def newest(self) -> int:
        """Return the number of the newest result that is rated; 0 before the first."""

    async def pending(self, limit: int) -> Sequence[Pending]:
        """Return results that are not rated yet, the one that ended first before all others."""

    async def backlog(self) -> Backlog:
        """Return what waits."""

    async def current(self, keys: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], Rating]:
        """Return the ratings of players in pools, by player and pool; those that do not exist are left out."""

    async def store(self, newest: int, rated: Sequence[tuple[str, Sequence[Change]]]) -> None:
        """Number these matches on from `newest`, and store the changes of each, all or nothing.

        Raises NumberTaken where another number is the newest by now, or a rating is not what a change began with.
        """

    async def changes(self, matches: Collection[str]) -> Mapping[str, Sequence[Change]]:
        """Return the changes of those of the matches that are rated, in the order of seats."""

    async def standings(self, player: str, now: int, limit: int) -> Sequence[Standing]:
        """Return a player's ratings with ranks at `now`, those with most games first."""

    async def history(self, player: str, pool: str, points: int) -> Sequence[Rating]:
        """Return a player's ratings in a pool, oldest first: at most `points`, the first and the last included.

        What is left out is not read.
        """

    async def leaders(
        self, pool: str, kind: PlayerKind, now: int, limit: int, after: str | None = None
    ) -> Sequence[Leader]:
        """Return the best established players of a pool at `now`, or those after a player."""

    async def established(self, pool: str, kind: PlayerKind, now: int) -> int:
        """Return the number of established players of a pool."""

    async def pools(self, limit: int) -> Sequence[tuple[str, int]]:
        """Return the pools with most players, each with their number."""

    async def rated(self, since: int, limit: int) -> Sequence[tuple[int, Pending, Sequence[Change]]]:
        """Return results after the one numbered `since`, each with its number and what is stored of its changes."""

    async def all(self, limit: int, after: tuple[str, str] | None = None) -> Sequence[tuple[str, str, Rating]]:
        """Return stored ratings in the order of players and pools, those after a player and pool."""

    async def correct(self, changes: Sequence[Change]) -> None:
        """Overwrite changes of rated results, or add those that are missing. Current ratings stay as they are."""

    async def replace(
        self, newest: int, ratings: Sequence[tuple[str, str, PlayerKind, Rating]], gone: Sequence[tuple[str, str]]
    ) -> None:
        """Overwrite current ratings of players in pools, and delete those of `gone`.

        Raises NumberTaken where another number than `newest` is the newest by now; then nothing was written.
        """
