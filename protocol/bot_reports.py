"""Commands and answers about a bot for its owner: its games, what went wrong in them, and what it was asked."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from cornered.protocol.ratings import PoolRating
from cornered.protocol.text import visible
from cornered.protocol.values import (
    Clock,
    Command,
    CommandId,
    Count,
    GameSpec,
    Key,
    Made,
    Milliseconds,
    Move,
    Player,
    Reason,
)

__all__ = [
    "MAX_FAILURE_CHARS",
    "MAX_REQUESTS",
    "AskBotLink",
    "AskBotReport",
    "AskBotRequests",
    "BotAnswer",
    "BotCommand",
    "BotGame",
    "BotIncident",
    "BotLink",
    "BotReport",
    "BotRequest",
    "BotRequests",
    "FailureKind",
    "IncidentKind",
    "ReportFailure",
    "escaped_lines",
]

MAX_FAILURE_CHARS: Final = 1_500
"""Characters of the text of a failure."""
MAX_REQUESTS: Final = 100
"""Requests of one answer."""

FailureKind: TypeAlias = Literal["crash", "hang", "illegal", "slow", "blocked"]
"""What a bot's program knows of itself: it raised, it gave no answer and was ended, it returned no legal move, it took
far longer than its limit, or it blocked its event loop."""
IncidentKind: TypeAlias = FailureKind | Literal["disconnect"]
GameResult: TypeAlias = Literal["win", "loss", "draw", "none"]


def escaped_lines(text: str) -> str:
    """Return a text with its line breaks, in which no other control character is left."""
    return "\n".join(visible(line) for line in text.splitlines())


def _escaped(value: object) -> object:
    return escaped_lines(value) if isinstance(value, str) else value


BotPageCode: TypeAlias = Annotated[str, Field(min_length=1, max_length=1_000, pattern=r"^[A-Za-z0-9_.-]+$")]
"""What a link to a bot's page ends with."""
FailureText: TypeAlias = Annotated[str, BeforeValidator(_escaped), Field(min_length=1, max_length=MAX_FAILURE_CHARS)]


class ReportFailure(Command):
    """Note a failure of one's own program, a bot's, in a match in which it sits. Its owner alone reads it.

    The newest 100 incidents of a bot are kept, and the newest 10 of a match. A repeated command is stored once.
    """

    type: Literal["report_failure"] = "report_failure"
    failure: FailureKind
    match: Key
    ply: Count
    limit: Milliseconds | None = None
    """The search time that the program had for the move."""
    text: FailureText


class AskBotReport(Command, json_schema_extra={"answers": ["bot_report"]}):
    """Ask how one's own bot fares: the bot that asks, or the one that a `link` to its page names.

    With the cursor `after`, the `more` of an earlier answer, ask for the games that follow, without the rest.
    """

    type: Literal["ask_bot_report"] = "ask_bot_report"
    link: BotPageCode | None = Field(default=None, repr=False)
    after: Key | None = None


class AskBotRequests(Command, json_schema_extra={"answers": ["bot_requests"]}):
    """Ask for what one's own bot was asked in a finished match of its own, from the ply `since` on, 100 at once."""

    type: Literal["ask_bot_requests"] = "ask_bot_requests"
    match: Key
    link: BotPageCode | None = Field(default=None, repr=False)
    since: Count = 0


class AskBotLink(Command, json_schema_extra={"answers": ["bot_link"]}):
    """Ask for a link to the bot's page, which shows the page as long as the token that asked is valid."""

    type: Literal["ask_bot_link"] = "ask_bot_link"


BotCommand: TypeAlias = ReportFailure | AskBotReport | AskBotRequests | AskBotLink


class BotGame(Made):
    """A finished match of a bot. Times are in milliseconds, by the server's clock after lag compensation."""

    match: Key
    game: GameSpec
    clock: Clock
    rated: bool
    opponents: tuple[Player, ...]
    result: GameResult
    reason: Reason
    lost_on_time: bool
    moves: int
    """The bot's own, without those that were taken back."""
    total: Milliseconds
    """The time of all its moves."""
    longest: Milliseconds
    """The time of the slowest of them."""
    ended: Milliseconds


class BotIncident(Made):
    """Something that went wrong. `code` is that of the close frame of a `disconnect`, 1006 where there was none.

    `closed_by` says who sent that frame first.
    """

    at: Milliseconds
    kind: IncidentKind
    text: str
    match: Key | None = None
    ply: int | None = None
    limit: Milliseconds | None = None
    code: int | None = None
    closed_by: Literal["server", "program"] | None = None


class BotReport(Made):
    """The answer to `ask_bot_report`: up to 20 finished games, and the newest 100 incidents, the newest first.

    `more` is the cursor of older games. A later page has neither ratings nor incidents.
    """

    type: Literal["bot_report"] = "bot_report"
    id: CommandId
    player: Player
    is_connected: bool
    round_trip: Milliseconds | None
    """The newest round trip of a connection of the bot to the node that answers, by its pings; null without one."""
    ratings: tuple[PoolRating, ...]
    games: tuple[BotGame, ...]
    incidents: tuple[BotIncident, ...]
    more: str | None = None


class BotRequest(Made):
    """What a bot was asked: the position, and its clock. Its `answer` is null where it made no move.

    What a bot's program reported about the request is in `limit` and `failure`.
    """

    ply: int
    position: str
    left: Milliseconds | None
    """The time on its clock; null without one."""
    answer: Move | None
    spent: Milliseconds | None
    limit: Milliseconds | None = None
    failure: str | None = None


class BotRequests(Made):
    """The answer to `ask_bot_requests`. `more` is the ply from which the next ones follow."""

    type: Literal["bot_requests"] = "bot_requests"
    id: CommandId
    match: Key
    game: GameSpec
    clock: Clock
    seat: int
    requests: tuple[BotRequest, ...]
    more: int | None = None


class BotLink(Made):
    """The answer to `ask_bot_link`: the code that the page's address ends with, after `#/bot/`."""

    type: Literal["bot_link"] = "bot_link"
    id: CommandId
    code: str = Field(repr=False)
    expires: Milliseconds


BotAnswer: TypeAlias = BotReport | BotRequests | BotLink
