"""The values that messages are made of."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

__all__ = [
    "NO_CLOCK",
    "Accepts",
    "ChatRoom",
    "Clock",
    "ClockKind",
    "Clocks",
    "CommandId",
    "Correspondence",
    "Count",
    "Delay",
    "Fischer",
    "GameSpec",
    "Key",
    "Line",
    "MatchSummary",
    "Milliseconds",
    "Move",
    "Name",
    "NoClock",
    "OfferedGame",
    "OfferedOption",
    "OptionValue",
    "PerMove",
    "Player",
    "PlayerKind",
    "Presence",
    "Reason",
    "Seat",
    "SeatInfo",
    "Seek",
    "SeekSettings",
    "Token",
    "Value",
]


class Value(BaseModel):
    """Immutable, and strict: a number in quotes is not a number, an unknown field is an error."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        use_attribute_docstrings=True,
        json_schema_serialization_defaults_required=True,
    )


Key: TypeAlias = Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[A-Za-z0-9_-]+$")]
"""The name of a match, seek, challenge or player: short, random, safe in an address."""
CommandId: TypeAlias = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.:-]+$")]
"""The client's own name for a command: unique per player, so that a repeated command gets its first answer again."""
Token: TypeAlias = Annotated[str, Field(min_length=20, max_length=100)]
Name: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=24, pattern=r"^[^\s\x00-\x1f\x7f](?:[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f])?$")
]
Move: TypeAlias = Annotated[str, Field(min_length=1, max_length=16)]
Seat: TypeAlias = Annotated[int, Field(ge=0, le=3)]
Line: TypeAlias = Annotated[str, Field(min_length=1, max_length=300)]
"""What somebody says: plain text, shown as text."""
Milliseconds: TypeAlias = Annotated[int, Field(ge=0, le=2**53)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000)]
"""A number of plies or events."""
OptionValue: TypeAlias = Annotated[int, Field(ge=-1_000_000, le=1_000_000)] | bool | None
PlayerKind: TypeAlias = Literal["person", "bot"]
ChatRoom: TypeAlias = Literal["players", "spectators"]

Reason: TypeAlias = Literal["rules", "resignation", "time", "agreement", "gone", "aborted", "expired", "left"]
"""Why a match ended: by the rules of the game, or `time` (a flag fell), `agreement` (a draw), `gone` (the opponent went
away, and victory was claimed or, in an untimed match, came by itself), `aborted` (before the second ply), `expired`
(nobody made the first move in time, or all went away from an untimed match),
`left` (in games for more than two: everybody else gave up in different ways)."""


class Fischer(Value):
    """Each player has `initial` seconds and gains `increment` seconds after each move."""

    kind: Literal["fischer"] = "fischer"
    initial: Annotated[int, Field(ge=1, le=10_800)]
    increment: Annotated[int, Field(ge=0, le=180)] | Annotated[float, Field(ge=0, le=180)] = 0


class Delay(Value):
    """Each player has `initial` seconds; the first `delay` seconds of every move are free."""

    kind: Literal["delay"] = "delay"
    initial: Annotated[int, Field(ge=1, le=10_800)]
    delay: Annotated[int, Field(ge=1, le=180)]


class PerMove(Value):
    """Every move has its own `seconds`; what is left over is gone."""

    kind: Literal["per_move"] = "per_move"
    seconds: Annotated[int, Field(ge=1, le=3_600)]


class Correspondence(Value):
    """Every move may take `days`."""

    kind: Literal["correspondence"] = "correspondence"
    days: Annotated[int, Field(ge=1, le=14)]


class NoClock(Value):
    """Nobody loses on time."""

    kind: Literal["none"] = "none"


NO_CLOCK: Final = NoClock()
Clock: TypeAlias = Annotated[Fischer | Delay | PerMove | Correspondence | NoClock, Field(discriminator="kind")]
ClockKind: TypeAlias = Literal["fischer", "delay", "per_move", "correspondence", "none"]


class GameSpec(Value):
    """A game and its options; options left out have their defaults. The server fills in all of them."""

    name: Key
    options: Annotated[dict[Key, OptionValue], Field(max_length=16)] = {}


class Player(Value):
    """Somebody, as others see them."""

    id: Key
    name: Name
    kind: PlayerKind


class SeatInfo(Value):
    """One chair of a match. `place` is set when this player's game is over: 1 is the best."""

    player: Player
    place: int | None = None


class Clocks(Value):
    """What each seat has left in milliseconds at the server's time `at`; `running` names the seat whose clock runs.

    `left[seat]` is null where nothing limits the player.
    """

    left: tuple[int | None, ...]
    running: Seat | None
    at: Milliseconds


class Accepts(Value):
    """One kind of game that a bot plays: the game, the values it takes for some options, and its clocks."""

    game: Key
    options: Annotated[dict[Key, tuple[OptionValue, ...]], Field(max_length=16)] = {}
    clocks: tuple[ClockKind, ...] = ("fischer", "delay", "per_move", "correspondence", "none")


class SeekSettings(Value):
    """What a player who looks for a game asks for."""

    game: GameSpec
    clock: Clock = NO_CLOCK
    seat: Seat | None = None
    """The seat that the creator takes; null lets the server draw lots."""
    private: bool = False
    """Reachable by its invite only: neither the seek nor the match is listed."""
    minimum: Annotated[int, Field(ge=2, le=4)] | None = None
    """With at least this many players the creator may start before the table is full; null waits for all."""
    delay: Annotated[int, Field(ge=0, le=600)] = 0
    """Seconds by which spectators see everything later."""


class Seek(Value):
    """An open table in the lobby."""

    id: Key
    by: Player
    settings: SeekSettings
    joined: tuple[Player, ...]
    seats: int
    since: Milliseconds


class MatchSummary(Value):
    """One match as lists show it. `position` lets a list draw a tiny board."""

    id: Key
    game: GameSpec
    clock: Clock
    players: tuple[Player, ...]
    ply: int
    position: str
    watchers: int
    started: Milliseconds
    over: bool = False
    winner: Seat | None = None
    reason: Reason | None = None


class Presence(Value):
    """Somebody who is here. Bots say what they play, and how many games they could still take."""

    player: Player
    playing: int
    accepts: tuple[Accepts, ...] = ()
    free: int = 0


class OfferedOption(Value):
    """One option of a game, as a form shows it."""

    name: Key
    title: str
    kind: Literal["int", "bool"]
    choices: tuple[int, ...]
    default: int | bool | None
    optional: bool


class OfferedGame(Value):
    """A game that this server plays. `start` is the position text of the default game."""

    name: Key
    title: str
    summary: str
    options: tuple[OfferedOption, ...]
    start: str
    has_draws: bool
