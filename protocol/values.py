"""The values that messages are made of."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, TypeAlias, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic_core import PydanticCustomError

from cornered.protocol.text import MAX_NAME, ForbiddenText, clean_line, clean_name

__all__ = [
    "MAX_CHAT",
    "MAX_PAUSE_SECONDS",
    "MAX_VALUES",
    "NO_CLOCK",
    "ONE_LINE",
    "SPEECH",
    "Accepts",
    "BotVersion",
    "ChatLine",
    "ChatRoom",
    "Clock",
    "ClockKind",
    "Clocks",
    "Command",
    "CommandId",
    "Correspondence",
    "Count",
    "Delay",
    "Fischer",
    "GameSpec",
    "Key",
    "KnownName",
    "LobbySection",
    "Made",
    "MatchStanding",
    "MatchSummary",
    "Milliseconds",
    "Move",
    "Name",
    "NoClock",
    "OfferedGame",
    "OfferedOption",
    "OptionValue",
    "Ordinal",
    "PairingPool",
    "PerMove",
    "Player",
    "PlayerKind",
    "PoolStanding",
    "PositionLine",
    "Presence",
    "Reason",
    "Remark",
    "Seat",
    "SeatInfo",
    "SeatRating",
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


class Made(Value):
    """A value that the server builds from validated ones: its constructor does not validate.

    Parsing one, from the store or from a server, validates it like any other value. The constructor is generated for
    each class from its fields, as for a dataclass. Fields have plain defaults only, no `default_factory`.
    """

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        cls.__init__ = _constructor(cls)  # type: ignore[method-assign]


def _constructor(model: type[BaseModel]) -> Callable[..., None]:
    """Return an `__init__` with a keyword for each field of `model`, which validates nothing."""
    fields = model.__pydantic_fields__
    names = {name: name if field.is_required() else f"{name}=defaults[{name!r}]" for name, field in fields.items()}
    values = ", ".join(f"{name!r}: {name}" for name in names)
    source = f"""def __init__(self, *, {", ".join(names.values())}):
    set_slot(self, "__dict__", {{{values}}})
    set_slot(self, "__pydantic_fields_set__", fields_set)
    set_slot(self, "__pydantic_extra__", None)
    set_slot(self, "__pydantic_private__", None)
