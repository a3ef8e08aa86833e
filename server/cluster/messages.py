"""Messages between nodes. They carry no truth: what is lost is asked for again or read from the journal.

A match's owner is the node that owns its slot; every other node with players or watchers of the match keeps a mirror.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from cornered.protocol.commands import ClientMessage
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import ErrorCode, Said, SeatPresence, ServerMessage, Watchers
from cornered.protocol.ratings import Rated
from cornered.protocol.social import Notified
from cornered.protocol.values import (
    MAX_PAUSE_SECONDS,
    Accepts,
    BotVersion,
    Count,
    GameSpec,
    Key,
    MatchSummary,
    Milliseconds,
    Player,
    Seat,
    Value,
)
from cornered.server.lobby.events import LobbyEvent, MatchMade
from cornered.server.tracing import MAX_CONTEXT_CHARS

__all__ = [
    "NODE_MESSAGE",
    "AskAnalysts",
    "AskVisitor",
    "AskVisitors",
    "BlocksChanged",
    "ClosedSockets",
    "FollowLobby",
    "Forward",
    "LobbyNews",
    "LobbyPart",
    "MatchBegan",
    "MatchNews",
    "MatchOver",
    "MatchReleased",
    "MatchReserved",
    "NodeMessage",
    "NotOwned",
    "OpenMatch",
    "OpenedMatch",
    "OrderAnswered",
    "OrganiserOrder",
    "ProgramCame",
    "ProgramFound",
    "ReserveMatch",
    "RoomNotice",
    "RoomState",
    "Studied",
    "Subscribe",
    "Summaries",
    "TaskOpened",
    "ToClient",
    "ToPlayer",
    "Unsubscribe",
    "Usage",
    "Used",
    "Visitor",
    "Visitors",
]

MAX_POSITION_CHARS: Final = 4_096
MAX_CLOSED: Final = 1_000

TraceContext: TypeAlias = Annotated[str, Field(max_length=MAX_CONTEXT_CHARS)]
"""The traceparent of the step that sent a message; empty where its command is not traced."""


class Studied(Value):
    """The position that an `ask_analysis` or `ask_trace` is about."""

    game: GameSpec
    position: Annotated[str, Field(max_length=MAX_POSITION_CHARS)]


class Forward(Value):
    """A client's command for the node that owns what it is about. `session` names the socket on the sending node.

    The answers come back as `ToClient`. A command without an answer is sent again, to the owner of that time; its id
    makes the repetition harmless. `studied` comes with an `ask_analysis`: its match need not be known to the receiver.
    """

    type: Literal["forward"] = "forward"
    session: Key
    player: Player
    address: str
    lag: Milliseconds
    command: ClientMessage
    studied: Studied | None = None
    trace: TraceContext = ""


class ToClient(Value):
    """A message for one socket of the receiving node; dropped where the socket is gone."""

    type: Literal["to_client"] = "to_client"
    session: Key
    message: ServerMessage


class Subscribe(Value):
    """The sender keeps a mirror of a match.

    `seats` are those whose players are connected to the sender, `watchers` its number of spectators. Sent again when
    either changes, and after messages were lost. The owner answers with a `RoomState`.
    """

    type: Literal["subscribe"] = "subscribe"
    match: Key
    seats: tuple[Seat, ...]
    watchers: Count


class Unsubscribe(Value):
    """The sender keeps no mirror of this match any more."""

    type: Literal["unsubscribe"] = "unsubscribe"
    match: Key


class MatchNews(Value):
    """Stored events of a match, in order. A gap before the first one is read from the journal.

    Without events it only looks whether the receiver keeps a mirror: one that does not answers with `Unsubscribe`, as
    it does to everything that is for a mirror.
    """

    type: Literal["match_news"] = "match_news"
    match: Key
    events: tuple[MatchEvent, ...]
    trace: TraceContext = ""


class RoomState(Value):
    """Where a match stands: its newest event, when each seat's player went, all watchers, the newest chat."""

    type: Literal["room_state"] = "room_state"
    match: Key
    seq: Count
    gone: tuple[Milliseconds | None, ...]
    watchers: Count
    said: tuple[Said, ...]


