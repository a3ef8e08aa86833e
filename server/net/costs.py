"""What a command costs its sender's token bucket: its CPU time beside that of a plain command such as `ping`.

The constants are measured: `tests/server/net/test_costs.py` prints what each command takes, and fails where one takes
more than its share of what it is charged.
"""

from __future__ import annotations

from typing import Final, assert_never

from cornered.protocol.account import (
    AskAccount,
    AskExport,
    AskPolicies,
    AskSessions,
    AskSignInLink,
    AskTokens,
    ChangePassword,
    CreateInvitation,
    CreateToken,
    DeleteAccount,
    EndOtherSessions,
    EndSession,
    Recover,
    Register,
    Rename,
    RenewCodes,
    RevokeToken,
    SignIn,
    SignInByLink,
    SignOut,
)
from cornered.protocol.bot_reports import AskBotLink, AskBotReport, AskBotRequests, ReportFailure
from cornered.protocol.commands import (
    AcceptChallenge,
    Analysed,
    AskAnalysis,
    AskArchive,
    AskGames,
    AskHeadToHead,
    AskHistory,
    AskLeaderboard,
    AskLine,
    AskLobby,
    AskMoves,
    AskMyMatches,
    AskOpening,
    AskPools,
    AskProfile,
    AskRatingHistory,
    AskSeek,
    AskStudy,
    AskTrace,
    AskTv,
    AskVariation,
    CancelAnalysis,
    CancelChallenge,
    CancelSeek,
    Challenge,
    ClientMessage,
    CreateSeek,
    Declare,
    DeclineChallenge,
    EnterPool,
    FindPlayer,
    Hello,
    Join,
    JoinSeek,
    Leave,
    LeaveLobby,
    LeavePool,
    LeaveSeek,
    MatchCommand,
    OfferAnalysis,
    Ping,
    ReadRecord,
    Rematch,
    Say,
    StartSeek,
    WatchLobby,
)
from cornered.protocol.groups import (
    AskGroup,
    AskGroups,
    ChangeGroup,
    CloseGroup,
    CreateGroup,
    JoinGroup,
    LeaveGroup,
    RemoveMember,
    RenewGroupCode,
    RevokeGroupCode,
    SetGroupRole,
    TellGroup,
)
from cornered.protocol.moderation import (
    AskAccounts,
    AskAudit,
    AskBans,
    AskReport,
    AskReports,
    Ban,
    CloseReport,
    ReportPlayer,
    Unban,
)
from cornered.protocol.oidc import BeginOidc, FinishOidc, UnlinkOidc
from cornered.protocol.passkeys import (
    AddPasskey,
    AskPasskeyChallenge,
    AskPasskeys,
    RegisterByPasskey,
    RemovePasskey,
    SignInByPasskey,
)
from cornered.protocol.social import (
    AskBlocked,
    AskFriends,
    AskNotices,
    BlockPlayer,
    ConfirmMail,
    EndMails,
    FollowPlayer,
    SetMail,
    SetNotices,
    SubscribePush,
    UnblockPlayer,
    UnfollowPlayer,
    UnsubscribePush,
)
from cornered.protocol.tournaments import (
    AskPairings,
    AskStandings,
    AskTournament,
    AskTournaments,
    CancelTournament,
    CreateTournament,
    FinishTournament,
    ForfeitPlayer,
    JoinTournament,
    LeaveTournament,
    PairByHand,
    PauseTournament,
    ResumeTournament,
    StartTournament,
    TellTournament,
    WatchTournament,
    WithdrawFromTournament,
)
from cornered.server.analysis.studies import words_of
from cornered.server.match.state import MatchState
from cornered.server.match.views import is_remembered

__all__ = [
    "ANIMATION",
    "DRAWING",
    "KNOWN_FILE",
    "MALFORMED",
    "PAGE_TOKENS",
    "POSITION_READ",
    "PREVIEW",
    "QR_CODE",
    "TABLE",
    "UNIT_US",
    "cost_of",
    "download_cost",
    "malformed_cost",
    "people_cost",
    "profile_cost",
    "reading_cost",
    "replay_cost",
]

