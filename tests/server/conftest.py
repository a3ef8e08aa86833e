"""A running server in the test's own event loop, and raw clients that implement the protocol themselves."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest
import pytest_asyncio
from pydantic import SecretStr
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from cornered import engine
from cornered.protocol.codec import JSON, Codec
from cornered.protocol.commands import AcceptChallenge, Challenge, Hello, Join, Play
from cornered.protocol.events import MatchEvent
from cornered.protocol.messages import Acknowledged, Happened, Paired, Refused, ServerMessage, Snapshot, Welcome
from cornered.protocol.values import GameSpec, Player, Value
from cornered.server import app, backing_services, log
from cornered.server.adapters.accounts_memory import MemoryAccounts
from cornered.server.adapters.bot_incidents_memory import MemoryBotIncidents
from cornered.server.adapters.journal_memory import MemoryJournal
from cornered.server.adapters.lobby_log_memory import MemoryLobbyLog
from cornered.server.adapters.moderation_memory import MemoryModerationLog
from cornered.server.adapters.passwords_argon2 import Argon2Passwords
from cornered.server.adapters.ratings_memory import MemoryRatings
from cornered.server.adapters.social_memory import MemorySocialStore
from cornered.server.adapters.streams_memory import MemoryStreams
from cornered.server.lobby.events import LobbyEvent
from cornered.server.passwords import Passwords
from cornered.server.ports import JournalUnavailable
from cornered.server.runtime import limits
from cornered.server.settings import MEMORY_DATABASE, Settings

M = TypeVar("M", bound=Value)
ANALYST_KEY = "the-key-of-the-operator"
TIMEOUT_S = 60.0
"""Seconds after which a test that waits for a message has failed."""
NUMBERS = itertools.count(1)
"""Numbers of commands: the server remembers the ids of a player across connections and restarts."""
SMALL = GameSpec(name="trapgrid", options={"size": 3})
PLENTY: Final[dict[str, Any]] = {
    "guest_rate": 10_000.0,
    "guest_burst": 10_000,
    "message_rate": 100_000,
    "message_burst": 100_000,
    "address_rate": 1_000_000,
    "address_burst": 1_000_000,
    "server_rate": 1_000_000,
    "server_burst": 1_000_000,
}
"""Limits that one address does not reach."""


@dataclass
class Client:
    """One socket. `hear` waits for a message of one type and keeps the others for later."""

    socket: ClientConnection
    codec: Codec
    welcome: Welcome = field(init=False)
    heard: list[ServerMessage] = field(default_factory=list)

    @property
    def player(self) -> Player:
        return self.welcome.player

    def id(self) -> str:
        return f"c{next(NUMBERS)}"

    async def tell(self, message: Value) -> None:
        await self.socket.send(self.codec.encode(message), text=self.codec.is_text)

    async def listen(self) -> ServerMessage:
        async with asyncio.timeout(TIMEOUT_S):
            return self.codec.decode_message(await self.socket.recv())

    async def hear(self, kind: type[M], which: Callable[[M], bool] = lambda _: True) -> M:
        for index, message in enumerate(self.heard):
            if isinstance(message, kind) and which(message):
                return self.heard.pop(index)  # type: ignore[return-value]
        while True:
            message = await self.listen()
            if isinstance(message, kind) and which(message):
                return message
            self.heard.append(message)

    async def hello(self, name: str | None = None, **more: Any) -> Welcome:
        await self.tell(Hello(name=name, **more))
        self.welcome = await self.hear(Welcome)
        return self.welcome

    async def ask(self, kind: type[Any], **fields: Any) -> Any:
        """Send a command of `kind` and return its answer."""
        command = kind(id=fields.pop("id", None) or self.id(), **fields)
        await self.tell(command)
        return await self.answer(command.id)

    async def answer(self, command_id: str) -> Any:
        return await self.hear(Value, lambda message: getattr(message, "id", None) == command_id)

    async def do(self, kind: type[Any], **fields: Any) -> Acknowledged:
        answer = await self.ask(kind, **fields)
        assert isinstance(answer, Acknowledged), answer
        return answer

    async def refused(self, kind: type[Any], **fields: Any) -> str:
        answer = await self.ask(kind, **fields)
        assert isinstance(answer, Refused), answer
        return answer.code

    async def join(self, match: str) -> Snapshot:
        answer = await self.ask(Join, match=match)
        assert isinstance(answer, Snapshot), answer
        return answer


@dataclass
class Fetched:
    """The answer to a plain HTTP request; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: str


