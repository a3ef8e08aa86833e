"""The events of a match. Their list is the match: it is stored, sent, and replayed.

Every event carries its sequence number, counted from 1 within the match, and the server's time in milliseconds.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from cornered.protocol.values import Clock, CommandId, GameSpec, Key, Made, Milliseconds, Move, Player, Reason, Seat

__all__ = [
    "EVENT",
    "Agreed",
    "DrawDeclined",
    "DrawOffered",
    "Eliminated",
    "Ended",
    "Event",
    "Intermediate",
    "MatchEvent",
    "Negotiated",
    "Played",
    "RematchOffered",
    "Rematched",
    "Resumed",
    "Rolled",
    "Started",
    "TakebackDeclined",
    "TakebackRequested",
    "TakenBack",
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
    """The match begins. `commitment` is the SHA-256 of the seed that rolls its dice; the seed stands in `ended`."""

    type: Literal["started"] = "started"
    match: Key
    game: GameSpec
    players: tuple[Player, ...]
    clock: Clock
    commitment: str
    private: bool = False
    delay: int = 0
    previous: Key | None = None
    """The match of which this is the rematch."""


class Played(Caused):
    """A move. `ply` counts moves and rolls from 0; `left` is every seat's time after it, `spent` what the move cost."""

    type: Literal["played"] = "played"
    ply: int
    move: Move
    spent: Milliseconds
    left: tuple[int | None, ...]


class Rolled(Event):
    """Chance moved: the dice, rolled from the match's seed."""

    type: Literal["rolled"] = "rolled"
    ply: int
    move: Move


class Eliminated(Event):
    """In a game for more than two a player is out, by the rules or by giving up; `place` is final, 1 is the best."""

    type: Literal["eliminated"] = "eliminated"
    seat: Seat
    place: int
    reason: Reason
    cause: CommandId | None = None
    """The command that gave up, if one did."""
    by: Seat | None = None
    """Whose command that was: the seat's own, or that of the player who claimed victory over it."""


class DrawOffered(Caused):
    """`seat` offers a draw."""

    type: Literal["draw_offered"] = "draw_offered"


class DrawDeclined(Caused):
    """`seat` says no to the draw offer, or withdraws its own. A move that passes over an offer declines it silently."""

    type: Literal["draw_declined"] = "draw_declined"


class Agreed(Caused):
    """In a game for more than two `seat` agrees to the draw or takeback that stands; others have still to."""

    type: Literal["agreed"] = "agreed"
    to: Literal["draw", "takeback"]


class TakebackRequested(Caused):
    """`seat` asks to take its last move back, and everything after it."""

    type: Literal["takeback_requested"] = "takeback_requested"


class TakebackDeclined(Caused):
    """`seat` says no to the takeback request, or withdraws its own. A move passes over a request silently."""

    type: Literal["takeback_declined"] = "takeback_declined"


class TakenBack(Caused):
    """Everything from `ply` on is undone; `seat` agreed to it. `left` is every seat's time now."""

    type: Literal["taken_back"] = "taken_back"
    ply: int
    left: tuple[int | None, ...]


class Resumed(Event):
    """The server was away; the running clock gets `refunded` milliseconds back."""

    type: Literal["resumed"] = "resumed"
    refunded: Milliseconds


class Ended(Event):
    """The match is over. `winner` is null for a draw or an aborted match; `places[seat]` is 1 for the best.

    Places are empty when nothing counts (aborted, expired). `seed` proves the dice: its SHA-256 is the commitment.
    """

    type: Literal["ended"] = "ended"
    winner: Seat | None
    places: tuple[int, ...]
    reason: Reason
    seed: str
    cause: CommandId | None = None
    """The command that ended it, where it was a command and not the rules or a clock."""
    seat: Seat | None = None
    """Whose command that was."""


class RematchOffered(Caused):
    """`seat` wants to play again; when all do, a new match begins."""

    type: Literal["rematch_offered"] = "rematch_offered"


class Rematched(Caused):
    """All agreed: `match` is the new one."""

    type: Literal["rematched"] = "rematched"
    match: Key


Negotiated: TypeAlias = DrawOffered | DrawDeclined | Agreed | TakebackRequested | TakebackDeclined
"""Offers and their answers, which change neither the position nor the clocks."""
Intermediate: TypeAlias = Played | Rolled | Eliminated | Negotiated | TakenBack | Resumed | RematchOffered | Rematched
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
    | Ended
    | RematchOffered
    | Rematched,
    Field(discriminator="type"),
]
EVENT: TypeAdapter[MatchEvent] = TypeAdapter(MatchEvent)
