"""The events of a match. Their list is the match: it is stored, sent, and replayed.

Every event carries its sequence number, counted from 1 within the match, and the server's time in milliseconds.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import AfterValidator, Field, TypeAdapter

from cornered.protocol.values import (
    BotVersion,
    Clock,
    CommandId,
    GameSpec,
    Key,
    Made,
    Milliseconds,
    Move,
    Player,
    Reason,
    Seat,
    SeatRating,
)

__all__ = [
    "EVENT",
    "Agreed",
    "ClocksPaused",
    "ClocksResumed",
    "DrawDeclined",
    "DrawOffered",
    "Eliminated",
    "Ended",
    "Event",
    "Intermediate",
    "MatchEvent",
    "Negotiated",
    "Played",
    "RematchDeclined",
    "RematchOffered",
    "Rematched",
    "Resumed",
    "Rolled",
    "Started",
    "TakebackDeclined",
    "TakebackRequested",
    "TakenBack",
    "UnknownEvent",
]


class Event(Made):
    """What every event has: its number within the match, and the server's time."""

    seq: Annotated[int, Field(ge=1)]
    at: Milliseconds


class Caused(Event):
    """An event that a player's command caused. `cause` is the command's id, so that a repeat finds its first answer."""

    seat: Seat
    cause: CommandId


class Started(Event):
    """The match begins. `commitment` is the SHA-256 of the seed of its dice, which `ended` discloses."""

    type: Literal["started"] = "started"
    match: Key
    game: GameSpec
    players: tuple[Player, ...]
    clock: Clock
    commitment: str
    private: bool = False
    """Whether no list has the match, which its players see and, where it is of a group's event, the group's members."""
    delay: int = 0
    previous: Key | None = None
    """The match of which this is the rematch; null for any other."""
    with_help: bool = False
    """Whether the person in this match against a bot may have hints and takebacks; such a match is never rated."""
    rated: bool = False
    """Whether the result is to change the players' ratings; a takeback makes the match casual."""
    ratings: tuple[SeatRating, ...] = ()
    """Each seat's rating as the rated match begins; empty in a casual one."""
    tournament: Key | None = None
    """The tournament to which this match belongs; null for any other."""
    versions: tuple[BotVersion | None, ...] = ()
    """The version of each seat's bot; null for one that names none and for people, empty where all are null."""


class Played(Caused):
    """A move. `ply` counts moves and rolls from 0; `left` is each seat's time after it, `spent` the time it took."""

    type: Literal["played"] = "played"
    ply: int
    move: Move
    spent: Milliseconds
    left: tuple[int | None, ...]


class Rolled(Event):
    """A roll of the dice, which the match's seed determines."""

    type: Literal["rolled"] = "rolled"
    ply: int
    move: Move


class Eliminated(Event):
    """A player of a game for more than two is out, for `reason`; `place` is final, 1 is the best."""

    type: Literal["eliminated"] = "eliminated"
    seat: Seat
    place: int
    reason: Reason
    cause: CommandId | None = None
    """The command that caused it; null without one."""
    by: Seat | None = None
    """The seat that sent the command: the eliminated one, or the one that claimed victory over it."""


class DrawOffered(Caused):
    """`seat` offers a draw."""

    type: Literal["draw_offered"] = "draw_offered"


class DrawDeclined(Caused):
    """`seat` declines the draw offer, or withdraws its own. A move that declines it has no event for that."""

    type: Literal["draw_declined"] = "draw_declined"


class Agreed(Caused):
    """With more than two players `seat` accepts the standing draw offer or takeback request; others have not yet."""

    type: Literal["agreed"] = "agreed"
    to: Literal["draw", "takeback"]


class TakebackRequested(Caused):
    """`seat` requests that its last move and everything after it be taken back."""

    type: Literal["takeback_requested"] = "takeback_requested"


class TakebackDeclined(Caused):
    """`seat` declines the takeback request, or withdraws its own. A move that declines it has no event for that."""

    type: Literal["takeback_declined"] = "takeback_declined"


class TakenBack(Caused):
    """Every ply from `ply` on is taken back; `seat` accepted last, or, in a match with help, asked.

    `left` is each seat's time after it.
    """

    type: Literal["taken_back"] = "taken_back"
    ply: int
    left: tuple[int | None, ...]


class Resumed(Event):
    """After an outage of the server the running clock gets `refunded` milliseconds back."""

    type: Literal["resumed"] = "resumed"
    refunded: Milliseconds


class ClocksPaused(Event):
    """The organiser pauses the match: no clock runs and no move is accepted until `clocks_resumed`.

    At `until` the clocks go on by themselves.
    """

    type: Literal["clocks_paused"] = "clocks_paused"
    until: Milliseconds


class ClocksResumed(Event):
    """The clocks go on where they were paused; the time of the pause counts for no seat."""

    type: Literal["clocks_resumed"] = "clocks_resumed"


class Ended(Event):
    """The match is over. `winner` is null for a draw and without a result; `places[seat]` is 1 for the best.

    Without a result (aborted, expired) `places` is empty. `seed` verifies the dice: its SHA-256 is the commitment.
    """

    type: Literal["ended"] = "ended"
    winner: Seat | None
    places: tuple[int, ...]
    reason: Reason
    seed: str
    cause: CommandId | None = None
    """The command that ended it; null without one."""
    seat: Seat | None = None
    """The seat that sent the command."""
    rated: bool = False
    """Whether the result counts for the ratings; then `rated` follows."""


class RematchOffered(Caused):
    """`seat` offers or accepts a rematch, which begins when all have."""

    type: Literal["rematch_offered"] = "rematch_offered"


class RematchDeclined(Event):
    """The offer of a rematch is over: `seat` declined it, or withdrew its own; null where nobody answered in time."""

    type: Literal["rematch_declined"] = "rematch_declined"
    seat: Seat | None = None
    cause: CommandId | None = None
    """The command that ended it; null without one."""
    reason: str = ""
    """What the player who declined says about it."""


class Rematched(Caused):
    """All accepted the rematch, which is `match`; `seat` did last."""

    type: Literal["rematched"] = "rematched"
    match: Key


Negotiated: TypeAlias = DrawOffered | DrawDeclined | Agreed | TakebackRequested | TakebackDeclined
"""Offers and their answers, which change neither the position nor the clocks."""
Intermediate: TypeAlias = (
    Played
    | Rolled
    | Eliminated
    | Negotiated
    | TakenBack
    | Resumed
    | ClocksPaused
    | ClocksResumed
    | RematchOffered
    | RematchDeclined
    | Rematched
)
"""All events but the first and the last of a match, for code that keeps lists of matches only."""
MatchEvent: TypeAlias = Annotated[
    Started
    | Played
    | Rolled
    | Eliminated
    | DrawOffered
    | DrawDeclined
    | Agreed
    | TakebackRequested
    | TakebackDeclined
    | TakenBack
    | Resumed
    | ClocksPaused
    | ClocksResumed
    | Ended
    | RematchOffered
    | RematchDeclined
    | Rematched,
    Field(discriminator="type"),
]
EVENT: TypeAdapter[MatchEvent] = TypeAdapter(MatchEvent)

_KNOWN: Final = frozenset(kind.model_fields["type"].default for kind in get_args(get_args(MatchEvent)[0]))


def _require_unknown(kind: str) -> str:
    if kind in _KNOWN:
        raise ValueError(f"an event of type {kind!r} has other fields")
    return kind


class UnknownEvent(Event):
    """An event of a later server, as clients read it: its number counts, and nothing else of it is known."""

    type: Annotated[str, Field(max_length=40), AfterValidator(_require_unknown)]
