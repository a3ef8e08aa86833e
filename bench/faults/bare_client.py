"""A client without the client kit: it reconnects to any of several addresses, repeats what was not answered under the
same id, resumes matches by hand, and logs what it sends and gets."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import Sequence
from typing import Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException
from websockets.typing import Subprotocol

from cornered import engine
from cornered.bench.faults.history import Answered, ClientLog, Connected, Lost, Saw, Sent, Shown
from cornered.protocol.codec import Codec, ProtocolError
from cornered.protocol.commands import AskMyMatches, Command, CreateSeek, Hello, Join, JoinSeek, Leave, Ping, Play
from cornered.protocol.events import Ended, MatchEvent, Played, Rolled, Started
from cornered.protocol.messages import (
    Acknowledged,
    Answer,
    Happened,
    MyMatches,
    Refused,
    ServerMessage,
    Snapshot,
    Welcome,
)
from cornered.protocol.values import SeekSettings, Value

__all__ = ["LOST", "BareClient", "Vanished"]

LOST: Final = (WebSocketException, InvalidHandshake, OSError, EOFError, TimeoutError, ProtocolError)
"""Errors of a connection; garbage is one."""
TRANSIENT: Final = frozenset({"too_fast", "internal", "shutting_down", "server_full"})
SILENCE_S: Final = 4.0
"""Seconds without a message after which the client sends a ping, and after as many more drops the connection."""
OPEN_S: Final = 4.0
REST_S: Final = (0.02, 0.3)
"""Bounds of the wait before a new connection."""


class Vanished(Exception):
    """The server refuses a match that this client played or watched."""


class BareClient:
    """One player, on one socket at a time. Only one task uses it."""

    def __init__(
        self, name: str, addresses: Sequence[str], codec: Codec, chance: random.Random, log: ClientLog
    ) -> None:
        self.name = name
        self.log = log
        self.chance = chance
        self._addresses = itertools.cycle(addresses)
        self._codec = codec
        self._token: str | None = None
        self._socket: ClientConnection | None = None
        self._connection = 0
        self._numbers = itertools.count(1)

    def new_id(self) -> str:
        return f"{self.name}-{next(self._numbers)}"

    async def connect(self) -> None:
        """Connect to the next address and say hello, with any number of attempts."""
        while True:
            address = next(self._addresses)
            try:
                self._socket = await connect(
                    address,
                    subprotocols=[Subprotocol(self._codec.subprotocol)],
                    compression=None,
                    proxy=None,
                    ping_interval=None,
                    open_timeout=OPEN_S,
                    close_timeout=0.5,
                )
                hello = Hello(token=self._token) if self._token else Hello(name=self.name, kind="bot")
                await self._write(hello)
                async with asyncio.timeout(OPEN_S):
                    welcome = self._codec.decode_message(await self._socket.recv())
                if not isinstance(welcome, Welcome):
                    raise ConnectionError(f"hello is answered by {welcome.type}")
            except LOST:
                self.hang_up("no welcome")
                await asyncio.sleep(self.chance.uniform(*REST_S))
                continue
            self._connection += 1
            self._token = welcome.token or self._token
            self.log.player = welcome.player.id
            self.log.entries.append(Connected(time.monotonic(), self._connection, address))
            return

    def hang_up(self, reason: str) -> None:
        """Drop the connection."""
        if self._socket is not None:
            self._socket.transport.abort()
            self._socket = None
            self.log.entries.append(Lost(time.monotonic(), self._connection, reason))

    async def _write(self, message: Value) -> None:
        assert self._socket is not None
        async with asyncio.timeout(SILENCE_S):
            await self._socket.send(self._codec.encode(message), text=self._codec.is_text)

    async def tell(self, command: Command) -> None:
        """Send a command. Raises one of LOST."""
        self.log.entries.append(Sent(time.monotonic(), self._connection, command))
        await self._write(command)

    async def hear(self) -> ServerMessage:
        """Return the next message. Raises one of LOST, also where the server is silent after a ping."""
        assert self._socket is not None
        try:
            async with asyncio.timeout(SILENCE_S):
                raw = await self._socket.recv()
        except TimeoutError:
            await self._write(Ping(id=self.new_id(), sent=0))
            async with asyncio.timeout(SILENCE_S):
                raw = await self._socket.recv()
        message = self._codec.decode_message(raw)
        now = time.monotonic()
        if isinstance(message, Happened):
            self.log.entries.append(Saw(now, self._connection, message.match, message.known))
        elif isinstance(message, Snapshot):
            shown = Shown(
                now, self._connection, message.match, message.seq, message.position, message.ply, message.over
            )
            self.log.entries.append(shown)
            if message.id is not None:
                self.log.entries.append(Answered(now, self._connection, message.id, seq=message.seq))
        elif isinstance(message, Acknowledged):
            self.log.entries.append(Answered(now, self._connection, message.id, seq=message.seq))
        elif isinstance(message, Refused) and message.id is not None:
            self.log.entries.append(Answered(now, self._connection, message.id, message.code))
        elif isinstance(message, Answer) and message.id is not None:
            self.log.entries.append(Answered(now, self._connection, message.id))
        return message

    async def ask(self, command: Command) -> ServerMessage:
        """Return the answer to a command, sent again on every new connection and after every transient refusal."""
        while True:
            try:
                if self._socket is None:
                    await self.connect()
                await self.tell(command)
                while True:
                    message = await self.hear()
                    if getattr(message, "id", None) == command.id:
                        break
            except LOST as error:
                self.hang_up(repr(error))
                continue
            if isinstance(message, Refused) and message.code in TRANSIENT:
                await asyncio.sleep(max(0.2, (message.retry_after or 0) / 1000))
                continue
            return message

    async def live(self) -> set[str]:
        """Return the ids of this player's live matches."""
        answer = await self.ask(AskMyMatches(id=self.new_id()))
        if not isinstance(answer, MyMatches):
            raise Vanished(f"ask_my_matches is answered by {answer}")
        return {one.id for one in answer.live}

    async def seek(self, settings: SeekSettings) -> str | None:
        """Open a table; return its id, None where that is refused."""
        answer = await self.ask(CreateSeek(id=self.new_id(), settings=settings))
        return answer.ref if isinstance(answer, Acknowledged) else None

    async def join_seek(self, seek: str) -> str | None:
        """Join a table; return the id of the match that begins, None where there is none."""
        answer = await self.ask(JoinSeek(id=self.new_id(), seek=seek))
        return answer.ref if isinstance(answer, Acknowledged) else None

    async def play(self, match: str) -> None:
        """Play a match to its end, over any number of connections. Raises Vanished."""
        await _Seat(self, match, is_player=True).follow()

    async def watch(self, match: str) -> None:
        """Watch a match to its end, over any number of connections, and leave it. Raises Vanished."""
        await _Seat(self, match, is_player=False).follow()
        await self.ask(Leave(id=self.new_id(), match=match))


