"""What happens in the lobby, and the tables and guests that it is made of. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from cornered.protocol.messages import ChallengeClosed, Challenged
from cornered.protocol.values import Accepts, Clock, GameSpec, Player, Presence, Seek

__all__ = [
    "AWAY_GRACE",
    "REMEMBERED",
    "Answered",
    "Arrived",
    "ChallengeEnded",
    "ChallengeSent",
    "Declared",
    "Departed",
    "Guest",
    "LobbyEvent",
    "MatchEnded",
    "MatchMade",
    "OpenSeek",
    "SeekClosed",
    "SeekJoined",
    "SeekLeft",
    "SeekPosted",
    "WentAway",
]

AWAY_GRACE: Final = 30_000
"""How long a player without a connection keeps tables and challenges, in milliseconds."""
REMEMBERED: Final = 64
"""How many of a player's newest commands are known again when they are repeated, until the player departs."""


@dataclass(frozen=True, slots=True)
class Arrived:
    """A player is here, for the first time or again: `player` as others see it, `name` the one that was asked for."""

    player: Player
    name: str
    address: str


@dataclass(frozen=True, slots=True)
class WentAway:
    """A player's last connection is gone; what is theirs stays for a while."""

    player: str
    at: int


@dataclass(frozen=True, slots=True)
class Departed:
    """A player is no longer here."""

    player: str


@dataclass(frozen=True, slots=True)
class Declared:
    """A bot said what it plays."""

    player: str
    accepts: tuple[Accepts, ...]
    concurrency: int


@dataclass(frozen=True, slots=True)
class SeekPosted:
    """A table is open. `asked` is the game as its creator named it, before the server filled in the options."""

    seek: Seek
    asked: GameSpec


@dataclass(frozen=True, slots=True)
class SeekJoined:
    seek: str
    player: Player


@dataclass(frozen=True, slots=True)
class SeekLeft:
    seek: str
    player: str


@dataclass(frozen=True, slots=True)
class SeekClosed:
    """A table is gone: because its match begins, or because its creator gave it up."""

    seek: str


@dataclass(frozen=True, slots=True)
class ChallengeSent:
    challenge: Challenged


@dataclass(frozen=True, slots=True)
class ChallengeEnded:
    """A challenge is over; both players `told` are to hear how."""

    closed: ChallengeClosed
    told: tuple[str, str]


@dataclass(frozen=True, slots=True)
class MatchMade:
    """A match is to be opened, or goes on after a restart: `players` sit in this order, and are busy from now on."""

    match: str
    spec: GameSpec
    players: tuple[Player, ...]
    clock: Clock
    private: bool = False
    delay: int = 0


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """A match is over, or could not be opened: its players are free again."""

    match: str


@dataclass(frozen=True, slots=True)
class Answered:
    """A command was carried out; `ref` is what it made."""

    player: str
    command: str
    ref: str | None


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
    | Answered
)


@dataclass(frozen=True, slots=True)
class OpenSeek:
    """A seek and the game as its creator named it."""

    seek: Seek
    asked: GameSpec


@dataclass(frozen=True, slots=True)
class Guest:
    """A player who is here. `concurrency` is None for people, and for bots that have not declared.

    `name` is the one that was asked for, of which the visible one is made; `address` is that of the newest connection.
    """

    player: Player
    name: str
    address: str = ""
    playing: int = 0
    tables: int = 0
    accepts: tuple[Accepts, ...] = ()
    concurrency: int | None = None

    @property
    def free(self) -> int:
        """How many more games a declared bot takes; a seat at an open table is as good as taken."""
        return max(0, (self.concurrency or 0) - self.playing - self.tables)

    def presence(self) -> Presence:
        """Return the guest as others see it."""
        return Presence(player=self.player, playing=self.playing, accepts=self.accepts, free=self.free)
