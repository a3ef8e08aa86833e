"""`cornered bench lobby`: what a change costs while much is in the lobby, and what its watchers are sent."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from cornered.bench.load import Socket, connect_all, scripts
from cornered.bench.server import Target, target
from cornered.server.app import new_event_loop

__all__ = ["Report", "lines", "run"]

SEATS: Final = 3
TABLES_EACH: Final = 5
SECONDS: Final = 10.0
CHANGES: Final = 40
QUIET_SECONDS: Final = 3.0
HELLO: Final = {"type": "hello", "name": "Bench"}
SEEK: Final = {"game": {"name": "isolation", "options": {"players": SEATS}}}


@dataclass(frozen=True, slots=True)
class Report:
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


class Players:
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


async def _cpu(server: Target, seconds: float) -> float:
    """Return the CPU seconds that the server uses in `seconds` in which nothing is asked of it."""
    before, _ = await server.used()
    await asyncio.sleep(seconds)
    return (await server.used())[0] - before


async def measure(
    seeks: int,
    matches: int,
    watchers: int,
    tell: Callable[[str], None],
    *,
    changes: int = CHANGES,
    seconds: float = SECONDS,
) -> Report:
    """Fill a lobby, and measure it from outside: `changes` tables opened and closed, `seconds` of moves."""
    async with target("memory") as server:
        tell(f"{seeks} tables ...")
        openers = await connect_all(server.address, -(-seeks // TABLES_EACH))
        await _greet(openers)
        ids = itertools.count()
        for index in range(seeks):
            await _ask(openers[index // TABLES_EACH], {"type": "create_seek", "settings": SEEK}, ids)
        tell(f"{matches} matches ...")
        sockets = await connect_all(server.address, 2 * max(1, matches // 20))
        names = await _greet(sockets)
        pairs = list(zip(sockets[::2], sockets[1::2], strict=True))
        players = Players(pairs, await _begin(pairs, names[1::2], matches))

        tell(f"{watchers} watchers ...")
        audience = await connect_all(server.address, watchers)
        await _greet(audience)
        pages = []
        before, _ = await server.used()
        for socket in audience:
            (page,) = await socket.ask({"type": "watch_lobby", "id": "w"}, "lobby")
            pages.append(len(json.dumps(page, separators=(",", ":"))))
        page_cpu = (await server.used())[0] - before
        counted = [Watcher(socket) for socket in audience]
        changer, bystander = await connect_all(server.address, 2)
        await _greet([changer, bystander])
        await asyncio.sleep(QUIET_SECONDS)
        pinging = Bystander(bystander)
        idle = await _cpu(server, QUIET_SECONDS) / QUIET_SECONDS

        tell("changes ...")
        pinging.worst_ms()
        before, bytes_before = (await server.used())[0], sum(one.bytes for one in counted)
        began = time.perf_counter()
        for _ in range(changes):
            made = await _ask(changer, {"type": "create_seek", "settings": SEEK}, ids)
            await asyncio.sleep(0.05)
            await _ask(changer, {"type": "cancel_seek", "seek": made["ref"]}, ids)
            await asyncio.sleep(0.05)
        await asyncio.sleep(1)
        passed = time.perf_counter() - began
        cpu = (await server.used())[0] - before - idle * passed
        change_bytes = (sum(one.bytes for one in counted) - bytes_before) / len(counted) / passed
        change_worst = pinging.worst_ms()

        tell("moves ...")
        before, bytes_before = (await server.used())[0], sum(one.bytes for one in counted)
        began = time.perf_counter()
        await players.play(seconds)
        passed = time.perf_counter() - began
        moves_cpu = (await server.used())[0] - before
        report = Report(
            seeks=seeks,
            matches=matches,
            watchers=watchers,
            first_page_bytes=max(pages),
            first_page_cpu_ms=page_cpu / len(audience) * 1000,
            change_cpu_ms=cpu / (2 * changes) * 1000,
            change_worst_ms=change_worst,
            change_bytes_per_second=change_bytes,
            moves_per_second=players.moves / passed,
            moves_cpu_percent=moves_cpu / passed * 100,
            moves_bytes_per_second=(sum(one.bytes for one in counted) - bytes_before) / len(counted) / passed,
            moves_worst_ms=pinging.worst_ms(),
        )
        pinging.stop()
        for socket in (*openers, *sockets, *audience, changer, bystander):
            socket.close()
        return report


def lines(report: Report) -> list[str]:
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
