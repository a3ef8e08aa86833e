"""The hall: who is here on which sockets, and the lobby that they see. One server has one."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Iterable
from functools import partial
from typing import Final, assert_never

import structlog

import server
from protocol.commands import (
    AskAnalysis,
    AskSeek,
    ClientMessage,
    Hello,
    LeaveLobby,
    LobbyCommand,
    MatchCommand,
    WatchLobby,
)
from protocol.messages import Acknowledged, LobbyChanged, MyMatches, Notice, Paired, SeekInfo, ServerMessage, Welcome
from protocol.values import MatchSummary, Player
from server import views
from server.analysis import question_about
from server.bureau import Bureau
from server.lobby import Lobby
from server.lobbystate import (
    Answered,
    Arrived,
    ChallengeEnded,
    ChallengeSent,
    Declared,
    Departed,
    LobbyEvent,
    LobbyFacts,
    MatchEnded,
    MatchMade,
    SeekClosed,
    SeekJoined,
    SeekLeft,
    SeekPosted,
    WentAway,
)
from server.lobbyviews import changes, lobby_message, private_company, told
from server.metrics import Counts
from server.peer import Broadcast, Peer
from server.ports import Accounts, AccountsUnavailable, JournalUnavailable
from server.readiness import Readiness
from server.refusal import Refusal
from server.room import Room, Services
from server.rooms import Rooms, new_id

__all__ = ["Hall"]

TELL_SECONDS: Final = 0.25
"""How often at most the lobby's watchers hear what changed."""
RETAIN_SECONDS: Final = 1.0
"""How often at most the outside is given the whole lobby to keep."""
MAX_SUMMARIES: Final = 100
"""Matches that one word about the lobby lists; the others follow with the next."""
MAX_FINISHED: Final = 20
"""Finished matches on a player's list."""
MAX_SAID: Final = 4_096
"""Newest lines whose ids are known again when they are repeated."""

log = structlog.get_logger("hall")