@dataclass
class Running:
    """A server under test."""

    address: str

    async def send_raw(self, data: bytes) -> bytes:
        """Send raw data to the port; return everything received until the server closes."""
        host, port = self.address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(data)
        async with asyncio.timeout(TIMEOUT_S):
            try:
                return await reader.read()
            finally:
                writer.close()
                await writer.wait_closed()

    async def fetch(self, path: str, *, method: str = "GET", **headers: str) -> Fetched:
        lines = [
            f"{method} {path} HTTP/1.1",
            "Host: localhost",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        raw = await self.send_raw("\r\n".join([*lines, "", ""]).encode())
        head, _, body = raw.partition(b"\r\n\r\n")
        first, *rest = head.decode().split("\r\n")
        fields = {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}
        return Fetched(int(first.split()[1]), fields, body.decode())

    async def metrics(self) -> dict[str, float]:
        """Return the samples of `/metrics` by name and labels."""
        lines = (await self.fetch("/metrics")).body.splitlines()
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}

    async def metrics_once(self, are_so: Callable[[dict[str, float]], bool]) -> dict[str, float]:
        """Return the metrics as soon as they are so."""
        async with asyncio.timeout(TIMEOUT_S):
            while not are_so(metrics := await self.metrics()):
                pass
        return metrics

    @property
    def url(self) -> str:
        return self.address.replace("http", "ws", 1) + "/ws"

    @contextlib.asynccontextmanager
    async def socket(self, codec: Codec = JSON, **options: Any) -> AsyncIterator[Client]:
        async with connect(
            self.url, subprotocols=[Subprotocol(codec.subprotocol)], compression=None, **options
        ) as socket:
            yield Client(socket, codec)

    @contextlib.asynccontextmanager
    async def client(self, name: str = "Somebody", codec: Codec = JSON, **hello: Any) -> AsyncIterator[Client]:
        async with self.socket(codec) as client:
            await client.hello(name, **hello)
            yield client


Start = Callable[..., AbstractAsyncContextManager[Running]]


def quick_passwords() -> Argon2Passwords:
    """Return the hashing of passwords at a hundredth of its usual cost."""
    return Argon2Passwords(time_cost=1, memory_kib=64)


@contextlib.asynccontextmanager
async def started(data: Path, *, passwords: Passwords | None = None, **given: Any) -> AsyncIterator[Running]:
    """Run a server on stores of its own."""
    settings = Settings(
        **{
            "port": 0,
            "database": MEMORY_DATABASE,
            "data": data,
            "log_level": "warning",
            "analyst_key": SecretStr(ANALYST_KEY),
            **given,
        }
    )
    async with app.run(settings, passwords=passwords or quick_passwords()) as address:
        yield Running(address)


@pytest.fixture
def start(tmp_path: Path, compiled: None, request: pytest.FixtureRequest) -> Start:
    """Return the function that starts a server; its arguments are settings. SQLite's file in the test's own folder has
    its tables; in a folder that is named the server makes it."""

    def start(**given: Any) -> AbstractAsyncContextManager[Running]:
        file = tmp_path / "cornered.db"
        if given.get("database") == "" and "data" not in given and not file.exists():
            shutil.copy(request.getfixturevalue("migrated_file"), file)
        return started(**{"data": tmp_path, **given})

    return start


@pytest.fixture(scope="module")
def many_passwords() -> Iterator[None]:
    """Passwords are hashed without a wait, and an address may fail as often as it likes."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("PASSWORD_RATE", "PASSWORD_BURST", "ADDRESS_FAILURE_RATE", "ADDRESS_FAILURE_BURST"):
            patch.setattr(limits, name, 1e6)
        yield


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def module_server(
    tmp_path_factory: pytest.TempPathFactory, many_passwords: None, compiled: None
) -> AsyncIterator[Running]:
    async with started(tmp_path_factory.mktemp("shared"), log_level="error", **PLENTY) as server:
        yield server


@pytest.fixture
def shared(module_server: Running) -> Running:
    """One server for the tests of a module in the module's event loop, with limits that these do not reach."""
    log.configure("error", "console")
    return module_server


@pytest.fixture
async def running(start: Start) -> AsyncIterator[Running]:
    async with start() as server:
        yield server


Pair = Callable[..., Awaitable[str]]


@pytest.fixture
def pair() -> Pair:
    """Return the function that starts a TrapGrid match on 3x3 between two clients, the first of which has seat 0."""

    async def pair(first: Client, second: Client, **fields: Any) -> str:
        sent = await first.do(Challenge, **{"to": second.player.id, "game": SMALL, "seat": 0, **fields})
        accepted = await second.do(AcceptChallenge, challenge=sent.ref)
        assert accepted.ref is not None
        for client in (first, second):
            await client.hear(Paired)
            await client.join(accepted.ref)
        return accepted.ref

    return pair


