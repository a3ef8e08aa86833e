"""Commands of a client: the first one is `hello`; every later one has an id and gets exactly one answer."""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from cornered.protocol.account import AccountCommand
from cornered.protocol.analysis import (
    MAX_ANALYSIS_MS,
    MAX_LINE_PLIES,
    MAX_LINES,
    MAX_OVERLAYS,
    MAX_RECORD_CHARACTERS,
    MAX_STUDIED_MOVES,
    MAX_TREE_NODES,
    MIN_ANALYSIS_MS,
    OverlayPicture,
    Report,
    Sentence,
    TreeNode,
)
from cornered.protocol.archive import MAX_OPENING_PLIES, ArchiveFilter
from cornered.protocol.bot_reports import BotCommand
from cornered.protocol.groups import GroupCommand
from cornered.protocol.moderation import ModerationCommand
from cornered.protocol.oidc import OidcCommand
from cornered.protocol.passkeys import PasskeyCommand
from cornered.protocol.ratings import RatingPool
from cornered.protocol.social import SocialCommand
from cornered.protocol.tournaments import TournamentCommand
from cornered.protocol.traces import MAX_SENT_LINES, MAX_TRACE_MOVES, TraceLine, TraceSettings
from cornered.protocol.values import (
    NO_CLOCK,
    ONE_LINE,
    Accepts,
    BotVersion,
    ChatLine,
    ChatRoom,
    Clock,
    Command,
    Count,
    GameSpec,
    Key,
    LobbySection,
    Milliseconds,
    Move,
    Name,
    PlayerKind,
    PositionLine,
    Remark,
    Seat,
    SeekSettings,
    Token,
    Value,
)

__all__ = [
    "COMMAND",
    "MAX_LADDER_GAMES",
    "Abort",
    "AcceptChallenge",
    "AcceptDraw",
    "AcceptTakeback",
    "AccountCommand",
    "Analysed",
    "AnalysisCommand",
    "ArchiveCommand",
    "AskAnalysis",
    "AskArchive",
    "AskGames",
    "AskHeadToHead",
    "AskHistory",
    "AskLeaderboard",
    "AskLine",
    "AskLobby",
    "AskMoves",
    "AskMyMatches",
    "AskOpening",
    "AskPools",
    "AskProfile",
    "AskRatingHistory",
    "AskSeek",
    "AskStudy",
    "AskTrace",
    "AskTv",
    "AskVariation",
    "BotCommand",
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
    "DeclineRematch",
    "DeclineTakeback",
    "EnterPool",
    "FindPlayer",
    "Hello",
    "InMatch",
    "Join",
    "JoinSeek",
    "Leave",
    "LeaveLobby",
    "LeavePool",
    "LeaveSeek",
    "LobbyCommand",
    "MatchCommand",
    "ModerationCommand",
    "OfferAnalysis",
    "OfferDraw",
    "Ping",
    "Play",
    "RatingCommand",
    "ReadRecord",
    "Rematch",
    "RequestTakeback",
    "Resign",
    "Say",
    "SocialCommand",
    "StartSeek",
    "TournamentCommand",
    "WatchLobby",
]


MAX_LADDER_GAMES: Final = 16
"""Games of the ladder that one bot may play at once."""


class Hello(Value):
    """The first message. A token resumes its player; without one the server creates a guest called `name`."""

    type: Literal["hello"] = "hello"
    name: Name | None = None
    token: Token | None = Field(default=None, repr=False)
    kind: PlayerKind = "person"
    client: Annotated[str, ONE_LINE, Field(max_length=60)] = ""
    """The program's name and version, for the server's log."""
    instance: Key | None = None
    """A random id of the process; two processes that are connected as one bot both get the notice `also_here`."""
    key: Token | None = Field(default=None, repr=False)
    """The operator's key, which reserved names of house bots require. A wrong key is ignored."""


class Ping(Command, json_schema_extra={"answers": ["pong"]}):
    """Ask for the server's time; `sent` comes back unchanged."""

    type: Literal["ping"] = "ping"
    sent: Milliseconds = 0


class AskGames(Command, json_schema_extra={"answers": ["games"]}):
    """Ask for the games of this server with every option."""

    type: Literal["ask_games"] = "ask_games"


