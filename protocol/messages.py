"""Messages of the server."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter
from pydantic.json_schema import SkipJsonSchema

from cornered.protocol.account import AccountAnswer, Scope
from cornered.protocol.analysis import MAX_TREE_NODES, OverlayPicture, Report, TreeNode
from cornered.protocol.archive import HeadToHeadCount, OpeningMove
from cornered.protocol.bot_reports import BotAnswer
from cornered.protocol.events import MatchEvent, UnknownEvent
from cornered.protocol.groups import GroupAnswer, GroupUpdate
from cornered.protocol.moderation import ModerationAnswer
from cornered.protocol.oidc import OidcAnswer
from cornered.protocol.passkeys import PasskeyAnswer
from cornered.protocol.ratings import Leaderboard, Pools, Profile, Rated, RatingHistory
from cornered.protocol.social import Notified, SocialAnswer
from cornered.protocol.tournaments import TournamentAnswer, TournamentUpdate
from cornered.protocol.traces import MAX_TRACE_LINES, TraceSettings
from cornered.protocol.values import (
    ChatRoom,
    Clock,
    Clocks,
    CommandId,
    GameSpec,
    Key,
    LobbySection,
    Made,
    MatchStanding,
    MatchSummary,
    Milliseconds,
    OfferedGame,
    PairingPool,
    Player,
    PoolStanding,
    Presence,
    Reason,
    Seat,
    SeatInfo,
    Seek,
)

__all__ = [
    "MESSAGE",
    "Acknowledged",
    "Analyse",
    "Analysis",
    "Answer",
    "Archive",
    "ChallengeClosed",
    "Challenged",
    "ErrorCode",
    "Games",
    "Happened",
    "HeadToHead",
    "History",
    "Leaderboard",
    "Line",
    "LobbyChanged",
    "LobbyPage",
    "LobbyState",
    "MatchEnding",
    "Moves",
    "MyMatches",
    "Notice",
    "Opening",
    "Paired",
    "PlayerFound",
    "Pong",
    "Pools",
    "Profile",
    "Rated",
    "RatingHistory",
    "RecordRead",
    "Refused",
    "Said",
    "SeatPresence",
    "SeekInfo",
    "ServerMessage",
    "Snapshot",
    "StopAnalysis",
    "TraceSearch",
    "Traced",
    "Tv",
    "Unasked",
    "Variation",
    "Waiting",
    "Watchers",
    "Welcome",
]

ErrorCode: TypeAlias = Literal[
    "malformed",
    "too_large",
    "too_deep",
    "unknown_type",
    "id_reused",
    "hello_first",
    "hello_again",
    "bad_token",
    "too_fast",
    "server_full",
    "shutting_down",
    "internal",
    "unknown_game",
    "bad_options",
    "bad_position",
    "unknown_match",
    "unknown_seek",
    "unknown_challenge",
    "unknown_player",
    "unknown_pool",
    "not_a_player",
    "not_a_spectator",
    "not_yours",
    "not_your_turn",
    "stale_ply",
    "illegal_move",
    "match_over",
    "match_not_over",
    "no_draws",
    "nothing_offered",
    "already_offered",
    "too_late",
    "paused",
    "nothing_to_take_back",
    "opponent_here",
    "already_joined",
    "too_few_players",
    "seat_taken",
    "yourself",
    "not_accepted",
    "busy",
    "not_a_bot",
    "not_allowed",
    "private",
    "no_analyst",
    "not_now",
    "nothing_to_analyse",
    "unknown_analysis",
    "banned",
    "muted",
    "no_chat",
    "forbidden_words",
    "unknown_ban",
    "unknown_report",
    "unknown_group",
    "unknown_code",
    "last_teacher",
    "no_guests",
    "no_account",
    "already_registered",
    "registration_closed",
    "bad_invitation",
    "name_taken",
    "weak_password",
    "bad_credentials",
    "not_permitted",
    "unknown_session",
    "unknown_token",
    "conflict",
    "unknown_tournament",
    "tournament_over",
    "no_passkeys",
    "passkey_known",
    "unknown_passkey",
    "last_way_in",
    "sign_in_again",
    "no_oidc",
    "oidc_refused",
    "already_linked",
]
"""The reason of a refusal: stable, for programs. The `text` beside it is for people."""


class Welcome(Made):
    """The answer to `hello`. `token` is the secret that resumes a new guest; null for a player who has one.

    `matches` are the ids of the player's live matches. Each of the player's open challenges follows as `challenged`.
    """

    type: Literal["welcome"] = "welcome"
    player: Player
    token: str | None = Field(repr=False)
    server: str
    """The server's version."""
    now: Milliseconds
    matches: tuple[Key, ...]
    has_account: bool = False
    """Whether the player has an account; otherwise it is a guest, whose only key is the token."""
    scopes: tuple[Scope, ...] = ("play", "bot", "read")
    """What the token permits."""


