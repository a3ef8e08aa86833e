"""What a client may say. The first message is `hello`; every other has an id and is answered, never with silence."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from cornered.protocol.analysis import (
    MAX_LINES,
    MAX_NODES,
    MAX_OVERLAYS,
    MAX_PLIES,
    OverlayPicture,
    Report,
    Sentence,
    TreeNode,
)
from cornered.protocol.values import (
    NO_CLOCK,
    ONE_LINE,
    Accepts,
    ChatRoom,
    Clock,
    CommandId,
    Count,
    GameSpec,
    Key,
    Line,
    LobbySection,
    Milliseconds,
    Move,
    Name,
    PlayerKind,
    Remark,
    Seat,
    SeekSettings,
    Token,
    Value,
)

__all__ = [
    "COMMAND",
    "Abort",
    "AcceptChallenge",
    "AcceptDraw",
    "AcceptTakeback",
    "Analysed",
    "AnalysisCommand",
    "AskAnalysis",
    "AskGames",
    "AskHistory",
    "AskLobby",
    "AskMoves",
    "AskMyMatches",
    "AskSeek",
    "AskVariation",
    "CancelAnalysis",
    "CancelChallenge",
    "CancelSeek",
    "Challenge",
    "Claim",
    "ClientMessage",
    "Command",
    "CreateSeek",
    "Declare",
    "DeclineChallenge",
    "DeclineDraw",
    "DeclineTakeback",
    "Hello",
    "InMatch",
    "Join",
    "JoinSeek",
    "Leave",
    "LeaveLobby",
    "LeaveSeek",
    "LobbyCommand",
    "MatchCommand",
    "OfferAnalysis",
    "OfferDraw",
    "Ping",
    "Play",
    "Rematch",
    "RequestTakeback",
    "Resign",
    "Say",
    "StartSeek",
    "WatchLobby",
]


class Hello(Value):
    """The first message. A token resumes its player; without one a guest called `name` is made."""

    type: Literal["hello"] = "hello"
    name: Name | None = None
    token: Token | None = None
    kind: PlayerKind = "person"
    client: Annotated[str, ONE_LINE, Field(max_length=60)] = ""
    """The program and its version, for the server's log."""
    instance: Key | None = None
    """A random name of the running program: two programs that play as one bot are told of each other."""
    key: Token | None = Field(default=None, repr=False)
    """The key of the server's operator, by which house bots have their names. A wrong one proves nothing."""


class Command(Value):
    """What every message but `hello` has: an id, by which its answer is known."""

    id: CommandId


class Ping(Command):
    """Answered by `pong` with the server's time; `sent` comes back unchanged."""

    type: Literal["ping"] = "ping"
    sent: Milliseconds = 0


class AskGames(Command):
    """Answered by `games`: what this server plays, with every option."""

    type: Literal["ask_games"] = "ask_games"


class AskMyMatches(Command):
    """Answered by `my_matches`: my live matches, and my newest finished ones."""

    type: Literal["ask_my_matches"] = "ask_my_matches"


class Declare(Command):
    """A bot says what it plays, and how many games at once, of which it gets at most 200; others are held to it.

    It holds until the bot has departed.
    """

    type: Literal["declare"] = "declare"
    accepts: Annotated[tuple[Accepts, ...], Field(max_length=16, fail_fast=True)]
    concurrency: Annotated[int, Field(ge=0, le=1000)]


class WatchLobby(Command):
    """Answered by `lobby`, the first page, and from then on by `lobby_changed` whenever something changes there."""

    type: Literal["watch_lobby"] = "watch_lobby"


class AskLobby(Command):
    """Answered by `lobby_page`: a section of the lobby from `after` on, which an earlier page gave as `more`.

    Without `after` it is the first page. With `game` only that game's entries are listed; of players, the bots that
    play it. A page may then have few entries, or none, and still not be the last.
    """

    type: Literal["ask_lobby"] = "ask_lobby"
    section: LobbySection
    after: Key | None = None
    game: Key | None = None


