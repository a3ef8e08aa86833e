"""Messages of the server."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from cornered.protocol.analysis import MAX_TREE_NODES, OverlayPicture, Report, TreeNode
from cornered.protocol.events import MatchEvent
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
    Player,
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
    "ChallengeClosed",
    "Challenged",
    "ErrorCode",
    "Games",
    "Happened",
    "History",
    "LobbyChanged",
    "LobbyPage",
    "LobbyState",
    "Moves",
    "MyMatches",
    "Notice",
    "Paired",
    "Pong",
    "Refused",
    "Said",
    "SeatPresence",
    "SeekInfo",
    "ServerMessage",
    "Snapshot",
    "StopAnalysis",
    "Unasked",
    "Variation",
    "Watchers",
    "Welcome",
]

ErrorCode: TypeAlias = Literal[
    "malformed",
    "too_large",
    "too_deep",
    "unknown_type",
    "hello_first",
    "hello_again",
    "bad_token",
    "too_fast",
    "server_full",
    "shutting_down",
    "internal",
    "unknown_game",
    "bad_options",
    "unknown_match",
    "unknown_seek",
    "unknown_challenge",
    "unknown_player",
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
]
"""Why something was refused: stable, for programs. The text beside it is for people."""


class Welcome(Made):
    """The answer to `hello`. `token` is there when it is new: keep it, it is the player. `matches` are my live ones."""

    type: Literal["welcome"] = "welcome"
    player: Player
    token: str | None
    server: str
    """The server's version."""
    now: Milliseconds
    matches: tuple[Key, ...]


class Acknowledged(Made):
    """The command `id` was carried out. `seq` is the match's event that it caused, `ref` what it made.

    What happened in a match is stored, and so is the match that a command made; tables, challenges and declarations
    are in the server's memory. See [Commands](#commands) for how long a repeat gets the same answer again.
    """

    type: Literal["acknowledged"] = "acknowledged"
    id: CommandId
    seq: int | None = None
    ref: Key | None = None


class Refused(Made):
    """The command `id` changed nothing. Without an id the message could not even be read, or the socket is closing."""

    type: Literal["refused"] = "refused"
    id: CommandId | None
    code: ErrorCode
    text: str
    retry_after: Milliseconds | None = None
    """How long to wait before trying again, where waiting helps."""


class Pong(Made):
    """The answer to `ping`: `sent` comes back unchanged, `now` is the server's time."""

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
    """Moves and rolls, those that were taken back included, after which every match ends as a draw (`ply_limit`)."""


class MyMatches(Made):
    """The answer to `ask_my_matches`, newest first."""

    type: Literal["my_matches"] = "my_matches"
    id: CommandId
    live: tuple[MatchSummary, ...]
    finished: tuple[MatchSummary, ...]


class SeekInfo(Made):
    """The answer to `ask_seek`: the table as it stands. Players at it receive its changes as `lobby_changed`."""

    type: Literal["seek_info"] = "seek_info"
    id: CommandId
    seek: Seek


class LobbyState(Made):
    """The first page of the lobby: the answer to `watch_lobby`, and what a watcher who missed changes gets instead.

    It replaces all earlier messages of the lobby. The receiver's own tables and public matches are listed beside the
    page. `seeks_more`, `matches_more` and `players_more` are where `ask_lobby` goes on; null where the page is all
    there is.
    """

    type: Literal["lobby"] = "lobby"
    id: CommandId | None
    seeks: tuple[Seek, ...]
    matches: tuple[MatchSummary, ...]
    players: tuple[Presence, ...]
    seeks_total: int = 0
    """How many public tables there are."""
    matches_total: int = 0
    """How many public matches go on."""
    players_total: int = 0
    """How many players are here."""
    seeks_more: Key | None = None
    matches_more: Key | None = None
    players_more: Key | None = None


class LobbyPage(Made):
    """The answer to `ask_lobby`: one more page of a section. The lists of the other sections are empty."""

    type: Literal["lobby_page"] = "lobby_page"
    id: CommandId
    section: LobbySection
    seeks: tuple[Seek, ...] = ()
    matches: tuple[MatchSummary, ...] = ()
    players: tuple[Presence, ...] = ()
    total: int
    """How many entries the section has, of every game."""
    more: Key | None
    """Where `ask_lobby` goes on after this page; null at the end."""


class LobbyChanged(Made):
    """What is new or changed on the first page, and the ids of what is gone from the lobby, since the last update.

    An entry that newer ones push off the first page is not gone; it is sent again, whole, when it returns there.
    """

    type: Literal["lobby_changed"] = "lobby_changed"
    seeks: tuple[Seek, ...] = ()
    matches: tuple[MatchSummary, ...] = ()
    """Matches that began, or came onto the first page."""
    moved: tuple[MatchStanding, ...] = ()
    """Where matches stand that were sent before; each at most once a second."""
    players: tuple[Presence, ...] = ()
    seeks_gone: tuple[Key, ...] = ()
    matches_gone: tuple[Key, ...] = ()
    players_gone: tuple[Key, ...] = ()
    seeks_total: int = 0
    matches_total: int = 0
    players_total: int = 0


class Challenged(Made):
    """A player challenges you, or your own challenge stands. It ends at `expires`, the server's time."""

    type: Literal["challenged"] = "challenged"
    challenge: Key
    by: Player
    to: Player
    game: GameSpec
    clock: Clock
    seat: Seat | None
    expires: Milliseconds