class Hall:
    """Everybody who is here, and where they go from here."""

    def __init__(self, services: Services, accounts: Accounts, rooms: Rooms, *, max_per_player: int) -> None:
        self.rooms = rooms
        self.is_stopping = False
        self._services = services
        self._accounts = accounts
        self._max_per_player = max_per_player
        self._loop = asyncio.get_running_loop()
        self._peers: dict[str, list[Peer]] = {}
        self._lobby = Lobby()
        self._told: LobbyFacts = self._lobby
        self._watching: dict[Peer, None] = {}
        self._changed: dict[str, None] = {}
        self._ended: list[str] = []
        self._tell_timer: asyncio.TimerHandle | None = None
        self._tick_timer: asyncio.TimerHandle | None = None
        self._said: OrderedDict[tuple[str, str], None] = OrderedDict()
        self.bureau = Bureau(services.counts, services.now, new_id)
        rooms.on_opened = self._opened
        rooms.on_changed = self._match_changed
        rooms.on_ended = self._match_ended
        self._retain_timer: asyncio.TimerHandle | None = None
        self._retain_lobby()

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
        return len(self._peers)

    # Coming and going

    async def greet(self, hello: Hello) -> Welcome:
        """Return the welcome of whoever says hello; a guest is made for those without a token. Raises Refusal."""
        if self.is_stopping:
            raise Refusal("shutting_down", "the server restarts; connect again in a moment")
        try:
            player, token = await self._identify(hello)
        except AccountsUnavailable:
            raise Refusal("internal", "the server cannot look up players just now; try again") from None
        return Welcome(
            player=player,
            token=token,
            server=server.VERSION,
            now=self.now(),
            matches=self.rooms.live_of(player.id),
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
        """Raise a Refusal when a player has all the sockets that one may have."""
        if len(self._peers.get(player, ())) >= self._max_per_player:
            raise Refusal("server_full", f"you have {self._max_per_player} connections already; close one first")

    def enter(self, peer: Peer) -> None:
        """Take note of a new socket, and tell it what waits for its player."""
        player = peer.player.id
        peers = self._peers.setdefault(player, [])
        peers.append(peer)
        self._apply(self._lobby.arrive(peer.player))
        if len(peers) == 1:
            for room in self.rooms.rooms_of(player):
                room.player_came(player)
        for challenge in self._lobby.challenges.values():
            if player in (challenge.by.id, challenge.to.id):
                peer.send(challenge)

    def leave(self, peer: Peer) -> None:
        """Forget a socket that closed."""
        player = peer.player.id
        self.bureau.leave(peer)
        self._watching.pop(peer, None)
        peers = self._peers[player]
        peers.remove(peer)
        rooms = {*self.rooms.rooms_of(player), *peer.rooms.values()}
        if not peers:
            del self._peers[player]
            for room in rooms:
                room.player_went(player)
            self._apply(self._lobby.disconnect(player, self.now()))
        for room in tuple(peer.rooms.values()):
            room.leave(peer)

    def _tell(self, players: Iterable[str], message: ServerMessage) -> None:
        broadcast = Broadcast(message)
        for player in players:
            for peer in self._peers.get(player, ()):
                peer.deliver(broadcast)

    def say_goodbye(self, text: str) -> None:
        """Tell everybody that the server restarts, and take no more commands."""
        self.is_stopping = True
        self._tell(tuple(self._peers), Notice(code="restarting", text=text))

    def close(self) -> None:
        """Stop every timer."""
        self.bureau.close()
        for timer in (self._tell_timer, self._tick_timer, self._retain_timer):
            if timer is not None:
                timer.cancel()

    # What was said already

    def was_said(self, player: str, command_id: str) -> bool:
        """Say whether this line was passed on before: it is repeated because its acknowledgement was lost."""
        return (player, command_id) in self._said

    def remember_said(self, player: str, command_id: str) -> None:
        """Take note of a line that was passed on."""
        self._said[player, command_id] = None
        if len(self._said) > MAX_SAID:
            self._said.popitem(last=False)

    def was_done(self, player: str, command: ClientMessage) -> bool:
        """Say whether a match or the lobby remembers that it carried out this command of the player's."""
        if isinstance(command, MatchCommand):
            room = self.rooms.get(command.match)
            return room is not None and any(
                room.match.answered(seat, command.id) is not None
                for seat, seated in enumerate(room.match.terms.players)
                if seated.id == player
            )
        return isinstance(command, LobbyCommand) and self._lobby.answered(player, command.id) is not None

    # The lobby

    async def in_lobby(self, peer: Peer, command: LobbyCommand) -> None:
        """Carry out and answer a lobby command. Raises Refusal."""
        player = peer.player
        if isinstance(command, WatchLobby):
            self._watching[peer] = None
            peer.send(lobby_message(self._lobby, command.id, self._summaries(), player.id))
            return
        if isinstance(command, LeaveLobby):
            self._watching.pop(peer, None)
        answered = self._lobby.answered(player.id, command.id)
        if answered is None:
            events = self._lobby.decide(command, player, self.now(), fresh=new_id(), lot=secrets.randbits(64))
            answer = [event for event in events if isinstance(event, Answered)]
            answered = answer[0] if answer else None
            await self._carry_out([event for event in events if not isinstance(event, Answered)])
            self._apply(answer)
        peer.send(Acknowledged(id=command.id, ref=answered.ref if answered else None))

    def seek_info(self, command: AskSeek) -> SeekInfo:
        """Return a table, private or not, to who knows its id. Raises Refusal."""
        return SeekInfo(id=command.id, seek=self._lobby.table(command.seek).seek)

    async def _carry_out(self, events: list[LobbyEvent]) -> None:
        """Apply what was decided, and open the match if one was made; only then tell of it. Raises Refusal."""
        made = next((event for event in events if isinstance(event, MatchMade)), None)
        if made is None:
            self._apply(events)
            return
        # The table is closed before the match is stored, so that nobody else sits down in the meantime.
        told = [event for event in events if isinstance(event, ChallengeEnded)]
        self._evolve(events)
        if not await self._is_opened(made):
            self._apply([MatchEnded(made.match)])
            for event in told:
                reason = "the server could not start the match"
                closed = event.closed.model_copy(update={"how": "cancelled", "match": None, "reason": reason})
                self._tell(event.told, closed)
            raise Refusal("internal", "the match could not be stored just now; try again")
        for event in told:
            self._effect(event)

    async def _is_opened(self, made: MatchMade) -> bool:
        """Store and open a match; say whether there is one now."""
        try:
            await self.rooms.open_new(made)
        except JournalUnavailable:
            # A store that went away before it confirmed may have kept the match: only reading it back tells.
            try:
                await self.rooms.find(made.match)
            except Refusal:
                return False
        return True

    def _apply(self, events: Iterable[LobbyEvent]) -> None:
        """Take over what was decided, and tell those whom it concerns."""
        events = tuple(events)
        self._evolve(events)
        for event in events:
            self._effect(event)

    def _evolve(self, events: Iterable[LobbyEvent]) -> None:
        for event in events:
            self._lobby = self._lobby.evolve(event)
        self._tell_soon()
        self._arm()

    def _effect(self, event: LobbyEvent) -> None:
        match event:
            case ChallengeSent():
                self._tell((event.challenge.by.id, event.challenge.to.id), event.challenge)
            case ChallengeEnded():
                self._tell(event.told, event.closed)
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
            self._tick_timer.cancel()
            self._tick_timer = None
        if due is not None:
            self._tick_timer = self._loop.call_later(max(0, due - self.now()) / 1000, self._tick)

    def _tick(self) -> None:
        self._tick_timer = None
        self._apply(self._lobby.tick(self.now()))

    def _tell_soon(self) -> None:
        if self._tell_timer is None:
            self._tell_timer = self._loop.call_later(TELL_SECONDS, self._tell_lobby)

    def _tell_lobby(self) -> None:
        self._tell_timer = None
        listed = [self.rooms.get(match_id) for match_id in tuple(self._changed)[:MAX_SUMMARIES]]
        for match_id in tuple(self._changed)[:MAX_SUMMARIES]:
            del self._changed[match_id]
        said = partial(
            changes,
            self._told,
            self._lobby,
            matches=[_summary(room) for room in listed if room is not None and not room.match.over],
            matches_gone=self._ended,
        )
        word, insiders = said(), private_company(self._told, self._lobby)
        self._told, self._ended = told(self._told, self._lobby), []
        if self._changed or self._told is not self._lobby:
            self._tell_soon()
        is_news = _says_something(word)
        if is_news:
            self._services.bus.publish_lobby(word)
            if self._retain_timer is None:
                self._retain_timer = self._loop.call_later(RETAIN_SECONDS, self._retain_lobby)
        broadcast = Broadcast(word)
        for peer in self._watching:
            if peer.player.id in insiders:
                peer.send(said(viewer=peer.player.id))
            elif is_news:
                peer.deliver(broadcast)

    def _retain_lobby(self) -> None:
        """Give the outside the lobby as strangers see it, for those who come later."""
        self._retain_timer = None
        self._services.bus.publish_lobby(lobby_message(self._lobby, "lobby", self._summaries()))

    # Matches

    def _opened(self, room: Room) -> None:
        """A match begins, or goes on after the server was away."""
        terms = room.match.terms
        for player in terms.players:
            if player.id in self._peers:
                room.player_came(player.id)
        if room.match.over:
            return
        self._apply([MatchMade(terms.id, terms.spec, terms.players, terms.clock, terms.private, terms.delay)])
        for seat, player in enumerate(terms.players):
            self._tell((player.id,), Paired(match=terms.id, seat=seat))

    def _match_changed(self, room: Room) -> None:
        self._changed[room.match.id] = None
        self._tell_soon()

    def _match_ended(self, room: Room) -> None:
        self._changed.pop(room.match.id, None)
        if room.is_listed:
            self._ended.append(room.match.id)
        self._apply([MatchEnded(room.match.id)])

    def _summaries(self) -> list[MatchSummary]:
        """Return the newest public matches that go on."""
        listed: list[MatchSummary] = []
        for room in reversed(self.rooms.all()):
            if room.is_listed and not room.match.over:
                listed.append(_summary(room))
                if len(listed) == MAX_SUMMARIES:
                    break
        return listed

    def ask_analysis(self, peer: Peer, command: AskAnalysis, room: Room) -> None:
        """Have a position of a match studied, unless the asker plays in it just now, wherever. Raises Refusal."""
        question = question_about(room.studied_by(peer), command.ply, command.lines)
        for own in self.rooms.rooms_of(peer.player.id):
            if own.match.terms.spec == question.game and str(own.match.state) == question.position:
                raise Refusal("not_now", "you play in this very position; ask when that game is over")
        self.bureau.ask(peer, command.id, question)

    async def my_matches(self, peer: Peer, command_id: str) -> MyMatches:
        """Return a player's live matches and newest finished ones. Raises Refusal."""
        player = peer.player.id
        try:
            stored = await self._services.journal.finished(player, MAX_FINISHED)
        except JournalUnavailable:
            raise Refusal("internal", "old matches cannot be read just now; try again") from None
        for one in stored:
            await self.rooms.ready_for(one.events)
        return MyMatches(
            id=command_id,
            live=tuple(views.summary(room.match, len(room.gallery)) for room in self.rooms.rooms_of(player)),
            finished=tuple(views.summary(match, 0) for match in self.rooms.replayed(stored)),
        )


def _guest_name() -> str:
    """Return a name that tells guests who gave none apart."""
    return f"Guest {1000 + secrets.randbelow(9000)}"


def _says_something(word: LobbyChanged) -> bool:
    return any((word.seeks, word.matches, word.players, word.seeks_gone, word.matches_gone, word.players_gone))


def _summary(room: Room) -> MatchSummary:
    """Return the match as strangers may see it: as late as its spectators do."""
    return views.summary(room.gallery.shown, len(room.gallery))
