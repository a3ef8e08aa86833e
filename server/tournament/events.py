"""What happens in a tournament, as events. Pure.

`cause` is the id of the organiser's command, so that a repeated command changes nothing, and `digest` that of its
content, so that another command under the same id is refused; versions before it stored none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from cornered.protocol.tournaments import TournamentSettings
from cornered.protocol.values import Player

__all__ = [
    "RULES",
    "TOURNAMENT_EVENT",
    "Begun",
    "Called",
    "Cancelled",
    "Created",
    "Finished",
    "Forfeited",
    "Joined",
    "Left",
    "Paired",
    "Pairing",
    "Paused",
    "Result",
    "Resulted",
    "Resumed",
    "Returned",
    "Told",
    "TournamentEvent",
]


RULES: Final = 2
"""The version of the rules of pairing and of tie-breaks by which a tournament that starts now is held to its end.

1: a round robin by the circle method; in Buchholz only rounds with a result count, and an opponent who withdrew at face
value; a forfeited game of a round robin has no opponent; where both players of a knockout are away the better seed
wins. 2: Berger tables, the FIDE handbook's C.07 of 2024, and both players are out.
"""


@dataclass(frozen=True, slots=True)
class Created:
    """A tournament may be joined from now on. The options of its game are settled.

    `address` is a digest of where it was created from, by which their number is bounded; empty where that is unknown.
    """

    at: int
    settings: TournamentSettings
    organiser: Player
    address: str = ""
    type: Literal["created"] = field(default="created", kw_only=True)


@dataclass(frozen=True, slots=True)
class Joined:
    """A player takes part; `rating` seeds it."""

    at: int
    player: Player
    rating: int
    type: Literal["joined"] = field(default="joined", kw_only=True)


@dataclass(frozen=True, slots=True)
class Returned:
    """A player who was absent, or had left an arena, is paired again."""

    at: int
    player: str
    type: Literal["returned"] = field(default="returned", kw_only=True)


@dataclass(frozen=True, slots=True)
class Left:
    """A player has withdrawn: before the start without a trace.

    `right` is that whose end has taken the player out; empty where it is the player's own decision.
    """

    at: int
    player: str
    right: str = ""
    type: Literal["left"] = field(default="left", kw_only=True)


@dataclass(frozen=True, slots=True)
class Forfeited:
    """The organiser takes a player out, who loses the game that goes on."""

    at: int
    player: str
    type: Literal["forfeited"] = field(default="forfeited", kw_only=True)


@dataclass(frozen=True, slots=True)
class Begun:
    """The tournament starts. `rounds` is how many there will be; None where that is open.

    `rules` is the version of the rules by which it is held: 1 where it was stored before there were versions.
    """

    at: int
    rounds: int | None
    cause: str = ""
    rules: int = 1
    digest: str = ""
    type: Literal["begun"] = field(default="begun", kw_only=True)


@dataclass(frozen=True, slots=True)
class Called:
    """The organiser starts the next round, before its pause is over."""

    at: int
    cause: str = ""
    digest: str = ""
    type: Literal["called"] = field(default="called", kw_only=True)


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players by seat and their match, or one who has a bye and no match.

    `points` are those of a pairing that needs no game, a bye or a forfeit; `game` counts the games of a meeting of a
    knockout, which is played again after a draw.
    """

    board: int
    players: tuple[str, ...]
    match: str | None
    points: tuple[float, ...] = ()
    game: int = 0


@dataclass(frozen=True, slots=True)
class Paired:
    """Pairings of a round. Their matches are opened after this is stored, under the ids that it has."""

    at: int
    round: int
    pairings: tuple[Pairing, ...]
    cause: str = ""
    digest: str = ""
    type: Literal["paired"] = field(default="paired", kw_only=True)


@dataclass(frozen=True, slots=True)
class Result:
    """What a match gave each seat: its share of one point, of which there is none where neither player came, and the
    seats whose players never came."""

    match: str
    shares: tuple[float, float]
    is_forfeit: bool = False
    absent: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Resulted:
    """Matches have ended."""

    at: int
    results: tuple[Result, ...]
    type: Literal["resulted"] = field(default="resulted", kw_only=True)


@dataclass(frozen=True, slots=True)
class Paused:
    """All clocks stop, and nobody is paired."""

    at: int
    type: Literal["paused"] = field(default="paused", kw_only=True)


@dataclass(frozen=True, slots=True)
class Resumed:
    """The clocks run again."""

    at: int
    type: Literal["resumed"] = field(default="resumed", kw_only=True)


@dataclass(frozen=True, slots=True)
class Told:
    """The organiser's line to all participants."""

    at: int
    text: str
    cause: str = ""
    digest: str = ""
    type: Literal["told"] = field(default="told", kw_only=True)


@dataclass(frozen=True, slots=True)
class Finished:
    """The standings are final."""

    at: int
    type: Literal["finished"] = field(default="finished", kw_only=True)


@dataclass(frozen=True, slots=True)
class Cancelled:
    """The tournament ends without a winner."""

    at: int
    type: Literal["cancelled"] = field(default="cancelled", kw_only=True)


TournamentEvent: TypeAlias = (
    Created
    | Joined
    | Returned
    | Left
    | Forfeited
    | Begun
    | Called
    | Paired
    | Resulted
    | Paused
    | Resumed
    | Told
    | Finished
    | Cancelled
)
TOURNAMENT_EVENT: Final[TypeAdapter[TournamentEvent]] = TypeAdapter(
    Annotated[TournamentEvent, Field(discriminator="type")]
)