class LeaveLobby(Command):
    """Hear no more about the lobby."""

    type: Literal["leave_lobby"] = "leave_lobby"


class CreateSeek(Command):
    """Open a table. The acknowledgement's `ref` is its id, which is also its invite."""

    type: Literal["create_seek"] = "create_seek"
    settings: SeekSettings


class JoinSeek(Command):
    """Sit down at a table. The match starts when it is full; then the acknowledgement's `ref` is the match."""

    type: Literal["join_seek"] = "join_seek"
    seek: Key


class AskSeek(Command):
    """Answered by `seek_info`: a table that may not be listed, for who has its invite. Nothing is joined yet."""

    type: Literal["ask_seek"] = "ask_seek"
    seek: Key


class LeaveSeek(Command):
    """Stand up from a table; when its creator does, the table closes."""

    type: Literal["leave_seek"] = "leave_seek"
    seek: Key


class StartSeek(Command):
    """The creator starts with those who are there, if there are enough. The acknowledgement's `ref` is the match."""

    type: Literal["start_seek"] = "start_seek"
    seek: Key


class CancelSeek(Command):
    """The creator closes the table."""

    type: Literal["cancel_seek"] = "cancel_seek"
    seek: Key


class Challenge(Command):
    """Ask one player for a two-player game. The acknowledgement's `ref` is the challenge's id."""

    type: Literal["challenge"] = "challenge"
    to: Key
    game: GameSpec
    clock: Clock = NO_CLOCK
    seat: Seat | None = None


class AcceptChallenge(Command):
    """Answered by `acknowledged`; `ref` is the match, which also `paired` tells both players."""

    type: Literal["accept_challenge"] = "accept_challenge"
    challenge: Key


class DeclineChallenge(Command):
    """Say no to a challenge; the challenger hears the `reason`."""

    type: Literal["decline_challenge"] = "decline_challenge"
    challenge: Key
    reason: Remark = ""


class CancelChallenge(Command):
    """The challenger no longer wants the game."""

    type: Literal["cancel_challenge"] = "cancel_challenge"
    challenge: Key


class InMatch(Command):
    """A command about one match."""

    match: Key


class Join(InMatch):
    """Come into a match as its player or to watch. With `since` the answer is exactly the events after that number."""

    type: Literal["join"] = "join"
    since: Count | None = None


class Leave(InMatch):
    """Stop hearing of a match. A player who leaves still plays it."""

    type: Literal["leave"] = "leave"


class AskMoves(InMatch):
    """Answered by `moves`: what is legal in the position after `ply` moves."""

    type: Literal["ask_moves"] = "ask_moves"
    ply: Count


class AskHistory(InMatch):
    """Answered by `history`: every position of the match so far."""

    type: Literal["ask_history"] = "ask_history"


class AskVariation(InMatch):
    """Answered by `variation`: the positions that `moves` lead to from the one after `ply` plies, without playing them.

    Not for the players of a match that goes on.
    """

    type: Literal["ask_variation"] = "ask_variation"
    ply: Count
    moves: Annotated[tuple[Move, ...], Field(min_length=1, max_length=MAX_PLIES, fail_fast=True)]


class AskAnalysis(InMatch):
    """Have a bot study the position after `ply` plies, for the best `lines` moves. Not while one plays the match.

    The acknowledgement's `ref` is the analysis, which `analysis` messages tell of until one of them is `final`. Where
    dice are rolled after `ply` plies, the position after the roll is studied.
    """

    type: Literal["ask_analysis"] = "ask_analysis"
    ply: Count
    lines: Annotated[int, Field(ge=1, le=MAX_LINES)] = 3


class CancelAnalysis(Command):
    """Hear no more of an analysis; when nobody waits for it any more it ends."""

    type: Literal["cancel_analysis"] = "cancel_analysis"
    analysis: Key


