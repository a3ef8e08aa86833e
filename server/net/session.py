"""One WebSocket's messages: hello first, then commands, each checked, limited and dispatched.

Every message comes in through `Session.receive`. What needs no waiting is done in that very step; the rest waits in a
bounded inbox for a task that exists only while there is something to do, so that the order stays.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Hashable
from functools import partial
from typing import Final, NamedTuple, TypeAlias, assert_never, get_args

import structlog
from websockets.frames import CloseCode

from cornered.protocol.account import (
    AccountCommand,
    AskExport,
    ChangePassword,
    DeleteAccount,
    DoorCommand,
    EndOtherSessions,
    EndSession,
    Recover,
    Register,
    Rename,
    RevokeToken,
    SignIn,
    SignInByLink,
    SignOut,
)
from cornered.protocol.bot_reports import (
    AskBotLink,
    AskBotReport,
    AskBotRequests,
    BotIncident,
    ReportFailure,
)
from cornered.protocol.codec import CODECS, ProtocolError
from cornered.protocol.commands import (
    Analysed,
    AnalysisCommand,
    ArchiveCommand,
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
    BotCommand,
    CancelAnalysis,
    ClientMessage,
    Declare,
    DeclineChallenge,
    DeclineRematch,
    FindPlayer,
    Hello,
    InMatch,
    Join,
    Leave,
    LobbyCommand,
    MatchCommand,
    ModerationCommand,
    OfferAnalysis,
    Ping,
    Play,
    RatingCommand,
    ReadRecord,
    Say,
    SocialCommand,
    TournamentCommand,
)
from cornered.protocol.groups import ChangeGroup, CreateGroup, GroupCommand, TellGroup
from cornered.protocol.messages import Acknowledged, Archive, Games, MyMatches, Pong, Refused, ServerMessage
from cornered.protocol.moderation import ReportPlayer
from cornered.protocol.oidc import FinishOidc, OidcCommand, OidcDoorCommand
from cornered.protocol.passkeys import PasskeyCommand, PasskeyDoorCommand, RegisterByPasskey, SignInByPasskey
from cornered.protocol.ratings import Profile
from cornered.protocol.social import Blocked, Friends
from cornered.protocol.tournaments import CreateTournament, TellTournament
from cornered.server.accounts import AccountsUnavailable
from cornered.server.analysis.studies import line_of, read_record
from cornered.server.lobby.pools import offered_pools
from cornered.server.match import catalogue, views
from cornered.server.moderation.evidence import ChatLine
from cornered.server.net.connection import HOLD_INBOX, Connection
from cornered.server.net.costs import cost_of, malformed_cost, people_cost, profile_cost, reading_cost, replay_cost
from cornered.server.net.scopes import permits
from cornered.server.refusal import Refusal, milliseconds
from cornered.server.runtime.account_service import AccountService, ManagedCommand, VisitorsCommand
from cornered.server.runtime.bot_service import BotService
from cornered.server.runtime.client_connection import ClientConnection, frame
from cornered.server.runtime.exports import Exports
from cornered.server.runtime.group_service import GroupService
from cornered.server.runtime.limits import AddressLimits, Limits
from cornered.server.runtime.lobby_service import Admission, LobbyService
from cornered.server.runtime.match_mirror import MatchMirror
from cornered.server.runtime.match_room import MatchRoom
from cornered.server.runtime.social_service import BondCommand
from cornered.server.runtime.task_group import Spawn
from cornered.server.runtime.visits import Visit

__all__ = ["Session"]

MAX_FALSE_STARTS: Final = 5
"""Messages other than a good hello before the socket is closed."""
MAX_INBOX: Final = 16
"""Messages that may wait for their turn. Beyond that the socket is not read."""
MAX_DEBT: Final = 20.0
"""Tokens that one socket may owe and still be read, so that its own ping delays no move."""
MAX_ROOMS: Final = 64
"""Matches of others that one socket may watch at once."""
HELLO_COST: Final = 10.0
"""Tokens for a look into the store of accounts."""
LOOKUP_COST: Final = 10.0
"""Tokens for a look into the store of matches, found or not."""
NEWCOMER_PATIENCE: Final = 0.5
"""The part of `hello_seconds` that a new guest may wait for its turn; a longer wait is refused with `retry_after`."""

log = structlog.get_logger("session")

_InRoom: TypeAlias = Join | Leave | AskMoves | AskHistory | AskVariation | Say
"""Commands that a room carries out at once."""
_Declining: TypeAlias = DeclineChallenge | DeclineRematch
_Order: TypeAlias = (
    Ping
    | AskGames
    | AskMyMatches
    | ArchiveCommand
    | AskSeek
    | AskLobby
    | AskTv
    | RatingCommand
    | FindPlayer
    | AskLine
    | ReadRecord
    | LobbyCommand
    | MatchCommand
    | AnalysisCommand
    | AskAnalysis
    | AccountCommand
    | PasskeyCommand
    | OidcCommand
    | ModerationCommand
    | GroupCommand
    | TournamentCommand
    | SocialCommand
    | BotCommand
    | _InRoom
)
"""Every command that may follow hello."""
_DOOR: Final[tuple[type[VisitorsCommand], ...]] = tuple(
    kind for union in (DoorCommand, PasskeyDoorCommand, OidcDoorCommand) for kind in get_args(union)
)
_ENDING: Final = (
    Register,
    RegisterByPasskey,
    SignIn,
    SignInByLink,
    SignInByPasskey,
    FinishOidc,
    Recover,
    ChangePassword,
    SignOut,
    EndSession,
    EndOtherSessions,
    RevokeToken,
    DeleteAccount,
)
"""Commands that may end tokens: their sockets on this node are closed at once. A sign-in ends one session too many."""
MAX_KNOCKS: Final = 20
"""Commands of one socket before hello."""


class _Message(NamedTuple):
    """A message as it came."""

    payload: bytes
    is_text: bool


class _Admitted(NamedTuple):
    """A command that its player's bucket paid for, and what its address and the server still have to pay, in tokens."""

    order: _Order
    address_cost: float
    server_cost: float
    arrived: float


