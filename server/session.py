"""One socket's conversation: hello first, then commands, each checked, limited and passed on to whom it concerns."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final, assert_never

import structlog
from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed
from websockets.frames import CloseCode

from protocol.codec import Codec, ProtocolError
from protocol.commands import (
    Abort,
    AcceptChallenge,
    AcceptDraw,
    AcceptTakeback,
    AskGames,
    AskHistory,
    AskMoves,
    AskMyMatches,
    CancelChallenge,
    CancelSeek,
    Challenge,
    Claim,
    ClientMessage,
    Command,
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


@dataclass(frozen=True, slots=True)
class Limits:
    """What one socket may do."""

    rate: float
    burst: float
    hello_seconds: float


class Session:
    """One socket, from its opening to its end."""

    __slots__ = ("_address", "_codec", "_connection", "_hall", "_id", "_limits", "_loop", "_peer")

    def __init__(
        self, connection: ServerConnection, codec: Codec, hall: Hall, address: Allowance, limits: Limits
    ) -> None:
        self._connection = connection
        self._codec = codec
        self._hall = hall
        self._address = address
        self._limits = limits
        self._loop = asyncio.get_running_loop()
        self._id = connection.id.hex[:12]
        self._peer: Peer | None = None

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
            async for raw in self._connection:
                await self._hear(peer, raw)
        except ConnectionClosed:
            pass
        finally:
            self._hall.leave(peer)
            log.debug("went", session=self._id, player=peer.player.id, code=self._connection.close_code)

    def caught_up(self) -> None:
        """The socket reads again: show it what it missed where it watches."""
        if self._peer is not None:
            for room in tuple(self._peer.rooms.values()):
                room.gallery.caught_up(self._peer)

    # Hello

    async def _greet(self) -> Peer | None:
        """Return the peer once a good hello came; None when the socket is closed instead."""
        for _ in range(MAX_FALSE_STARTS):
            try:
                hello = self._decode(await self._connection.recv())
                if not isinstance(hello, Hello):
                    raise ProtocolError("hello_first", "the first message must be `hello`", hello.id)
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

    def _decode(self, raw: str | bytes) -> ClientMessage:
        if isinstance(raw, str) is not self._codec.is_text:
            kinds = "text messages, not binary" if self._codec.is_text else "binary messages, not text"
            raise ProtocolError("malformed", f"{self._codec.subprotocol} takes {kinds}")
        return self._codec.decode_command(raw)

    # Commands

    async def _hear(self, peer: Peer, raw: str | bytes) -> None:
        now = self._loop.time()
        self._hall.counts.messages += 1
        own, shared = peer.allowance.spend(now), self._address.spend(now)
        if peer.allowance.is_hostile:
            await self._connection.close(CloseCode.POLICY_VIOLATION, "too fast")
            return
        try:
            command = self._decode(raw)
        except ProtocolError as error:
            peer.refuse(error.command_id, error.code, error.text)
            return
        if isinstance(command, Hello):
            peer.refuse(None, "hello_again", "this socket has a player already")
            return
        try:
            if self._hall.is_stopping:
                raise Refusal("shutting_down", "the server restarts; connect again in a moment")
            if not (own and shared) and not (isinstance(command, Play) and self._is_awaited(peer, command)):
                raise Refusal("too_fast", "slow down and try again in a moment")
            await self._dispatch(peer, command, now)
        except Refusal as refusal:
            peer.refuse(command.id, refusal.code, refusal.text)

    def _is_awaited(self, peer: Peer, play: Play) -> bool:
        room = self._hall.rooms.get(play.match)
        return room is not None and room.expects(peer, play)

    async def _dispatch(self, peer: Peer, command: Command, now: float) -> None:
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
                room = hall.rooms.get(command.match) or await hall.rooms.find(command.match)
                room.submit(peer, command, now)
            case Ping():
                peer.send(Pong(id=command.id, sent=command.sent, now=hall.now()))
            case AskGames():
                peer.send(Games(id=command.id, games=catalogue.offered()))
            case AskMyMatches():
                peer.send(await hall.my_matches(peer, command.id))
            case Join() | Leave() | AskMoves() | AskHistory() | Say():
                room = await hall.rooms.find(command.match)
                try:
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

    def _in_room(self, peer: Peer, room: Room, command: Join | Leave | AskMoves | AskHistory | Say, now: float) -> None:
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
            case Say():
                if not self._hall.was_said(peer.player.id, command.id):
                    if not peer.chat.spend(now):
                        raise Refusal("too_fast", "let the others say something too")
                    room.say(peer, command)
                    self._hall.remember_said(peer.player.id, command.id)
                peer.send(Acknowledged(id=command.id))
            case _:
                assert_never(command)
