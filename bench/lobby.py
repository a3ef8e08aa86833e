"""`cornered bench lobby`: what a change costs while much is in the lobby, and what its watchers are sent."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from cornered.bench.load import Socket, connect_all, scripts
from cornered.bench.server import Target, target
from cornered.server.app import new_event_loop

__all__ = ["LobbyReport", "lines", "run"]

SEAT_COUNT: Final = 3
TABLES_EACH: Final = 5
DURATION_S: Final = 10.0
CHANGES: Final = 40
QUIET_SECONDS: Final = 3.0
HELLO: Final = {"type": "hello", "name": "Bench"}
SEEK_FIELDS: Final = {"game": {"name": "isolation", "options": {"players": SEAT_COUNT}}}


@dataclass(frozen=True, slots=True)
class LobbyReport:
    """The figures of one run. Bytes are those of one watcher; milliseconds of CPU are the server's."""

    seeks: int
    matches: int
    watchers: int
    first_page_bytes: int
    first_page_cpu_ms: float
    change_cpu_ms: float
    change_worst_ms: float
    change_bytes_per_second: float
    moves_per_second: float
    moves_cpu_percent: float
    moves_bytes_per_second: float
    moves_worst_ms: float


class Watcher:
    """A socket that watches the lobby and counts what it is sent."""

    def __init__(self, socket: Socket) -> None:
        self.bytes = 0
        socket.hear = self._hear

    def _hear(self, payload: bytes) -> None:
        self.bytes += len(payload)