class Session:
    """One WebSocket, from its opening to its end."""

    __slots__ = (
        "_account_service",
        "_address",
        "_address_debt",
        "_bots",
        "_client",
        "_codec",
        "_connection",
        "_drainer",
        "_exports",
        "_false_starts",
        "_groups",
        "_has_played",
        "_inbox",
        "_is_draining",
        "_is_over",
        "_is_queued",
        "_knocks",
        "_last_play",
        "_limits",
        "_lobby_service",
        "_loop",
        "_origin",
        "_owed",
        "_server_debt",
        "_spawn",
    )

    def __init__(
        self,
        connection: Connection,
        lobby_service: LobbyService,
        account_service: AccountService,
        exports: Exports,
        groups: GroupService,
        bots: BotService,
        limits: Limits,
        address: AddressLimits,
        spawn: Spawn,
        origin: str = "",
    ) -> None:
        """`spawn` runs a coroutine as a named task that ends with the server; `origin` is that of the page."""
        self._connection = connection
        self._codec = CODECS[connection.subprotocol]
        self._lobby_service = lobby_service
        self._account_service = account_service
        self._exports = exports
        self._groups = groups
        self._bots = bots
        self._limits = limits
        self._address = address
        self._spawn = spawn
        self._origin = origin
        self._loop = asyncio.get_running_loop()
        self._client: ClientConnection | None = None
        self._false_starts = 0
        # Whether the socket plays: one by which a bot's owner only reads does not.
        self._has_played = False
        # The newest move of a bot: what an `illegal_move` is about.
        self._last_play: Play | None = None
        self._knocks = 0
        # The first item is being carried out, if there is one.
        self._inbox: deque[_Message | _Admitted] = deque()
        self._drainer: asyncio.Task[None] | None = None
        # Couples `_wake` with `_drain`: True while a drainer runs, and for good after one that failed or was cancelled.
        self._is_draining = False
        self._is_over = False
        # Couples `_queue_for` with `end`: True while the drainer waits for tokens, and may be cancelled.
        self._is_queued = False
        # Tokens for matches that were read from the store, until the end of the command that needed them.
        self._owed = 0.0
        # Tokens for messages that changed nothing, owed to the shares of the address and of the server.
        self._address_debt = 0.0
        self._server_debt = 0.0

    # Handler, called by the connection

    def receive(self, payload: bytes, *, is_text: bool) -> None:
        """Take one message: carry it out at once if that needs no waiting, and otherwise in its turn."""
        client = self._client
        if self._inbox or client is None:
            self._enqueue(_Message(payload, is_text))
            return
        now = self._loop.time()
        admitted = self._admit(client, payload, now, is_text=is_text)
        if admitted is None:
            return
        order, cost = admitted.order, admitted.address_cost
        if cost:
            if not self._address.share.take_now(cost):
                self._enqueue(admitted)
                return
            if not self._limits.all_clients.take_now(cost):
                self._enqueue(admitted._replace(address_cost=0.0))
                return
        try:
            if not self._do_now(client, order, now):
                self._enqueue(admitted._replace(address_cost=0.0, server_cost=0.0))
        except Refusal as refusal:
            client.refuse(order.id, refusal.code, refusal.text, retry_after=refusal.retry_after)

    def owe(self, cost: float) -> None:
        """Take tokens for work that is done. What the shares lack is taken in its turn, and reading stops meanwhile."""
        if not self._address.share.take_now(cost):
            self._address_debt += cost
        if not self._limits.all_clients.take_now(cost):
            self._server_debt += cost
        if self._debt and not self._is_over:
            if self._debt > MAX_DEBT:
                self._connection.hold(HOLD_INBOX)
            self._wake()

    def end(self) -> None:
        """Leave every match and the lobby."""
        self._is_over = True
        if self._is_queued and self._drainer is not None:
            # A request of a closed connection would stay in the queue in front of those of open ones.
            self._drainer.cancel()
        client, self._client = self._client, None
        if client is not None:
            self._note_end(client)
            try:
                self._lobby_service.matches.forwarder.left(client)
                self._lobby_service.leave(client)
            finally:
                self._limits.players.leave(client.player.id)
            log.debug("went", session=client.id, player=client.player.id)

    def _note_end(self, client: ClientConnection) -> None:
        """Note why a bot's connection ended, for its owner. The restart of a server is no incident, nor is a program
        that says goodbye while the bot has no match that goes on."""
        code, reason, closer = self._connection.farewell
        is_farewell = closer == "program" and code in (CloseCode.NORMAL_CLOSURE, CloseCode.GOING_AWAY)
        if is_farewell and not self._lobby_service.has_live_match(client.player.id):
            return
        if client.player.kind == "bot" and self._has_played and code != CloseCode.SERVICE_RESTART:
            at = self._lobby_service.now()
            what = BotIncident(at=at, kind="disconnect", text=reason, code=code, closed_by=closer)
            self._bots.note(client, what)

    def _note_refusal(self, client: ClientConnection, command_id: str | None, code: str, text: str) -> None:
        """Note a bot's illegal move, for its owner."""
        play = self._last_play
        if code == "illegal_move" and play is not None and play.id == command_id:
            what = BotIncident(
                at=self._lobby_service.now(),
                kind="illegal",
                text=f"{play.move}: {text}",
                match=play.match,
                ply=play.ply,
            )
            self._bots.note(client, what)

    def fell_behind(self) -> None:
        if self._client is not None:
            for room in self._client.matches.values():
                room.fell_behind(self._client)

    def caught_up(self) -> None:
        if self._client is not None:
            for room in tuple(self._client.matches.values()):
                room.caught_up(self._client)
            self._lobby_service.caught_up(self._client)

    def has_message(self) -> bool:
        return bool(self._inbox)

    def is_awaited(self) -> bool:
        client = self._client
        return client is not None and any(room.awaits(client) for room in client.matches.values())

    # The inbox

    def _enqueue(self, item: _Message | _Admitted) -> None:
        self._inbox.append(item)
        if len(self._inbox) >= MAX_INBOX:
            self._connection.hold(HOLD_INBOX)
        self._wake()

    @property
    def _debt(self) -> float:
        return max(self._address_debt, self._server_debt)

    def _wake(self) -> None:
        if not self._is_draining:
            self._is_draining = True
            self._drainer = self._spawn(self._drain(), f"session[{self._connection.id}]")

    async def _drain(self) -> None:
        """Pay what is owed and carry out what waits, until nothing is left."""
        try:
            while (self._debt or self._inbox) and not self._is_over:
                if self._debt:
                    await self._settle()
                else:
                    await self._take_first()
                if len(self._inbox) < MAX_INBOX and self._debt <= MAX_DEBT:
                    self._connection.release(HOLD_INBOX)
            self._is_draining = False
        except Exception:
            # A defect in one session must not reach the others.
            log.exception("a session failed", session=self._connection.id)
            self._connection.fail(CloseCode.INTERNAL_ERROR)

    async def _settle(self) -> None:
        key = self if self._client is None else self._client.player.id
        address_debt, server_debt = self._address_debt, self._server_debt
        await self._take_shares(key, address_debt, server_debt)
        self._address_debt -= address_debt
        self._server_debt -= server_debt

    async def _take_first(self) -> None:
        item, client = self._inbox[0], self._client
        if client is None:
            assert isinstance(item, _Message)
            await self._greet(item)
        else:
            await self._carry_out(client, item)
        self._inbox.popleft()

    async def _carry_out(self, client: ClientConnection, item: _Message | _Admitted) -> None:
        now = self._loop.time()
        admitted = self._admit(client, item.payload, now, is_text=item.is_text) if isinstance(item, _Message) else item
        if admitted is None:
            return
        order = admitted.order
        try:
            await self._take_shares(client.player.id, admitted.address_cost, admitted.server_cost)
            if not self._is_over and not self._do_now(client, order, admitted.arrived):
                await self._dispatch(client, order, admitted.arrived)
        except Refusal as refusal:
            client.refuse(order.id, refusal.code, refusal.text, retry_after=refusal.retry_after)
        except asyncio.CancelledError:
            # The server stops: it must not wait until this is paid.
            self._let_off()
            raise
        finally:
            await self._pay(client)

    # Hello

    async def _greet(self, message: _Message) -> None:
        """Answer a message before hello was accepted; after too many close the socket."""
        command_id: str | None = None
        is_false_start = True
        try:
            cost = max(HELLO_COST, malformed_cost(len(message.payload)))
            await self._take_shares(self, cost, cost)
            hello = self._decode(message.payload, is_text=message.is_text)
            moderation = self._lobby_service.moderation
            moderation.check("", self._connection.key)
            if isinstance(hello, _DOOR):
                command_id = hello.id
                is_false_start = self._knocks >= MAX_KNOCKS
                await self._at_the_door(hello)
                return
            if not isinstance(hello, Hello):
                raise ProtocolError("hello_first", "the first message must be `hello`", hello.id)
            if hello.token is None:
                await self._wait_as_newcomer()
            admission = await self._lobby_service.greet(hello)
            moderation.check(admission.identity.player.id, self._connection.key)
            self._check_room_for(admission.welcome.player.id)
            if not self._is_over:
                self._enter(admission, hello.instance)
            return
        except ProtocolError as error:
            command_id, refusal = error.command_id, Refusal(error.code, error.text)
        except Refusal as caught:
            refusal = caught
        self._lobby_service.counts.refused(refusal.code)
        refused = Refused(id=command_id, code=refusal.code, text=refusal.text, retry_after=refusal.retry_after)
        self._connection.write(frame(self._codec.encode(refused), is_text=self._codec.is_text))
        self._false_starts += is_false_start
        if refusal.code in ("server_full", "shutting_down"):
            self._connection.fail(CloseCode.TRY_AGAIN_LATER, refusal.code)
        elif refusal.code == "banned":
            self._connection.fail(CloseCode.POLICY_VIOLATION, refusal.code)
        elif self._false_starts >= MAX_FALSE_STARTS:
            self._connection.fail(CloseCode.POLICY_VIOLATION, "no hello")

    async def _at_the_door(self, command: VisitorsCommand) -> None:
        """Carry out and answer a command before hello. Raises Refusal."""
        if self._lobby_service.is_stopping:
            raise Refusal("shutting_down", "the server restarts; connect again in a moment")
        self._knocks += 1
        if self._knocks > MAX_KNOCKS:
            raise Refusal("hello_first", "too many attempts on one connection; connect again")
        cost = cost_of(command, None)
        await self._take_shares(self, cost, cost)
        if isinstance(command, Register | RegisterByPasskey | FinishOidc):
            await self._wait_as_newcomer()
        visit = Visit(self._connection.key, self._address, None, self._origin, self._queue_for)
        answer = await self._account_service.answer(command, visit)
        self._connection.write(frame(self._codec.encode(answer), is_text=self._codec.is_text))
        await self._look_for_revocations(command)

    async def _look_for_revocations(self, command: VisitorsCommand | ManagedCommand) -> None:
        """Close at once the sockets whose tokens a command has ended; those of other nodes follow in a moment."""
        if isinstance(command, _ENDING):
            try:
                await self._lobby_service.revocations.look()
            except AccountsUnavailable:
                # They are looked for again and again.
                return

    def _check_room_for(self, player: str) -> None:
        """Raise a Refusal when a player is at its limit of connections."""
        most = self._limits.settings.max_per_player
        if self._limits.players.connections(player) >= most:
            raise Refusal("server_full", f"you have {most} connections already; close one first")

    async def _wait_as_newcomer(self) -> None:
        """Return when it is this new guest's turn. Raises Refusal where that would take too long."""
        queue = self._address.newcomers
        delay = queue.delay(self)
        if delay > self._limits.settings.hello_seconds * NEWCOMER_PATIENCE:
            text = "too many new players come from your address; try again in a moment"
            raise Refusal("too_fast", text, retry_after=milliseconds(delay))
        await self._queue_for(queue.take(self))

    async def _take_shares(self, key: Hashable, address_cost: float, server_cost: float) -> None:
        """Return when `key` has its share of the address's tokens, and the address its share of the server's."""
        if address_cost:
            await self._queue_for(self._address.share.take(key, address_cost))
        if server_cost:
            await self._queue_for(self._limits.all_clients.take(self._connection.key, server_cost))

    async def _queue_for(self, turn: Awaitable[object]) -> None:
        """Wait for `turn`; the end of the session ends the wait."""
        self._is_queued = True
        try:
            await turn
        finally:
            self._is_queued = False

    def _enter(self, admission: Admission, instance: str | None) -> None:
        player = admission.welcome.player
        limits = self._limits.players.enter(player.id)
        counts, identity = self._lobby_service.counts, admission.identity
        client = ClientConnection(
            self._connection, self._codec, player, limits, counts, instance, identity, admission.blocked
        )
        if player.kind == "bot":
            client.on_refusal = partial(self._note_refusal, client)
        self._client = client
        self._connection.greeted()
        self._lobby_service.enter(client, admission.welcome, is_claimed=admission.is_claimed)
        log.debug("came", session=client.id, player=player.id, kind=player.kind)

    def _decode(self, raw: bytes, *, is_text: bool) -> ClientMessage:
        """Return what was said. Raises ProtocolError."""
        if is_text is not self._codec.is_text:
            kinds = "text messages, not binary" if self._codec.is_text else "binary messages, not text"
            other = next(codec for codec in CODECS.values() if codec.is_text is is_text)
            text = f"{self._codec.subprotocol} takes {kinds}; connect with {other.subprotocol} to send these"
            raise ProtocolError("malformed", text)
        return self._codec.decode_command(raw)

    # Commands

    def _admit(self, client: ClientConnection, raw: bytes, now: float, *, is_text: bool) -> _Admitted | None:
        """Decode and charge one message; None when it was refused, or its sender is cut off."""
        self._lobby_service.counts.messages += 1
        bucket = client.limits.commands
        try:
            command = self._decode(raw, is_text=is_text)
        except ProtocolError as error:
            size_cost = malformed_cost(len(raw))
            for _ in range(size_cost):
                # One by one: what is not there is owed.
                bucket.spend(now)
            self.owe(size_cost)
            if not self._is_cut_off(client):
                client.refuse(error.command_id, error.code, error.text)
            return None
        # The move that the match waits for costs nothing, unless it is illegal: then the match task charges for it.
        is_free = isinstance(command, Play) and self._is_awaited(client, command)
        if isinstance(command, Play):
            self._last_play = command
        elif isinstance(command, Declare | Join):
            self._has_played = True
        cost = 0.0 if is_free else max(self._cost_of(command), reading_cost(len(raw)))
        # What was carried out before is only answered again: its sender may have missed the first answer.
        may = not cost or bucket.spend(now, cost) or self._lobby_service.was_done(client.player.id, command)
        if self._is_cut_off(client):
            return None
        if isinstance(command, Hello):
            client.refuse(None, "hello_again", "this socket has a player already")
        elif self._lobby_service.is_stopping:
            client.refuse(command.id, "shutting_down", "the server restarts; connect again in a moment")
        elif not permits(client.identity, command):
            client.refuse(command.id, "not_permitted", "your token does not permit this; use one with more scopes")
        elif not may:
            wait = milliseconds(bucket.wait(now, cost))
            client.refuse(command.id, "too_fast", "slow down and try again in a moment", retry_after=wait)
        else:
            return _Admitted(command, cost, cost, now)
        self.owe(1.0)
        return None

    def _is_cut_off(self, client: ClientConnection) -> bool:
        """Disconnect a player who ignores refusals; return whether that was necessary."""
        if client.limits.commands.is_hostile:
            self._connection.fail(CloseCode.POLICY_VIOLATION, "too fast")
            return True
        return False

    def _is_awaited(self, client: ClientConnection, play: Play) -> bool:
        room = self._lobby_service.matches.get(play.match)
        return room is not None and room.expects(client, play)

    def _cost_of(self, command: ClientMessage) -> float:
        room = self._lobby_service.matches.get(command.match) if isinstance(command, InMatch) else None
        return cost_of(command, None if room is None else room.match)

    async def _find(self, client: ClientConnection, command: InMatch | AskBotRequests | ReportFailure) -> MatchRoom:
        """Return the room of any match. One that is not open is read from the store, and paid for afterwards.

        So is what a mirror lacks of that which the client has seen on another node. What that costs is known only then;
        until it is paid the address has one reading less. A player's own live match costs nothing more: after a restart
        it is loaded for its players anyway. Raises Refusal.
        """
        registry, match_id = self._lobby_service.matches, command.match
        room = registry.get(match_id)
        if room is None and match_id in registry.live_of(client.player.id):
            room = await registry.find(match_id)
        elif room is None:
            await self._queue_for(self._address.replays.acquire())
            self._owed = LOOKUP_COST
            room = await registry.find(match_id)
            self._owed += replay_cost(room.match.seq)
        elif isinstance(room, MatchMirror) and room.is_behind(command):
            await self._queue_for(self._address.replays.acquire())
            self._owed = LOOKUP_COST
            await room.catch_up()
            # Meanwhile its last client may have gone, or the match have come to this node.
            room = await registry.find(match_id)
        return room

    async def _find_seen(self, client: ClientConnection, command: InMatch) -> MatchRoom:
        """Return the room of a match that the client may see, or leave, as `_find` does. Raises Refusal."""
        room = await self._find(client, command)
        if isinstance(command, Leave):
            return room
        try:
            if not await self._lobby_service.sees(client, room):
                raise Refusal("private", "only its players see this match")
        except Refusal:
            room.check_emptiness()
            raise
        # Meanwhile its last client may have gone.
        return await self._lobby_service.matches.find(command.match)

    def _check_chat(self, client: ClientConnection) -> None:
        """Raise a Refusal where this client may not write at all."""
        if not self._lobby_service.is_operators(client.player.id):
            self._account_service.check_chat(client.identity)
            self._lobby_service.moderation.check_chat(client.player.id)

    async def _said(self, client: ClientConnection, command: Say) -> Say:
        """Return a chat line as it may be told. Raises Refusal."""
        self._check_chat(client)
        text = self._lobby_service.moderation.clean_line(command.text)
        return command if text == command.text else command.model_copy(update={"text": text})

    async def _written(self, client: ClientConnection, command: TournamentCommand) -> TournamentCommand:
        """Return a command about a tournament with the text that others may read. Raises Refusal."""
        moderation = self._lobby_service.moderation
        if isinstance(command, CreateTournament):
            moderation.check_chat(client.player.id)
            settings = command.settings
            named = settings.model_copy(update={"name": moderation.clean_name(settings.name)})
            return command.model_copy(update={"settings": named})
        if isinstance(command, TellTournament):
            self._check_chat(client)
            return command.model_copy(update={"text": moderation.clean_line(command.text)})
        return command

    async def _declined(self, client: ClientConnection, command: _Declining) -> _Declining:
        """Return a decline without the reason that its sender may not write: the decline itself stands."""
        if not command.reason:
            return command
        try:
            self._check_chat(client)
            reason = self._lobby_service.moderation.clean_line(command.reason)
        except Refusal:
            reason = ""
        return command if reason == command.reason else command.model_copy(update={"reason": reason})

    async def _moderated(self, client: ClientConnection, command: ModerationCommand) -> ServerMessage:
        """Carry out a command about reports and bans, and return its answer. Raises Refusal."""
        chat: tuple[ChatLine, ...] = ()
        if isinstance(command, ReportPlayer) and command.match is not None:
            room = self._lobby_service.matches.get(command.match)
            if room is not None:
                lines = room.chat_seen_by(client)
                chat = tuple(ChatLine(one.by.id, one.room, one.text, one.at) for one in lines)
        return await self._lobby_service.moderation.answer(command, client.player, client.address, chat)

    async def _in_account(self, client: ClientConnection, command: VisitorsCommand | ManagedCommand) -> None:
        """Carry out and answer a command about an account. Raises Refusal."""
        if isinstance(command, Rename):
            # A name is text that everybody reads.
            self._lobby_service.moderation.check_chat(client.player.id)
        replacing = partial(self._lobby_service.replacing, client)
        visit = Visit(client.address, self._address, client.identity, self._origin, self._queue_for, replacing)
        answer = await self._account_service.answer(command, visit)
        client.send(answer)
        await self._look_for_revocations(command)

    async def _in_group(self, client: ClientConnection, command: GroupCommand, now: float) -> ServerMessage:
        """Carry out a command about a group. Raises Refusal."""
        moderation = self._lobby_service.moderation
        if isinstance(command, TellGroup):
            self._check_chat(client)
            if not client.limits.chat.spend(now):
                raise Refusal("too_fast", "let the others say something too")
            command = command.model_copy(update={"text": moderation.clean_line(command.text)})
        elif isinstance(command, CreateGroup) or (
            isinstance(command, ChangeGroup) and command.name != self._groups.name_of(command.group)
        ):
            # A name is text that all members read.
            moderation.check_chat(client.player.id)
            command = command.model_copy(update={"name": moderation.clean_name(command.name)})
        return await self._groups.answer(command, client)

    async def _export(self, client: ClientConnection, command: AskExport) -> ServerMessage:
        """Return a part of what is stored about the client's player, which is paid for afterwards. Raises Refusal."""
        await self._queue_for(self._address.replays.acquire())
        self._owed = LOOKUP_COST
        return await self._exports.part(client.identity, command, self._replayed)

    async def _my_matches(self, client: ClientConnection, command: AskMyMatches) -> MyMatches:
        """Return a player's matches. What a later page reads from the store is paid for as a match that is opened.

        The first page is what every visit begins with, and its few matches are remembered: its price is fixed. Raises
        Refusal.
        """
        if command.after is None:
            return await self._lobby_service.my_matches(client, command)

        await self._queue_for(self._address.replays.acquire())
        self._owed = LOOKUP_COST
        return await self._lobby_service.my_matches(client, command, self._replayed)

    async def _found(self, client: ClientConnection, command: AskArchive) -> Archive:
        """Return a page of the archive, whose matches are paid for as those that are opened. Raises Refusal."""
        await self._queue_for(self._address.replays.acquire())
        self._owed = LOOKUP_COST
        return await self._lobby_service.archive.find(client.player.id, command, self._replayed)

    async def _about_bot(self, client: ClientConnection, command: BotCommand) -> ServerMessage:
        """Carry out a command about a bot, whose matches are paid for as those that are opened. Raises Refusal."""
        bots = self._bots
        match command:
            case ReportFailure():
                bot = await bots.subject(client, None)
                room = await self._find(client, command)
                try:
                    return await bots.report_failure(bot, room, command)
                finally:
                    room.check_emptiness()
            case AskBotLink():
                return bots.link(client, command)
            case AskBotReport():
                bot = await bots.subject(client, command.link)
                await self._queue_for(self._address.replays.acquire())
                self._owed = LOOKUP_COST
                report = await bots.report(bot, command, self._replayed)
                self._owed += profile_cost(len(report.ratings))
                return report
            case AskBotRequests():
                bot = await bots.subject(client, command.link)
                room = await self._find(client, command)
                try:
                    return await bots.requests(bot, room, command)
                finally:
                    room.check_emptiness()
            case _:
                assert_never(command)

    def _replayed(self, events: int) -> None:
        """Charge the events of a match that was replayed, when the answer is complete."""
        self._owed += replay_cost(events)

    async def _pay(self, client: ClientConnection) -> None:
        """Pay for what was read from the store: the next message waits for the shares that it takes."""
        if self._owed:
            owed, self._owed = self._owed, 0.0
            try:
                client.limits.commands.drain(self._loop.time(), owed)
                await self._address.share.take(client.player.id, owed)
                await self._limits.all_clients.take(client.address, owed)
            finally:
                self._address.replays.release()

    def _let_off(self) -> None:
        if self._owed:
            self._owed = 0.0
            self._address.replays.release()

    def _do_now(self, client: ClientConnection, command: _Order, now: float) -> bool:
        """Carry out a command that needs no waiting; return False for any other. Raises Refusal."""
        if isinstance(command, Ping):
            client.send(Pong(id=command.id, sent=command.sent, now=self._lobby_service.now()))
            return True
        if isinstance(command, MatchCommand) and not (isinstance(command, DeclineRematch) and command.reason):
            room = self._lobby_service.matches.get(command.match)
            if room is not None:
                with self._lobby_service.tracer.receive(command, now) as span:
                    room.submit(client, command, now, span.context)
                return True
        return False

    async def _dispatch(self, client: ClientConnection, command: _Order, now: float) -> None:
        lobby_service = self._lobby_service
        if isinstance(command, DeclineChallenge | DeclineRematch):
            command = await self._declined(client, command)
        if isinstance(command, MatchCommand):
            with lobby_service.tracer.receive(command, now) as span:
                room = await self._find(client, command)
                try:
                    room.submit(client, command, now, span.context)
                finally:
                    room.check_emptiness()
            return
        if isinstance(command, LobbyCommand):
            await lobby_service.in_lobby(client, command)
            return
        if isinstance(command, AskExport):
            client.send(await self._export(client, command))
            return
        if isinstance(command, AccountCommand | PasskeyCommand | OidcCommand):
            await self._in_account(client, command)
            return
        if isinstance(command, ModerationCommand):
            client.send(await self._moderated(client, command))
            return
        if isinstance(command, BondCommand):
            people = await lobby_service.social.answer(command, client.player)
            client.send(people)
            if isinstance(people, Friends | Blocked):
                count = len(people.friends) if isinstance(people, Friends) else len(people.players)
                self._owe_for(client, people_cost(count))
            return
        if isinstance(command, SocialCommand):
            has_account = client.identity.has_account
            address = self._connection.key
            client.send(await lobby_service.notices.answer(command, client.player, address, has_account=has_account))
            return
        if isinstance(command, BotCommand):
            client.send(await self._about_bot(client, command))
            return
        if isinstance(command, GroupCommand):
            client.send(await self._in_group(client, command, now))
            return
        if isinstance(command, TournamentCommand):
            client.send(await lobby_service.tournaments.answer(await self._written(client, command), client))
            return
        match command:
            case Ping():
                self._do_now(client, command, now)
            case AskGames():
                await lobby_service.readiness.of_catalogue()
                most = lobby_service.matches.max_plies
                games, pools = catalogue.offered(), offered_pools()
                client.send(Games(id=command.id, games=games, max_plies=most, pools=pools))
            case AskMyMatches():
                client.send(await self._my_matches(client, command))
            case AskArchive():
                client.send(await self._found(client, command))
            case AskHeadToHead():
                client.send(await lobby_service.archive.head_to_head(command))
            case AskOpening():
                client.send(await lobby_service.archive.opening(command))
            case AskSeek():
                lobby_service.ask_seek(client, command)
            case AskLobby():
                client.send(lobby_service.lobby_page(command))
            case AskTv():
                client.send(lobby_service.tv(command))
            case FindPlayer():
                client.send(await lobby_service.find_player(command))
            case AskPools() | AskProfile() | AskRatingHistory() | AskLeaderboard():
                answer = await lobby_service.rating_answers.answer(command)
                client.send(answer)
                if isinstance(answer, Profile):
                    self._owe_for(client, profile_cost(len(answer.ratings)))
            case OfferAnalysis():
                lobby_service.analyses.offer(client, command)
            case Analysed():
                lobby_service.analyses.analysed(client, command)
            case CancelAnalysis():
                lobby_service.analyses.cancel(client, command)
            case AskLine():
                await lobby_service.readiness.of(command.game.name)
                client.send(views.line(line_of(command), id=command.id))
            case ReadRecord():
                # Which game it is the record itself says.
                await lobby_service.readiness.of_all()
                client.send(read_record(command))
            case AskStudy():
                await lobby_service.ask_study(client, command)
            case AskTrace():
                await lobby_service.ask_trace(client, command)
            case Join() | Leave() | AskMoves() | AskHistory() | AskVariation() | AskAnalysis() | Say():
                if isinstance(command, Say):
                    command = await self._said(client, command)
                room = await self._find_seen(client, command)
                try:
                    # The client may have disconnected while the match was looked up.
                    if self._client is not None:
                        if isinstance(command, AskAnalysis):
                            await lobby_service.ask_analysis(client, command, room)
                        else:
                            self._in_room(client, room, command, now)
                finally:
                    room.check_emptiness()
            case _:
                assert_never(command)

    def _owe_for(self, client: ClientConnection, cost: float) -> None:
        """Charge a client's player and shares for what an answer turned out to hold."""
        client.limits.commands.drain(self._loop.time(), cost)
        self.owe(cost)

    def _in_room(self, client: ClientConnection, room: MatchRoom, command: _InRoom, now: float) -> None:
        match command:
            case Join():
                if (
                    command.match not in client.matches
                    and not room.is_player(client)
                    and len(client.matches) >= MAX_ROOMS
                ):
                    raise Refusal("busy", f"one connection watches at most {MAX_ROOMS} matches; leave one first")
                room.join(client, command)
                if room.awaits(client):
                    self._connection.await_closely()
            case Leave():
                room.leave(client)
                client.send(Acknowledged(id=command.id))
            case AskMoves():
                client.send(views.moves(room.seen_by(client), command.ply, id=command.id))
            case AskHistory():
                client.send(views.history(room.seen_by(client), id=command.id))
            case AskVariation():
                client.send(views.variation(room.explored_by(client), command.ply, command.moves, id=command.id))
            case Say():
                if not room.was_said(client.player.id, command.id) and not client.limits.chat.spend(now):
                    raise Refusal("too_fast", "let the others say something too")
                room.say(client, command)
            case _:
                assert_never(command)
