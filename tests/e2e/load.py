"""Pairs of players that play random legal moves on a server that is killed repeatedly, and record its acknowledgements.
They implement the protocol themselves, since the SDK is under test here too."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, WebSocketException

from cornered import engine
from cornered.protocol.codec import JSON, MSGPACK, Codec
from cornered.protocol.commands import CreateSeek, Hello, Join, JoinSeek, Play
from cornered.protocol.events import Ended, MatchEvent, Played, Rolled, Started
from cornered.protocol.messages import Acknowledged, Happened, Paired, Refused, ServerMessage, Welcome
from cornered.protocol.values import NO_CLOCK, Clock, Fischer, GameSpec, SeekSettings, Value

LOST = (WebSocketException, InvalidHandshake, OSError, EOFError, TimeoutError)
THINKING = 0.1
"""Maximum seconds before a move."""
TIMEOUT_S = 60
"""Seconds without a message after which the server counts as stuck."""
GAMES = (
    GameSpec(name="trapgrid", options={"size": 5}),
    GameSpec(name="isolation", options={"width": 4, "height": 4}),
    GameSpec(name="bamboo", options={"radius": 2}),
    GameSpec(name="quoridor", options={"size": 3, "walls": 2}),
    GameSpec(name="isolation", options={"width": 4, "height": 4, "dice": True}),
)
CLOCKS: tuple[Clock, ...] = (NO_CLOCK, Fischer(initial=600, increment=5))


@dataclass(frozen=True)
class Promise:
    """A move that the server acknowledged: it may neither be lost nor stored twice."""

    match: str
    seat: int
    cause: str
    ply: int
    move: str


@dataclass
class Record:
    """The observations of all players."""

    promises: list[Promise] = field(default_factory=list)
    logs: dict[tuple[str, int], list[MatchEvent]] = field(default_factory=dict)
    playing: set[str] = field(default_factory=set)
    finished: int = 0
    lost_connections: int = 0
    repeated: int = 0
    """Commands that were repeated because no answer arrived."""
    answered_again: int = 0
    """Repeated commands that had been stored the first time."""
    failures: int = 0
    """Moves that were repeated because the server could not carry them out just then."""
    _changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def note(self, promise: Promise) -> None:
        async with self._changed:
            self.promises.append(promise)
            self._changed.notify_all()

    async def is_busy(self, matches: int, promises: int) -> None:
        """Wait until `matches` matches are live and more than `promises` moves were acknowledged."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.playing) >= matches and len(self.promises) > promises)


class Player:
    """One player, on one socket at a time."""

    def __init__(self, name: str, port: int, codec: Codec, chance: random.Random, record: Record) -> None:
        self.name = name
        self._port = port
        self._codec = codec
        self._chance = chance
        self._record = record
        self._token: str | None = None
        self._socket: ClientConnection | None = None
        self._numbers = itertools.count(1)
        self.id = ""
        self.live: tuple[str, ...] = ()
        self.paired: str | None = None

    def new_id(self) -> str:
        return f"{self.name}-{next(self._numbers)}"

    async def connect(self) -> None:
        """Connect and say hello, with any number of attempts."""
        while True:
            try:
                self._socket = await connect(
                    f"ws://127.0.0.1:{self._port}/",
                    subprotocols=[self._codec.subprotocol],  # type: ignore[list-item]
                    compression=None,
                    proxy=None,
                    ping_interval=None,
                    open_timeout=5,
                    close_timeout=1,
                )
                hello = Hello(token=self._token) if self._token else Hello(name=self.name, kind="bot")
                await self.tell(hello)
                welcome = await self.hear()
                assert isinstance(welcome, Welcome), welcome
            except LOST:
                await asyncio.sleep(self._chance.uniform(0.02, 0.08))
                continue
            self._token = welcome.token or self._token
            self.id, self.live, self.paired = welcome.player.id, welcome.matches, None
            return

    def hang_up(self) -> None:
        if self._socket is not None:
            self._socket.transport.abort()
            self._socket = None

    async def tell(self, message: Value) -> None:
        assert self._socket is not None
        await self._socket.send(self._codec.encode(message), text=self._codec.is_text)

    async def hear(self) -> ServerMessage:
        assert self._socket is not None
        try:
            async with asyncio.timeout(TIMEOUT_S):
                message = self._codec.decode_message(await self._socket.recv())
        except TimeoutError:
            raise AssertionError(f"{self.name} hears nothing") from None
        if isinstance(message, Paired):
            self.paired = message.match
        return message

    async def ask(self, command: CreateSeek | JoinSeek | Join) -> Acknowledged | Refused:
        """Send a command and return its answer; one that exceeds a rate limit is sent again when the server says."""
        await self.tell(command)
        while True:
            answer = await self.hear()
            if not isinstance(answer, Acknowledged | Refused) or answer.id != command.id:
                continue
            if isinstance(answer, Acknowledged) or answer.code != "too_fast" or answer.retry_after is None:
                return answer
            await asyncio.sleep(answer.retry_after / 1000)
            await self.tell(command)

    async def play(self, match: str) -> None:
        """Play `match` to its end, over any number of connections."""
        game = _Game(self, match, self._chance, self._record)
        while True:
            try:
                if self._socket is None:
                    await self.connect()
                await game.go_on()
                return
            except LOST:
                self._record.lost_connections += 1
                self.hang_up()