"""
    namespace: dict[str, Any] = {
        "defaults": {name: field.default for name, field in fields.items()},
        # One set for all instances: a frozen model never changes it, and a copy has its own.
        "fields_set": set(fields),
        "set_slot": object.__setattr__,
    }
    exec(source, namespace)
    constructor = namespace["__init__"]
    # Without this mark pydantic's validator would call the constructor; so it sets the fields directly.
    constructor.__pydantic_base_init__ = True
    return cast(Callable[..., None], constructor)


Key: TypeAlias = Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[A-Za-z0-9_-]+$")]
"""The id of a match, seek, challenge or player: short, random, safe in a URL. Also the name of a game or option."""
CommandId: TypeAlias = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9_.:-]+$")]
"""The id of a command, which the client chooses: unique per player, so that a repeat gets the first answer again."""
Token: TypeAlias = Annotated[str, Field(min_length=20, max_length=100)]


DIGEST_CHARS: Final = 16
"""Hexadecimal digits of the digest of a command's content: 64 bits, against mistakes of the command's own sender."""


class Command(Value, json_schema_extra={"answers": ["acknowledged"]}):
    """Base of every command but `hello`; the answer repeats the `id`. `answers` names the messages that answer it."""

    id: CommandId

    def digest(self) -> str:
        """Return a digest of the type and all fields but the id, the same for a repeat.

        Fields with their default are left out, so that a later version with more fields computes the same.
        """
        kind = type(self).model_fields["type"].default
        content = f"{kind}{self.model_dump_json(exclude={'id', 'type'}, exclude_defaults=True)}"
        return sha256(content.encode()).hexdigest()[:DIGEST_CHARS]


MAX_PAUSE_SECONDS: Final = 3_600
"""The longest pause of a match: the clocks go on by themselves then, so that a forgotten pause holds nobody."""
MAX_CHAT: Final = 300
"""Characters of a line of chat."""
MAX_VALUES: Final = 64
"""Values of all options together that a bot lists for one game."""


def _cleaned(clean: Callable[[str], str]) -> BeforeValidator:
    """Return a validator that normalises a text before it is checked, sent and stored."""

    def validate(value: object) -> object:
        if not isinstance(value, str):
            return value
        try:
            return clean(value)
        except ForbiddenText as forbidden:
            # The text of a plain ValueError would begin with "Value error, ".
            raise PydanticCustomError("forbidden_text", "{why}", {"why": str(forbidden)}) from None

    return BeforeValidator(validate)


def _clean_speech(text: str) -> str:
    if not (line := clean_line(text)):
        raise ForbiddenText("there is nothing in it that can be seen")
    return line


ONE_LINE: Final = _cleaned(clean_line)
"""Normalises a text to one line, which may be empty."""
SPEECH: Final = _cleaned(_clean_speech)
"""Normalises a text to one line with at least one visible character."""
Name: TypeAlias = Annotated[str, _cleaned(clean_name), Field(min_length=1, max_length=MAX_NAME)]
"""A requested name of a player or bot: normalised, and refused when it holds characters that `cornered.protocol.text`
forbids.
"""
KnownName: TypeAlias = Annotated[str, Field(max_length=64)]
"""A player's name in events and messages. Stored ones may be older than the rules of `Name`."""
BotVersion: TypeAlias = Annotated[str, Field(min_length=1, max_length=20, pattern=r"^[A-Za-z0-9][A-Za-z0-9._+-]*$")]
"""The version of a bot, as its author names it: letters and digits, and between them dots, dashes, underscores or plus
signs, as in `2.1` or `2024-05-rc1`."""
Remark: TypeAlias = Annotated[str, ONE_LINE, Field(max_length=100)]
"""A short text of a command, which may be empty."""
Move: TypeAlias = Annotated[str, Field(min_length=1, max_length=16, pattern=r"^[!-~]+$")]
PositionLine: TypeAlias = Annotated[str, Field(min_length=3, max_length=640, pattern=r"^[a-z0-9./=, _]+$")]
"""A position text: the longest are those of boards full of walls."""
Seat: TypeAlias = Annotated[int, Field(ge=0, le=3)]
ChatLine: TypeAlias = Annotated[str, SPEECH, Field(min_length=1, max_length=MAX_CHAT)]
"""One line of plain text, which is shown without markup."""
Milliseconds: TypeAlias = Annotated[int, Field(ge=0, le=2**53)]
Count: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000)]
"""A number of plies or events."""
Ordinal: TypeAlias = Annotated[int, Field(ge=1, le=2**53)]
"""The number of something in the store, such as a report, or an earlier page's `more`: what a database and a browser
can hold."""
OptionValue: TypeAlias = Annotated[int, Field(ge=-1_000_000, le=1_000_000)] | bool | None
PlayerKind: TypeAlias = Literal["person", "bot"]
ChatRoom: TypeAlias = Literal["players", "spectators"]
LobbySection: TypeAlias = Literal["seeks", "matches", "players"]
"""A list of the lobby. Tables and matches are listed newest first; of the players bots come first, by the time of their
connection, then people, newest first."""

Reason: TypeAlias = Literal[
    "rules", "resignation", "time", "agreement", "gone", "aborted", "expired", "left", "ply_limit"
]
"""The reason of a match's end: `rules` (the position decides), `resignation`, `time` (a flag fell), `agreement` (a
draw), `gone` (victory over an absent opponent: by a claim, in an untimed match after a timeout, or because the
organiser has taken the opponent out), `aborted` (before the second ply), `expired` (no first move in time, or all
players left an untimed match), `left` (in games for more than two: all others are out for different reasons),
`ply_limit` (a draw at the server's limit of plies)."""


class Fischer(Value):
    """Each player has `initial` seconds and gains `increment` seconds after each move."""

    kind: Literal["fischer"] = "fischer"
    initial: Annotated[int, Field(ge=1, le=10_800)]
    increment: Annotated[int, Field(ge=0, le=180)] | Annotated[float, Field(ge=0, le=180)] = 0


class Delay(Value):
    """Each player has `initial` seconds; the first `delay` seconds of each move are not counted."""

    kind: Literal["delay"] = "delay"
    initial: Annotated[int, Field(ge=1, le=10_800)]
    delay: Annotated[int, Field(ge=1, le=180)]


class PerMove(Value):
    """Each move has `seconds`; unused time is not kept."""

    kind: Literal["per_move"] = "per_move"
    seconds: Annotated[int, Field(ge=1, le=3_600)]


class Correspondence(Value):
    """Every move may take `days`."""

    kind: Literal["correspondence"] = "correspondence"
    days: Annotated[int, Field(ge=1, le=14)]


