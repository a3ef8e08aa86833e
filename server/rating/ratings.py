"""What one result does to two ratings, by Glicko-2 with every match as a rating period of its own. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from cornered.contests import glicko
from cornered.protocol.events import Ended, Started
from cornered.protocol.ratings import RatingChange
from cornered.protocol.values import Player, PlayerKind, SeatRating
from cornered.server.rating.anchors import ANCHOR_DEVIATION
from cornered.server.rating.pools import pool_of
from cornered.server.rating.versions import VersionRecord, is_new, with_game

__all__ = [
    "NEW",
    "PROVISIONAL_ABOVE",
    "Change",
    "Rating",
    "Result",
    "change_of",
    "rate",
    "renewed",
    "result_of",
    "seat_rating",
]

PERIOD_MS: Final = round(4.67 * 86_400_000)
"""The time in which the deviation of an idle player grows by one rating period. With the usual volatility it grows from
60 to 110 in a year, so that who has played much is provisional again after a year's absence."""
LEAST_DEVIATION: Final = 45.0
"""With less the rating of someone who plays every day would hardly move."""
MOST_DEVIATION: Final = glicko.START_DEVIATION
LEAST_RATING: Final = 100.0
MOST_RATING: Final = 4_000.0
MOST_VOLATILITY: Final = 0.1
PROVISIONAL_ABOVE: Final = 110.0
"""The deviation above which a rating is provisional."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating in one pool after `games` matches, the last of which ended at `at` of the match clock."""

    rating: float = glicko.CENTRE
    deviation: float = glicko.START_DEVIATION
    volatility: float = glicko.START_VOLATILITY
    games: int = 0
    at: int = 0
    versions: tuple[VersionRecord, ...] = ()
    """The versions of a bot that are remembered, the one that played last at the end."""
    renewed: int = 0
    """The number of games when a version began anew for the last time."""

    def deviation_at(self, now: int) -> float:
        """Return the deviation at `now`, which grew since the last match."""
        if not self.games:
            return self.deviation
        idle = max(0, now - self.at) / PERIOD_MS
        return min(glicko.grown(self.deviation, self.volatility, idle), MOST_DEVIATION)

    @property
    def established_until(self) -> int:
        """When the rating is provisional without another match; 0 where it is now."""
        if self.deviation > PROVISIONAL_ABOVE:
            return 0
        room = (PROVISIONAL_ABOVE**2 - self.deviation**2) / (glicko.POINTS * self.volatility) ** 2
        return self.at + int(room * PERIOD_MS)


NEW: Final = Rating()
"""The rating of a player who has not played in a pool."""


@dataclass(frozen=True, slots=True)
class Result:
    """A match whose result counts, for the first of its two players 1, 0.5 or 0."""

    match: str
    pool: str
    players: tuple[Player, Player]
    score: float
    at: int
    begins: tuple[Rating, Rating] = (NEW, NEW)
    """Where the ratings of players begin that have none yet."""
    versions: tuple[str | None, str | None] = (None, None)
    """The versions of bots that name one."""

    def before(self, ratings: Mapping[tuple[str, str], Rating]) -> tuple[Rating, Rating]:
        """Return the ratings of both players before the match, of those that exist by player and pool."""
        one, two = ((player.id, self.pool) for player in self.players)
        return ratings.get(one, self.begins[0]), ratings.get(two, self.begins[1])


@dataclass(frozen=True, slots=True)
class Change:
    """What a result changed for the player of one seat. `deviation_before` is that at the match's end."""

    match: str
    seat: int
    player: str
    kind: PlayerKind
    pool: str
    before: float
    deviation_before: float
    after: Rating


def result_of(started: Started, ended: Ended) -> Result:
    """Return the result of a rated match. Raises Refusal where its game is unknown by now, ValueError without one."""
    if len(started.players) != 2 or len(ended.places) != 2 or not ended.rated:
        raise ValueError(f"match {started.match} has no result that counts")
    first, second = ended.places
    score = 0.5 if first == second else float(first < second)
    players = (started.players[0], started.players[1])
    anchored = [Rating(float(one.rating), ANCHOR_DEVIATION) if one.anchored else NEW for one in started.ratings]
    begins = (anchored[0], anchored[1]) if len(anchored) == 2 else (NEW, NEW)
    versions = (started.versions[0], started.versions[1]) if len(started.versions) == 2 else (None, None)
    return Result(started.match, pool_of(started.game, started.clock), players, score, ended.at, begins, versions)


def renewed(rating: Rating, version: str | None) -> Rating:
    """Return the rating with which a version begins: a new one keeps the number, which is as uncertain as at first."""
    if not is_new(version, rating.versions, rating.games - rating.renewed):
        return rating
    return replace(rating, deviation=glicko.START_DEVIATION, volatility=glicko.START_VOLATILITY, renewed=rating.games)


def rate(result: Result, ratings: tuple[Rating, Rating]) -> tuple[Change, Change]:
    """Return the changes of both players, whose `ratings` are those before the match, in the order of their seats."""
    one, two = map(renewed, ratings, result.versions)
    return _change(result, 0, one, two, result.score), _change(result, 1, two, one, 1 - result.score)


def _change(result: Result, seat: int, own: Rating, other: Rating, score: float) -> Change:
    deviation = own.deviation_at(result.at)
    rating, after, volatility = glicko.update(
        own.rating, deviation, own.volatility, [(other.rating, other.deviation_at(result.at), score)]
    )
    rating, after = min(max(rating, LEAST_RATING), MOST_RATING), min(max(after, LEAST_DEVIATION), MOST_DEVIATION)
    at = max(own.at, result.at)
    versions = with_game(own.versions, result.versions[seat], rating, after, at)
    new = Rating(rating, after, min(volatility, MOST_VOLATILITY), own.games + 1, at, versions, own.renewed)
    player = result.players[seat]
    return Change(result.match, seat, player.id, player.kind, result.pool, own.rating, deviation, new)


def change_of(change: Change) -> RatingChange:
    """Return what clients are told of a change."""
    return RatingChange(
        player=change.player,
        before=round(change.before),
        after=round(change.after.rating),
        deviation=round(change.after.deviation),
        provisional=change.after.deviation > PROVISIONAL_ABOVE,
    )


def seat_rating(rating: Rating, now: int) -> SeatRating:
    """Return the rating of a player as a match begins."""
    return SeatRating(rating=round(rating.rating), provisional=rating.deviation_at(now) > PROVISIONAL_ABOVE)