class RoomNotice(Value):
    """A message that is no event, for the clients of a match on the receiving node: a line of chat for its room."""

    type: Literal["room_notice"] = "room_notice"
    match: Key
    message: Annotated[Said | SeatPresence | Watchers | Rated, Field(discriminator="type")]


class NotOwned(Value):
    """The sender does not own this match; the receiver looks up the owner again."""

    type: Literal["not_owned"] = "not_owned"
    match: Key


class Visitor(Value):
    """A player who is connected to the sender, with the requested name.

    `shown` is the visible name as far as it is known, empty where it is not; with it are a bot's declared games.
    """

    player: Player
    address: str
    is_operators: bool = False
    is_claimed: bool = False
    """Whether the requested name is that of another's account, or was: the player gets a number."""
    shown: str = ""
    accepts: tuple[Accepts, ...] = ()
    concurrency: Count | None = None
    ladder: Count = 0
    version: BotVersion | None = None


class Visitors(Value):
    """Players who have come to the sender, or are there, and those whose last connection to it is gone.

    All players of a node are one or more of these messages: from the first to the last, `came` names all of them.
    `search` is that of the `AskVisitor` which this answers: then `came` has that player or is empty.
    """

    type: Literal["visitors"] = "visitors"
    came: tuple[Visitor, ...] = ()
    went: tuple[Key, ...] = ()
    is_first: bool = False
    is_last: bool = False
    search: Key | None = None


class AskVisitor(Value):
    """The sender decides for the lobby, and looks for a player of whom it has not heard. Answered by `Visitors`.

    `search` tells the answers to one question from others; None where the sender waits for none.
    """

    type: Literal["ask_visitor"] = "ask_visitor"
    search: Key | None = None
    player: Key


class AskVisitors(Value):
    """The sender decides for the lobby, and does not know who is at the receiver."""

    type: Literal["ask_visitors"] = "ask_visitors"


class FollowLobby(Value):
    """The sender wants the whole lobby, and every change after it."""

    type: Literal["follow_lobby"] = "follow_lobby"


class LobbyPart(Value):
    """A part of the whole lobby, as events that it is folded from, after the change `seq` of a stream of changes.

    The parts of one lobby are numbered from 0. Changes may come between them, and a part again of a later transfer.
    """

    type: Literal["lobby_part"] = "lobby_part"
    stream: Key
    seq: Count
    number: Count
    events: tuple[Annotated[LobbyEvent, Field(discriminator="type")], ...]
    is_last: bool


class LobbyNews(Value):
    """One change of the lobby: stored events, and those of which players are told now."""

    type: Literal["lobby_news"] = "lobby_news"
    stream: Key
    seq: Count
    events: tuple[Annotated[LobbyEvent, Field(discriminator="type")], ...]
    told: tuple[Annotated[LobbyEvent, Field(discriminator="type")], ...]


class MatchBegan(Value):
    """A match of the sender is stored and goes on. Repeated until the lobby shows it."""

    type: Literal["match_began"] = "match_began"
    made: MatchMade


class MatchOver(Value):
    """A match of the sender is over, or never was. Repeated until the lobby does not show it."""

    type: Literal["match_over"] = "match_over"
    match: Key


class ReserveMatch(Value):
    """The sender is about to store a rematch: its players need a place each. Repeated until answered."""

    type: Literal["reserve_match"] = "reserve_match"
    made: MatchMade


class MatchReserved(Value):
    """The answer to `ReserveMatch`: its players have their places, or why not."""

    type: Literal["match_reserved"] = "match_reserved"
    match: Key
    code: ErrorCode | None = None
    text: str = ""


class MatchReleased(Value):
    """The sender did not store this rematch: its places are free, unless it goes on. Sent once; they expire anyway."""

    type: Literal["match_released"] = "match_released"
    match: Key


class OrganiserOrder(Value):
    """An organiser's order for a match of the receiver: that a player is out, or that its clocks pause or go on.

    Repeated until answered: what is done already is answered again. `out` is the seat of the player; where it is null,
    `seconds` is the longest pause, and null resumes.
    """

    type: Literal["organiser_order"] = "organiser_order"
    order: Key
    match: Key
    seconds: Annotated[int, Field(ge=1, le=MAX_PAUSE_SECONDS)] | None = None
    out: Seat | None = None


