"""The lobby service: the connected clients of one server, and the lobby that they see."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, assert_never

import structlog

from cornered import server
from cornered.protocol.commands import (
    AskAnalysis,
    AskLobby,
    AskSeek,
    ClientMessage,
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
    SeekInfo,
    ServerMessage,
    Welcome,
)
from cornered.protocol.values import Player
from cornered.server.analysis.queue import question_about
from cornered.server.lobby.bounds import Bounds
from cornered.server.lobby.events import (
    Answered,
    Arrived,
    ChallengeEnded,
    ChallengeSent,
    Declared,
    Departed,
    LobbyEvent,
    MatchEnded,
    MatchMade,
    SeekClosed,
    SeekJoined,
    SeekLeft,
    SeekPosted,
    WentAway,
)
from cornered.server.lobby.lobby import Lobby
from cornered.server.lobby.names import Names
from cornered.server.match import views
from cornered.server.metrics import Counts
from cornered.server.ports import Accounts, AccountsUnavailable, JournalUnavailable
from cornered.server.refusal import Refusal
from cornered.server.runtime.analysis_service import AnalysisService
from cornered.server.runtime.client_connection import Broadcast, ClientConnection
from cornered.server.runtime.lobby_watchers import LobbyWatchers
from cornered.server.runtime.match_registry import MatchRegistry, RegistryObserver, new_id
from cornered.server.runtime.match_task import MatchTask, Services
from cornered.server.runtime.readiness import Readiness

__all__ = ["LobbyService"]

MAX_FINISHED: Final = 20
"""Finished matches on a player's list."""
SAID_IDS_KEPT: Final = 4_096
"""Newest lines whose ids are known again when they are repeated."""

log = structlog.get_logger("lobby_service")