class _Seat:
    """One client's view of one match."""

    def __init__(self, client: BareClient, match: str, *, is_player: bool) -> None:
        self._client = client
        self._match = match
        self._is_player = is_player
        self._state: engine.State | None = None
        self._seat = -1
        self._seq = 0
        self._ply = 0
        self._played_ply = -1
        self._unanswered: Play | None = None
        self._over = False

    async def follow(self) -> None:
        """Join, repeat what is unanswered, and go on until the match is over and every command is answered."""
        client = self._client
        while True:
            # A player has every event from the first one on; a watcher begins with a snapshot.
            since = self._seq if self._is_player or self._seq else None
            answer = await client.ask(Join(id=client.new_id(), match=self._match, since=since))
            if isinstance(answer, Refused):
                raise Vanished(f"match {self._match} is refused: {answer.code}")
            try:
                if isinstance(answer, Snapshot):
                    self._seq, self._over = answer.seq, answer.over
                if self._unanswered is not None:
                    await client.tell(self._unanswered)
                while not self._over or self._unanswered is not None:
                    await self._take(await client.hear())
                return
            except LOST as error:
                client.hang_up(repr(error))

    async def _take(self, message: ServerMessage) -> None:
        if isinstance(message, Happened) and message.match == self._match:
            for event in message.known:
                self._fold(event)
        elif isinstance(message, Snapshot) and message.match == self._match:
            self._seq, self._over = max(self._seq, message.seq), message.over
        elif isinstance(message, Acknowledged) and self._unanswered is not None and message.id == self._unanswered.id:
            self._unanswered = None
        elif isinstance(message, Refused) and self._unanswered is not None and message.id == self._unanswered.id:
            if message.code in TRANSIENT:
                await asyncio.sleep(max(0.2, (message.retry_after or 0) / 1000))
                await self._client.tell(self._unanswered)
            else:
                # The time ran out, or the match ended meanwhile; the checker judges it.
                self._unanswered = None
        else:
            return
        if self._is_player:
            await self._move()

    def _fold(self, event: MatchEvent) -> None:
        if event.seq <= self._seq:
            return
        if event.seq > self._seq + 1:
            # The log has the gap. A new connection asks for what is missing.
            raise ConnectionError(f"event {event.seq} came after {self._seq}")
        self._seq = event.seq
        if isinstance(event, Started):
            self._state = engine.load(event.game.name, **event.game.options).start()
            self._seat = [player.id for player in event.players].index(self._client.log.player)
        elif isinstance(event, Played | Rolled) and self._state is not None:
            self._state = engine.apply(self._state, event.move)
            self._ply += 1
        elif isinstance(event, Ended):
            self._over = True

    async def _move(self) -> None:
        state = self._state
        if state is None or self._over or self._unanswered is not None or self._played_ply >= self._ply:
            return
        if state.to_move != self._seat or state.outcome is not None:
            return
        client = self._client
        await asyncio.sleep(client.chance.uniform(0.0, 0.15))
        self._played_ply = self._ply
        move = client.chance.choice(state.moves())
        self._unanswered = Play(id=client.new_id(), match=self._match, ply=self._ply, move=move)
        await client.tell(self._unanswered)
