"""A player's client: connects, stays connected, asks, and follows matches."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, TypeAlias, TypeVar, assert_never

from cornered.clients.sdk.address import require_key, require_name, require_token, socket_url
from cornered.clients.sdk.backoff import Backoff, full_jitter, retry
from cornered.clients.sdk.bot_reports import BotReports
from cornered.clients.sdk.errors import ClientError, Closed, CommandRefused, unwrapped_errors
from cornered.clients.sdk.link import Link
from cornered.clients.sdk.lobby import LobbyView
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.own_account import OwnAccount
from cornered.clients.sdk.people import People
from cornered.clients.sdk.pulse import Pulse
from cornered.clients.sdk.study import Jobs, Studies
from cornered.clients.sdk.tournaments import OwnTournaments
from cornered.engine.game import OptionValue
from cornered.protocol import commands, messages
from cornered.protocol.account import (
    Account,
    Export,
    InvitationCreated,
    Policies,
    RecoveryCodes,
    Registered,
    Sessions,
    SignedIn,
    SignInLink,
    TokenCreated,
    Tokens,
)
from cornered.protocol.archive import ArchiveFilter, HeadToHeadCount
from cornered.protocol.bot_reports import BotLink, BotReport, BotRequests
from cornered.protocol.commands import (
    AskGames,
    AskLeaderboard,
    AskLobby,
    AskMyMatches,
    AskPools,
    AskProfile,
    AskRatingHistory,
    Command,
    CreateSeek,
    Declare,
    Hello,
    Join,
    Ping,
    WatchLobby,
)
from cornered.protocol.groups import GroupChanged, GroupMessage, Groups, GroupState
from cornered.protocol.messages import (
    Acknowledged,
    Analyse,
    Analysis,
    Archive,
    ChallengeClosed,
    Challenged,
    Games,
    Happened,
    HeadToHead,
    History,
    Line,
    LobbyChanged,
    LobbyPage,
    LobbyState,
    Moves,
    MyMatches,
    Notice,
    Opening,
    Paired,
    PlayerFound,
    Pong,
    RecordRead,
    Said,
    SeatPresence,
    SeekInfo,
    ServerMessage,
    Snapshot,
    StopAnalysis,
    Traced,
    TraceSearch,
    Tv,
    Variation,
    Waiting,
    Watchers,
    Welcome,
)
from cornered.protocol.moderation import (
    AccountList,
    AskAccounts,
    AskAudit,
    AskBans,
    AskReport,
    AskReports,
    Audit,
    Ban,
    Bans,
    CloseReport,
    Measure,
    ReportDetails,
    ReportPlayer,
    Reports,
    Unban,
)
from cornered.protocol.oidc import OidcBegun
from cornered.protocol.passkeys import PasskeyChallenge, Passkeys
from cornered.protocol.ratings import (
    Leaderboard,
    PoolInfo,
    Pools,
    Profile,
    Rated,
    RatingHistory,
    RatingPoint,
)
from cornered.protocol.social import Blocked, Friends, Notices, Notified
from cornered.protocol.tournaments import (
    Pairings,
    Standings,
    TournamentChanged,
    TournamentMessage,
    Tournaments,
    TournamentState,
)
from cornered.protocol.values import (
    NO_CLOCK,
    Accepts,
    Clock,
    GameSpec,
    LobbySection,
    MatchSummary,
    OfferedGame,
    PairingPool,
    Player,
    PlayerKind,
    SeekSettings,
    Value,
)

__all__ = ["Client", "ClientNews"]

MAX_PENDING_NEWS: Final = 256
INSTANCE_BYTES: Final = 9
EVERYTHING: Final = ArchiveFilter()

ClientNews: TypeAlias = Welcome | Challenged | ChallengeClosed | Paired | Waiting | Notice | TournamentMessage
"""Unsolicited messages to a player. `Welcome` comes with every new connection."""

T = TypeVar("T", bound=Value)

log = logging.getLogger("cornered.sdk")


class Client:
    """One player on one server, created by `Client.connect`."""

    def __init__(self, url: str, hello: Hello, backoff: Backoff, tasks: asyncio.TaskGroup) -> None:
        self._hello = hello
        self._tasks = tasks
        self._link = Link(socket_url(url), url, self, backoff)
        self._welcome: Welcome | None = None
        self._clock_offset: float | None = None
        self._views: dict[str, MatchView] = {}
        self._guided: set[str] = set()
        """Matches that are joined with `legal`, on every new connection again."""
        self._rejoining: dict[str, str] = {}
        self._lobby: LobbyView | None = None
        self._declared: Declare | None = None
        self._studies = Studies(self)
        self.jobs = Jobs(self)
        """Analysis jobs of this bot, after `jobs.offer`."""
        self.account = OwnAccount(self)
        self.people = People(self)
        """This player's account, or what would become one."""
        self.bot_reports = BotReports(self)
        """How this bot fares, and what it was asked."""
        self.tournaments = OwnTournaments(self)
        """Tournaments: which there are, joining, standings."""
        self._news: deque[ClientNews] = deque(maxlen=MAX_PENDING_NEWS)
        self._news_pulse = Pulse()
        self._restored: dict[type[Command], Command] = {}
        """Commands that `welcomed` sent again on this connection, until a newer one of the kind is carried out."""
        self._deferred: deque[str] = deque()
        """Ids of restored commands that got a transient refusal; `_retry_deferred` sends them again."""
        self._deferred_until = 0.0
        """Time of the next retry, by the event loop's clock."""
        self._retry_task: asyncio.Task[None] | None = None
        # A program beside the bot's own knows of it.
        self._has_warned_of_twin = hello.instance is None
        """Whether the notice that another program plays as this player has been logged."""
        self.has_twin = False
        """Whether the server has said that another program may be connected as this player."""
        self.url = url
        """The server's address as it was given, such as that of its page."""

    @classmethod
    @asynccontextmanager
    async def connect(
        cls,
        url: str,
        *,
        name: str | None = None,
        token: str | None = None,
        kind: PlayerKind = "person",
        program: str = "cornered-sdk",
        patience: float | None = 10.0,
        backoff: Backoff = full_jitter,
        key: str | None = None,
        beside: bool = False,
    ) -> AsyncIterator[Client]:
        """Connect, and reconnect as often as necessary inside the `async with` block.

        `token` resumes a player; without one the server creates a guest called `name`, whose token is `client.token`.
        `key` is the operator's, for a reserved name. `beside` is for a program that plays no game: a bot's own program
        is not told of it.
        Raises Unreachable when no server answers within `patience` seconds (None waits for ever), CommandRefused when
        the server refuses this player, and ValueError for an invalid address, name, token or key.
        """
        hello = Hello(
            name=None if name is None else require_name(name),
            token=None if token is None else require_token(token),
            kind=kind,
            client=program,
            instance=None if beside else secrets.token_urlsafe(INSTANCE_BYTES),
            key=None if key is None else require_key("key", key),
        )
        with unwrapped_errors():
            async with asyncio.TaskGroup() as tasks:
                client = cls(url, hello, backoff, tasks)
                running = tasks.create_task(client._link.run(patience), name=f"link[{name or 'player'}]")
                await client._link.ready.wait()
                try:
                    yield client
                finally:
                    running.cancel()
                    client._close()

    @property
    def player(self) -> Player:
        """This player with its visible name."""
        return self._welcomed().player

    @property
    def token(self) -> str:
        """The bearer token that resumes this player; keep it secret."""
        return self._hello.token or ""

    @property
    def live_matches(self) -> tuple[str, ...]:
        """Ids of the player's live matches at the start of this connection."""
        return self._welcomed().matches

    @property
    def round_trip(self) -> int:
        """The newest round-trip time, in milliseconds."""
        return self._link.round_trip

    def server_now(self) -> int:
        """Return the server's time in milliseconds, late by at most the network's latency."""
        return round(time.monotonic() * 1000 + (self._clock_offset or 0.0))

    def new_id(self) -> str:
        """Return a unique command id."""
        return self._link.new_id()

    async def ask(self, command: Command, expected: type[T]) -> T:
        """Return the answer to a command, across reconnections. Raises CommandRefused, Closed or NotUnderstood."""
        answer = await self._link.ask(command)
        self._restored.pop(type(command), None)
        if not isinstance(answer, expected):
            raise TypeError(f"{type(command).__name__} is answered by {type(answer).__name__}")
        return answer

    def mention(self, command: Command) -> None:
        """Send a command without waiting; drop it where there is no connection."""
        sending = self._link.send(command)
        try:
            self._tasks.create_task(sending, name=f"mention[{command.id}]")
        except RuntimeError:
            # The task group is closing, and the connection with it.
            sending.close()

    async def news(self) -> AsyncIterator[ClientNews]:
        """Yield unsolicited messages, beginning with the first welcome, until the client closes.

        For one reader. The newest 256 are buffered; older ones are dropped.
        """
        while True:
            seen = self._news_pulse.count
            while self._news:
                yield self._news.popleft()
            try:
                await self._news_pulse.after(seen)
            except Closed:
                return

    async def ping(self) -> int:
        """Measure the round-trip time, in milliseconds."""
        began = time.monotonic()
        await self.ask(Ping(id=self.new_id()), Pong)
        return round((time.monotonic() - began) * 1000)

    async def games(self) -> tuple[OfferedGame, ...]:
        """Return the server's games."""
        return (await self.ask(AskGames(id=self.new_id()), Games)).games

    async def pools(self) -> tuple[PairingPool, ...]:
        """Return the server's pools of quick pairing."""
        return (await self.ask(AskGames(id=self.new_id()), Games)).pools

    async def enter_pool(self, pool: str) -> None:
        """Wait in a pool for an opponent of a similar rating, in the place of any other pool; `Paired` has the match.

        `Waiting` says when a bot of similar strength would play instead, and when the server ends the wait.
        """
        await self.ask(commands.EnterPool(id=self.new_id(), pool=pool), Acknowledged)

    async def leave_pool(self) -> None:
        """Wait for no opponent any more."""
        await self.ask(commands.LeavePool(id=self.new_id()), Acknowledged)

    async def my_matches(self, after: str | None = None) -> MyMatches:
        """Return the player's live matches and newest finished ones, or the finished ones after a cursor."""
        return await self.ask(AskMyMatches(id=self.new_id(), after=after or None), MyMatches)

    async def archive(self, wanted: ArchiveFilter = EVERYTHING) -> AsyncIterator[MatchSummary]:
        """Yield the finished public matches that meet all conditions, in their order; pages are asked for on the way.

        A page that would come too soon is asked for again when the server says. Raises CommandRefused.
        """
        after: str | None = None
        while True:
            page = await retry(partial(self._page_of, wanted, after))
            for match in page.matches:
                yield match
            if page.more is None:
                return
            after = page.more

    async def _page_of(self, wanted: ArchiveFilter, after: str | None) -> Archive:
        return await self.ask(commands.AskArchive(id=self.new_id(), after=after, **dict(wanted)), Archive)

    async def head_to_head(self, player: str, opponent: str, game: str | None = None) -> tuple[HeadToHeadCount, ...]:
        """Return the results of finished public matches between two players, as `player` sees them, by game."""
        command = commands.AskHeadToHead(id=self.new_id(), player=player, opponent=opponent, game=game)
        return (await self.ask(command, HeadToHead)).games

    async def opening(self, game: str, moves: Sequence[str] = (), **options: OptionValue) -> Opening:
        """Return which moves followed the first `moves` of a game in finished public matches."""
        spec = GameSpec(name=game, options=options)
        return await self.ask(commands.AskOpening(id=self.new_id(), game=spec, moves=tuple(moves)), Opening)

    async def find_player(self, name: str) -> Player:
        """Return the player whose account has this name, or who is here under it. Raises CommandRefused."""
        return (await self.ask(commands.FindPlayer(id=self.new_id(), name=name), PlayerFound)).player

    async def tv(self) -> tuple[MatchSummary, ...]:
        """Return the best live public match of each game."""
        return (await self.ask(commands.AskTv(id=self.new_id()), Tv)).matches

    async def profile(self, player: str | None = None) -> Profile:
        """Return the name, kind and ratings of the player with this id, by default one's own. Raises CommandRefused."""
        return await self.ask(AskProfile(id=self.new_id(), player=player or self.player.id), Profile)

    async def bot_report(self, link: str | None = None) -> BotReport:
        """Return how this bot fares, or the one that a `link` to its page names. Raises CommandRefused."""
        return await self.bot_reports.report(link)

    async def rating_history(self, pool: str, player: str | None = None) -> tuple[RatingPoint, ...]:
        """Return how a player's rating in a pool changed, by default one's own, oldest first. Raises CommandRefused."""
        command = AskRatingHistory(id=self.new_id(), player=player or self.player.id, pool=pool)
        return (await self.ask(command, RatingHistory)).points

    async def leaderboard(self, pool: str, kind: PlayerKind = "person", after: str | None = None) -> Leaderboard:
        """Return the best established players of a pool, or those after the cursor `more` of an earlier page.

        Raises CommandRefused.
        """
        return await self.ask(AskLeaderboard(id=self.new_id(), pool=pool, kind=kind, after=after or None), Leaderboard)

    async def rating_pools(self) -> tuple[PoolInfo, ...]:
        """Return the rating pools with players, those with most of them first."""
        return (await self.ask(AskPools(id=self.new_id()), Pools)).pools

    async def declare(
        self, accepts: Sequence[Accepts], concurrency: int, *, ladder: int = 0, version: str | None = None
    ) -> None:
        """Declare the games that this bot plays; repeated on every new connection.

        `ladder` of its `concurrency` games at once are rated ones against other bots, for which the server pairs it.
        With a new `version` the bot keeps its ratings, which are as uncertain as a newcomer's again.
        """
        command = Declare(
            id=self.new_id(), accepts=tuple(accepts), concurrency=concurrency, ladder=ladder, version=version
        )
        await self.ask(command, Acknowledged)
        self._declared = command

    async def report(self, player: str, grounds: str, match: str | None = None) -> None:
        """Report the player with this id to those who run the server, where it is about a game with the match."""
        await self.ask(ReportPlayer(id=self.new_id(), player=player, match=match, grounds=grounds), Acknowledged)

    async def ban(
        self,
        player: str,
        grounds: str,
        *,
        measure: Measure = "ban",
        address: bool = False,
        seconds: int | None = None,
    ) -> int:
        """Ban or mute the player with this id, and return the ban's number; for administrators. Raises CommandRefused.

        With `address` nobody is let in from the address of the player's newest connection either. Without `seconds` it
        lasts until it is lifted.
        """
        command = Ban(
            id=self.new_id(), player=player, measure=measure, address=address, seconds=seconds, grounds=grounds
        )
        return int(await self._make(command))

    async def unban(self, ban: int, grounds: str) -> None:
        """Lift a ban or mute; for administrators."""
        await self.ask(Unban(id=self.new_id(), ban=ban, grounds=grounds), Acknowledged)

    async def bans(self, after: int | None = None) -> Bans:
        """Return the bans and mutes that hold, newest first, or those after the cursor `more`; for administrators."""
        return await self.ask(AskBans(id=self.new_id(), after=after), Bans)

    async def reports(self, after: int | None = None) -> Reports:
        """Return the open reports, oldest first, or those after the cursor `more`; for administrators."""
        return await self.ask(AskReports(id=self.new_id(), after=after), Reports)

    async def report_details(self, report: int) -> ReportDetails:
        """Return an open report with the chat that its reporter saw; for administrators."""
        return await self.ask(AskReport(id=self.new_id(), report=report), ReportDetails)

    async def accounts(self, text: str = "", after: str | None = None) -> AccountList:
        """Search accounts by the beginning of their names, and any player by its id; for administrators."""
        return await self.ask(AskAccounts(id=self.new_id(), text=text, after=after), AccountList)

    async def close_report(self, report: int, grounds: str) -> None:
        """Close a report, with what was decided; for administrators."""
        await self.ask(CloseReport(id=self.new_id(), report=report, grounds=grounds), Acknowledged)

    async def audit(self, after: int | None = None) -> Audit:
        """Return what was reported and decided, newest first, or what is before the cursor `more`; for
        administrators."""
        return await self.ask(AskAudit(id=self.new_id(), after=after), Audit)

    def ask_analysis(self, match: str, ply: int, *, lines: int = 3) -> AsyncIterator[Analysis]:
        """Request the analysis of the position after `ply` plies; yields each result, the last of which is final.

        Closing the iterator early cancels the analysis; a reconnection requests it again. Raises CommandRefused.
        """
        return self._studies.ask(match, ply, lines)

    async def lobby(self) -> LobbyView:
        """Subscribe to the lobby and return a live copy."""
        if self._lobby is None:
            await self.ask(WatchLobby(id=self.new_id()), LobbyState)
        assert self._lobby is not None
        return self._lobby

    async def more_of_lobby(self, section: LobbySection) -> LobbyView:
        """Load pages of a list until one has a new entry. Raises CommandRefused."""
        lobby = await self.lobby()
        unseen = lobby.unseen(section)
        while True:
            command = AskLobby(id=self.new_id(), section=section, after=lobby.cursors[section])
            page = await self.ask(command, LobbyPage)
            if page.more is None or lobby.unseen(section) != unseen:
                return lobby

    async def seek(self, settings: SeekSettings) -> str:
        """Open a table and return its id, which is also its invitation."""
        return await self._make(CreateSeek(id=self.new_id(), settings=settings))

    async def join_seek(self, seek: str) -> None:
        """Join a table."""
        await self.ask(commands.JoinSeek(id=self.new_id(), seek=seek), Acknowledged)

    async def leave_seek(self, seek: str) -> None:
        """Leave a table."""
        await self.ask(commands.LeaveSeek(id=self.new_id(), seek=seek), Acknowledged)

    async def start_seek(self, seek: str) -> None:
        """Start one's own table with its present players."""
        await self.ask(commands.StartSeek(id=self.new_id(), seek=seek), Acknowledged)

    async def cancel_seek(self, seek: str) -> None:
        """Close one's own table."""
        await self.ask(commands.CancelSeek(id=self.new_id(), seek=seek), Acknowledged)

    async def challenge(
        self,
        to: str,
        game: str,
        *,
        clock: Clock = NO_CLOCK,
        seat: int | None = None,
        with_help: OptionValue = False,
        rated: OptionValue = False,
        **options: OptionValue,
    ) -> str:
        """Challenge the player with the id `to` to a game under `options`; return the challenge's id.

        `with_help` is for a person's game against a bot: with hints and takebacks, and never rated. A `rated` game
        changes both players' ratings. Both have the type of the options, with which they may come in one mapping.
        """
        spec = GameSpec(name=game, options=options)
        return await self._make(
            commands.Challenge(
                id=self.new_id(),
                to=to,
                game=spec,
                clock=clock,
                seat=seat,
                with_help=bool(with_help),
                rated=bool(rated),
            )
        )

    async def accept(self, challenge: str) -> str:
        """Accept a challenge; return the id of the match, which `Paired` has too."""
        return await self._make(commands.AcceptChallenge(id=self.new_id(), challenge=challenge))

    async def decline(self, challenge: str, reason: str = "") -> None:
        """Decline a challenge."""
        command = commands.DeclineChallenge(id=self.new_id(), challenge=challenge, reason=reason)
        await self.ask(command, Acknowledged)

    async def cancel(self, challenge: str) -> None:
        """Withdraw one's own challenge."""
        await self.ask(commands.CancelChallenge(id=self.new_id(), challenge=challenge), Acknowledged)

    async def join(self, match: str, *, legal: bool = False) -> MatchView:
        """Subscribe to a match, as its player or a spectator, across reconnections until `leave`.

        With `legal` the server sends the legal moves with every turn of this player, as `legal` of the view: for bots
        that play without the rules.
        """
        if match not in self._views or (legal and match not in self._guided):
            if legal:
                self._guided.add(match)
            await self.ask(Join(id=self.new_id(), match=match, legal=legal), Snapshot)
        return self._views[match]

    def forget(self, match: str) -> None:
        """Drop the view of a match without a message to the server."""
        self._guided.discard(match)
        if view := self._views.pop(match, None):
            view.close()

    async def _make(self, command: Command) -> str:
        made = await self.ask(command, Acknowledged)
        if made.ref is None:
            raise TypeError(f"the answer to {type(command).__name__} names nothing")
        return made.ref

    def _welcomed(self) -> Welcome:
        assert self._welcome is not None, "Client.connect yields after the welcome"
        return self._welcome

    def _close(self) -> None:
        for view in self._views.values():
            view.close()
        if self._lobby is not None:
            self._lobby.close()
        if self._retry_task is not None:
            self._retry_task.cancel()
        self._studies.close()
        self.jobs.close()
        self.tournaments.close()
        self._news_pulse.close()

    def keep_token(self, token: str) -> None:
        """Resume the player by this token from now on."""
        self._hello = self._hello.model_copy(update={"token": token})

    # The methods of `Receiver`, which the link calls.

    def hello(self) -> Hello:
        """Return the `hello`, which has the token from the first welcome on."""
        return self._hello

    def welcomed(self, welcome: Welcome) -> list[Command]:
        """Keep the token, and return the commands that restore the state of the connection."""
        self._welcome = welcome
        self._clock_offset = None
        self._observe(welcome.now)
        if welcome.token is not None:
            self.keep_token(welcome.token)
        self._publish(welcome)
        self._rejoining.clear()
        self._studies.reconnect()
        again: list[Command] = self.jobs.reconnect()
        if self._declared is not None:
            again.append(self._declared.model_copy(update={"id": self.new_id()}))
        if self._lobby is not None:
            again.append(WatchLobby(id=self.new_id()))
        again += self.tournaments.reconnect()
        self._restored = {type(command): command for command in again}
        return [*again, *(self._rejoin(view) for view in self._views.values())]

    def missed(self, match: str) -> None:
        """Ask for a snapshot of a match of which an update cannot be decoded: it holds what the events led to."""
        if match in self._views and match not in self._rejoining.values():
            command = Join(id=self.new_id(), match=match, legal=match in self._guided)
            self._rejoining[command.id] = match
            self._tasks.create_task(self._link.send(command), name=f"catch-up[{match}]")

    def receive(self, message: ServerMessage) -> None:
        """Update the views."""
        match message:
            case Snapshot():
                self._show(message)
            case Happened():
                self._happen(message)
            case SeatPresence() | Watchers() | Said() | Rated():
                if view := self._views.get(message.match):
                    view.note(message)
            case LobbyState():
                self._lobby = self._lobby or LobbyView()
                self._lobby.reset(message)
            case LobbyChanged():
                if self._lobby is not None:
                    self._lobby.change(message)
            case LobbyPage():
                if self._lobby is not None:
                    self._lobby.add(message)
            case Challenged() | ChallengeClosed() | Paired() | Waiting():
                self._publish(message)
            case Notice():
                self._note(message)
            case Notified():
                # A notice for people; a bot gets its turns from the matches that it has joined.
                pass
            case Analysis():
                self._studies.receive(message)
            case Analyse() | TraceSearch() | StopAnalysis():
                self.jobs.receive(message)
            case Traced():
                # Shown searches are for pages; this kit asks for none.
                pass
            case Pong():
                self._observe(message.now)
            case messages.Refused():
                self._note_refusal(message)
            case (
                Acknowledged()
                | Games()
                | MyMatches()
                | Archive()
                | HeadToHead()
                | Opening()
                | SeekInfo()
                | Tv()
                | PlayerFound()
                | Moves()
                | History()
                | Variation()
                | Line()
                | RecordRead()
                | Pools()
                | Profile()
                | RatingHistory()
                | Leaderboard()
                | Policies()
                | Registered()
                | SignedIn()
                | Account()
                | RecoveryCodes()
                | Sessions()
                | Tokens()
                | TokenCreated()
                | Export()
                | InvitationCreated()
                | PasskeyChallenge()
                | Passkeys()
                | OidcBegun()
                | SignInLink()
                | Bans()
                | Reports()
                | ReportDetails()
                | AccountList()
                | Audit()
                | Groups()
                | GroupState()
                | Tournaments()
                | Standings()
                | Pairings()
                | Friends()
                | BotReport()
                | BotRequests()
                | BotLink()
                | Blocked()
                | Notices()
            ):
                # The link returns these from `ask`.
                pass
            case TournamentChanged() | TournamentState():
                self.tournaments.receive(message)
            case TournamentMessage():
                self._publish(message)
            case GroupChanged() | GroupMessage():
                # Classes and clubs are of the page: the SDK plays.
                pass
            case Welcome():
                # `welcomed` processes the one that opens a connection.
                pass
            case _:
                assert_never(message)

    def _show(self, snapshot: Snapshot) -> None:
        self._rejoining.pop(snapshot.id or "", None)
        if view := self._views.get(snapshot.match):
            view.reset(snapshot)
        elif snapshot.id is not None:
            self._views[snapshot.match] = MatchView(self, snapshot)

    def _happen(self, happened: Happened) -> None:
        view = self._views.get(happened.match)
        if view is None:
            return
        if view.happen(happened):
            self._rejoining = {key: match for key, match in self._rejoining.items() if match != view.id}
        elif view.id not in self._rejoining.values():
            self._tasks.create_task(self._link.send(self._rejoin(view)), name=f"catch-up[{view.id}]")

    def _rejoin(self, view: MatchView) -> Join:
        command = Join(id=self.new_id(), match=view.id, since=view.snapshot.seq, legal=view.id in self._guided)
        self._rejoining[command.id] = view.id
        return command

    def _note(self, notice: Notice) -> None:
        self.has_twin = self.has_twin or notice.code == "also_here"
        if notice.code == "also_here" and not self._has_warned_of_twin:
            self._has_warned_of_twin = True
            log.warning("the server says: %s", notice.text)
        self._publish(notice)

    def _note_refusal(self, refused: messages.Refused) -> None:
        if refused.id is None:
            log.warning("the server says: %s (%s)", refused.text, refused.code)
            return
        standing = any(command.id == refused.id for command in self._restored.values())
        match = self._rejoining.get(refused.id)
        if not standing and match is None:
            # The caller of `ask` gets it.
            return
        pause = CommandRefused(refused.code, refused.text, refused.retry_after).pause
        if pause is not None:
            self._deferred.append(refused.id)
            self._deferred_until = asyncio.get_running_loop().time() + pause
            if self._retry_task is None or self._retry_task.done():
                self._retry_task = self._tasks.create_task(self._retry_deferred(), name="repeat")
        elif match is not None:
            log.warning("match %s cannot be followed any more: %s", match, refused.text)
            del self._rejoining[refused.id]
            self.forget(match)
        else:
            log.warning("the server does not allow any more what held before: %s (%s)", refused.text, refused.code)

    async def _retry_deferred(self) -> None:
        """Send deferred commands again, one at a time, since each refusal costs a token of the rate limit."""
        clock = asyncio.get_running_loop().time
        while self._deferred:
            await asyncio.sleep(self._deferred_until - clock())
            command = self._renewed(self._deferred.popleft())
            if command is not None:
                # `_note_refusal` has processed a refusal.
                with suppress(ClientError):
                    await self._link.ask(command)

    def _renewed(self, command_id: str) -> Command | None:
        """Return the command under a new id; None where a new connection or a newer command has superseded it."""
        if (match := self._rejoining.pop(command_id, None)) is not None:
            view = self._views.get(match)
            return None if view is None else self._rejoin(view)
        for kind, command in self._restored.items():
            if command.id == command_id and not self._link.is_asking(kind):
                self._restored[kind] = command.model_copy(update={"id": self.new_id()})
                return self._restored[kind]
        return None

    def _observe(self, server_now: int) -> None:
        # Latency only makes the difference smaller, so the largest one is of the fastest message.
        offset = server_now - time.monotonic() * 1000
        self._clock_offset = offset if self._clock_offset is None else max(self._clock_offset, offset)

    def _publish(self, news: ClientNews) -> None:
        self._news.append(news)
        self._news_pulse.beat()