class AskMyMatches(Command, json_schema_extra={"answers": ["my_matches"]}):
    """Ask for the player's live matches and newest finished ones.

    With the cursor `after`, the `more` of an earlier answer, ask for the finished ones that follow, without live ones.
    """

    type: Literal["ask_my_matches"] = "ask_my_matches"
    after: Key | None = None


class AskPools(Command, json_schema_extra={"answers": ["pools"]}):
    """Ask for the rating pools in which there are players. The answer may be a minute old."""

    type: Literal["ask_pools"] = "ask_pools"


class AskProfile(Command, json_schema_extra={"answers": ["profile"]}):
    """Ask for a player's name, kind and ratings; the player need not be connected."""

    type: Literal["ask_profile"] = "ask_profile"
    player: Key


class FindPlayer(Command, json_schema_extra={"answers": ["player_found"]}):
    """Ask who has a name: the account of this name, or else the player who is here under it.

    Capitals, spaces and marks that only change how a name looks make no difference.
    """

    type: Literal["find_player"] = "find_player"
    name: Name


class AskRatingHistory(Command, json_schema_extra={"answers": ["rating_history"]}):
    """Ask for the course of a player's rating in one pool."""

    type: Literal["ask_rating_history"] = "ask_rating_history"
    player: Key
    pool: RatingPool


class AskLeaderboard(Command, json_schema_extra={"answers": ["leaderboard"]}):
    """Ask for the players of one kind with an established rating in a pool, the best first, at most 50.

    With the cursor `after`, the `more` of an earlier page, ask for those that follow.
    """

    type: Literal["ask_leaderboard"] = "ask_leaderboard"
    pool: RatingPool
    kind: PlayerKind = "person"
    after: Key | None = None


class AskArchive(Command, ArchiveFilter, json_schema_extra={"answers": ["archive"]}):
    """Search the finished public matches of the server, 20 at a time.

    With the cursor `after`, the `more` of an earlier answer, and the same conditions, ask for what follows. A page may
    have few matches or none and still not be the last: the server looks through a bounded number of matches for each.
    """

    type: Literal["ask_archive"] = "ask_archive"
    after: Key | None = None


class AskHeadToHead(Command, json_schema_extra={"answers": ["head_to_head"]}):
    """Ask for the results of the finished public matches between two players, by game."""

    type: Literal["ask_head_to_head"] = "ask_head_to_head"
    player: Key
    opponent: Key
    game: Key | None = None


class AskOpening(Command, json_schema_extra={"answers": ["opening"]}):
    """Ask which moves followed the first `moves` of a game in finished public matches.

    Options left out have the values that the server fills in for a new match. The first 8 plies of a match are counted,
    so at most 7 moves have any that follow. Other orders of the same moves are counted apart.
    """

    type: Literal["ask_opening"] = "ask_opening"
    game: GameSpec
    moves: Annotated[tuple[Move, ...], Field(max_length=MAX_OPENING_PLIES - 1, fail_fast=True)] = ()


class Declare(Command):
    """Declares the games that a bot plays and its `concurrency`, of which the server grants at most 200.

    The server refuses challenges outside the declaration. It lasts until the bot departs.
    """

    type: Literal["declare"] = "declare"
    accepts: Annotated[tuple[Accepts, ...], Field(max_length=16, fail_fast=True)]
    concurrency: Annotated[int, Field(ge=0, le=1000)]
    ladder: Annotated[int, Field(ge=0, le=MAX_LADDER_GAMES)] = 0
    """Games of the ladder that the bot plays at once: rated ones against bots of similar strength, for which the server
    pairs it while it is connected. They are part of `concurrency`, of which at least one game is left for people."""
    version: BotVersion | None = None
    """The version of the bot, for its matches and ratings: with a new one its rating is uncertain again."""


class WatchLobby(Command, json_schema_extra={"answers": ["lobby"]}):
    """Ask for the first page of the lobby; `lobby_changed` follows with every later change of it."""

    type: Literal["watch_lobby"] = "watch_lobby"


class AskLobby(Command, json_schema_extra={"answers": ["lobby_page"]}):
    """Ask for the page of a section that follows the cursor `after`, the `more` of an earlier page.

    Without `after` it is the first page. `game` filters by game; of players it keeps the bots that play it. A filtered
    page may have few entries or none and still not be the last.
    """

    type: Literal["ask_lobby"] = "ask_lobby"
    section: LobbySection
    after: Key | None = None
    game: Key | None = None