class NoClock(Value):
    """No player loses on time."""

    kind: Literal["none"] = "none"


NO_CLOCK: Final = NoClock()
Clock: TypeAlias = Annotated[Fischer | Delay | PerMove | Correspondence | NoClock, Field(discriminator="kind")]
ClockKind: TypeAlias = Literal["fischer", "delay", "per_move", "correspondence", "none"]


class GameSpec(Value):
    """A game and its options; options left out have their defaults. The server fills in all of them."""

    name: Key
    options: Annotated[dict[Key, OptionValue], Field(max_length=16)] = {}


class Player(Value):
    """A player, as others see them."""

    id: Key
    name: KnownName
    kind: PlayerKind


class SeatRating(Made):
    """A player's rating when a rated match began. It is `provisional` while its deviation is above 110."""

    rating: int
    provisional: bool
    anchored: bool = False
    """Whether it is the measured strength of a house bot that has no rating yet; its own begins there."""


class SeatInfo(Made):
    """One seat of a match. `place` is set once this player's game is over; 1 is the best."""

    player: Player
    place: int | None = None
    rating: int | None = None
    """The player's rating when the match began; null in a casual match."""
    provisional: bool = False
    """Whether that rating was provisional."""
    version: BotVersion | None = None
    """The version of a bot that names one, as the match began."""


class Clocks(Made):
    """Each seat's remaining milliseconds at the server's time `at`; `running` is the seat whose clock runs.

    `left[seat]` is null without a clock.
    """

    left: tuple[int | None, ...]
    running: Seat | None
    at: Milliseconds


class Accepts(Value):
    """A game that a bot plays, the values that it accepts for some options, and the clocks that it accepts.

    The options together have at most 64 values.
    """

    game: Key
    options: Annotated[
        dict[Key, Annotated[tuple[OptionValue, ...], Field(max_length=MAX_VALUES, fail_fast=True)]],
        Field(max_length=16),
    ] = {}
    clocks: Annotated[tuple[ClockKind, ...], Field(max_length=5, fail_fast=True)] = (
        "fischer",
        "delay",
        "per_move",
        "correspondence",
        "none",
    )
    rated: bool = True
    """Whether the bot accepts rated games too."""


class SeekSettings(Value):
    """The game that a table is for, and its conditions."""

    game: GameSpec
    clock: Clock = NO_CLOCK
    seat: Seat | None = None
    """The seat that the creator takes; null lets the server draw lots."""
    private: bool = False
    """Neither the seek nor the match is listed; the seek is joined by its id."""
    minimum: Annotated[int, Field(ge=2, le=4)] | None = None
    """The number of players with which the creator may start before the table is full; null requires all."""
    delay: Annotated[int, Field(ge=0, le=600)] = 0
    """Delay of everything that spectators get, in seconds."""
    rated: bool = False
    """Whether the result changes the ratings of the players, of whom there are two."""


class Seek(Value):
    """An open table in the lobby."""

    id: Key
    by: Player
    settings: SeekSettings
    joined: tuple[Player, ...]
    seats: int
    since: Milliseconds


class MatchSummary(Made):
    """One match as lists show it, with the `position` for a miniature board."""

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
    rated: bool = False
    """Whether the result counts for the ratings; false from a takeback on."""
    ratings: tuple[SeatRating, ...] = ()
    """Of a match that began as a rated one: each seat's rating then."""
    tournament: Key | None = None
    """The tournament to which this match belongs; null for any other."""
    turn: Seat | None = None
    """Of a live correspondence match: the seat to move; null where dice are rolled, and in any other match."""
    due: Milliseconds | None = None
    """When the time of that seat is over, by the server's clock."""


class MatchStanding(Made):
    """The current position of a match in a list."""

    id: Key
    ply: int
    position: str
    watchers: int


class Presence(Value):
    """A connected player. `accepts` is a bot's declaration, `free` the number of games that it can still take."""

    player: Player
    playing: int
    accepts: tuple[Accepts, ...] = ()
    free: int = 0
    version: BotVersion | None = None
    """The version that a bot has declared."""


class PairingPool(Value):
    """A pool of quick pairing: people who wait in it are paired by rating for this game with this clock."""

    id: Key
    game: GameSpec
    clock: Clock


class PoolStanding(Made):
    """The number of players who wait in a pool."""

    id: Key
    waiting: int


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