UNIT_US: Final = 40.0
"""CPU time of one token, in microseconds: that of a `ping` from its frame to the answer's."""
BYTES_PER_TOKEN: Final = 512
"""Bytes of a message that are decoded for one token."""
MALFORMED: Final = 4
"""A malformed message, besides its bytes: among all commands the one that a misspelt name means is looked for."""
MALFORMED_BYTES_PER_TOKEN: Final = 128
"""Bytes of a malformed message that are decoded for one token: what is wrong has to be found and explained."""
PLIES_PER_TOKEN: Final = 50
"""Plies of `history` that are copied and encoded for one token."""
MOVES_PER_TOKEN: Final = 400
"""Plies of a `snapshot`, which holds only the moves."""
EVENTS_PER_TOKEN: Final = 6
"""Events that `join` with `since` encodes for one token."""
MOVES: Final = 25.0
"""`ask_moves`: the rules list the moves and explain the other cells, and walls."""
KNOWN_MOVES: Final = 3.0
"""The same about a position that is remembered, as the newest one is after the first client has asked."""
COUNTED_PLIES_PER_TOKEN: Final = 200
"""Plies of a finished match among which those of the winner are counted."""
VARIATION: Final = 4.0
"""`ask_variation`, besides its moves: the rules list what is legal in the end."""
VARIATION_MOVE: Final = 2.0
"""Each of its moves: it is checked, played, and its position written and measured."""
LINE_MOVES_PER_TOKEN: Final = 2
"""Moves of `ask_line`, besides what the rules say about its end: each is played, and its position written."""
RECORD_WORDS_PER_TOKEN: Final = 3
"""Words of a record that is read, each of which may be a move to replay."""
PLAIN_ANALYSIS: Final = 5.0
"""`ask_analysis`, besides the moves of a variation."""
STUDY: Final = 15.0
"""`ask_study`: the position is read and compared with those of live matches."""
COST_MAX_TOKENS: Final = 100.0
"""No command costs more than the default burst, or no player could pay for it."""
SNAPSHOT: Final = 4.0
KNOWN_TRACE: Final = 40.0
"""A search that is remembered: up to some hundred kB are encoded and sent, as for the longest history."""
TRACE_LINES_PER_TOKEN: Final = 4
"""Lines of a search that are read against the rules for one token."""
PLAIN_STORED: Final = 3.0
"""A command that leaves one event or one line behind."""
MY_MATCHES: Final = 15.0
"""Twenty summaries. Those of a later page that are not remembered cost `replay_cost` on top."""
ARCHIVE: Final = 90.0
"""A page of a search whose last match is the last of the rows that are looked through, with the conditions that cost
most. Matches that are not remembered cost `replay_cost` on top."""
BOT_REPORT: Final = 90.0
"""A page of a bot's games, as of the archive, with 100 incidents. Its matches and ratings are paid for on top."""
BOT_REQUESTS: Final = 40.0
"""A hundred positions of a match, written as texts, and 100 incidents."""
COUNTED: Final = 15.0
"""One indexed query of counters, and up to 60 rows of it."""
REPLAYED_EVENTS_PER_TOKEN: Final = 0.7
"""Events that are read from the journal and folded for one token."""
WRITTEN_EVENTS_PER_TOKEN: Final = 1.2
"""Events that are read from the journal and written as a game record for one token."""
TV: Final = 4.0
"""One match of each game, which are known: their positions are written as texts."""
TOURNAMENT: Final = 40.0
"""A page of a tournament with its standings, or of the list of those that go on."""
PAST_TOURNAMENTS: Final = 90.0
"""A page of tournaments that are over, which may be read from the store."""
PAIRS_PER_TOKEN: Final = 2
"""Pairs of `pair_by_hand` for one token."""
TABLE: Final = 400.0
"""A tournament as a table, of some hundred players or some thousand games."""
RATINGS_READ: Final = 75.0
"""A leaderboard's page or a history: its rows are found by an index, however many games were played."""
PROFILE: Final = 50.0
"""A profile without ratings."""
RANK: Final = 9.0
"""Each rating of a profile, whose rank is counted up to the thousandth player."""
POOLS: Final = 10.0
"""The pools, which are counted once a minute."""
PAGE_TOKENS: Final = 5.0
"""An HTTP request, from the handshake to the end of its connection."""
QR_CODE: Final = 200.0
"""A QR code that is not in memory, beside its request."""
POSITION_READ: Final = 25.0
"""A position in an address, which the rules read: one with forty walls."""
DRAWING: Final = 40.0
"""A picture of a position as SVG that is not in memory, beside its request and the reading of its match."""
ANIMATION: Final = 1_400.0
"""The same of a whole game, of as many positions as are animated."""
PREVIEW: Final = 2_000.0
"""The same of a position as PNG, which a process of its own draws."""
ACCOUNT_READ: Final = 10.0
"""A command that looks into the store of accounts."""
ACCOUNT_WRITE: Final = 25.0
"""A command that changes an account: several statements in a transaction of its own."""
PASSWORD: Final = 60.0
"""A command that hashes a password. The hash itself takes a thread for much longer, and few of them run at once: what
bounds it are `cornered.server.runtime.sign_ins` and the queue of hashes.
"""
SIGN_IN_LINK: Final = 100.0
"""A link that another device is signed in by, with its QR code; or the sign-in by it, in two transactions."""
PASSKEY: Final = 60.0
"""A signature that is verified, and two transactions: the challenge is used, and the account changes."""
EXPORT: Final = 15.0
"""A part of the archive, besides the matches in it, which cost `replay_cost`."""
KNOWN_FILE: Final = 1.0
"""What an address pays for a file of the page that is in memory, or has not changed.

It is less than such a request takes, since a class that reloads the page asks for thousands at once; `arrival_rate`
bounds them too, and of the server's tokens they take a page's.
"""
SOCIAL_READ: Final = 10.0
"""The players whom one follows or blocks, without them, or how one is notified."""
PERSON: Final = 0.15
"""Each of these players, with the name of today."""
GROUP_READ: Final = 15.0
"""A group with its members, whose names are looked up."""
GROUP_WRITE: Final = 25.0
"""A change of a group: a transaction of its own, and a message to its members."""
MODERATION: Final = 40.0
"""A report, a decision or a list of them: the store is asked for an account, and written or read once."""