class LeaveLobby(Command):
    """Unsubscribe from the lobby."""

    type: Literal["leave_lobby"] = "leave_lobby"


class CreateSeek(Command):
    """Open a table. The acknowledgement's `ref` is its id, which is also its invitation."""

    type: Literal["create_seek"] = "create_seek"
    settings: SeekSettings


class JoinSeek(Command):
    """Sit down at a table. The match starts when it is full; then the acknowledgement's `ref` is the match."""

    type: Literal["join_seek"] = "join_seek"
    seek: Key


class AskTv(Command, json_schema_extra={"answers": ["tv"]}):
    """Ask for the best live public match of each game."""

    type: Literal["ask_tv"] = "ask_tv"


class AskSeek(Command, json_schema_extra={"answers": ["seek_info"]}):
    """Ask for the table with this id, also a private one, without joining it."""

    type: Literal["ask_seek"] = "ask_seek"
    seek: Key


class LeaveSeek(Command):
    """Leave a table; it closes when its creator leaves."""

    type: Literal["leave_seek"] = "leave_seek"
    seek: Key


class StartSeek(Command):
    """Start a table that has enough players; for its creator. The acknowledgement's `ref` is the match."""

    type: Literal["start_seek"] = "start_seek"
    seek: Key


class CancelSeek(Command):
    """Close a table; for its creator."""

    type: Literal["cancel_seek"] = "cancel_seek"
    seek: Key


class Challenge(Command):
    """Challenge one player to a two-player game. The acknowledgement's `ref` is the challenge's id."""

    type: Literal["challenge"] = "challenge"
    to: Key
    game: GameSpec
    clock: Clock = NO_CLOCK
    seat: Seat | None = None
    with_help: bool = False
    """A person's game against a bot with hints and takebacks, which is never rated; refused against a person."""
    rated: bool = False
    """Whether the result changes both players' ratings."""


class AcceptChallenge(Command):
    """Accept a challenge. The acknowledgement's `ref` is the match, which both players also get as `paired`."""

    type: Literal["accept_challenge"] = "accept_challenge"
    challenge: Key


class DeclineChallenge(Command):
    """Decline a challenge; the challenger gets the `reason`."""

    type: Literal["decline_challenge"] = "decline_challenge"
    challenge: Key
    reason: Remark = ""


class CancelChallenge(Command):
    """Withdraw a challenge; for its challenger."""

    type: Literal["cancel_challenge"] = "cancel_challenge"
    challenge: Key


class EnterPool(Command):
    """Wait in a pool of `games` for an opponent of a similar rating; for people. `paired` follows, `waiting` before it.

    A player waits in one pool: entering another one leaves the first. It ends with any other game that begins, and when
    the player has no connection for a while.
    """

    type: Literal["enter_pool"] = "enter_pool"
    pool: Key


class LeavePool(Command):
    """Leave the pool in which the player waits, if any."""

    type: Literal["leave_pool"] = "leave_pool"


class InMatch(Command):
    """A command about one match."""

    match: Key


class Join(InMatch, json_schema_extra={"answers": ["snapshot", "acknowledged"]}):
    """Subscribe to a match, as its player or a spectator, for as long as the connection lasts.

    With `since` the answer is `acknowledged`, and the events after that number follow, if there are any.
    """

    type: Literal["join"] = "join"
    since: Count | None = None
    legal: bool = False
    """Whether `snapshot` and `happened` list the legal moves as `legal` whenever it is this player's turn. It holds
    until the next `join`, which says it anew."""


class Leave(InMatch):
    """Unsubscribe from a match. A player who leaves keeps the seat."""

    type: Literal["leave"] = "leave"


class AskMoves(InMatch, json_schema_extra={"answers": ["moves"]}):
    """Ask for the legal moves of the position after `ply` plies."""

    type: Literal["ask_moves"] = "ask_moves"
    ply: Count


class AskHistory(InMatch, json_schema_extra={"answers": ["history"]}):
    """Ask for every position of the match."""

    type: Literal["ask_history"] = "ask_history"


class AskVariation(InMatch, json_schema_extra={"answers": ["variation"]}):
    """Ask for the positions after each of `moves`, from the position after `ply` plies, and for what is legal then.

    Refused to the players of a live match, but to a person in a match with help.
    """

    type: Literal["ask_variation"] = "ask_variation"
    ply: Count
    moves: Annotated[tuple[Move, ...], Field(min_length=1, max_length=MAX_LINE_PLIES, fail_fast=True)]


