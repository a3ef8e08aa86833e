"""What each command needs of the token of its connection: one of some scopes, or a session."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, assert_never

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
    Scope,
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
from cornered.server.accounts import Identity

__all__ = ["Need", "need_of", "permits"]

Need: TypeAlias = frozenset[Scope] | Literal["anything", "session", "admin"]
"""One of these scopes; or a token of any kind; or a session, which no personal token is; or the scope `admin`."""
_READS: Final[frozenset[Scope]] = frozenset({"play", "bot", "read"})
_PLAYS: Final[frozenset[Scope]] = frozenset({"play", "bot"})
_PERSONS: Final[frozenset[Scope]] = frozenset({"play"})
_BOTS: Final[frozenset[Scope]] = frozenset({"bot"})


def need_of(command: ClientMessage) -> Need:
    """Return what a command needs."""
    if isinstance(command, MatchCommand):
        return _PLAYS
    match command:
        case Hello() | Ping() | AskPolicies() | AskAccount() | EndMails():
            return "anything"
        case (
            AskGames()
            | AskMyMatches()
            | AskSeek()
            | AskLobby()
            | AskTv()
            | FindPlayer()
            | WatchLobby()
            | LeaveLobby()
            | Join()
            | Leave()
            | AskMoves()
            | AskHistory()
            | AskVariation()
            | AskLine()
            | ReadRecord()
            | AskArchive()
            | AskHeadToHead()
            | AskOpening()
            | AskPools()
            | AskProfile()
            | AskRatingHistory()
            | AskLeaderboard()
            | AskGroups()
            | AskGroup()
            | AskTournaments()
            | AskTournament()
            | AskStandings()
            | AskPairings()
            | WatchTournament()
            | LeaveTournament()
            | AskBotReport()
            | AskBotRequests()
        ):
            return _READS
        case (
            CreateSeek()
            | JoinSeek()
            | LeaveSeek()
            | StartSeek()
            | CancelSeek()
            | Challenge()
            | AcceptChallenge()
            | DeclineChallenge()
            | CancelChallenge()
            | Say()
            | ReportPlayer()
            | CreateGroup()
            | ChangeGroup()
            | RenewGroupCode()
            | RevokeGroupCode()
            | JoinGroup()
            | SetGroupRole()
            | RemoveMember()
            | LeaveGroup()
            | CloseGroup()
            | TellGroup()
            | CreateTournament()
            | JoinTournament()
            | WithdrawFromTournament()
            | StartTournament()
            | FinishTournament()
            | CancelTournament()
            | PairByHand()
            | PauseTournament()
            | ResumeTournament()
            | TellTournament()
            | ForfeitPlayer()
        ):
            return _PLAYS
        case AskAnalysis() | AskStudy() | AskTrace() | CancelAnalysis() | EnterPool() | LeavePool():
            return _PERSONS
        case FollowPlayer() | UnfollowPlayer() | BlockPlayer() | UnblockPlayer() | AskFriends() | AskBlocked():
            return _PERSONS
        case Declare() | OfferAnalysis() | Analysed() | ReportFailure() | AskBotLink():
            return _BOTS
        case (
            Register()
            | SignIn()
            | SignInByLink()
            | AskSignInLink()
            | Recover()
            | Rename()
            | ChangePassword()
            | RenewCodes()
            | AskSessions()
            | SignOut()
            | EndSession()
            | EndOtherSessions()
            | CreateToken()
            | AskTokens()
            | RevokeToken()
            | AskExport()
            | DeleteAccount()
            | AskPasskeyChallenge()
            | RegisterByPasskey()
            | SignInByPasskey()
            | AskPasskeys()
            | AddPasskey()
            | RemovePasskey()
            | BeginOidc()
            | FinishOidc()
            | UnlinkOidc()
            | AskNotices()
            | SetNotices()
            | SubscribePush()
            | UnsubscribePush()
            | SetMail()
            | ConfirmMail()
        ):
            return "session"
        case (
            Ban()
            | Unban()
            | AskBans()
            | AskReports()
            | AskReport()
            | CloseReport()
            | AskAudit()
            | AskAccounts()
            | CreateInvitation()
        ):
            return "admin"
        case _:
            assert_never(command)


def permits(identity: Identity, command: ClientMessage) -> bool:
    """Return whether a token permits a command. Commands of administrators look up the role besides."""
    need = need_of(command)
    if isinstance(need, frozenset):
        return not need.isdisjoint(identity.scopes)
    match need:
        case "anything":
            return True
        case "session":
            return identity.is_session
        case "admin":
            return "admin" in identity.scopes
        case _:
            assert_never(need)