class Acknowledged(Made):
    """The command `id` was carried out. `seq` numbers the event that it caused, `ref` is the id of what it created.

    The `seq` of a `join` is that of the newest event. See [Commands and answers](#commands-and-answers) for what is
    stored before this is sent, and for how long a repeat gets the same answer again.
    """

    type: Literal["acknowledged"] = "acknowledged"
    id: CommandId
    seq: int | None = None
    ref: Key | None = None


class Refused(Made):
    """The command `id` is refused and changed nothing.

    Without an id `hello` or a malformed message is refused, or the socket closes.
    """

    type: Literal["refused"] = "refused"
    id: CommandId | None
    code: ErrorCode
    text: str
    retry_after: Milliseconds | None = None
    """Delay before a retry, in milliseconds; null where a retry would be refused as well."""


class Pong(Made):
    """The answer to `ping`: `sent` is that of the ping, `now` the server's time."""

    type: Literal["pong"] = "pong"
    id: CommandId
    sent: Milliseconds
    now: Milliseconds


class Games(Made):
    """The answer to `ask_games`."""

    type: Literal["games"] = "games"
    id: CommandId
    games: tuple[OfferedGame, ...]
    max_plies: int
    """Limit of moves and rolls, those taken back included; a match that reaches it ends as a draw (`ply_limit`)."""
    pools: tuple[PairingPool, ...] = ()
    """The pools of quick pairing, in the order in which they are shown."""


class MyMatches(Made):
    """The answer to `ask_my_matches`, newest first; `more` is the cursor of the next page, null on the last one."""

    type: Literal["my_matches"] = "my_matches"
    id: CommandId
    live: tuple[MatchSummary, ...]
    finished: tuple[MatchSummary, ...]
    more: Key | None = None


class Archive(Made):
    """The answer to `ask_archive`; `more` is the cursor of what follows, null where nothing does."""

    type: Literal["archive"] = "archive"
    id: CommandId
    matches: tuple[MatchSummary, ...]
    more: Key | None = None


class HeadToHead(Made):
    """The answer to `ask_head_to_head`, the game with the most matches first; games without any are left out."""

    type: Literal["head_to_head"] = "head_to_head"
    id: CommandId
    games: tuple[HeadToHeadCount, ...]


class Opening(Made):
    """The answer to `ask_opening`: at most 60 moves, the most frequent first. `games` counts all that went on."""

    type: Literal["opening"] = "opening"
    id: CommandId
    game: GameSpec
    games: int
    moves: tuple[OpeningMove, ...]


class SeekInfo(Made):
    """The answer to `ask_seek`: the table's current state. Players at it receive its changes as `lobby_changed`."""

    type: Literal["seek_info"] = "seek_info"
    id: CommandId
    seek: Seek