class OfferAnalysis(Command):
    """A bot offers to study positions of these games, up to `jobs` at once; none at all takes the offer back.

    It holds for this connection. `analyse` brings the jobs. The server's operator gives the `key` to the bots whose
    findings its players may see; an offer without it is refused.
    """

    type: Literal["offer_analysis"] = "offer_analysis"
    games: Annotated[tuple[Key, ...], Field(max_length=16, fail_fast=True)]
    jobs: Annotated[int, Field(ge=0, le=16)]
    name: Name
    """Who thinks, as people see it."""
    key: Token | None = Field(default=None, repr=False)


class Analysed(Command):
    """What an analyst found so far. Whatever is null is as it was; `final` ends the job.

    A tree need not fit into one message with the rest: send it in its own. A job that ends without any report needs an
    `error` that says why.
    """

    type: Literal["analysed"] = "analysed"
    job: Key
    final: bool = False
    report: Report | None = None
    overlays: Annotated[tuple[OverlayPicture, ...], Field(max_length=MAX_OVERLAYS, fail_fast=True)] | None = None
    tree: Annotated[tuple[TreeNode, ...], Field(max_length=MAX_NODES, fail_fast=True)] | None = None
    error: Sentence | None = None


class Play(InMatch):
    """Make a move. `ply` is the number of plies that the client has seen."""

    type: Literal["play"] = "play"
    ply: Count
    move: Move


class Resign(InMatch):
    """Give up. In games for more than two the others go on."""

    type: Literal["resign"] = "resign"


class OfferDraw(InMatch):
    """Offer a draw, or agree to the one that is offered. After a refused offer the player has to move first."""

    type: Literal["offer_draw"] = "offer_draw"


class AcceptDraw(InMatch):
    """Agree to the standing draw offer."""

    type: Literal["accept_draw"] = "accept_draw"


class DeclineDraw(InMatch):
    """Say no to a draw offer, or withdraw one's own. A move of a player who has not agreed says no as well."""

    type: Literal["decline_draw"] = "decline_draw"


class Abort(InMatch):
    """Call the match off before its second ply; nothing counts."""

    type: Literal["abort"] = "abort"


class RequestTakeback(InMatch):
    """Ask to take one's last move back, and everything after it. Everybody who is still in has to agree."""

    type: Literal["request_takeback"] = "request_takeback"


class AcceptTakeback(InMatch):
    """Agree to the standing takeback request."""

    type: Literal["accept_takeback"] = "accept_takeback"


class DeclineTakeback(InMatch):
    """Say no to a takeback request, or withdraw one's own. Any move says no as well."""

    type: Literal["decline_takeback"] = "decline_takeback"


class Claim(InMatch):
    """Claim victory: the opponent has been gone for longer than the server's patience."""

    type: Literal["claim"] = "claim"


class Rematch(InMatch):
    """Offer another game, or agree to one."""

    type: Literal["rematch"] = "rematch"


class Say(InMatch):
    """Speak: players to each other, spectators among themselves."""

    type: Literal["say"] = "say"
    text: Line
    room: ChatRoom


LobbyCommand: TypeAlias = (
    Declare
    | WatchLobby
    | LeaveLobby
    | CreateSeek
    | JoinSeek
    | LeaveSeek
    | StartSeek
    | CancelSeek
    | Challenge
    | AcceptChallenge
    | DeclineChallenge
    | CancelChallenge
)
MatchCommand: TypeAlias = (
    Play
    | Resign
    | OfferDraw
    | AcceptDraw
    | DeclineDraw
    | Abort
    | RequestTakeback
    | AcceptTakeback
    | DeclineTakeback
    | Claim
    | Rematch
)
"""Commands that the match itself decides, and that leave events behind."""
AnalysisCommand: TypeAlias = OfferAnalysis | Analysed | AskAnalysis | CancelAnalysis

ClientMessage: TypeAlias = Annotated[
    Hello
    | Ping
    | AskGames
    | AskMyMatches
    | AskSeek
    | AskLobby
    | LobbyCommand
    | Join
    | Leave
    | AskMoves
    | AskHistory
    | AskVariation
    | Say
    | MatchCommand
    | AnalysisCommand,
    Field(discriminator="type"),
]
COMMAND: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)
