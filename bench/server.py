"""`cornered bench server`: what a move, a spectator and an idle socket cost, beside bare servers in the same run."""

from __future__ import annotations

import asyncio
import itertools
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any, Final

from cornered.bench.load import PLAY, LoadPair, Socket, connect_all, scripts
from cornered.server.app import new_event_loop

__all__ = ["ServerReport", "run"]

PAIR_COUNT: Final = 64
MATCHES_PER_PAIR: Final = 6
"""Matches that each pair plays at full speed."""
CALM_PAIRS: Final = 8
CALM_PAUSE: Final = 0.02
WATCHER_COUNT: Final = 1_000
FANOUT_ROUNDS: Final = 100
FANOUT_MATCHES: Final = 4
"""Matches that all watchers watch at the same time."""
REPEATS: Final = 2
IDLE: Final = 1_000
HELLO: Final = {"type": "hello", "name": "Bench"}


@dataclass(frozen=True, slots=True)
class ServerReport:
    """The figures of one run. Rates are a second of one core's time in the server, latencies in milliseconds."""

    moves: int
    moves_per_second: float
    moves_per_core_second: float
    move_cpu_us: float
    echo_cpu_us: float
    move_to_echo: float
    busy_p50_ms: float
    busy_p99_ms: float
    calm_p50_ms: float
    calm_p99_ms: float
    deliveries_per_second: float
    delivery_cpu_us: float
    bare_deliveries_per_second: float
    bare_delivery_cpu_us: float
    fanout_to_bare: float
    idle_kib: float | None
    bare_idle_kib: float | None


class Target:
    """A server in a process of its own."""

    def __init__(self, process: asyncio.subprocess.Process, address: str) -> None:
        self._process = process
        self.address = address

    @property
    def pid(self) -> int:
        return self._process.pid

    async def used(self) -> tuple[float, int | None]:
        """Return the CPU seconds that the process has used, threads included, and its resident bytes."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"used\n")
        answer = json.loads(await self._process.stdout.readline())
        return answer["cpu"], answer["memory"]


@asynccontextmanager
async def target(kind: str) -> AsyncIterator[Target]:
    """Run a server of `cornered.bench.targets` in a directory of its own."""
    with tempfile.TemporaryDirectory(prefix="cornered-bench-") as directory:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cornered.bench.targets", kind, directory),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            # Ctrl-C in the terminal is for the measuring process; this one ends with its standard input.
            start_new_session=True,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            address = (await process.stdout.readline()).decode().strip()
            if not address:
                raise RuntimeError(f"the {kind} server did not start")
            yield Target(process, address)
        finally:
            process.stdin.close()
            try:
                async with asyncio.timeout(10):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()


async def _greet(sockets: list[Socket]) -> list[str]:
    """Say hello on every socket; return the players' ids."""
    return [(await socket.ask(HELLO, "welcome"))[0]["player"]["id"] for socket in sockets]


async def _begin(first: Socket, second: Socket, opponent: str) -> str:
    """Start a match between two sockets that both join it; return its id."""
    challenge = {"type": "challenge", "id": "c", "to": opponent, "game": {"name": "trapgrid"}, "seat": 0}
    challenge["id"] = f"c{time.monotonic_ns()}"
    (sent,) = await first.ask(challenge, "acknowledged")
    accept = {"type": "accept_challenge", "id": f"a{time.monotonic_ns()}", "challenge": sent["ref"]}
    (accepted,) = await second.ask(accept, "acknowledged")
    match = str(accepted["ref"])
    for socket in (first, second):
        await socket.ask({"type": "join", "id": "j", "match": match}, "snapshot")
    return match


async def _prepare(sockets: list[Socket], matches: int) -> list[list[str]]:
    """Return the ids of `matches` matches for each pair of sockets, ready to play."""
    players = await _greet(sockets)

    async def prepare(index: int) -> list[str]:
        first, second = sockets[index : index + 2]
        return [await _begin(first, second, players[index + 1]) for _ in range(matches)]

    return await asyncio.gather(*(prepare(index) for index in range(0, len(sockets), 2)))


@dataclass(frozen=True, slots=True)
class _Moves:
    count: int
    seconds: float
    cpu: float
    latencies: list[float]


