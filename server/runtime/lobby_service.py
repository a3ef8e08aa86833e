"""The lobby service: the connected clients of one server, and the lobby that they see."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import Final, NamedTuple, assert_never

import structlog

from cornered import server
from cornered.protocol.commands import (
    AskAnalysis,
    AskLobby,
    AskMyMatches,
    AskSeek,
    AskStudy,
    AskTrace,
    AskTv,
    ClientMessage,
    FindPlayer,
    Hello,
    LeaveLobby,
    LobbyCommand,
    MatchCommand,
    WatchLobby,
)
from cornered.protocol.events import Started
from cornered.protocol.messages import (
    Acknowledged,
    LobbyPage,
    MyMatches,
    Notice,
    Paired,
    PlayerFound,
    ServerMessage,
    Tv,
    Waiting,
    Welcome,
)
from cornered.protocol.values import Correspondence, MatchSummary, Player
from cornered.server.accounts import (
    Accounts,
    AccountsUnavailable,
    Identity,
    Revocation,
    account_called,
    is_name_claimed,
)
from cornered.server.analysis.queue import question_about
from cornered.server.analysis.state import Question, pieces_of, shape_of
from cornered.server.analysis.studies import question_to_study
from cornered.server.analysis.traces import question_to_trace
from cornered.server.cluster.messages import Visitor
from cornered.server.cluster.ports import LobbyLog
from cornered.server.lobby.bounds import Bounds
from cornered.server.lobby.events import (
    Answered,
    Arrived,
    BotNamed,
    ChallengeEnded,
    ChallengeSent,
    Declared,
    Departed,
    LobbyEvent,
    MatchEnded,
    MatchMade,
    PoolEntered,
    PoolLeft,
    SeekClosed,
    SeekJoined,
    SeekLeft,
    SeekPosted,
    WentAway,
)
from cornered.server.lobby.names import Names
from cornered.server.lobby.state import LobbyFacts
from cornered.server.match import views
from cornered.server.match.match import Match
from cornered.server.metrics import Counts
from cornered.server.ports import JournalUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.analysis_exchange import AnalysisExchange
from cornered.server.runtime.analysis_service import AnalysisService
from cornered.server.runtime.archive_search import ArchiveSearch
from cornered.server.runtime.bot_programs import BotPrograms
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.lobby_replication import LobbyReplication
from cornered.server.runtime.lobby_watchers import LobbyWatchers
from cornered.server.runtime.match_registry import MatchRegistry, new_id
from cornered.server.runtime.match_room import MatchRoom, Services
from cornered.server.runtime.match_summaries import MatchSummaries
from cornered.server.runtime.match_task import MatchTask
from cornered.server.runtime.moderation_service import ConnectedPlayers, ModerationService
from cornered.server.runtime.notice_service import NoticeService
from cornered.server.runtime.player_exchange import PlayerExchange
from cornered.server.runtime.rating_answers import RatingAnswers
from cornered.server.runtime.readiness import Readiness
from cornered.server.runtime.registry_observer import RegistryObserver
from cornered.server.runtime.revocations import Revocations
from cornered.server.runtime.rights import RightEnded
from cornered.server.runtime.social_service import SocialService
from cornered.server.runtime.task_group import TaskGroup
from cornered.server.runtime.tournament_driver import LobbyView
from cornered.server.runtime.tournament_service import Peers, TournamentService
from cornered.server.runtime.turn_notices import TurnNotices
from cornered.server.social.notices import PlayerNotice
from cornered.server.social.ports import PushSender, SocialStore, SocialUnavailable
from cornered.server.tracing import Tracer

__all__ = ["Admission", "LobbyService"]

WELL_KNOWN_PLIES: Final = 6
"""Plies from the start within which a position of a live match is studied for others."""
MAX_FINISHED: Final = 20
"""Finished matches on a player's list."""

SEEN_MS: Final = 60 * 60 * 1000
"""How old the record of a token's use may be: each record is a write to the store."""

log = structlog.get_logger("lobby_service")