class Bystander:
    """A socket that pings, one ping after the other, and keeps how long each took."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket
        self._sent = 0.0
        self._handle: asyncio.TimerHandle | None = None
        self.seconds: list[float] = []
        socket.hear = self._hear
        self._ping()

    def stop(self) -> None:
        """Ping no more."""
        if self._handle is not None:
            self._handle.cancel()

    def _ping(self) -> None:
        self._sent = time.perf_counter()
        self._socket.send(b'{"type":"ping","id":"p"}')

    def _hear(self, payload: bytes) -> None:
        if payload.startswith(b'{"type":"pong"'):
            self.seconds.append(time.perf_counter() - self._sent)
            self._handle = asyncio.get_running_loop().call_later(0.005, self._ping)

    def worst_ms(self) -> float:
        """Return the worst round trip since the last call."""
        worst, self.seconds = max(self.seconds, default=0.0), []
        return worst * 1000


async def _greet(sockets: Sequence[Socket]) -> list[str]:
    return [(await socket.ask(HELLO, "welcome"))[0]["player"]["id"] for socket in sockets]


async def _ask(socket: Socket, message: dict[str, Any], ids: itertools.count[int]) -> dict[str, Any]:
    """Send a command and return its acknowledgement."""
    (answer,) = await socket.ask({**message, "id": f"b{next(ids)}"}, "acknowledged")
    return answer


async def _begin(pairs: Sequence[tuple[Socket, Socket]], opponents: Sequence[str], matches: int) -> list[str]:
    """Begin `matches` matches, spread over pairs of sockets; return their ids."""
    ids = itertools.count()
    begun = []
    for index in range(matches):
        number = index % len(pairs)
        first, second = pairs[number]
        challenge = {"type": "challenge", "to": opponents[number], "game": {"name": "trapgrid"}, "seat": 0}
        sent = await _ask(first, challenge, ids)
        begun.append(str((await _ask(second, {"type": "accept_challenge", "challenge": sent["ref"]}, ids))["ref"]))
    return begun


class PacedPlayers:
    """Plays the matches of pairs of sockets evenly: each of them has one move a second."""

    def __init__(self, pairs: Sequence[tuple[Socket, Socket]], matches: Sequence[str]) -> None:
        games = scripts(32)
        self._pairs = pairs
        self._matches = [(name, games[index % len(games)]) for index, name in enumerate(matches)]
        self._plies = [0] * len(matches)
        self.moves = 0

    async def play(self, seconds: float) -> None:
        """Play for a while."""
        began = time.perf_counter()
        for number in itertools.count():
            wait = began + number / len(self._matches) - time.perf_counter()
            if wait > 0:
                await asyncio.sleep(wait)
            if time.perf_counter() - began > seconds:
                return
            index = number % len(self._matches)
            name, script = self._matches[index]
            ply = self._plies[index]
            if ply < len(script):
                self._plies[index] += 1
                socket = self._pairs[index % len(self._pairs)][ply & 1]
                play = {"type": "play", "id": f"m{ply}-{index}", "match": name, "ply": ply, "move": script[ply]}
                socket.send(json.dumps(play).encode())
                self.moves += 1


@dataclass(frozen=True, slots=True)
class _Window:
    """What the server and its watchers did in some seconds: CPU seconds, and bytes a second of one watcher."""

    seconds: float
    cpu_s: float
    bytes_per_second: float
    worst_ms: float


class _Lobby:
    """A server whose lobby is filled, with everything that watches it."""

    def __init__(self, server: Target) -> None:
        self._server = server
        self._ids = itertools.count()
        self._sockets: list[Socket] = []
        self._watchers: list[Watcher] = []

    async def _connect(self, count: int) -> tuple[list[Socket], list[str]]:
        """Return so many sockets that were greeted, and the ids of their players."""
        sockets = await connect_all(self._server.address, count)
        self._sockets += sockets
        return sockets, await _greet(sockets)

    async def open_seeks(self, count: int) -> None:
        openers, _ = await self._connect(-(-count // TABLES_EACH))
        for index in range(count):
            await _ask(openers[index // TABLES_EACH], {"type": "create_seek", "settings": SEEK_FIELDS}, self._ids)

    async def begin(self, matches: int) -> PacedPlayers:
        sockets, names = await self._connect(2 * max(1, matches // 20))
        pairs = list(zip(sockets[::2], sockets[1::2], strict=True))
        return PacedPlayers(pairs, await _begin(pairs, names[1::2], matches))

    async def watch(self, watchers: int) -> tuple[int, float]:
        """Let sockets watch the lobby; return the largest first page in bytes, and its CPU seconds."""
        audience, _ = await self._connect(watchers)
        pages = []
        before, _ = await self._server.used()
        for socket in audience:
            (page,) = await socket.ask({"type": "watch_lobby", "id": "w"}, "lobby")
            pages.append(len(json.dumps(page, separators=(",", ":"))))
        page_cpu_s = ((await self._server.used())[0] - before) / len(audience)
        self._watchers = [Watcher(socket) for socket in audience]
        (self._changer, bystander), _ = await self._connect(2)
        await asyncio.sleep(QUIET_SECONDS)
        self._pinging = Bystander(bystander)
        return max(pages), page_cpu_s

    async def window(self, work: Awaitable[None]) -> _Window:
        """Return what was used while `work` was done."""
        self._pinging.worst_ms()
        before, bytes_before = (await self._server.used())[0], sum(one.bytes for one in self._watchers)
        began = time.perf_counter()
        await work
        passed = time.perf_counter() - began
        cpu_s = (await self._server.used())[0] - before
        sent = sum(one.bytes for one in self._watchers) - bytes_before
        return _Window(passed, cpu_s, sent / len(self._watchers) / passed, self._pinging.worst_ms())

    async def change(self, changes: int) -> None:
        """Open and close so many tables."""
        for _ in range(changes):
            made = await _ask(self._changer, {"type": "create_seek", "settings": SEEK_FIELDS}, self._ids)
            await asyncio.sleep(0.05)
            await _ask(self._changer, {"type": "cancel_seek", "seek": made["ref"]}, self._ids)
            await asyncio.sleep(0.05)
        await asyncio.sleep(1)

    def close(self) -> None:
        self._pinging.stop()
        for socket in self._sockets:
            socket.close()


async def measure(
    seeks: int,
    matches: int,
    watchers: int,
    tell: Callable[[str], None],
    *,
    changes: int = CHANGES,
    seconds: float = DURATION_S,
) -> LobbyReport:
    """Fill a lobby, and measure it from outside: `changes` tables opened and closed, `seconds` of moves."""
    async with target("memory") as server:
        lobby = _Lobby(server)
        tell(f"{seeks} tables ...")
        await lobby.open_seeks(seeks)
        tell(f"{matches} matches ...")
        players = await lobby.begin(matches)
        tell(f"{watchers} watchers ...")
        page_bytes, page_cpu_s = await lobby.watch(watchers)
        idle = await lobby.window(asyncio.sleep(QUIET_SECONDS))
        tell("changes ...")
        changed = await lobby.window(lobby.change(changes))
        tell("moves ...")
        moved = await lobby.window(players.play(seconds))
        lobby.close()
    change_cpu_s = changed.cpu_s - idle.cpu_s / QUIET_SECONDS * changed.seconds
    return LobbyReport(
        seeks=seeks,
        matches=matches,
        watchers=watchers,
        first_page_bytes=page_bytes,
        first_page_cpu_ms=page_cpu_s * 1000,
        change_cpu_ms=change_cpu_s / (2 * changes) * 1000,
        change_worst_ms=changed.worst_ms,
        change_bytes_per_second=changed.bytes_per_second,
        moves_per_second=players.moves / moved.seconds,
        moves_cpu_percent=moved.cpu_s / moved.seconds * 100,
        moves_bytes_per_second=moved.bytes_per_second,
        moves_worst_ms=moved.worst_ms,
    )


def lines(report: LobbyReport) -> list[str]:
    """Return the figures as text."""
    return [
        f"{report.seeks} open tables, {report.matches} live matches, {report.watchers} watchers",
        f"  first page          {report.first_page_bytes:>12,} bytes {report.first_page_cpu_ms:>9.2f} ms of CPU",
        f"  a change            {report.change_cpu_ms:>12.2f} ms of CPU {report.change_worst_ms:>6.1f} ms worst ping",
        f"                      {report.change_bytes_per_second:>12,.0f} bytes/s for each watcher",
        f"  {report.moves_per_second:>6,.0f} moves/s      {report.moves_cpu_percent:>12.0f} % of a core"
        f" {report.moves_worst_ms:>6.1f} ms worst ping",
        f"                      {report.moves_bytes_per_second:>12,.0f} bytes/s for each watcher",
    ]


def run(
    seeks: int, matches: int, watchers: int, *, as_json: bool = False, tell: Callable[[str], None] = lambda _: None
) -> str:
    """Measure, and return the figures as text or as JSON."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        report = runner.run(measure(seeks, matches, watchers, tell))
    return json.dumps(asdict(report)) if as_json else "\n".join(lines(report))