async def _play(server: Target, sockets: list[Socket], names: list[list[str]], *, pause: float = 0.0) -> _Moves:
    games = scripts(32)

    def work(index: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        for number, name in enumerate(names[index]):
            yield name, games[(index + number) % len(games)]

    pairs = [LoadPair(sockets[2 * index], sockets[2 * index + 1], work(index)) for index in range(len(names))]
    before, _ = await server.used()
    started = time.perf_counter()
    for pair in pairs:
        pair.pause = pause
        pair.start()
    await asyncio.gather(*(pair.done for pair in pairs))
    seconds = time.perf_counter() - started
    after, _ = await server.used()
    latencies = [latency for pair in pairs for latency in pair.latencies]
    return _Moves(len(latencies), seconds, after - before, latencies)


async def measure_moves(kind: str, pairs: int, matches: int, *, pause: float = 0.0) -> _Moves:
    """Play matches on a server: as fast as it goes, or with a pause before every move."""
    async with target(kind) as server:
        sockets = await connect_all(server.address, 2 * pairs)
        if kind == "echo":
            names = [["0123456789abcdef"] * matches] * pairs
        else:
            names = await _prepare(sockets, matches)
        measured = await _play(server, sockets, names, pause=pause)
        for socket in sockets:
            socket.close()
        return measured


@dataclass(frozen=True, slots=True)
class _Fanout:
    per_second: float
    cpu_us: float


async def measure_fanout(kind: str, watchers: int, rounds: int) -> _Fanout:
    """Publish `rounds` moves to `watchers` sockets, `FANOUT_MATCHES` of them at any time."""
    async with target(kind) as server:
        sockets = await connect_all(server.address, watchers)
        say = _say_anything(sockets[0]) if kind == "fanout" else await _say_moves(server, sockets, rounds)
        heard = said = 0
        done = asyncio.Event()

        def hear(payload: bytes) -> None:
            nonlocal heard, said
            if payload.startswith(b'{"type":"happened"'):
                heard += 1
                if heard % watchers == 0:
                    if said < rounds:
                        said += 1
                        say()
                    elif heard == watchers * rounds:
                        done.set()

        for socket in sockets:
            socket.hear = hear
        before, _ = await server.used()
        started = time.perf_counter()
        for _ in range(FANOUT_MATCHES):
            said += 1
            say()
        await done.wait()
        seconds = time.perf_counter() - started
        after, _ = await server.used()
        for socket in sockets:
            socket.close()
        return _Fanout(watchers * rounds / seconds, (after - before) / (watchers * rounds) * 1e6)


def _say_anything(socket: Socket) -> Callable[[], None]:
    return lambda: socket.send(b"{}")


async def _say_moves(server: Target, watchers: list[Socket], rounds: int) -> Callable[[], None]:
    """Let pairs play matches that all `watchers` watch; return what makes the next move, in each match in turn."""
    players = await connect_all(server.address, 2 * FANOUT_MATCHES)
    names = [match for (match,) in await _prepare(players, 1)]
    await _greet(watchers)
    for watcher in watchers:
        for name in names:
            await watcher.ask({"type": "join", "id": f"w{name}", "match": name}, "snapshot")
    # The number of watchers is sent once more after the last has joined; no message follows it.
    await asyncio.sleep(1.5)
    games = [game for game in scripts(32) if len(game) * FANOUT_MATCHES > rounds]
    turns = itertools.cycle(enumerate(zip(names, games[-FANOUT_MATCHES:], strict=True)))
    made = itertools.count()

    def say() -> None:
        number, (name, game) = next(turns)
        ply = next(made) // FANOUT_MATCHES
        payload = PLAY % (b"p%d" % ply, name.encode(), ply, game[ply].encode())
        players[2 * number + (ply & 1)].send(payload)

    return say


async def measure_idle(kind: str, count: int) -> float | None:
    """Return the KiB that a silent socket costs the server."""
    async with target(kind) as server:
        first = await connect_all(server.address, 100)
        if kind != "echo":
            await _greet(first)
        _, before = await server.used()
        sockets = await connect_all(server.address, count)
        if kind != "echo":
            await _greet(sockets)
        _, after = await server.used()
        for socket in (*first, *sockets):
            socket.close()
    return None if before is None or after is None else (after - before) / count / 1024


def _cpu(moves: _Moves) -> float:
    """Return the server's CPU microseconds for one move."""
    return moves.cpu / moves.count * 1e6


def _percentiles(latencies: list[float]) -> tuple[float, float]:
    cuts = quantiles(latencies, n=100)
    return cuts[49] * 1000, cuts[98] * 1000


async def _measure(tell: Callable[[str], None]) -> ServerReport:
    """Measure everything; what is compared is measured in turns, and the best of each counts."""
    busy: list[_Moves] = []
    echoes: list[_Moves] = []
    fanouts: list[_Fanout] = []
    bares: list[_Fanout] = []
    for _ in range(REPEATS):
        tell("moves at full speed")
        busy.append(await measure_moves("cornered", PAIR_COUNT, MATCHES_PER_PAIR))
        tell("the same messages echoed")
        echoes.append(await measure_moves("echo", PAIR_COUNT, MATCHES_PER_PAIR))
        tell(f"{WATCHER_COUNT} watchers")
        fanouts.append(await measure_fanout("cornered", WATCHER_COUNT, FANOUT_ROUNDS))
        tell(f"{WATCHER_COUNT} bare transports")
        bares.append(await measure_fanout("fanout", WATCHER_COUNT, FANOUT_ROUNDS))
    tell("moves at a calm pace")
    calm = await measure_moves("cornered", CALM_PAIRS, 1, pause=CALM_PAUSE)
    tell("idle sockets")
    idle, bare_idle = await measure_idle("cornered", IDLE), await measure_idle("echo", IDLE)
    moves, echo = min(busy, key=_cpu), min(echoes, key=_cpu)
    fanout, bare = max(fanouts, key=lambda one: one.per_second), max(bares, key=lambda one: one.per_second)
    (busy_p50, busy_p99), (calm_p50, calm_p99) = _percentiles(moves.latencies), _percentiles(calm.latencies)
    return ServerReport(
        moves=moves.count,
        moves_per_second=moves.count / moves.seconds,
        moves_per_core_second=moves.count / moves.cpu,
        move_cpu_us=_cpu(moves),
        echo_cpu_us=_cpu(echo),
        move_to_echo=_cpu(moves) / _cpu(echo),
        busy_p50_ms=busy_p50,
        busy_p99_ms=busy_p99,
        calm_p50_ms=calm_p50,
        calm_p99_ms=calm_p99,
        deliveries_per_second=fanout.per_second,
        delivery_cpu_us=fanout.cpu_us,
        bare_deliveries_per_second=bare.per_second,
        bare_delivery_cpu_us=bare.cpu_us,
        fanout_to_bare=fanout.per_second / bare.per_second,
        idle_kib=idle,
        bare_idle_kib=bare_idle,
    )


def _lines(report: ServerReport) -> Iterator[str]:
    def kib(value: float | None) -> str:
        return "unknown here" if value is None else f"{value:.1f} KiB"

    yield f"durable moves         {report.moves_per_core_second:10,.0f} a second and core  ({report.moves:,} moves)"
    yield f"CPU per move          {report.move_cpu_us:10.1f} us"
    yield f"CPU per bare echo     {report.echo_cpu_us:10.1f} us of the same messages; ratio {report.move_to_echo:.2f}"
    yield (
        f"latency at full speed {report.busy_p50_ms:10.2f} ms p50, {report.busy_p99_ms:.2f} ms p99"
        f"  ({report.moves_per_second:,.0f} moves/s)"
    )
    yield f"latency when calm     {report.calm_p50_ms:10.2f} ms p50, {report.calm_p99_ms:.2f} ms p99"
    yield (
        f"fan-out               {report.deliveries_per_second:10,.0f} deliveries/s to {WATCHER_COUNT:,} watchers,"
        f" {report.delivery_cpu_us:.1f} us CPU each"
    )
    yield (
        f"bare fan-out          {report.bare_deliveries_per_second:10,.0f} deliveries/s,"
        f" {report.bare_delivery_cpu_us:.1f} us CPU each; ratio of rates {report.fanout_to_bare:.2f}"
    )
    yield f"idle connection       {kib(report.idle_kib)}; bare {kib(report.bare_idle_kib)}"


def run(*, as_json: bool = False, tell: Callable[[str], None] = lambda _: None) -> str:
    """Measure, for less than a minute, and return what to print. `tell` is called with what is being measured."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        report = runner.run(_measure(tell))
    if as_json:
        shown: dict[str, Any] = asdict(report)
        return json.dumps(shown)
    return "\n".join(_lines(report))