class Admission(NamedTuple):
    """An accepted hello: its answer, what its token permits, and whether the requested name is another's account's."""

    welcome: Welcome
    identity: Identity
    is_claimed: bool = False
    blocked: frozenset[str] = frozenset()
    """The players whom this one blocks."""


class LobbyService:
    """The connected clients, the lobby and the analyses of one server: carries out and answers their commands."""

    def __init__(
        self,
        services: Services,
        accounts: Accounts,
        open_registry: Callable[[RegistryObserver], MatchRegistry],
        open_moderation: Callable[[ConnectedPlayers], ModerationService],
        open_tournaments: Callable[[LobbyView, Peers], TournamentService],
        lobby_log: LobbyLog,
        social_store: SocialStore,
        tasks: TaskGroup,
        *,
        bounds: Bounds = Bounds(),  # noqa: B008 - it is frozen
        reserved_names: Iterable[str] = (),
        analyst_key: str = "",
        allows_guests: bool = True,
        push: PushSender | None = None,
        notice_seconds: float = 10.0,
    ) -> None:
        """`open_registry` makes the registry, which reports to the lobby service from then on; `open_moderation` the
        moderation service, which has it close connections; `open_tournaments` the tournament service.

        The lobby's changes are stored in `lobby_log` from `recover` on, by a task of `tasks`.

        `reserved_names` are for connections with `analyst_key`; any other that requests one gets a number added.
        Analysts need the key too: without a key there are no analysts, and any bot may have the names. Unless it
        `allows_guests`, a hello needs an account, a bot's token or the key. Turns of games by days are announced after
        `notice_seconds`, by `push` too.
        """
        self.matches = open_registry(self)
        self.is_stopping = False
        self._services = services
        self._accounts = accounts
        self._allows_guests = allows_guests
        self._began = services.now()
        self._clients: dict[str, list[ClientConnection]] = {}
        self._replacing = set[ClientConnection]()
        """Connections whose session is being replaced."""
        services.rights.register(self._right_ended)
        self.revocations = Revocations(accounts, self._token_revoked, services.rights)
        self.moderation = open_moderation(self)
        self.replication = LobbyReplication(
            services, self.matches, lobby_log, self, tasks, reserved_names=tuple(reserved_names), bounds=bounds
        )
        view = LobbyView(
            is_deciding=lambda: self.replication.is_deciding,
            is_here=self.is_anywhere,
            was_away=self._was_away,
            is_live=lambda match: match in self._lobby.matches,
            new_id=self.replication.draw_id,
            open_match=self.replication.placement.open,
            versions_of=self.versions_of,
        )
        self.tournaments = open_tournaments(view, lambda player: self._clients.get(player, ()))
        self.rating_answers = RatingAnswers(services.ratings.store, accounts, services.now)
        self.archive = ArchiveSearch(services, self.matches)
        self.social = SocialService(
            social_store,
            accounts,
            services.nodes,
            lobby=lambda: self._lobby,
            clients_of=self.clients_of,
            spawn=tasks.spawn,
            now=services.now,
        )
        self._programs = BotPrograms(services.nodes, self.clients_of)
        self.players_elsewhere = PlayerExchange(
            services.nodes, self.social, self._programs, self.clients_of, lambda: self._clients.keys()
        )
        self.summaries = MatchSummaries(services.nodes, self.matches)
        self._watch = LobbyWatchers(
            self._lobby,
            self.summaries,
            services.bus,
            now=services.now,
            peers_of=self.clients_of,
            live_of=self._live_of,
        )
        self.notices = NoticeService(social_store, self.players_elsewhere.tell, services.counts, push, now=services.now)
        self._turns = TurnNotices(self.notices, self.matches.owned, grace=notice_seconds)
        # The ids of the players that have sent the operator's key since the server started.
        self._operators: set[str] = set()
        self._has_key = bool(analyst_key)
        self.analysis_service = AnalysisService(services.counts, services.now, new_id, analyst_key)
        self.analyses = AnalysisExchange(
            self.analysis_service, services.nodes, self.matches.forwarder, services.readiness
        )

    @property
    def counts(self) -> Counts:
        return self._services.counts

    @property
    def tracer(self) -> Tracer:
        return self._services.tracer

    @property
    def readiness(self) -> Readiness:
        return self._services.readiness

    def now(self) -> int:
        """Return the match clock in milliseconds."""
        return self._services.now()

    def clients_of(self, player: str) -> tuple[ClientConnection, ...]:
        """Return a player's connections to this node."""
        return tuple(self._clients.get(player, ()))

    @property
    def players(self) -> int:
        """How many players have a connection to this node."""
        return len(self._clients)

    # Life

    async def recover(self) -> None:
        """Go on with the lobby and the matches of the server before. Raises JournalUnavailable, AccountsUnavailable."""
        await self.revocations.begin()
        await self.moderation.begin()
        await self.matches.recover()
        await self.tournaments.begin()
        await self.replication.recover()

    async def drained(self) -> None:
        """Return when every change of the lobby so far is stored, or cannot be for too long."""
        await self.replication.drained()

    @property
    def _lobby(self) -> LobbyFacts:
        """The lobby as it may be known: what is not stored yet is not in it."""
        return self.replication.facts

    # Connections

    async def greet(self, hello: Hello) -> Admission:
        """Answer a hello; without a token a guest is created, whose session is labelled by `client`. Raises Refusal.

        The caller has the client enter in the step in which this returns, so that no revocation is missed.
        """
        if self.is_stopping:
            raise Refusal("shutting_down", "the server restarts; connect again in a moment")
        with self.revocations.greeting() as greeting:
            try:
                identity, token, is_claimed = await self._identify(hello)
            except AccountsUnavailable:
                raise Refusal("internal", "the server cannot look up players just now; try again") from None
            try:
                # A player who was made just now blocks nobody.
                blocked = await self.social.blocked_by(identity.player.id) if token is None else frozenset[str]()
            except SocialUnavailable:
                raise Refusal("internal", "the server cannot look up players just now; try again") from None
            # From here to the client's entry nothing waits: what is revoked later closes it.
            if greeting.ended(identity):
                raise _bad_token()
        player = identity.player
        if self.analysis_service.is_operators(hello.key):
            self._operators.add(player.id)
        welcome = Welcome(
            player=player,
            token=token,
            server=server.VERSION,
            now=self.now(),
            matches=self._live_of(player.id),
            has_account=identity.has_account,
            scopes=identity.scopes,
        )
        return Admission(welcome, identity, is_claimed, blocked)

    async def _identify(self, hello: Hello) -> tuple[Identity, str | None, bool]:
        """Return what a hello proves, a new guest's token, and whether the name is another's account's."""
        accounts, now = self._accounts, self.now()
        is_operators = self.analysis_service.is_operators(hello.key)
        if hello.token is None:
            if not self._allows_guests and not is_operators:
                raise _no_guests()
            name = self.moderation.clean_name(hello.name) if hello.name else _guest_name()
            identity, token = await accounts.create(name, hello.kind, label=hello.client, at=now)
            return identity, token, await self._is_claimed(identity)
        known = await accounts.by_token(hello.token, now)
        if known is None:
            raise _bad_token()
        if not (known.has_account or self._allows_guests or is_operators or known.player.kind == "bot"):
            raise _no_guests()
        if now - known.seen > SEEN_MS:
            await accounts.touch(known.player.id, known.session, now)
        if hello.name and self._may_rename(known, hello.name):
            known = replace(known, player=await accounts.rename_guest(known.player.id, hello.name))
        return known, None, not known.has_account and await self._is_claimed(known)

    def _may_rename(self, known: Identity, name: str) -> bool:
        """Return whether a hello changes a guest's name: who is muted keeps the present one. Raises Refusal."""
        if known.has_account or name == known.player.name or self.moderation.is_muted(known.player.id):
            return False
        self.moderation.clean_name(name)
        return True

    async def _is_claimed(self, identity: Identity) -> bool:
        return await is_name_claimed(self._accounts, identity.player.name, identity.player.id)

    @property
    def names(self) -> Names:
        """The visible names of all players in the lobby."""
        return self._lobby.names

    def changed(self, player: Player) -> None:
        """A player has an account from now on, or another name: its connections here show it."""
        clients = self._clients.get(player.id, [])
        if not clients:
            return
        shown = self.replication.came(self._visitor(clients[0], player, is_claimed=False))
        for client in clients:
            client.identity = replace(client.identity, player=player)
            client.player = shown

    def is_operators(self, player: str) -> bool:
        """Return whether a player has shown the operator's key since the server started."""
        return player in self._operators

    def _visitor(self, client: ClientConnection, player: Player, *, is_claimed: bool) -> Visitor:
        # Without a key no bot can prove to be a house bot: the reserved names are refused to people only.
        is_operators = player.id in self._operators or (not self._has_key and player.kind == "bot")
        return Visitor(player=player, address=client.address, is_operators=is_operators, is_claimed=is_claimed)

    def enter(self, client: ClientConnection, welcome: Welcome, *, is_claimed: bool = False) -> None:
        """Add a connection, and send it the welcome with its visible name, its player's challenges and pool.

        A name that `is_claimed` is another's account's.
        """
        player = client.player.id
        clients = self._clients.setdefault(player, [])
        clients.append(client)
        shown = self.replication.came(self._visitor(client, client.player, is_claimed=is_claimed))
        for one in clients:
            one.player = shown
        client.send(welcome.model_copy(update={"player": shown}))
        if len(clients) == 1:
            for match_task in self.matches.open_tasks_of(player):
                _complete(partial(match_task.player_came, player))
            self.matches.bring(player)
        for challenge in self._lobby.challenges_of.get(player, ()):
            client.send(self._lobby.challenges[challenge])
        waiting = self._lobby.pools.entry(player)
        if waiting is not None:
            client.send(waiting.message())
        self._programs.came(client)

    def has_live_match(self, player: str) -> bool:
        """Return whether a match of a player goes on, on any node."""
        return bool(self._live_of(player))

    def _live_of(self, player: str) -> tuple[str, ...]:
        """Return the ids of a player's matches that go on, on all nodes."""
        known = dict.fromkeys((*self._lobby.live_of(player), *self.matches.live_of(player)))
        # The lobby tells its changes in order: an end waits until those before it are stored, and a player may come
        # back in between.
        return tuple(match_id for match_id in known if not self.matches.is_over(match_id))

    def leave(self, client: ClientConnection) -> None:
        """Remove a closed connection. Never raises; messages about it are sent after it is removed everywhere."""
        player = client.player.id
        clients = self._clients.get(player, [])
        if client not in clients:
            return
        clients.remove(client)
        self._watch.leave(client)
        self.tournaments.leave(client)
        _complete(partial(self.analyses.leave, client))
        watched = tuple(client.matches.values())
        if not clients:
            del self._clients[player]
            _complete(partial(self.replication.went, player))
            if not self._lobby.is_here(player):
                for room in {*self.matches.open_tasks_of(player), *watched}:
                    _complete(partial(room.player_went, player))
        for match_task in watched:
            _complete(partial(match_task.leave, client))

    # Implements `ConnectedPlayers`

    def is_connected(self, player: str) -> bool:
        """Return whether a player has a connection to this node."""
        return player in self._clients

    def notify(self, player: str, notice: Notice) -> None:
        """Send a notice to a player's connections to this node."""
        self.tell((player,), notice)

    def address_of(self, player: str) -> str:
        """Return the address of a player's newest connection to any node; empty where that is not known."""
        guest = self._lobby.guests.get(player)
        return "" if guest is None else guest.address

    def put_out(self, is_excluded: Callable[[str, str], str]) -> None:
        """Close the connections of this node for which `is_excluded` has a reason, by player and address."""
        for client in [client for clients in self._clients.values() for client in clients]:
            if reason := is_excluded(client.player.id, client.address):
                _complete(partial(client.disconnect, reason))

    @contextmanager
    def replacing(self, client: ClientConnection) -> Iterator[Callable[[Identity], None]]:
        """Lend what gives a client another session, in which it goes on if its own one ends in the block."""
        with self.revocations.greeting() as greeting:
            self._replacing.add(client)
            try:
                yield partial(setattr, client, "identity")
            finally:
                self._replacing.remove(client)
                if greeting.ended(client.identity):
                    client.disconnect("your token is revoked")

    def _token_revoked(self, revocation: Revocation) -> None:
        """Close the connections whose token is revoked; what is remembered of a player's name may be out of date."""
        for client in tuple(self._clients.get(revocation.player, ())):
            if client not in self._replacing and revocation.covers(revocation.player, client.identity.session):
                client.disconnect("your token is revoked")
        if not revocation.token:
            self.matches.forget_names(revocation.player)
            self.tournaments.forget_names()

    def caught_up(self, client: ClientConnection) -> None:
        """A client's output buffer is below its low mark again: send it the lobby if it missed updates."""
        self._watch.caught_up(client)

    def tell(self, players: Iterable[str], message: ServerMessage) -> None:
        """Send a message to the connections of players to this node."""
        broadcast = Broadcast(message)
        for player in players:
            for client in self._clients.get(player, ()):
                client.deliver(broadcast)

    def _right_ended(self, right: RightEnded) -> None:
        """Take away what hangs on a right: the sight of a group's matches, or all that is begun in the lobby."""
        if right.kind == "membership":
            self._expel(right.player, right.scope)
        else:
            self.replication.exclude(right.player)

    def _expel(self, player: str, group: str) -> None:
        """Show a player who is no member of a group any more nothing further of its matches on this node."""
        for client in self._clients.get(player, ()):
            for name in tuple(client.matches):
                room = self.matches.get(name)
                if room is None or room.is_listed or room.is_player(client):
                    continue
                if self.tournaments.hides(room.match.terms.tournament, group, player):
                    room.leave(client)

    def say_goodbye(self, text: str) -> None:
        """Notify all clients of the restart, and refuse further commands."""
        self.is_stopping = True
        self.tell(tuple(self._clients), Notice(code="restarting", text=text))

    def close(self) -> None:
        """Stop every timer and task."""
        self.analysis_service.close()
        self._turns.close()
        self._watch.close()
        self.summaries.close()
        self.replication.close()

    # Repeated commands

    def was_done(self, player: str, command: ClientMessage) -> bool:
        """Return whether a match or the lobby has carried out this command of the player already."""
        try:
            if isinstance(command, MatchCommand):
                room = self.matches.get(command.match)
                return room is not None and any(
                    room.answered(seat, command) is not None
                    for seat, seated in enumerate(room.match.terms.players)
                    if seated.id == player
                )
            return isinstance(command, LobbyCommand) and self._lobby.answered(player, command) is not None
        except Refusal:
            # Another command had its id: this one is decided, and refused, like a new one.
            return False

    # The lobby

    async def in_lobby(self, client: ClientConnection, command: LobbyCommand) -> None:
        """Carry out and answer a lobby command. Raises Refusal."""
        if isinstance(command, WatchLobby):
            self._watch.watch(client, command.id)
            return
        if isinstance(command, LeaveLobby):
            self._watch.leave(client)
            client.send(Acknowledged(id=command.id))
            return
        await self.replication.carry_out(client, command)

    def ask_seek(self, client: ClientConnection, command: AskSeek) -> None:
        """Answer with a table by its id, also a private one; only the lobby's owner says that there is none.

        Raises Refusal.
        """
        self.replication.ask_seek(client, command)

    def lobby_page(self, command: AskLobby) -> LobbyPage:
        """Return one more page of the lobby. Raises Refusal."""
        return self._watch.page(command)

    def tv(self, command: AskTv) -> Tv:
        """Return the best live match of each game."""
        return Tv(id=command.id, matches=self._watch.best_matches())

    async def find_player(self, command: FindPlayer) -> PlayerFound:
        """Return who has a name: an account, whose name is nobody else's, before a guest. Raises Refusal."""
        try:
            account = await account_called(self._accounts, command.name)
            holder = None if account is not None else self._lobby.names.holder(command.name)
            found = account.player if account is not None else holder and await self._accounts.by_id(holder)
        except AccountsUnavailable:
            raise Refusal("internal", "the server cannot look up players just now; try again") from None
        if not found:
            raise Refusal("unknown_player", "no account has this name, and nobody is here under it")
        return PlayerFound(id=command.id, player=found)

    # LobbyObserver

    def lobby_changed(self, events: Sequence[LobbyEvent], told: Sequence[LobbyEvent]) -> None:
        for event in events:
            if isinstance(event, Arrived):
                for client in self._clients.get(event.player.id, ()):
                    client.player = event.player
                self._seat(event.player.id)
            elif isinstance(event, WentAway | Departed):
                self._seat(event.player)
        if any(isinstance(event, MatchEnded) for event in events):
            self.tournaments.look()
        self._watch.changed()
        for event in told:
            self._effect(event)

    def lobby_replaced(self, told: Sequence[LobbyEvent]) -> None:
        self._watch.replace(self._lobby)
        for room in self.matches.all():
            for player in room.match.terms.players:
                self._seat(player.id)
        for name, clients in self._clients.items():
            guest = self._lobby.guests.get(name)
            for client in clients:
                client.player = client.player if guest is None else guest.player
        for event in told:
            self._effect(event)

    def is_anywhere(self, player: str) -> bool:
        """Return whether a player is connected to any node."""
        return player in self._clients or self._lobby.is_here(player)

    def _was_away(self, player: str, at: int) -> bool:
        """Return whether a player had no connection to any node at a time that has just passed.

        Players whom nobody has seen since this node began may have been connected before.
        """
        if self.is_anywhere(player):
            return False
        return self._lobby.away.get(player, self._began) <= at

    def _seat(self, player: str) -> None:
        """Tell the matches that this node owns whether a player is connected."""
        for match_task in self.matches.open_tasks_of(player):
            if self.is_anywhere(player):
                match_task.player_came(player)
            else:
                match_task.player_went(player)

    def _effect(self, event: LobbyEvent) -> None:
        match event:
            case ChallengeSent():
                by, to = event.challenge.by.id, event.challenge.to.id
                self.tell((by,) if event.is_hidden else (by, to), event.challenge)
                self._notify_of(event)
            case ChallengeEnded():
                self.tell(event.told, event.closed)
            case MatchMade():
                for seat, player in enumerate(event.players):
                    self.tell((player.id,), Paired(match=event.match, seat=seat))
            case PoolEntered():
                self.tell((event.player.id,), Waiting(pool=event.pool, since=event.since))
            case PoolLeft():
                self.tell((event.player,), Waiting(pool=None, reason=event.reason))
            case BotNamed():
                entry = self._lobby.pools.entry(event.player)
                if entry is not None:
                    self.tell((event.player,), entry.message())
            case (
                Arrived()
                | WentAway()
                | Departed()
                | Declared()
                | SeekPosted()
                | SeekJoined()
                | SeekLeft()
                | SeekClosed()
                | MatchEnded()
                | Answered()
            ):
                pass
            case _:
                assert_never(event)

    def _notify_of(self, sent: ChallengeSent) -> None:
        """Notify a person of a challenge, once: by the node that decides for the lobby."""
        challenge = sent.challenge
        if self.replication.is_here and not sent.is_hidden and challenge.to.kind == "person":
            self.notices.notify(PlayerNotice("challenge", challenge.to.id, challenge.game.name, challenge.by))

    # What the registry reports

    def matches_indexed(self, live: Sequence[Started]) -> None:
        for one in live:
            self.replication.match_began(
                MatchMade(
                    one.match,
                    one.game,
                    one.players,
                    one.clock,
                    one.private,
                    one.delay,
                    is_open=True,
                    with_help=one.with_help,
                    rated=one.rated,
                    tournament=one.tournament,
                )
            )

    def match_resumed(self, match_task: MatchTask) -> None:
        self._seat_present(match_task)
        self.summaries.began(match_task)
        self._turns.turned(match_task)

    def _seat_present(self, match_task: MatchTask) -> None:
        for player in match_task.match.terms.players:
            if self.is_anywhere(player.id):
                match_task.player_came(player.id)

    def match_lost(self, match_id: str) -> None:
        self.replication.match_over(match_id)

    def match_opened(self, match_task: MatchTask) -> None:
        terms = match_task.match.terms
        self._seat_present(match_task)
        if match_task.match.over:
            return
        self.summaries.began(match_task)
        self._turns.turned(match_task)
        for player in terms.players if terms.tournament is not None else ():
            if player.kind == "person":
                self.notices.notify(PlayerNotice("round", player.id, terms.spec.name, match=terms.id))
        self.replication.match_began(
            MatchMade(
                terms.id,
                terms.spec,
                terms.players,
                terms.clock,
                terms.private,
                terms.delay,
                is_open=True,
                with_help=terms.with_help,
                rated=terms.rated,
                tournament=terms.tournament,
            )
        )

    def match_changed(self, match_task: MatchTask) -> None:
        self.summaries.moved(match_task)

    def match_turned(self, match_task: MatchTask) -> None:
        self._turns.turned(match_task)

    def match_ended(self, match_task: MatchTask) -> None:
        if isinstance(match_task.match.terms.clock, Correspondence):
            self.notices.match_over(match_task.match.id)
        self.summaries.ended(match_task.match.id)
        self.replication.match_over(match_task.match.id)

    def match_disowned(self, match_id: str) -> None:
        self.summaries.ended(match_id)

    def versions_of(self, players: Sequence[Player]) -> tuple[str | None, ...]:
        return self._lobby.versions_of(players)

    async def reserve_rematch(self, made: MatchMade) -> None:
        await self.replication.placement.reserve(made)

    def release_rematch(self, match_id: str) -> None:
        if self.matches.owned(match_id) is None:
            self.replication.match_released(match_id)

    # Matches

    async def sees(self, client: ClientConnection, room: MatchRoom) -> bool:
        """Return whether a client may see a match, a private one as player or as member of the group of its event.

        Raises Refusal in an outage.
        """
        if room.is_listed or room.is_player(client):
            return True
        return await self.tournaments.shows(room.match.terms.tournament, client.player)

    async def ask_analysis(self, client: ClientConnection, command: AskAnalysis, room: MatchRoom) -> None:
        """Request an analysis. Raises Refusal, also for a position of a live match of the client's player."""
        question = question_about(room.studied_by(client, is_variation=bool(command.moves)), command)
        # In a match with help any position can be brought about by moves and takebacks, as by the moves of a variation.
        is_free = bool(command.moves) or (not room.match.over and room.is_helped(client))
        for own in await self._rooms_of(client):
            if own.is_helped(client) or not _is_on_board_of(own.match, question):
                continue
            if pieces_of(str(own.match.state)) == pieces_of(question.position):
                raise Refusal("not_now", "you play in this very position; ask when that game is over")
            if is_free:
                # The position after one's next move would tell as much.
                raise Refusal("not_now", "you play such a game without help too; ask when that one is over")
        # The client may have disconnected meanwhile.
        if client in self._clients.get(client.player.id, ()):
            self.analyses.ask(client, command, question)

    async def ask_trace(self, client: ClientConnection, command: AskTrace) -> None:
        """Request a search to be shown. Raises Refusal, also while the client's player plays on such a board.

        Any position may be asked for, so those of a live match cannot be told apart by looking at one of them.
        """
        await self.readiness.of(command.game.name)
        question = question_to_trace(command)
        for own in await self._rooms_of(client):
            if _is_on_board_of(own.match, question):
                raise Refusal("not_now", "you play on such a board just now; watch searches when that game is over")
        if client in self._clients.get(client.player.id, ()):
            self.analyses.ask(client, command, question)

    async def ask_study(self, client: ClientConnection, command: AskStudy) -> None:
        """Request an analysis of a position of no match. Raises Refusal, as `ask_trace` and for the same reason.

        So is a position that stands on a board of people that the client may watch, since a player may ask as somebody
        else. Of a match that the client may not see, a refusal would tell.
        """
        await self.readiness.of(command.game.name)
        question = question_to_study(command)
        for own in await self._rooms_of(client):
            if _is_on_board_of(own.match, question):
                raise Refusal("not_now", "you play on such a board just now; bots look at positions when it is over")
        for room in self.matches.all():
            if _is_before_people(room.spectators.shown, question) and await self.sees(client, room):
                text = "this very position is played just now; bots look at it when that game is over"
                raise Refusal("not_now", text)
        if client in self._clients.get(client.player.id, ()):
            self.analyses.ask(client, command, question)

    async def _rooms_of(self, client: ClientConnection) -> list[MatchRoom]:
        """Return the live matches of a client's player. Raises Refusal while they are loaded."""
        if waiting := self.matches.bring(client.player.id):
            raise Refusal("not_now", f"{len(waiting)} of your matches are being loaded; ask again in a moment")
        rooms = await self._find_live(client.player.id)
        for own in rooms:
            own.check_emptiness()
        return rooms

    async def my_matches(
        self, client: ClientConnection, command: AskMyMatches, replayed: Callable[[int], None] | None = None
    ) -> MyMatches:
        """Return a player's live matches and newest finished ones, or a later page of these.

        `replayed` is told the events of each finished one that was replayed. Raises Refusal.
        """
        player = client.player.id
        live = await self._live_summaries(player) if command.after is None else ()
        try:
            ids = await self._services.journal.finished(player, MAX_FINISHED + 1, command.after)
            finished = await self.matches.summaries(ids[:MAX_FINISHED], replayed)
        except JournalUnavailable:
            raise Refusal("internal", "old matches cannot be read just now; try again") from None
        return MyMatches(
            id=command.id,
            live=live,
            finished=tuple(finished),
            more=ids[MAX_FINISHED - 1] if len(ids) > MAX_FINISHED else None,
        )

    async def _live_summaries(self, player: str) -> tuple[MatchSummary, ...]:
        if waiting := self.matches.bring(player):
            await asyncio.wait(waiting)
        live = [(room, views.summary(room.match, room.watchers)) for room in await self._find_live(player)]
        for room, _ in live:
            room.check_emptiness()
        return tuple(summary for _, summary in live)

    async def _find_live(self, player: str) -> list[MatchRoom]:
        """Return a player's matches that go on, on all nodes; one that cannot be read now is left out.

        Those of other nodes are mirrored: the caller checks whether a mirror is needed any longer.
        """
        found = list[MatchRoom]()
        for name in self._live_of(player):
            with suppress(Refusal):
                room = await self.matches.find(name)
                if not room.match.over:
                    found.append(room)
        return found


