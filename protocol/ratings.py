"""Ratings as programs and pages see them: pools, a player's ratings with their history, leaderboards and changes."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from cornered.protocol.values import BotVersion, CommandId, GameSpec, Key, Made, Milliseconds, Player, PlayerKind

__all__ = [
    "Leaderboard",
    "PoolInfo",
    "PoolRating",
    "Pools",
    "Profile",
    "RankedPlayer",
    "Rated",
    "RatingChange",
    "RatingHistory",
    "RatingPoint",
    "RatingPool",
    "Speed",
    "VersionRating",
]

RatingPool: TypeAlias = Annotated[
    str, Field(min_length=3, max_length=160, pattern=r"^[a-z0-9_]+(:[a-z0-9_=,-]+)?:[a-z]+$")
]
"""The key of a rating pool: the game, the options that differ from its defaults, and the speed, as in `trapgrid:blitz`
or `trapgrid:size=5:rapid`."""
Speed: TypeAlias = Literal["bullet", "blitz", "rapid", "classical", "correspondence", "untimed"]
"""The class of a clock, by the time that a player has for a game of 40 moves: `bullet` below 3 minutes, `blitz` below
8, `rapid` below 25, `classical` from there on; `correspondence` is a time in days for each move, `untimed` no clock."""


class PoolInfo(Made):
    """A rating pool. `game` has the options that differ from the game's defaults."""

    pool: RatingPool
    game: GameSpec
    speed: Speed
    players: int
    """Number of players who have a rating in it."""


class VersionRating(Made):
    """A version of a bot in one pool, with the bot's rating and deviation after its last game, which ended at `at`."""

    version: BotVersion
    games: int
    rating: int
    deviation: int
    at: Milliseconds


class PoolRating(Made):
    """A player's rating in one pool. With a `deviation` above 110 it is `provisional`."""

    pool: RatingPool
    game: GameSpec
    """With the options that differ from the game's defaults."""
    speed: Speed
    rating: int
    deviation: int
    """By now: it grows while the player plays no rated game in the pool."""
    games: int
    provisional: bool
    rank: int | None
    """Place among the established players of the same kind; null while it is provisional, and beyond 1,000."""
    versions: tuple[VersionRating, ...] = ()
    """The versions that a bot has named, the one that played last first: at most 16."""


class RatingPoint(Made):
    """A rating after a game, the number `games` of the player's in its pool."""

    at: Milliseconds
    rating: int
    deviation: int
    games: int


class RankedPlayer(Made):
    """A player of a leaderboard. The name of one who was deleted is `deleted`."""

    rank: int
    player: Player
    rating: int
    deviation: int
    games: int


class RatingChange(Made):
    """What a match has changed for the player of one seat."""

    player: Key
    before: int
    after: int
    deviation: int
    """After the match."""
    provisional: bool
    """Whether the rating is provisional after the match."""


class Pools(Made):
    """The answer to `ask_pools`: those with most players first, at most 100."""

    type: Literal["pools"] = "pools"
    id: CommandId
    pools: tuple[PoolInfo, ...]


class Profile(Made):
    """The answer to `ask_profile`. `ratings` are those with the most games first, at most 30."""

    type: Literal["profile"] = "profile"
    id: CommandId
    player: Player
    ratings: tuple[PoolRating, ...]


class RatingHistory(Made):
    """The answer to `ask_rating_history`, oldest first: every game, or 200 of many, the first and last included.

    It is empty where the player has no rating in the pool.
    """

    type: Literal["rating_history"] = "rating_history"
    id: CommandId
    player: Key
    pool: RatingPool
    points: tuple[RatingPoint, ...]


class Leaderboard(Made):
    """The answer to `ask_leaderboard`: players with an established rating, the best first."""

    type: Literal["leaderboard"] = "leaderboard"
    id: CommandId
    pool: RatingPool
    game: GameSpec
    """With the options that differ from the game's defaults."""
    speed: Speed
    kind: PlayerKind
    entries: tuple[RankedPlayer, ...]
    total: int
    """Number of players with an established rating in the pool, of this kind, some seconds ago."""
    more: Key | None
    """Cursor of the next page; null on the last page."""


class Rated(Made):
    """A rated match has changed its players' ratings: `changes[seat]`.

    It follows the end of the match, usually within a second, and is sent after the snapshot of a match that was rated.
    """

    type: Literal["rated"] = "rated"
    match: Key
    pool: RatingPool
    changes: tuple[RatingChange, ...]