class Tv(Made):
    """The answer to `ask_tv`: one match of each game of which there is a live public one.

    Matches of people come before those with bots; then those of the best players by their ratings at the start. A match
    is shown as late as its spectators see it.
    """

    type: Literal["tv"] = "tv"
    id: CommandId
    matches: tuple[MatchSummary, ...]


class PlayerFound(Made):
    """The answer to `find_player`."""

    type: Literal["player_found"] = "player_found"
    id: CommandId
    player: Player


class LobbyState(Made):
    """The first page of the lobby: the answer to `watch_lobby`, and sent in place of changes to a slow watcher.

    It replaces all earlier messages of the lobby. The receiver's own tables and public matches are listed in addition
    to the page. `seeks_more`, `matches_more` and `players_more` are the cursors of the next pages for `ask_lobby`; null
    where there is none.
    """

    type: Literal["lobby"] = "lobby"
    id: CommandId | None
    seeks: tuple[Seek, ...]
    matches: tuple[MatchSummary, ...]
    players: tuple[Presence, ...]
    seeks_total: int = 0
    """Number of public tables."""
    matches_total: int = 0
    """Number of live public matches."""
    players_total: int = 0
    """Number of connected players."""
    seeks_more: Key | None = None
    matches_more: Key | None = None
    players_more: Key | None = None
    pools: tuple[PoolStanding, ...] = ()
    """The pools in which players wait."""


class LobbyPage(Made):
    """The answer to `ask_lobby`: one more page of a section. The lists of the other sections are empty."""

    type: Literal["lobby_page"] = "lobby_page"
    id: CommandId
    section: LobbySection
    seeks: tuple[Seek, ...] = ()
    matches: tuple[MatchSummary, ...] = ()
    players: tuple[Presence, ...] = ()
    total: int
    """Number of the section's entries, without a filter."""
    more: Key | None
    """Cursor of the next page for `ask_lobby`; null on the last page."""


class LobbyChanged(Made):
    """New and changed entries of the first page, and the ids of removed ones, since the last update.

    An entry that newer ones push off the first page is not removed; it is sent again in full when it returns there.
    """

    type: Literal["lobby_changed"] = "lobby_changed"
    seeks: tuple[Seek, ...] = ()
    matches: tuple[MatchSummary, ...] = ()
    """Matches that began, or moved up to the first page."""
    moved: tuple[MatchStanding, ...] = ()
    """New positions of matches that were sent before; each at most once a second."""
    players: tuple[Presence, ...] = ()
    seeks_gone: tuple[Key, ...] = ()
    matches_gone: tuple[Key, ...] = ()
    players_gone: tuple[Key, ...] = ()
    seeks_total: int = 0
    matches_total: int = 0
    players_total: int = 0
    pools: tuple[PoolStanding, ...] = ()
    """The pools in which the number of waiting players has changed."""


class Challenged(Made):
    """A challenge to the receiver, or the receiver's own. It expires at the server's time `expires`.

    It is sent again after each `welcome` as long as it is open.
    """

    type: Literal["challenged"] = "challenged"
    challenge: Key
    by: Player
    to: Player
    game: GameSpec
    clock: Clock
    seat: Seat | None
    expires: Milliseconds
    with_help: bool = False
    """Whether the person may have hints and takebacks in the game against the bot."""
    rated: bool = False
    """Whether the result would change both players' ratings."""


class ChallengeClosed(Made):
    """A challenge is over: accepted (then `match` is set), declined with a `reason`, cancelled or expired."""

    type: Literal["challenge_closed"] = "challenge_closed"
    challenge: Key
    how: Literal["accepted", "declined", "cancelled", "expired"]
    reason: str = ""
    match: Key | None = None


class Paired(Made):
    """A match of the receiver has begun; `join` subscribes to it."""

    type: Literal["paired"] = "paired"
    match: Key
    seat: Seat