class OrderAnswered(Value):
    """The answer to `OrganiserOrder`: it is stored, or why not."""

    type: Literal["order_answered"] = "order_answered"
    order: Key
    code: ErrorCode | None = None
    text: str = ""


class TaskOpened(Value):
    """The sender has opened the task of a match that it owns: a mirror of it subscribes again."""

    type: Literal["task_opened"] = "task_opened"
    match: Key


class OpenMatch(Value):
    """The lobby has made a match, which the receiver stores and opens. Repeated until answered."""

    type: Literal["open_match"] = "open_match"
    made: MatchMade


class OpenedMatch(Value):
    """The answer to `OpenMatch`: the match is stored, or why not."""

    type: Literal["opened_match"] = "opened_match"
    match: Key
    code: ErrorCode | None = None
    text: str = ""


class Summaries(Value):
    """How public matches of the sender look in lists now; those that are over, or another node's, are in `ended`.

    All matches of a node are one or more of these messages: from the first to the last, `changed` names all of them.
    """

    type: Literal["summaries"] = "summaries"
    changed: tuple[MatchSummary, ...] = ()
    ended: tuple[Key, ...] = ()
    is_first: bool = False
    is_last: bool = False


class AskAnalysts(Value):
    """The sender has the queue of analyses, and nothing of the receiver's sockets."""

    type: Literal["ask_analysts"] = "ask_analysts"


class ClosedSockets(Value):
    """Sockets of the sender that ask for analyses no more, and offer none; with `is_all` these are all of them."""

    type: Literal["closed_sockets"] = "closed_sockets"
    sessions: Annotated[tuple[Key, ...], Field(max_length=MAX_CLOSED)] = ()
    is_all: bool = False


class Used(Value):
    """What one address, player or account uses of the sender: open connections, and tokens since the last message.

    `tokens` has one number for each bucket, in the order of `cornered.server.runtime.limits`.
    """

    key: Annotated[str, Field(max_length=64)]
    connections: Count
    tokens: tuple[Annotated[float, Field(ge=0)], ...]


class Usage(Value):
    """Addresses, players and accounts whose use of the sender has changed: limits hold for all nodes together."""

    type: Literal["usage"] = "usage"
    addresses: tuple[Used, ...] = ()
    players: tuple[Used, ...] = ()
    accounts: tuple[Used, ...] = ()
    """Names with failed attempts to sign in, by their digests."""


class BlocksChanged(Value):
    """A player blocks others than before: the receiver reads whom, where the player is connected to it."""

    type: Literal["blocks_changed"] = "blocks_changed"
    player: Key


class ToPlayer(Value):
    """A message for all sockets that a player has on the receiving node."""

    type: Literal["to_player"] = "to_player"
    player: Key
    message: Notified


class ProgramCame(Value):
    """A program has connected to the sender as a bot: the receiver tells those that are connected to it as the same.

    Answered by `ProgramFound` where there are any of other programs. `session` names the socket on the sender.
    """

    type: Literal["program_came"] = "program_came"
    player: Key
    session: Key
    instance: Key | None = None


class ProgramFound(Value):
    """The answer to `ProgramCame`, for that socket. Without `is_certain` it may be the same program."""

    type: Literal["program_found"] = "program_found"
    player: Key
    session: Key
    is_certain: bool


NodeMessage: TypeAlias = Annotated[
    Forward
    | ToClient
    | Subscribe
    | Unsubscribe
    | MatchNews
    | RoomState
    | RoomNotice
    | NotOwned
    | OrganiserOrder
    | OrderAnswered
    | TaskOpened
    | OpenMatch
    | OpenedMatch
    | Summaries
    | AskAnalysts
    | ClosedSockets
    | Usage
    | BlocksChanged
    | ToPlayer
    | ProgramCame
    | ProgramFound
    | Visitors
    | AskVisitor
    | AskVisitors
    | FollowLobby
    | LobbyPart
    | LobbyNews
    | MatchBegan
    | MatchOver
    | ReserveMatch
    | MatchReserved
    | MatchReleased,
    Field(discriminator="type"),
]
NODE_MESSAGE: TypeAdapter[NodeMessage] = TypeAdapter(NodeMessage)
