"""One socket's conversation: hello first, then commands, each checked, limited and passed on to whom it concerns."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

import structlog
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode, Frame, Opcode

from protocol.codec import Codec, ProtocolError
from protocol.commands import (
    Abort,
    AcceptChallenge,
    AcceptDraw,
    AcceptTakeback,
    Analysed,
    AnalysisCommand,
    AskAnalysis,
    AskGames,
    AskHistory,
    AskMoves,
    AskMyMatches,
    AskSeek,
    AskVariation,
    CancelAnalysis,
    CancelChallenge,
    CancelSeek,
    Challenge,
    Claim,
    ClientMessage,
    CreateSeek,
    Declare,
    DeclineChallenge,
    DeclineDraw,
    DeclineTakeback,
    Hello,
    Join,
    JoinSeek,
    Leave,
    LeaveLobby,
    LeaveSeek,
    LobbyCommand,
    MatchCommand,
    OfferAnalysis,
    OfferDraw,
    Ping,
    Play,
    Rematch,
    RequestTakeback,
    Resign,
    Say,
    StartSeek,
    WatchLobby,
)
from protocol.messages import Acknowledged, ErrorCode, Games, Pong, Refused
from protocol.values import Player
from server import catalogue, views
from server.allowance import Allowance
from server.hall import Hall
from server.peer import Peer
from server.refusal import Refusal
from server.room import Room

__all__ = ["Limits", "Session"]

MAX_FALSE_STARTS: Final = 5
"""Messages other than a good hello before the socket is closed."""
MAX_ROOMS: Final = 64
"""Matches of others that one socket may watch at once."""
CHAT_RATE: Final = 0.5
CHAT_BURST: Final = 5.0
"""Lines a second for ever, and at once."""

log = structlog.get_logger("session")

_InRoom: TypeAlias = Join | Leave | AskMoves | AskHistory | AskVariation | AskAnalysis | Say
_Order: TypeAlias = Ping | AskGames | AskMyMatches | AskSeek | LobbyCommand | MatchCommand | AnalysisCommand | _InRoom
"""Everything that may follow hello."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one socket may do."""

    rate: float
    burst: float
    hello_seconds: float