class Waiting(Made):
    """The receiver waits in `pool` since the server's time `since`, or in none any more.

    Sent after `welcome` to a player who waits, and at every change. After a wait the server names a `bot` of similar
    strength that takes a challenge with the pool's game and clock; it may be ignored. `reason` says why the server has
    removed the receiver from a pool.
    """

    type: Literal["waiting"] = "waiting"
    pool: Key | None
    since: Milliseconds = 0
    bot: Player | None = None
    reason: str = ""


Legal: TypeAlias = Annotated[tuple[str, ...] | None, Field(exclude_if=lambda moves: moves is None)]
"""Moves that few receivers ask for: the field is left out of the messages of all others."""


class Snapshot(Made):
    """A match's current state: the answer to `join` without `since`, and sent in place of events to a slow watcher.

    `moves` holds every ply, rolls included. `seat` is the receiver's own, null for watchers.
    """

    type: Literal["snapshot"] = "snapshot"
    id: CommandId | None
    match: Key
    seq: int
    game: GameSpec
    title: str
    clock: Clock
    seats: tuple[SeatInfo, ...]
    seat: Seat | None
    position: str
    ply: int
    to_move: int
    """The seat to move, or -1 while the dice are rolled."""
    moves: tuple[str, ...]
    clocks: Clocks
    connected: tuple[bool, ...]
    watchers: int
    commitment: str
    private: bool
    delay: int
    has_draws: bool
    draw_offer: Seat | None
    takeback: Seat | None
    rematch: tuple[Seat, ...]
    """The seats that offered or accepted a rematch."""
    over: bool
    winner: Seat | None
    reason: Reason | None
    seed: str | None
    next: Key | None
    """The match that is the rematch of this one; null before all have accepted."""
    draw_agreed: tuple[Seat, ...] = ()
    """In games for more than two: the seats that have accepted the standing draw offer, its own included."""
    takeback_agreed: tuple[Seat, ...] = ()
    with_help: bool = False
    """Whether the person in this match against a bot may have hints and takebacks."""
    rated: bool = False
    """Whether the result counts for the ratings, as far as it is known; false from a takeback on."""
    tournament: Key | None = None
    """The tournament to which this match belongs; null for any other."""
    paused_until: Milliseconds | None = None
    """When the clocks that the organiser has paused go on by themselves; null while the match is not paused."""
    legal: Legal = None
    """The legal moves, for a player who has joined with `legal` and is to move; left out for everybody else."""


class Happened(Made):
    """Consecutive events of one match, and the position and clocks after them; many after `join` with `since`.

    After the event `ended` nobody moves, whatever `to_move` is.
    """

    type: Literal["happened"] = "happened"
    match: Key
    events: tuple[MatchEvent | SkipJsonSchema[UnknownEvent], ...]
    position: str
    ply: int
    to_move: int
    clocks: Clocks
    legal: Legal = None
    """The legal moves after the events, for a player who has joined with `legal` and is to move then; otherwise left
    out."""

    @property
    def known(self) -> tuple[MatchEvent, ...]:
        """The events without those of a later server."""
        return tuple(event for event in self.events if not isinstance(event, UnknownEvent))


class MatchEnding(Made):
    """Why the rules ended a match: `you` is the sentence for `seat`, and `they` continues its name for the others.

    Where `seat` is null, nobody has won, and both are the whole sentence. `cells` are those that show the reason.
    """

    seat: Seat | None
    you: str
    they: str
    cells: tuple[str, ...]


class Moves(Made):
    """The answer to `ask_moves`. `refused` maps illegal moves that look legal to the reason, `notes` cells to a text.

    `gauges[seat]` is a label and a number that measure that seat's position; where the number is 0 the label says all.
    """

    type: Literal["moves"] = "moves"
    id: CommandId
    match: Key
    ply: int
    moves: tuple[str, ...]
    refused: dict[str, str]
    notes: dict[str, str]
    gauges: tuple[tuple[str, int], ...]
    ending: MatchEnding | None = None
    """Why the rules ended the match after this ply; null where they did not."""
    countdown: str | None = None
    """The sentence of a draw that a limit of the game brings soon; null without one."""