PlayOut = Callable[[str, tuple[Client, Client]], Awaitable[list[Happened]]]


@pytest.fixture
def play_out() -> PlayOut:
    """Return the function that plays a match to its end by the first legal move each time."""

    async def play_out(match: str, players: tuple[Client, Client]) -> list[Happened]:
        state = engine.load("trapgrid", size=3).start()
        seen: list[Happened] = []
        ply = 0
        while state.outcome is None:
            move = state.moves()[0]
            await players[state.to_move].do(Play, match=match, ply=ply, move=move)
            for player in players:
                happened = await player.hear(Happened, lambda said: said.match == match)
            seen.append(happened)
            state, ply = state.play(move), ply + 1
            assert happened.position == str(state)
        return seen

    return play_out


@dataclass
class Now:
    """A wall clock that the test sets."""

    at: int = 1_800_000_000_000

    def __call__(self) -> int:
        return self.at


class Stores:
    """The stores in memory, which outlive a server, and a journal that can be made to fail."""

    def __init__(self) -> None:
        # Tests replace it by journals of their own.
        self.journal: Any = StubbornJournal()
        self.accounts = MemoryAccounts()
        self.lobby_log: Any = StubbornLobbyLog()
        self.moderation_log = MemoryModerationLog()
        self.streams = MemoryStreams()
        self.social = MemorySocialStore(self.accounts)
        self.bot_incidents = MemoryBotIncidents(self.accounts)
        self.now = Now()
        self._ratings: tuple[Any, MemoryRatings] | None = None

    @property
    def ratings(self) -> MemoryRatings:
        """The ratings over the journal."""
        if self._ratings is None or self._ratings[0] is not self.journal:
            self._ratings = self.journal, MemoryRatings(self.journal)
        return self._ratings[1]

    def opened(self) -> backing_services.Stores:
        """Return the ports that a server runs on."""
        return backing_services.Stores(
            self.journal,
            self.accounts,
            self.lobby_log,
            self.ratings,
            self.moderation_log,
            self.streams,
            self.social,
            self.bot_incidents,
            ownership=None,
        )


class StubbornJournal(MemoryJournal):
    """A journal in memory whose next appends fail as those of a database that went away: before or after they were
    stored."""

    def __init__(self) -> None:
        super().__init__()
        self.failures: list[str] = []

    async def append(self, match: str, expected_seq: int, events: Sequence[MatchEvent]) -> None:
        how = self.failures.pop(0) if self.failures else ""
        if how == "before":
            raise JournalUnavailable("the store is away")
        await super().append(match, expected_seq, events)
        if how == "after":
            raise JournalUnavailable("the store went away before it confirmed")


class StubbornLobbyLog(MemoryLobbyLog):
    """A log in memory whose next appends fail as those of a database that went away: before or after they were
    stored."""

    def __init__(self) -> None:
        super().__init__()
        self.failures: list[str] = []

    async def append(self, expected_seq: int, events: Sequence[LobbyEvent], *, is_checkpoint: bool = False) -> None:
        how = self.failures.pop(0) if self.failures else ""
        if how == "before":
            raise JournalUnavailable("the store is away")
        await super().append(expected_seq, events, is_checkpoint=is_checkpoint)
        if how == "after":
            raise JournalUnavailable("the store went away before it confirmed")


@pytest.fixture
def stores() -> Stores:
    return Stores()


@pytest.fixture
async def server(running_server: Start) -> AsyncIterator[Running]:
    """A server on `stores` and the test's own clock, with limits that a test does not reach."""
    log.configure("error", "console")
    async with running_server(**PLENTY) as server:
        yield server


@pytest.fixture
async def ann(server: Running) -> AsyncIterator[Client]:
    async with server.client("Ann") as ann:
        yield ann


@pytest.fixture
async def ben(server: Running) -> AsyncIterator[Client]:
    async with server.client("Ben") as ben:
        yield ben


@pytest.fixture
async def eve(server: Running) -> AsyncIterator[Client]:
    async with server.client("Eve") as eve:
        yield eve


@pytest.fixture
def running_server(stores: Stores, tmp_path: Path, compiled: None) -> Start:
    """Return the function that starts a server on `stores` and the test's own clock."""

    @contextlib.asynccontextmanager
    async def running_server(**given: Any) -> AsyncIterator[Running]:
        settings = Settings(
            **{"port": 0, "database": MEMORY_DATABASE, "data": tmp_path, "analyst_key": SecretStr(ANALYST_KEY), **given}
        )
        running = app.running_server(settings, stores.opened(), now=stores.now, passwords=quick_passwords())
        async with running as address:
            yield Running(address)

    return running_server