def _is_on_board_of(match: Match, question: Question) -> bool:
    """Return whether a match is played on such a board, whatever its limits and other options."""
    return match.terms.spec.name == question.game.name and shape_of(str(match.state)) == question.shape


def _is_before_people(match: Match, question: Question) -> bool:
    """Return whether a person plays in this position, or in one that differs in its counters only.

    Everybody knows the first positions of a game, and they would always be on some board.
    """
    if match.over or match.ply < WELL_KNOWN_PLIES or match.terms.spec.name != question.game.name:
        return False
    text = match.plies.text_at(match.ply)
    return (
        text.startswith(question.position.partition(" ")[0])
        and pieces_of(text) == pieces_of(question.position)
        and any(player.kind == "person" for player in match.terms.players)
    )


def _bad_token() -> Refusal:
    return Refusal("bad_token", "no player has this token, or it was revoked; connect again without one")


def _no_guests() -> Refusal:
    return Refusal("no_guests", "one plays here with an account; sign in or register first")


def _guest_name() -> str:
    """Return a name for a guest without one, with a random number."""
    return f"Guest {1000 + secrets.randbelow(9000)}"


def _complete(step: Callable[[], None]) -> None:
    """Run one step of a cleanup whose other steps must run too: a defect is logged."""
    try:
        step()
    except Exception:
        log.exception("a step of a connection's beginning or end failed")