class ChallengeClosed(Made):
    """A challenge is over: accepted (then `match` is set), declined with a `reason`, cancelled or expired."""

    type: Literal["challenge_closed"] = "challenge_closed"
    challenge: Key
    how: Literal["accepted", "declined", "cancelled", "expired"]
    reason: str = ""
    match: Key | None = None


class Paired(Made):
    """A match of yours has begun. Join it."""

    type: Literal["paired"] = "paired"
    match: Key
    seat: Seat


class Snapshot(Made):
    """A match as it stands: the answer to `join` without `since`, and what a watcher who fell behind gets instead.

    `moves` holds every ply, dice included. `seat` is the receiver's own, null for watchers.
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
    """A seat, or -1 for the dice."""
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
    """The seats that want to play again."""
    over: bool
    winner: Seat | None
    reason: Reason | None
    seed: str | None
    next: Key | None
    """The rematch, once there is one."""
    draw_agreed: tuple[Seat, ...] = ()
    """In games for more than two: the seats that agree to the standing draw offer so far, its own among them."""
    takeback_agreed: tuple[Seat, ...] = ()


class Happened(Made):
    """Events of one match in order, without gaps, and where they led. After `join` with `since` many come at once."""

    type: Literal["happened"] = "happened"
    match: Key
    events: tuple[MatchEvent, ...]
    position: str
    ply: int
    to_move: int
    clocks: Clocks


class Moves(Made):
    """The answer to `ask_moves`. `refused` explains cells that look playable; `notes` are words about cells.

    `gauges[seat]` is a label and a number that tell how that seat stands.
    """

    type: Literal["moves"] = "moves"
    id: CommandId
    match: Key
    ply: int
    moves: tuple[str, ...]
    refused: dict[str, str]
    notes: dict[str, str]
    gauges: tuple[tuple[str, int], ...]


class History(Made):
    """The answer to `ask_history`: `positions[k]` is the position text after k plies of `moves`."""

    type: Literal["history"] = "history"
    id: CommandId
    match: Key
    moves: tuple[str, ...]
    positions: tuple[str, ...]


class Variation(Made):
    """The answer to `ask_variation`: `positions[k]` is the position text after the first k + 1 of its moves."""

    type: Literal["variation"] = "variation"
    id: CommandId
    match: Key
    ply: int
    positions: tuple[str, ...]


class Analysis(Made):
    """Everything that is known so far of an analysis that the receiver asked for; the `final` one is the last.

    `position` is the one that is studied. What was found before is remembered for a while: then the first is the last.
    """

    type: Literal["analysis"] = "analysis"
    analysis: Key
    position: str
    ahead: int
    """How many analyses come before this one; 0 when it is under way."""
    final: bool
    by: str
    """The analyst's name; empty while the position waits for one."""
    report: Report | None
    overlays: tuple[OverlayPicture, ...]
    tree: tuple[TreeNode, ...]
    error: str
    """Why it ended without a report."""


class Analyse(Made):
    """To an analyst: study this position, and answer with `analysed`, as often as there is news, within the time."""

    type: Literal["analyse"] = "analyse"
    job: Key
    game: GameSpec
    position: str
    lines: int
    """For how many moves an exact score and a line are wanted."""
    milliseconds: int
    """How long to think in all."""
    nodes: Annotated[int, Field(le=MAX_TREE_NODES)]
    """How large a game tree may be."""


class StopAnalysis(Made):
    """To an analyst: this job is cancelled, or another analyst has it now."""

    type: Literal["stop_analysis"] = "stop_analysis"
    job: Key


class SeatPresence(Made):
    """A player's connection came or went, at the server's time `at`."""

    type: Literal["seat_presence"] = "seat_presence"
    match: Key
    seat: Seat
    connected: bool
    at: Milliseconds
    claim_at: Milliseconds | None = None
    """From when on the others may claim victory, while the player stays away."""


class Watchers(Made):
    """How many watch a match, whenever that changes; sent at most once a second."""

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
    """Something about the server or the connection: it is about to restart, or another program plays as this bot."""

    type: Literal["notice"] = "notice"
    code: Literal["restarting", "also_here"]
    text: str


Answer: TypeAlias = (
    Acknowledged | Pong | Games | MyMatches | SeekInfo | LobbyState | LobbyPage | Snapshot | Moves | History | Variation
)
"""What settles the command whose `id` it carries. `lobby` and `snapshot` come without one too, unasked."""
Unasked: TypeAlias = (
    Happened
    | LobbyChanged
    | Challenged
    | ChallengeClosed
    | Paired
    | Analysis
    | Analyse
    | StopAnalysis
    | SeatPresence
    | Watchers
    | Said
    | Notice
)
"""What answers no command: news of a lobby, a match, an analysis or the server."""

ServerMessage: TypeAlias = Annotated[
    Welcome
    | Acknowledged
    | Refused
    | Pong
    | Games
    | MyMatches
    | SeekInfo
    | LobbyState
    | LobbyPage
    | LobbyChanged
    | Challenged
    | ChallengeClosed
    | Paired
    | Snapshot
    | Happened
    | Moves
    | History
    | Variation
    | Analysis
    | Analyse
    | StopAnalysis
    | SeatPresence
    | Watchers
    | Said
    | Notice,
    Field(discriminator="type"),
]
MESSAGE: TypeAdapter[ServerMessage] = TypeAdapter(ServerMessage)