class LobbyService:
    """The connected clients, the lobby and the analyses of one server: carries out and answers their commands."""

    def __init__(
        self,
        services: Services,
        accounts: Accounts,
        open_registry: Callable[[RegistryObserver], MatchRegistry],
        *,
        max_per_player: int,
        bounds: Bounds = Bounds(),  # noqa: B008 - it is frozen
        reserved_names: Iterable[str] = (),
        analyst_key: str = "",
    ) -> None:
        """`open_registry` makes the registry, which reports to the lobby service from then on.

        `reserved_names` are for connections with `analyst_key`; any other that requests one gets a number added.
        Analysts need the key too: without a key there are no analysts, and any bot may have the names.
        """
        self.matches = open_registry(self)
        self.is_stopping = False
        self._services = services
        self._accounts = accounts
        self._max_per_player = max_per_player
        self._loop = asyncio.get_running_loop()
        self._clients: dict[str, list[ClientConnection]] = {}
        self._lobby = Lobby(Names(reserved_names), bounds=bounds)
        self._watch = LobbyWatchers(
            self._lobby,
            self.matches,
            services.bus,
            now=services.now,
            peers_of=lambda player: self._clients.get(player, ()),
        )
        self._tick_timer: asyncio.TimerHandle | None = None
        self._tick_at = 0
        # Commands whose match is being stored, by player and id.
        self._under_way: dict[tuple[str, str], asyncio.Future[None]] = {}
        self._said: OrderedDict[tuple[str, str], None] = OrderedDict()
        # The ids of the players that have sent the operator's key since the server started.
        self._operators: set[str] = set()
        self._has_key = bool(analyst_key)
        self.analysis_service = AnalysisService(services.counts, services.now, new_id, analyst_key)

    @property
    def counts(self) -> Counts:
        return self._services.counts

    @property
    def readiness(self) -> Readiness:
        return self._services.readiness

    def now(self) -> int:
        """Return the wall clock in milliseconds."""
        return self._services.now()

    @property
    def players(self) -> int:
        """How many players have a connection."""
        return len(self._clients)

    # Connections

    async def greet(self, hello: Hello) -> Welcome:
        """Return the welcome that answers a hello; without a token a guest is created. Raises Refusal."""
        if self.is_stopping:
            raise Refusal("shutting_down", "the server restarts; connect again in a moment")
        try:
            player, token = await self._identify(hello)
        except AccountsUnavailable:
            raise Refusal("internal", "the server cannot look up players just now; try again") from None
        if self.analysis_service.is_operators(hello.key):
            self._operators.add(player.id)
        return Welcome(
            player=player,
            token=token,
            server=server.VERSION,
            now=self.now(),
            matches=self.matches.live_of(player.id),
        )

    async def _identify(self, hello: Hello) -> tuple[Player, str | None]:
        if hello.token is None:
            identity, token = await self._accounts.create(hello.name or _guest_name(), hello.kind)
            return identity.player, token
        known = await self._accounts.by_token(hello.token)
        if known is None:
            raise Refusal("bad_token", "this token belongs to nobody here; come again without one")
        if hello.name is not None and hello.name != known.player.name:
            known = await self._accounts.rename(known.player.id, hello.name)
        return known.player, None

    def check_room_for(self, player: str) -> None:
        """Raise a Refusal when a player is at its limit of connections."""
        if len(self._clients.get(player, ())) >= self._max_per_player:
            raise Refusal("server_full", f"you have {self._max_per_player} connections already; close one first")

    def enter(self, client: ClientConnection, welcome: Welcome) -> None:
        """Add a connection, and send it the welcome with its visible name and its player's pending challenges."""
        player = client.player.id
        clients = self._clients.setdefault(player, [])
        clients.append(client)
        # Without a key no bot can prove to be a house bot: the reserved names are refused to people only.
        is_operators = player in self._operators or (not self._has_key and client.player.kind == "bot")
        self._apply(self._lobby.arrive(client.player, client.address, is_operators=is_operators))
        shown = self._lobby.guests[player].player
        for one in clients:
            one.player = shown
        client.send(welcome.model_copy(update={"player": shown}))
        if len(clients) == 1:
            for match_task in self.matches.rooms_of(player):
                _complete(partial(match_task.player_came, player))
            self.matches.bring(player)
        for challenge in self._lobby.challenges_of.get(player, ()):
            client.send(self._lobby.challenges[challenge])
        self._warn_of_twins(client)

    def _warn_of_twins(self, client: ClientConnection) -> None:
        """Notify the programs that are connected as one bot; two windows of a person are normal."""
        others = [one for one in self._clients[client.player.id] if one.instance not in (None, client.instance)]
        if client.player.kind == "bot" and client.instance is not None and others:
            text = f"another program plays as {client.player.name} too; stop one of them, or give it a token of its own"
            notice = Broadcast(Notice(code="also_here", text=text))
            for one in (client, *others):
                one.deliver(notice)

    def leave(self, client: ClientConnection) -> None:
        """Remove a closed connection. Never raises; messages about it are sent after it is removed everywhere."""
        player = client.player.id
        clients = self._clients.get(player, [])
        if client not in clients:
            return
        clients.remove(client)
        self._watch.leave(client)
        _complete(partial(self.analysis_service.leave, client))
        watched = tuple(client.matches.values())
        if not clients:
            del self._clients[player]
            _complete(lambda: self._apply(self._lobby.disconnect(player, self.now())))
            for match_task in {*self.matches.rooms_of(player), *watched}:
                _complete(partial(match_task.player_went, player))
        for match_task in watched:
            _complete(partial(match_task.leave, client))

    def caught_up(self, client: ClientConnection) -> None:
        """A client's output buffer is below its low mark again: send it the lobby if it missed updates."""
        self._watch.caught_up(client)

    def _send_to(self, players: Iterable[str], message: ServerMessage) -> None:
        broadcast = Broadcast(message)
        for player in players:
            for client in self._clients.get(player, ()):
                client.deliver(broadcast)

    def say_goodbye(self, text: str) -> None:
        """Notify all clients of the restart, and refuse further commands."""
        self.is_stopping = True
        self._send_to(tuple(self._clients), Notice(code="restarting", text=text))

    def close(self) -> None:
        """Stop every timer."""
        self.analysis_service.close()
        self._watch.close()
        if self._tick_timer is not None:
            self._tick_timer.cancel()

    # Repeated commands

    def was_said(self, player: str, command_id: str) -> bool:
        """Return whether this chat line was sent already, so that a repeat after a lost acknowledgement sends none."""
        return (player, command_id) in self._said

    def remember_said(self, player: str, command_id: str) -> None:
        """Record the command id of a chat line that was sent."""
        self._said[player, command_id] = None
        if len(self._said) > SAID_IDS_KEPT:
            self._said.popitem(last=False)

    def was_done(self, player: str, command: ClientMessage) -> bool:
        """Return whether a match or the lobby has carried out this command of the player already."""
        if isinstance(command, MatchCommand):
            match_task = self.matches.get(command.match)
            return match_task is not None and any(
                match_task.match.answered(seat, command.id) is not None
                for seat, seated in enumerate(match_task.match.terms.players)
                if seated.id == player
            )
        return isinstance(command, LobbyCommand) and self._lobby.answered(player, command.id) is not None

    # The lobby

    async def in_lobby(self, client: ClientConnection, command: LobbyCommand) -> None:
        """Carry out and answer a lobby command. Raises Refusal."""
        player = client.player
        if isinstance(command, WatchLobby):
            self._watch.watch(client, command.id)
            return
        if isinstance(command, LeaveLobby):
            self._watch.leave(client)
        key = (player.id, command.id)
        while (earlier := self._under_way.get(key)) is not None:
            # The same command is being carried out for another connection: its answer is this one's too.
            await asyncio.wait([earlier])
        answered = self._lobby.answered(player.id, command.id)
        if answered is None:
            self._under_way[key] = done = self._loop.create_future()
            try:
                events = self._lobby.decide(
                    command, player, self.now(), new_id=new_id(), random_number=secrets.randbits(64)
                )
                answer = [event for event in events if isinstance(event, Answered)]
                answered = answer[0] if answer else None
                await self._carry_out([event for event in events if not isinstance(event, Answered)])
                self._apply(answer)
            finally:
                del self._under_way[key]
                done.set_result(None)
        client.send(Acknowledged(id=command.id, ref=answered.ref if answered else None))

    def seek_info(self, command: AskSeek) -> SeekInfo:
        """Return a table by its id, also a private one. Raises Refusal."""
        return SeekInfo(id=command.id, seek=self._lobby.table(command.seek).seek)

    def lobby_page(self, command: AskLobby) -> LobbyPage:
        """Return one more page of the lobby. Raises Refusal."""
        return self._watch.page(command)

    async def _carry_out(self, events: list[LobbyEvent]) -> None:
        """Apply events, and store and open their match before its messages are sent. Raises Refusal."""
        made = next((event for event in events if isinstance(event, MatchMade)), None)
        if made is None:
            self._apply(events)
            return
        # The table is closed before the match is stored, so that no other player joins it meanwhile.
        told = [event for event in events if isinstance(event, ChallengeEnded)]
        self._evolve(events)
        if not await self._is_opened(made):
            self._apply([MatchEnded(made.match)])
            for event in told:
                reason = "the server could not start the match"
                closed = event.closed.model_copy(update={"how": "cancelled", "match": None, "reason": reason})
                self._send_to(event.told, closed)
            raise Refusal("internal", "the match could not be stored just now; try again")
        for event in told:
            self._effect(event)

    async def _is_opened(self, made: MatchMade) -> bool:
        """Store and open a match; return whether it exists now."""
        try:
            await self.matches.open_new(made)
        except JournalUnavailable:
            # A commit whose answer was lost may have stored the match: reading it back decides.
            try:
                await self.matches.find(made.match)
            except Refusal:
                return False
        return True

    def _apply(self, events: Iterable[LobbyEvent]) -> None:
        """Fold events, and send their messages."""
        events = tuple(events)
        self._evolve(events)
        for event in events:
            self._effect(event)

    def _evolve(self, events: Iterable[LobbyEvent]) -> None:
        for event in events:
            self._lobby.evolve(event)
        self._watch.changed()
        self._arm()

    def _effect(self, event: LobbyEvent) -> None:
        match event:
            case ChallengeSent():
                self._send_to((event.challenge.by.id, event.challenge.to.id), event.challenge)
            case ChallengeEnded():
                self._send_to(event.told, event.closed)
            case (
                Arrived()
                | WentAway()
                | Departed()
                | Declared()
                | SeekPosted()
                | SeekJoined()
                | SeekLeft()
                | SeekClosed()
                | MatchMade()
                | MatchEnded()
                | Answered()
            ):
                pass
            case _:
                assert_never(event)

    def _arm(self) -> None:
        due = self._lobby.deadline()
        if self._tick_timer is not None:
            # A timer that fires too early looks again, which is cheaper than setting it anew for every event.
            if due is None or self._tick_at <= due:
                return
            self._tick_timer.cancel()
            self._tick_timer = None
        if due is not None:
            self._tick_at = due
            self._tick_timer = self._loop.call_later(max(0, due - self.now()) / 1000, self._tick)

    def _tick(self) -> None:
        self._tick_timer = None
        self._apply(self._lobby.tick(self.now()))

    # What the registry reports

    def matches_indexed(self, live: Sequence[Started]) -> None:
        self._apply(MatchMade(one.match, one.game, one.players, one.clock, one.private, one.delay) for one in live)

    def match_resumed(self, match_task: MatchTask) -> None:
        self._seat_present(match_task)
        self._watch.match_began(match_task)

    def _seat_present(self, match_task: MatchTask) -> None:
        for player in match_task.match.terms.players:
            if player.id in self._clients:
                match_task.player_came(player.id)

    def match_lost(self, match_id: str) -> None:
        self._apply([MatchEnded(match_id)])

    def match_opened(self, match_task: MatchTask) -> None:
        terms = match_task.match.terms
        self._seat_present(match_task)
        if match_task.match.over:
            return
        self._apply([MatchMade(terms.id, terms.spec, terms.players, terms.clock, terms.private, terms.delay)])
        self._watch.match_began(match_task)
        for seat, player in enumerate(terms.players):
            self._send_to((player.id,), Paired(match=terms.id, seat=seat))

    def match_changed(self, match_task: MatchTask) -> None:
        self._watch.match_moved(match_task)

    def match_ended(self, match_task: MatchTask) -> None:
        self._watch.match_ended(match_task)
        self._apply([MatchEnded(match_task.match.id)])

    def reserve_rematch(self, made: MatchMade) -> None:
        if made.match not in self._lobby.matches:
            self._lobby.check_places(made.players)
            self._apply([made])

    def release_rematch(self, match_id: str) -> None:
        if self.matches.get(match_id) is None:
            self._apply([MatchEnded(match_id)])

    # Matches

    def ask_analysis(self, client: ClientConnection, command: AskAnalysis, match_task: MatchTask) -> None:
        """Request an analysis. Raises Refusal, also for a position of a live match of the client's player."""
        question = question_about(match_task.studied_by(client), command.ply, command.lines)
        if waiting := self.matches.bring(client.player.id):
            raise Refusal("not_now", f"{len(waiting)} of your matches are being loaded; ask again in a moment")
        for own in self.matches.rooms_of(client.player.id):
            if own.match.terms.spec == question.game and str(own.match.state) == question.position:
                raise Refusal("not_now", "you play in this very position; ask when that game is over")
        self.analysis_service.ask(client, command.id, question)

    async def my_matches(self, client: ClientConnection, command_id: str) -> MyMatches:
        """Return a player's live matches and newest finished ones. Raises Refusal."""
        player = client.player.id
        if waiting := self.matches.bring(player):
            await asyncio.wait(waiting)
        try:
            finished = await self.matches.summaries(await self._services.journal.finished(player, MAX_FINISHED))
        except JournalUnavailable:
            raise Refusal("internal", "old matches cannot be read just now; try again") from None
        return MyMatches(
            id=command_id,
            live=tuple(
                views.summary(match_task.match, len(match_task.spectators))
                for match_task in self.matches.rooms_of(player)
            ),
            finished=tuple(finished),
        )


def _guest_name() -> str:
    """Return a name for a guest without one, with a random number."""
    return f"Guest {1000 + secrets.randbelow(9000)}"


def _complete(step: Callable[[], None]) -> None:
    """Run one step of a cleanup whose other steps must run too: a defect is logged."""
    try:
        step()
    except Exception:
        log.exception("a step of a connection's beginning or end failed")