class History(Made):
    """The answer to `ask_history`: `positions[k]` is the position text after k plies of `moves`."""

    type: Literal["history"] = "history"
    id: CommandId
    match: Key
    moves: tuple[str, ...]
    positions: tuple[str, ...]


class Variation(Made):
    """The answer to `ask_variation`: `positions[k]` is the position text after the first k + 1 of its moves.

    `moves` are legal in the last of them.
    """

    type: Literal["variation"] = "variation"
    id: CommandId
    match: Key
    ply: int
    positions: tuple[str, ...]
    moves: tuple[str, ...] = ()
    gauges: tuple[tuple[tuple[str, int], ...], ...] = ()
    """The gauges of each of the positions, as in `moves`."""


class Line(Made):
    """The answer to `ask_line`: `positions[k]` is the position text after k of its moves; the rest is about the last.

    `moves` are legal there, the sides of the dice included where they are rolled; `refused`, `notes` and `gauges` are
    those of `moves`. `places` is the result where the game is decided there.
    """

    type: Literal["line"] = "line"
    id: CommandId
    game: GameSpec
    """With every option filled in."""
    title: str
    seats: int
    positions: tuple[str, ...]
    to_move: int
    moves: tuple[str, ...]
    refused: dict[str, str]
    notes: dict[str, str]
    gauges: tuple[tuple[str, int], ...]
    places: tuple[int, ...] | None = None
    ending: MatchEnding | None = None


class RecordRead(Made):
    """The answer to `read_record`: the game, the moves up to the first departure of a player, and what was said of it.

    `players` has a name for each seat, or is empty; `places` is the result, null without one.
    """

    type: Literal["record"] = "record"
    id: CommandId
    game: GameSpec
    moves: tuple[str, ...]
    players: tuple[str, ...]
    places: tuple[int, ...] | None
    termination: str


class Analysis(Made):
    """All results so far of an analysis that the receiver requested; the `final` message is the last.

    `position` is the one that is analysed. Results are cached for a while: then the first message is `final`.
    """

    type: Literal["analysis"] = "analysis"
    analysis: Key
    position: str
    ahead: int
    """Number of analyses ahead of this one in the queue; 0 while it runs."""
    final: bool
    by: str
    """The analyst's name; empty while the job is queued."""
    report: Report | None
    overlays: tuple[OverlayPicture, ...]
    tree: tuple[TreeNode, ...]
    error: str
    """The reason for an end without a report; empty otherwise."""


class Analyse(Made):
    """To an analyst: analyse this position, and send every new result as `analysed`, within the time limit."""

    type: Literal["analyse"] = "analyse"
    job: Key
    game: GameSpec
    position: str
    lines: int
    """Number of moves to report with an exact score and a principal variation."""
    milliseconds: int
    """Time limit of the whole job."""
    nodes: Annotated[int, Field(le=MAX_TREE_NODES)]
    """Limit of the game tree's nodes."""


class Traced(Made):
    """A search that the receiver requested with `ask_trace`, recorded step by step; the `final` message is the last.

    Only the final message has a report and lines. The lines are those of `analysed.trace`, all of them, and
    `positions[k]` is the position text of the k-th node that they enter. A search that took more steps than there are
    lines was counted to its end: the report has its numbers.
    """

    type: Literal["traced"] = "traced"
    analysis: Key
    position: str
    ahead: int
    """Number of jobs ahead of this one in the queue; 0 while it runs."""
    final: bool
    by: str
    """The analyst's name; empty while the job is queued."""
    report: Report | None
    lines: tuple[str, ...]
    positions: tuple[str, ...]
    error: str
    """The reason for an end without a report; empty otherwise."""