class _Game:
    """One player's view of one match."""

    def __init__(self, player: Player, match: str, chance: random.Random, record: Record) -> None:
        self._player = player
        self._match = match
        self._chance = chance
        self._record = record
        self._state: engine.State | None = None
        self._seat = -1
        self._log: list[MatchEvent] = []
        self._ply = 0
        self._played_ply = -1
        self._unanswered: Play | None = None
        self._is_repeat = False
        self._over = False

    async def go_on(self) -> None:
        """Join, repeat unanswered commands, and play on. Returns when the match is over and every command is
        answered."""
        since = len(self._log)
        answer = await self._player.ask(Join(id=self._player.new_id(), match=self._match, since=since))
        assert isinstance(answer, Acknowledged), answer
        if self._unanswered is not None:
            self._record.repeated += 1
            self._is_repeat = True
            await self._player.tell(self._unanswered)
        while not self._over or self._unanswered is not None:
            await self._take(await self._player.hear())
        self._record.logs[self._match, self._seat] = self._log

    async def _take(self, message: ServerMessage) -> None:
        match message:
            case Happened(match=self._match):
                for event in message.known:
                    self._fold(event)
            case Acknowledged():
                await self._note_answer(message)
            case Refused(code="internal") if self._unanswered is not None and message.id == self._unanswered.id:
                self._record.failures += 1
                await asyncio.sleep(THINKING)
                await self._player.tell(self._unanswered)
            case Refused():
                raise AssertionError(f"{self._player.name}: {self._unanswered} was refused: {message}")
            case _:
                return
        await self._move()

    def _fold(self, event: MatchEvent) -> None:
        assert event.seq == len(self._log) + 1, f"event {event.seq} came after {len(self._log)} in {self._match}"
        self._log.append(event)
        match event:
            case Started():
                self._state = engine.load(event.game.name, **event.game.options).start()
                self._seat = [player.id for player in event.players].index(self._player.id)
            case Played() | Rolled():
                assert self._state is not None
                assert event.ply == self._ply
                self._state = engine.apply(self._state, event.move)
                self._ply += 1
            case Ended():
                self._over = True
            case _:
                pass

    async def _note_answer(self, answer: Acknowledged) -> None:
        play = self._unanswered
        if play is None or answer.id != play.id:
            return
        await self._record.note(Promise(self._match, self._seat, play.id, play.ply, play.move))
        self._record.answered_again += self._is_repeat and any(
            isinstance(event, Played) and event.cause == play.id for event in self._log
        )
        self._unanswered = None
        self._is_repeat = False

    async def _move(self) -> None:
        state = self._state
        if state is None or self._over or self._unanswered is not None or self._played_ply >= self._ply:
            return
        if state.to_move != self._seat or state.outcome is not None:
            return
        await asyncio.sleep(self._chance.uniform(0, THINKING))
        move = self._chance.choice(state.moves())
        self._played_ply = self._ply
        self._unanswered = Play(id=self._player.new_id(), match=self._match, ply=self._ply, move=move)
        await self._player.tell(self._unanswered)


async def find_match(one: Player, two: Player, settings: SeekSettings) -> str:
    """Return a new match of these two."""
    create = CreateSeek(id=one.new_id(), settings=settings)
    while True:
        try:
            for player in (one, two):
                player.hang_up()
                await player.connect()
            both = set(one.live) & set(two.live)
            if both:
                return both.pop()
            # Under the same id until a match comes of it: a table outlives the server, and few may be open.
            table = await one.ask(create)
            assert isinstance(table, Acknowledged), table
            assert table.ref is not None
            answer = await two.ask(JoinSeek(id=two.new_id(), seek=table.ref))
            if isinstance(answer, Refused):
                create = CreateSeek(id=one.new_id(), settings=settings)
                continue
            while two.paired is None:
                await two.hear()
            return two.paired
        except LOST:
            continue


async def keep_playing(number: int, port: int, record: Record, wants_more: Callable[[], bool]) -> None:
    """Let one pair play matches while more are wanted, each to its end."""
    chance = random.Random(number)
    one = Player(f"pair{number}-a", port, JSON, chance, record)
    two = Player(f"pair{number}-b", port, MSGPACK, chance, record)
    try:
        for game, clock in _settings(number):
            if not wants_more():
                return
            match = await find_match(one, two, SeekSettings(game=game, clock=clock, private=True))
            record.playing.add(match)
            async with asyncio.TaskGroup() as tasks:
                for player in (one, two):
                    tasks.create_task(player.play(match), name=player.name)
            record.playing.discard(match)
            record.finished += 1
    finally:
        for player in (one, two):
            player.hang_up()


def _settings(number: int) -> Iterator[tuple[GameSpec, Clock]]:
    for turn in itertools.count(number):
        yield GAMES[turn % len(GAMES)], CLOCKS[turn % len(CLOCKS)]