class Session:
    """One socket, from its opening to its end."""

    __slots__ = (
        "_address",
        "_codec",
        "_connection",
        "_guests",
        "_hall",
        "_id",
        "_is_condemned",
        "_left",
        "_limits",
        "_loop",
        "_peer",
        "_undone",
    )

    def __init__(
        self,
        connection: ServerConnection,
        codec: Codec,
        hall: Hall,
        address: Allowance,
        guests: Allowance,
        limits: Limits,
        *,
        early: int,
    ) -> None:
        self._connection = connection
        self._codec = codec
        self._hall = hall
        self._address = address
        self._guests = guests
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._id = connection.id.hex[:12]
        self._peer: Peer | None = None
        self._left = early
        self._undone: _Order | None = None
        self._is_condemned = False

    async def run(self) -> None:
        """Converse until the socket closes."""
        try:
            async with asyncio.timeout(self._limits.hello_seconds):
                peer = await self._greet()
        except TimeoutError:
            await self._connection.close(CloseCode.POLICY_VIOLATION, "no hello")
            return
        except ConnectionClosed:
            return
        if peer is None:
            return
        self._peer = peer
        log.debug("came", session=self._id, player=peer.player.id, kind=peer.player.kind)
        try:
            # The pong measures the round trip, so that the first moves have their lag made up for.
            await self._connection.ping()
            while not self._is_condemned:
                raw = await self._connection.recv()
                if self._peer is None:
                    return
                await self._read(peer, raw)
                self._left -= 1
            self.end()
            await self._connection.close(CloseCode.POLICY_VIOLATION, "too fast")
        except ConnectionClosed:
            pass
        finally:
            self.end()
            log.debug("went", session=self._id, player=peer.player.id, code=self._connection.close_code)

    def take(self, frame: Frame) -> bool:
        """Hear a message in the very step that received it, if nobody need wait; False leaves it to the reader.

        Moves pass here, without waking a task. What has to wait goes to the reader, and everything after it until the
        reader is done, so that the order stays.
        """
        peer = self._peer
        if peer is None or self._left or not frame.fin or frame.opcode is Opcode.CONT:
            self._left += frame.fin
            return False
        now = self._loop.time()
        try:
            command = self._check(peer, bytes(frame.data), now, is_text=frame.opcode is Opcode.TEXT)
            if not self._is_condemned and (command is None or self._do_now(peer, command, now)):
                return True
        except Refusal as refusal:
            peer.refuse(command.id if command else None, refusal.code, refusal.text)
            return True
        self._undone = command
        self._left = 1
        return False

    def fell_behind(self) -> None:
        """The socket reads too slowly: where it watches, it is passed over."""
        if self._peer is not None:
            for room in self._peer.rooms.values():
                room.gallery.fell_behind(self._peer)

    def caught_up(self) -> None:
        """The socket reads again: show it what it missed where it watches."""
        if self._peer is not None:
            for room in tuple(self._peer.rooms.values()):
                room.gallery.caught_up(self._peer)

    def end(self) -> None:
        """Nothing more may be written: the socket closes or is closed."""
        if self._peer is not None:
            peer, self._peer = self._peer, None
            self._hall.leave(peer)

    # Hello

    async def _greet(self) -> Peer | None:
        """Return the peer once a good hello came; None when the socket is closed instead."""
        for _ in range(MAX_FALSE_STARTS):
            try:
                raw = await self._connection.recv()
                self._left -= 1
                if not self._address.spend(self._loop.time()):
                    raise Refusal("too_fast", "too much comes from your address; try again in a moment")
                data = raw.encode() if isinstance(raw, str) else raw
                hello = self._decode(data, is_text=isinstance(raw, str))
                if not isinstance(hello, Hello):
                    raise ProtocolError("hello_first", "the first message must be `hello`", hello.id)
                if hello.token is None and not self._guests.spend(self._loop.time()):
                    raise Refusal("too_fast", "too many new players come from your address; try again in a moment")
                welcome = await self._hall.greet(hello)
                peer = self._peer_of(welcome.player)
                self._hall.check_room_for(welcome.player.id)
            except ProtocolError as error:
                await self._say_no(error.command_id, error.code, error.text)
                continue
            except Refusal as refusal:
                await self._say_no(None, refusal.code, refusal.text)
                if refusal.code in ("server_full", "shutting_down"):
                    await self._connection.close(CloseCode.TRY_AGAIN_LATER, refusal.code)
                    return None
                continue
            peer.send(welcome)
            self._hall.enter(peer)
            return peer
        await self._connection.close(CloseCode.POLICY_VIOLATION, "no hello")
        return None

    def _peer_of(self, player: Player) -> Peer:
        now = self._loop.time()
        return Peer(
            self._connection,
            self._codec,
            player,
            Allowance(self._limits.rate, self._limits.burst, now),
            Allowance(CHAT_RATE, CHAT_BURST, now),
            self._hall.counts,
            self._id,
        )

    async def _say_no(self, command_id: str | None, code: ErrorCode, text: str) -> None:
        self._hall.counts.refused(code)
        refused = Refused(id=command_id, code=code, text=text)
        await self._connection.send(self._codec.encode(refused), text=self._codec.is_text)

    def _decode(self, raw: bytes, *, is_text: bool) -> ClientMessage:
        """Return what was said. Raises ProtocolError."""
        if is_text is not self._codec.is_text:
            kinds = "text messages, not binary" if self._codec.is_text else "binary messages, not text"
            raise ProtocolError("malformed", f"{self._codec.subprotocol} takes {kinds}")
        return self._codec.decode_command(raw)

    # Commands

    async def _read(self, peer: Peer, raw: str | bytes) -> None:
        """Hear what `take` left."""
        now = self._loop.time()
        command, self._undone = self._undone, None
        if command is None:
            is_text = isinstance(raw, str)
            command = self._check(peer, raw.encode() if isinstance(raw, str) else raw, now, is_text=is_text)
        if command is None or self._is_condemned:
            return
        try:
            if not self._do_now(peer, command, now):
                await self._dispatch(peer, command, now)
        except Refusal as refusal:
            peer.refuse(command.id, refusal.code, refusal.text)

    def _check(self, peer: Peer, raw: bytes, now: float, *, is_text: bool) -> _Order | None:
        """Return a command that may be carried out; None when it was refused, or its sender is hostile."""
        self._hall.counts.messages += 1
        try:
            command = self._decode(raw, is_text=is_text)
        except ProtocolError as error:
            self._charge(peer, now)
            if not self._is_condemned:
                peer.refuse(error.command_id, error.code, error.text)
            return None
        # The move that everybody waits for costs nothing, unless it is illegal: then the room charges for it.
        is_free = isinstance(command, Play) and self._is_awaited(peer, command)
        if is_free:
            self._is_condemned = peer.allowance.is_hostile
        # What was carried out before is only answered again: whoever repeats it may not have heard the first answer.
        may = is_free or self._charge(peer, now) or self._hall.was_done(peer.player.id, command)
        if self._is_condemned:
            return None
        if isinstance(command, Hello):
            peer.refuse(None, "hello_again", "this socket has a player already")
        elif self._hall.is_stopping:
            peer.refuse(command.id, "shutting_down", "the server restarts; connect again in a moment")
        elif not may:
            peer.refuse(command.id, "too_fast", "slow down and try again in a moment")
        else:
            return command
        return None

    def _charge(self, peer: Peer, now: float) -> bool:
        """Charge one message to the socket and to its address; say whether both could pay."""
        own, shared = peer.allowance.spend(now), self._address.spend(now)
        self._is_condemned = peer.allowance.is_hostile
        return own and shared

    def _is_awaited(self, peer: Peer, play: Play) -> bool:
        room = self._hall.rooms.get(play.match)
        return room is not None and room.expects(peer, play)

    def _do_now(self, peer: Peer, command: _Order, now: float) -> bool:
        """Carry out what needs no waiting; say whether it was that. Raises Refusal."""
        if isinstance(command, Ping):
            peer.send(Pong(id=command.id, sent=command.sent, now=self._hall.now()))
            return True
        if isinstance(command, MatchCommand):
            room = self._hall.rooms.get(command.match)
            if room is not None:
                room.submit(peer, command, now)
                return True
        return False

    async def _dispatch(self, peer: Peer, command: _Order, now: float) -> None:
        hall = self._hall
        match command:
            case (
                Play()
                | Resign()
                | OfferDraw()
                | AcceptDraw()
                | DeclineDraw()
                | Abort()
                | RequestTakeback()
                | AcceptTakeback()
                | DeclineTakeback()
                | Claim()
                | Rematch()
            ):
                (await hall.rooms.find(command.match)).submit(peer, command, now)
            case Ping():
                self._do_now(peer, command, now)
            case AskGames():
                await hall.readiness.of_catalogue()
                peer.send(Games(id=command.id, games=catalogue.offered()))
            case AskMyMatches():
                peer.send(await hall.my_matches(peer, command.id))
            case AskSeek():
                peer.send(hall.seek_info(command))
            case OfferAnalysis():
                hall.bureau.offer(peer, command)
            case Analysed():
                hall.bureau.analysed(peer, command)
            case CancelAnalysis():
                hall.bureau.cancel(peer, command)
            case Join() | Leave() | AskMoves() | AskHistory() | AskVariation() | AskAnalysis() | Say():
                room = await hall.rooms.find(command.match)
                try:
                    # Who left while the match was looked up must not be let in any more.
                    if self._peer is not None:
                        self._in_room(peer, room, command, now)
                finally:
                    room.check_emptiness()
            case (
                Declare()
                | WatchLobby()
                | LeaveLobby()
                | CreateSeek()
                | JoinSeek()
                | LeaveSeek()
                | StartSeek()
                | CancelSeek()
                | Challenge()
                | AcceptChallenge()
                | DeclineChallenge()
                | CancelChallenge()
            ):
                await hall.in_lobby(peer, command)
            case _:
                assert_never(command)

    def _in_room(self, peer: Peer, room: Room, command: _InRoom, now: float) -> None:
        match command:
            case Join():
                if command.match not in peer.rooms and not room.is_player(peer) and len(peer.rooms) >= MAX_ROOMS:
                    raise Refusal("busy", f"one connection watches at most {MAX_ROOMS} matches; leave one first")
                room.join(peer, command)
            case Leave():
                room.leave(peer)
                peer.send(Acknowledged(id=command.id))
            case AskMoves():
                peer.send(views.moves(room.seen_by(peer), command.ply, id=command.id))
            case AskHistory():
                peer.send(views.history(room.seen_by(peer), id=command.id))
            case AskVariation():
                peer.send(views.variation(room.studied_by(peer), command.ply, command.moves, id=command.id))
            case AskAnalysis():
                self._hall.ask_analysis(peer, command, room)
            case Say():
                if not self._hall.was_said(peer.player.id, command.id):
                    if not peer.chat.spend(now):
                        raise Refusal("too_fast", "let the others say something too")
                    room.say(peer, command)
                    self._hall.remember_said(peer.player.id, command.id)
                peer.send(Acknowledged(id=command.id))
            case _:
                assert_never(command)