class AskAnalysis(InMatch):
    """Queue an analysis of the position after `ply` plies, and then `moves`, for the best `lines` moves.

    Refused to the players of a live match, and to everybody else while a person plays in it, unless it has a clock
    and is shown at least 60 seconds late: then the positions that are shown may be analysed, and no `moves` from them.
    In a live match with help its person may ask, unless that player has another game without help on such a board.
    The acknowledgement's `ref` is the analysis id of the `analysis` messages that follow, the last of which is `final`.
    Where dice are rolled after `ply` plies, the position after the roll is analysed.
    """

    type: Literal["ask_analysis"] = "ask_analysis"
    ply: Count
    lines: Annotated[int, Field(ge=1, le=MAX_LINES)] = 3
    moves: Annotated[tuple[Move, ...], Field(max_length=MAX_LINE_PLIES, fail_fast=True)] = ()
    """A variation of one's own."""
    milliseconds: Annotated[int, Field(ge=MIN_ANALYSIS_MS, le=MAX_ANALYSIS_MS)] = MAX_ANALYSIS_MS
    """The search time. In less than 200 ms there is a report, and neither overlays nor a tree."""


class AskTrace(Command):
    """Queue a search of a position of a small board, recorded step by step.

    The position is the one after `moves` from the start of `game`; no match is concerned. The acknowledgement's `ref`
    is the analysis id of the `traced` messages that follow, the last of which is `final`. Refused to the players of a
    live match of the same game.
    """

    type: Literal["ask_trace"] = "ask_trace"
    game: GameSpec
    moves: Annotated[tuple[Move, ...], Field(max_length=MAX_TRACE_MOVES, fail_fast=True)] = ()
    settings: TraceSettings


class AskLine(Command, json_schema_extra={"answers": ["line"]}):
    """Ask for the positions of a line of play that belongs to no match, and for what is legal at its end.

    It begins at `position`, by default at the start of `game`. Options that are left out have the rules' defaults,
    without the draws that matches between people add.
    """

    type: Literal["ask_line"] = "ask_line"
    game: GameSpec
    position: PositionLine | None = None
    moves: Annotated[tuple[Move, ...], Field(max_length=MAX_STUDIED_MOVES, fail_fast=True)] = ()


class AskStudy(Command):
    """Queue an analysis of a position that belongs to no match, as `ask_analysis` does for one of a match.

    The acknowledgement's `ref` is the analysis id of the `analysis` messages that follow. Refused to the players of a
    live match on such a board, and for a position that stands on the board of people just now.
    """

    type: Literal["ask_study"] = "ask_study"
    game: GameSpec
    position: PositionLine
    lines: Annotated[int, Field(ge=1, le=MAX_LINES)] = 3
    milliseconds: Annotated[int, Field(ge=MIN_ANALYSIS_MS, le=MAX_ANALYSIS_MS)] = MAX_ANALYSIS_MS
    """The search time, as in `ask_analysis`."""


class ReadRecord(Command, json_schema_extra={"answers": ["record"]}):
    """Have a game record read and checked against the rules; nothing of it is stored.

    The text is that of `/matches/ID.txt` or `/matches/ID.jsonl`, of one game. A refusal names the line.
    """

    type: Literal["read_record"] = "read_record"
    text: Annotated[str, Field(min_length=1, max_length=MAX_RECORD_CHARACTERS)]


class CancelAnalysis(Command):
    """Unsubscribe from an analysis or a trace; it ends with its last subscriber."""

    type: Literal["cancel_analysis"] = "cancel_analysis"
    analysis: Key


class OfferAnalysis(Command):
    """Registers a bot as analyst of these games with up to `jobs` jobs at once; 0 withdraws it.

    The offer lasts as long as this connection, and `analyse` messages carry its jobs. It is refused without the
    operator's `key`.
    """

    type: Literal["offer_analysis"] = "offer_analysis"
    games: Annotated[tuple[Key, ...], Field(max_length=16, fail_fast=True)]
    jobs: Annotated[int, Field(ge=0, le=16)]
    name: Name
    """The analyst's displayed name."""
    key: Token | None = Field(default=None, repr=False)
    traces: bool = False
    """Whether the bot also takes the jobs of `trace_search`."""


