"""Events of the lobby, and the tables and guests of its state. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from cornered.protocol.messages import ChallengeClosed, Challenged
from cornered.protocol.values import Accepts, BotVersion, Clock, GameSpec, Player, Presence, Seek

__all__ = [
    "DEPARTURE_DELAY_MS",
    "LOBBY_EVENT",
    "MAX_CACHED_ANSWERS",
    "TABLE_LIFETIME_MS",
    "Answered",
    "Arrived",
    "BotNamed",
    "ChallengeEnded",
    "ChallengeSent",
    "Declared",
    "Departed",
    "Guest",
    "LobbyEvent",
    "MatchEnded",
    "MatchMade",
    "OpenSeek",
    "PoolEntered",
    "PoolLeft",
    "SeekClosed",
    "SeekJoined",
    "SeekLeft",
    "SeekPosted",
    "WentAway",
]

TABLE_LIFETIME_MS: Final = 7 * 24 * 60 * 60 * 1000
"""Milliseconds that a table for a game by days stays open, whether its players are there or not."""
DEPARTURE_DELAY_MS: Final = 30_000
"""Milliseconds for which a player without a connection keeps tables and challenges."""
MAX_CACHED_ANSWERS: Final = 64
"""A player's newest commands whose answers are kept for repetitions, until the player departs."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """A player has connected or changed: `player` has the visible name, `name` is the requested one."""

    player: Player
    name: str
    address: str
    type: Literal["arrived"] = field(default="arrived", kw_only=True)


@dataclass(frozen=True, slots=True)
class WentAway:
    """A player's last connection is gone; tables and challenges stay for `DEPARTURE_DELAY_MS`."""

    player: str
    at: int
    type: Literal["went_away"] = field(default="went_away", kw_only=True)


@dataclass(frozen=True, slots=True)
class Departed:
    """A player has left the lobby."""

    player: str
    type: Literal["departed"] = field(default="departed", kw_only=True)


@dataclass(frozen=True, slots=True)
class Declared:
    """A bot has declared its games."""

    player: str
    accepts: tuple[Accepts, ...]
    concurrency: int
    ladder: int = 0
    version: BotVersion | None = None
    type: Literal["declared"] = field(default="declared", kw_only=True)


@dataclass(frozen=True, slots=True)
class SeekPosted:
    """A table is open. `asked` is the game as its creator requested it, without default options."""

    seek: Seek
    asked: GameSpec
    type: Literal["seek_posted"] = field(default="seek_posted", kw_only=True)


@dataclass(frozen=True, slots=True)
class SeekJoined:
    seek: str
    player: Player
    type: Literal["seek_joined"] = field(default="seek_joined", kw_only=True)


@dataclass(frozen=True, slots=True)
class SeekLeft:
    seek: str
    player: str
    type: Literal["seek_left"] = field(default="seek_left", kw_only=True)


@dataclass(frozen=True, slots=True)
class SeekClosed:
    """A table is closed: its match begins, or its creator has cancelled it or left."""

    seek: str
    type: Literal["seek_closed"] = field(default="seek_closed", kw_only=True)


@dataclass(frozen=True, slots=True)
class ChallengeSent:
    """A challenge is sent; one that `is_hidden` to its challenger alone, since the challenged player blocks them."""

    challenge: Challenged
    is_hidden: bool = field(default=False, kw_only=True)
    type: Literal["challenge_sent"] = field(default="challenge_sent", kw_only=True)


@dataclass(frozen=True, slots=True)
class ChallengeEnded:
    """A challenge is over; the players in `told` get `closed`."""

    closed: ChallengeClosed
    told: tuple[str, ...]
    type: Literal["challenge_ended"] = field(default="challenge_ended", kw_only=True)


@dataclass(frozen=True, slots=True)
class MatchMade:
    """A match is agreed and to be opened, or it `is_open` and goes on; `players` are in seat order.

    `versions` are those of the players, empty where none of them names one; of a match that is open they are unknown.
    """

    match: str
    spec: GameSpec
    players: tuple[Player, ...]
    clock: Clock
    private: bool = False
    delay: int = 0
    is_open: bool = False
    with_help: bool = False
    rated: bool = False
    tournament: str | None = None
    versions: tuple[BotVersion | None, ...] = ()
    type: Literal["match_made"] = field(default="match_made", kw_only=True)


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match is over, or could not be opened: then it is withdrawn, with the answers that name it."""

    match: str
    is_withdrawn: bool = False
    type: Literal["match_ended"] = field(default="match_ended", kw_only=True)


@dataclass(frozen=True, slots=True)
class PoolEntered:
    """A player waits in a pool, with the `rating` of that time."""

    player: Player
    pool: str
    rating: float
    since: int
    type: Literal["pool_entered"] = field(default="pool_entered", kw_only=True)


@dataclass(frozen=True, slots=True)
class PoolLeft:
    """A player waits no more: `met` is the opponent with whom the player is paired.

    `reason` says why the server has removed the player; it is empty where the player left, or plays.
    """

    player: str
    met: str | None = None
    reason: str = ""
    type: Literal["pool_left"] = field(default="pool_left", kw_only=True)


@dataclass(frozen=True, slots=True)
class BotNamed:
    """A bot of similar strength is named to a player who waits; None where it takes no game any more."""

    player: str
    bot: Player | None
    type: Literal["bot_named"] = field(default="bot_named", kw_only=True)


@dataclass(frozen=True, slots=True)
class Answered:
    """A command was carried out; `ref` is the id of what it created.

    `digest` is that of the command's content; versions before it stored none, which matches any.
    """

    player: str
    command: str
    ref: str | None
    digest: str = ""
    type: Literal["answered"] = field(default="answered", kw_only=True)


LobbyEvent: TypeAlias = (
    Arrived
    | WentAway
    | Departed
    | Declared
    | SeekPosted
    | SeekJoined
    | SeekLeft
    | SeekClosed
    | ChallengeSent
    | ChallengeEnded
    | MatchMade
    | MatchEnded
    | PoolEntered
    | PoolLeft
    | BotNamed
    | Answered
)
LOBBY_EVENT: Final[TypeAdapter[LobbyEvent]] = TypeAdapter(Annotated[LobbyEvent, Field(discriminator="type")])
"""Stored events of the lobby, by the name in `type`."""


@dataclass(frozen=True, slots=True)
class OpenSeek:
    """A seek, and the game as its creator requested it."""

    seek: Seek
    asked: GameSpec


@dataclass(frozen=True, slots=True)
class Guest:
    """A player in the lobby. `concurrency` is None for people, and for bots that have not declared.

    `name` is the requested name, from which the visible `player.name` is derived; `address` is that of the newest
    connection.
    """

    player: Player
    name: str
    address: str = ""
    playing: int = 0
    tables: int = 0
    accepts: tuple[Accepts, ...] = ()
    concurrency: int | None = None
    ladder: int = 0
    """Games of the ladder that a bot plays at once."""
    version: BotVersion | None = None
    """The version that a bot has declared."""

    @property
    def free(self) -> int:
        """Games that a declared bot can still take; seats at open tables count as taken."""
        return max(0, (self.concurrency or 0) - self.playing - self.tables)

    def looks_like(self, other: Guest) -> bool:
        """Return whether others see no difference; a fraction of the price of comparing what `presence` returns."""
        return (self.player, self.playing, self.accepts, self.free, self.version) == (
            other.player,
            other.playing,
            other.accepts,
            other.free,
            other.version,
        )

    def presence(self) -> Presence:
        """Return the guest as others see it."""
        return Presence(
            player=self.player, playing=self.playing, accepts=self.accepts, free=self.free, version=self.version
        )