def cost_of(command: ClientMessage, match: MatchState | None) -> float:
    """Return the tokens that `command` takes; `match` is the one that it names, as its sender sees it, if it is open.

    Where the match had to be replayed first, `replay_cost` is charged on top.
    """
    if isinstance(command, MatchCommand) and not isinstance(command, Rematch):
        return PLAIN_STORED
    match command:
        case Hello() | Ping() | Leave() | LeaveLobby() | AskSeek() | CancelAnalysis() | OfferAnalysis():
            return 1.0
        case AskGames() | Declare():
            return 3.0
        case AskMoves():
            if match is None:
                return MOVES
            counted = match.ply if match.over and command.ply == match.ply else 0
            answer = KNOWN_MOVES if is_remembered(match, command.ply) else MOVES
            return answer + counted / COUNTED_PLIES_PER_TOKEN
        case AskHistory():
            return min(COST_MAX_TOKENS, 1.0 + _plies(match) / PLIES_PER_TOKEN)
        case AskVariation():
            return VARIATION + VARIATION_MOVE * len(command.moves)
        case AskLine():
            return MOVES + len(command.moves) / LINE_MOVES_PER_TOKEN
        case ReadRecord():
            return 4.0 + words_of(command.text) / RECORD_WORDS_PER_TOKEN
        case AskAnalysis():
            return PLAIN_ANALYSIS + len(command.moves)
        case AskStudy():
            return STUDY
        case Join():
            snapshot = SNAPSHOT + _plies(match) / MOVES_PER_TOKEN
            if command.since is None or match is None or command.since > match.seq:
                return snapshot
            return min(COST_MAX_TOKENS, 1.0 + (match.seq - command.since) / EVENTS_PER_TOKEN)
        case AskMyMatches():
            return MY_MATCHES
        case AskPools():
            return POOLS
        case AskProfile():
            return PROFILE
        case AskRatingHistory() | AskLeaderboard():
            return RATINGS_READ
        case AskArchive():
            return ARCHIVE
        case AskBotReport():
            return BOT_REPORT
        case AskBotRequests():
            return BOT_REQUESTS
        case AskBotLink():
            return PLAIN_STORED
        case ReportFailure():
            return ACCOUNT_WRITE
        case AskHeadToHead() | AskOpening() | FindPlayer():
            return COUNTED
        case WatchLobby():
            return 20.0
        case AskLobby():
            return 10.0
        case AskTv():
            return TV
        case CreateSeek() | LeaveSeek() | CancelSeek() | Challenge() | DeclineChallenge() | CancelChallenge():
            return 5.0
        case AskTrace():
            return KNOWN_TRACE + len(command.moves) / 2
        case Analysed():
            return 5.0 + len(command.trace or ()) / TRACE_LINES_PER_TOKEN
        case EnterPool() | LeavePool():
            return 5.0
        case (
            ReportPlayer()
            | Ban()
            | Unban()
            | CloseReport()
            | AskBans()
            | AskReports()
            | AskReport()
            | AskAudit()
            | AskAccounts()
        ):
            return MODERATION
        case AskGroups():
            return 3.0
        case AskGroup():
            return GROUP_READ
        case (
            CreateGroup()
            | ChangeGroup()
            | RenewGroupCode()
            | RevokeGroupCode()
            | JoinGroup()
            | SetGroupRole()
            | RemoveMember()
            | LeaveGroup()
            | CloseGroup()
            | TellGroup()
        ):
            return GROUP_WRITE
        case LeaveTournament():
            return 1.0
        case (
            CreateTournament()
            | JoinTournament()
            | WithdrawFromTournament()
            | StartTournament()
            | FinishTournament()
            | CancelTournament()
            | PauseTournament()
            | ResumeTournament()
            | TellTournament()
            | ForfeitPlayer()
        ):
            return MODERATION
        case PairByHand():
            return MODERATION + len(command.pairs) / PAIRS_PER_TOKEN
        case AskTournament() | WatchTournament() | AskStandings() | AskPairings():
            return TOURNAMENT
        case AskTournaments():
            return PAST_TOURNAMENTS if command.over else TOURNAMENT
        case AskFriends() | AskBlocked() | AskNotices():
            return SOCIAL_READ
        case (
            FollowPlayer()
            | UnfollowPlayer()
            | BlockPlayer()
            | UnblockPlayer()
            | SetNotices()
            | SubscribePush()
            | UnsubscribePush()
            | SetMail()
            | ConfirmMail()
            | EndMails()
        ):
            return ACCOUNT_WRITE
        case JoinSeek() | StartSeek() | AcceptChallenge() | Rematch():
            # A match is opened and stored.
            return 10.0
        case Say():
            return PLAIN_STORED
        case AskPolicies():
            return 1.0
        case AskAccount() | AskSessions() | AskTokens() | AskPasskeyChallenge() | AskPasskeys():
            return ACCOUNT_READ
        case BeginOidc():
            return PASSWORD if command.purpose == "link" else ACCOUNT_READ
        case (
            Rename()
            | SignOut()
            | EndSession()
            | EndOtherSessions()
            | RevokeToken()
            | CreateInvitation()
            | RemovePasskey()
            | UnlinkOidc()
        ):
            return ACCOUNT_WRITE
        case AskSignInLink() | SignInByLink():
            return SIGN_IN_LINK
        case RegisterByPasskey() | SignInByPasskey() | AddPasskey() | FinishOidc():
            return PASSKEY
        case Register() | SignIn() | Recover() | ChangePassword() | RenewCodes() | CreateToken() | DeleteAccount():
            return PASSWORD
        case AskExport():
            return EXPORT
        case _:
            assert_never(command)


def reading_cost(size: int) -> float:
    """Return the least that a command of so many bytes costs in tokens, whatever it asks for."""
    return size / BYTES_PER_TOKEN


def malformed_cost(size: int) -> int:
    """Return the tokens for a message of so many bytes that cannot be read."""
    return MALFORMED + size // MALFORMED_BYTES_PER_TOKEN


def replay_cost(events: int) -> float:
    """Return the tokens for reading and replaying a match of so many events, as when a finished one is opened again."""
    return 1.0 + events / REPLAYED_EVENTS_PER_TOKEN


def download_cost(events: int) -> float:
    """Return the tokens for downloading the record of a match of so many events."""
    return 1.0 + events / WRITTEN_EVENTS_PER_TOKEN


def people_cost(people: int) -> float:
    """Return the tokens for the players whom one follows or blocks, whose number is known when they are read."""
    return PERSON * people


def profile_cost(ratings: int) -> float:
    """Return the tokens for a profile's ratings and their ranks, whose number is known when they are read."""
    return RANK * ratings


def _plies(match: MatchState | None) -> int:
    return 0 if match is None else match.ply