class Analysed(Command):
    """Results of a job so far. A null field is unchanged since the last message; `final` ends the job.

    A tree may be sent in a message of its own, since all fields together can exceed the frame limit. A job that ends
    without a report needs an `error` with the reason.
    """

    type: Literal["analysed"] = "analysed"
    job: Key
    final: bool = False
    report: Report | None = None
    overlays: Annotated[tuple[OverlayPicture, ...], Field(max_length=MAX_OVERLAYS, fail_fast=True)] | None = None
    tree: Annotated[tuple[TreeNode, ...], Field(max_length=MAX_TREE_NODES, fail_fast=True)] | None = None
    trace: Annotated[tuple[TraceLine, ...], Field(max_length=MAX_SENT_LINES, fail_fast=True)] | None = None
    """The next lines of a `trace_search`, which follow those of earlier messages."""
    error: Sentence | None = None


class Play(InMatch):
    """Make a move. `ply` is the number of plies that the client knows."""

    type: Literal["play"] = "play"
    ply: Count
    move: Move


class Resign(InMatch):
    """Resign. In a game for more than two players the others go on."""

    type: Literal["resign"] = "resign"


class OfferDraw(InMatch):
    """Offer a draw, or accept the standing offer. After a declined offer the player must move before the next one."""

    type: Literal["offer_draw"] = "offer_draw"


class AcceptDraw(InMatch):
    """Accept the standing draw offer."""

    type: Literal["accept_draw"] = "accept_draw"


class DeclineDraw(InMatch):
    """Decline a draw offer, or withdraw one's own. A move of a player who has not accepted declines it as well."""

    type: Literal["decline_draw"] = "decline_draw"


class Abort(InMatch):
    """Abort the match before its second ply; it has no result."""

    type: Literal["abort"] = "abort"


class RequestTakeback(InMatch):
    """Request that one's last move and everything after it be taken back; every remaining player must accept.

    In a match with help a person's request is granted at once, and may be repeated.
    """

    type: Literal["request_takeback"] = "request_takeback"


class AcceptTakeback(InMatch):
    """Accept the standing takeback request."""

    type: Literal["accept_takeback"] = "accept_takeback"


class DeclineTakeback(InMatch):
    """Decline a takeback request, or withdraw one's own. Any move declines it as well."""

    type: Literal["decline_takeback"] = "decline_takeback"


class Claim(InMatch):
    """Claim victory after the opponent's absence has exceeded the server's limit."""

    type: Literal["claim"] = "claim"


class Rematch(InMatch):
    """Offer a rematch, or accept the standing offer."""

    type: Literal["rematch"] = "rematch"


class DeclineRematch(InMatch):
    """Decline the standing offer of a rematch, or withdraw one's own; the others get the `reason`."""

    type: Literal["decline_rematch"] = "decline_rematch"
    reason: Remark = ""


class Say(InMatch):
    """Send a chat line to the `room` of the players or to that of the spectators."""

    type: Literal["say"] = "say"
    text: ChatLine
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
    | EnterPool
    | LeavePool
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
    | DeclineRematch
)
"""Commands that `Match.decide` turns into events."""
RatingCommand: TypeAlias = AskPools | AskProfile | AskRatingHistory | AskLeaderboard
AnalysisCommand: TypeAlias = OfferAnalysis | Analysed | AskAnalysis | AskStudy | AskTrace | CancelAnalysis

ArchiveCommand: TypeAlias = AskArchive | AskHeadToHead | AskOpening

ClientMessage: TypeAlias = Annotated[
    Hello
    | Ping
    | AskGames
    | AskMyMatches
    | ArchiveCommand
    | AskSeek
    | AskLobby
    | AskTv
    | RatingCommand
    | FindPlayer
    | LobbyCommand
    | Join
    | Leave
    | AskMoves
    | AskHistory
    | AskVariation
    | AskLine
    | ReadRecord
    | Say
    | MatchCommand
    | AnalysisCommand
    | AccountCommand
    | ModerationCommand
    | GroupCommand
    | TournamentCommand
    | PasskeyCommand
    | OidcCommand
    | SocialCommand
    | BotCommand,
    Field(discriminator="type"),
]
COMMAND: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)