class TraceSearch(Made):
    """To an analyst that offered `traces`: search this position so, and send the search's lines as `analysed`.

    The final message, or one before it, has the report.
    """

    type: Literal["trace_search"] = "trace_search"
    job: Key
    game: GameSpec
    position: str
    settings: TraceSettings
    milliseconds: int
    """Time limit of the whole job."""
    lines: Annotated[int, Field(le=MAX_TRACE_LINES)]
    """Limit of the lines."""


class StopAnalysis(Made):
    """To an analyst: this job is cancelled, or assigned to another analyst."""

    type: Literal["stop_analysis"] = "stop_analysis"
    job: Key


class SeatPresence(Made):
    """A player connected or disconnected, at the server's time `at`."""

    type: Literal["seat_presence"] = "seat_presence"
    match: Key
    seat: Seat
    connected: bool
    at: Milliseconds
    claim_at: Milliseconds | None = None
    """The server's time from which the others may claim victory over the absent player; null otherwise."""


class Watchers(Made):
    """The number of people who watch a match, sent on a change and at most once a second. Several windows of one person
    on one node are one watcher."""

    type: Literal["watchers"] = "watchers"
    match: Key
    count: int


class Said(Made):
    """A line of chat in a match."""

    type: Literal["said"] = "said"
    match: Key
    room: ChatRoom
    by: Player
    text: str
    at: Milliseconds


class Notice(Made):
    """The server is about to restart, another program is connected as this bot, or a report of one's own was closed."""

    type: Literal["notice"] = "notice"
    code: Literal["restarting", "also_here", "report_closed"]
    text: str


Answer: TypeAlias = (
    Acknowledged
    | Pong
    | Games
    | MyMatches
    | Archive
    | HeadToHead
    | Opening
    | SeekInfo
    | Tv
    | PlayerFound
    | LobbyState
    | LobbyPage
    | Pools
    | Profile
    | RatingHistory
    | Leaderboard
    | Snapshot
    | Moves
    | History
    | Variation
    | Line
    | RecordRead
    | AccountAnswer
    | ModerationAnswer
    | GroupAnswer
    | TournamentAnswer
    | PasskeyAnswer
    | OidcAnswer
    | SocialAnswer
    | BotAnswer
)
"""Answers to the command whose `id` they carry. `lobby` and `snapshot` are sent without an `id` too."""
Unasked: TypeAlias = (
    Happened
    | LobbyChanged
    | Challenged
    | ChallengeClosed
    | Paired
    | Waiting
    | Analysis
    | Analyse
    | Traced
    | TraceSearch
    | StopAnalysis
    | SeatPresence
    | Watchers
    | Said
    | Rated
    | Notified
    | Notice
    | GroupUpdate
    | TournamentUpdate
)
"""Messages that answer no command: updates of the lobby, a match, an analysis or the server."""

ServerMessage: TypeAlias = Annotated[
    Welcome
    | Acknowledged
    | Refused
    | Pong
    | Games
    | MyMatches
    | Archive
    | HeadToHead
    | Opening
    | SeekInfo
    | Tv
    | PlayerFound
    | LobbyState
    | LobbyPage
    | LobbyChanged
    | Challenged
    | ChallengeClosed
    | Paired
    | Waiting
    | Pools
    | Profile
    | RatingHistory
    | Leaderboard
    | Snapshot
    | Happened
    | Moves
    | History
    | Variation
    | Line
    | RecordRead
    | Analysis
    | Analyse
    | Traced
    | TraceSearch
    | StopAnalysis
    | SeatPresence
    | Watchers
    | Said
    | Rated
    | Notified
    | Notice
    | AccountAnswer
    | ModerationAnswer
    | GroupAnswer
    | GroupUpdate
    | TournamentAnswer
    | TournamentUpdate
    | PasskeyAnswer
    | OidcAnswer
    | SocialAnswer
    | BotAnswer,
    Field(discriminator="type"),
]
MESSAGE: TypeAdapter[ServerMessage] = TypeAdapter(ServerMessage)
