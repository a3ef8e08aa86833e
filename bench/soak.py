"""`cornered bench soak`: valid load of every kind against a server process for minutes, which must leak no resources.
Pairs play all four games with clocks, watchers and lobby guests come and go, players lose their connection and resume,
and pages are fetched. At the end memory, handles and tasks are compared with their values after the first minute."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from cornered import engine
from cornered.bench.attacks.server_process import ServerProcess
from cornered.bench.attacks.sockets import RawSocket, request
from cornered.bench.attacks.verdict import errors_in
from cornered.engine.progress import Progress, Report, no_report
from cornered.server.app import new_event_loop

__all__ = ["SoakReport", "as_json", "lines", "run"]

PAIR_COUNT: Final = 16
WATCHER_COUNT: Final = 6
GUESTS: Final = 4
PLAYERS_PER_ROLE: Final = 10
"""Players of each watcher's or guest's role, which alternate, so that the same players return."""
MAX_THINKING_S: Final = 0.03
"""Maximum seconds that a player waits before a move."""
MAX_REST_S: Final = 0.5
"""Maximum seconds that a pair waits between two matches."""
LIST_EVERY_MATCHES: Final = 5
"""Matches between two requests of a player's own list."""
WARM_UP_S: Final = 60.0
"""Seconds after which the gauges count as the normal state; half of the time in a shorter run. By then the pairs have
filled the server's cache of finished matches."""
CACHE_BYTES: Final = 16 << 20
"""Allowance for that cache in a run too short to fill it."""
GROWTH_TOLERANCE: Final = 0.05
SLACK: Final = {
    "resident bytes": 4 << 20,
    "handles": 4,
    "other tasks": 4,
    "sockets": 4,
    "idle match tasks": 6,
    "players": 4,
}
"""Fluctuation of each gauge: a few games and visits are always under way."""
SAMPLES: Final = 15
"""Samples of a gauge, of which the minimum counts."""
SOAK_GAMES: Final[tuple[dict[str, Any], ...]] = (
    {"name": "trapgrid", "options": {"size": 5}},
    {"name": "isolation", "options": {"width": 4, "height": 4}},
    {"name": "bamboo", "options": {"radius": 2}},
    {"name": "quoridor", "options": {"size": 3, "walls": 2, "max_plies": 60}},
)
SOAK_CLOCKS: Final[tuple[dict[str, Any], ...]] = (
    {"kind": "fischer", "initial": 120, "increment": 1},
    {"kind": "per_move", "seconds": 30},
    {"kind": "none"},
)


@dataclass
class SoakReport:
    """The result of one soak. `early` and `late` are the gauges after settling and at the end."""

    seconds: float
    matches: int = 0
    moves: int = 0
    visits: int = 0
    resumed: int = 0
    pages: int = 0
    lines_said: int = 0
    early: dict[str, float] = field(default_factory=dict)
    late: dict[str, float] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def fault(self, text: str) -> None:
        """Record an error; at most the first hundred."""
        if len(self.errors) < 100:
            self.errors.append(text)


class _Soak:
    def __init__(self, server: ServerProcess, report: SoakReport) -> None:
        self._server = server
        self._report = report
        self._numbers: dict[str, int] = {}
        """Players by name: the number of the loopback address."""
        self._tokens: dict[str, str] = {}
        """Players by name: the token of the last visit."""
        self._live: dict[str, None] = {}
        """Ids of live matches, oldest first, which watchers choose from."""
        self.is_on = True

    async def _come(self, name: str) -> RawSocket:
        """Open a socket for the player of this name, with an address of its own and the token of earlier visits."""
        number = self._numbers.setdefault(name, len(self._numbers))
        socket = await RawSocket.connect(self._server.address, local=f"127.7.{number // 200}.{number % 200 + 1}")
        socket.token = self._tokens.get(name, "")
        await socket.greet(name)
        self._tokens[name] = socket.token
        return socket

    async def _must(self, socket: RawSocket, kind: str, /, **fields: object) -> dict[str, Any]:
        """Send a valid command; raise when it is refused."""
        answer = await socket.ask(kind, **fields)
        if answer["type"] == "refused":
            raise RuntimeError(f"{kind} was refused: {answer['code']}: {answer['text']}")
        return answer

    async def pair(self, number: int) -> None:
        """Play matches in turn, with occasional disconnections."""
        players = [await self._come(f"Pair {number}{letter}") for letter in "ab"]
        try:
            await self._play_on(players, number)
        finally:
            for player in players:
                await player.close()

    async def _play_on(self, players: list[RawSocket], number: int) -> None:
        chance = random.Random(number)
        for turn in itertools.count(number):
            if not self.is_on:
                return
            game, clock = SOAK_GAMES[turn % len(SOAK_GAMES)], SOAK_CLOCKS[turn % len(SOAK_CLOCKS)]
            table = await self._must(players[0], "create_seek", settings={"game": game, "clock": clock, "seat": 0})
            match = (await self._must(players[1], "join_seek", seek=table["ref"]))["ref"]
            snapshots = [await self._must(player, "join", match=match) for player in players]
            self._live[match] = None
            await self._play(players, match, snapshots[0], chance, number)
            self._live.pop(match, None)
            self._report.matches += 1
            for player in players:
                await self._must(player, "leave", match=match)
            if turn % LIST_EVERY_MATCHES == 0:
                await self._must(players[0], "ask_my_matches")
            await asyncio.sleep(chance.uniform(0, MAX_REST_S))

    async def _play(
        self, players: list[RawSocket], match: str, snapshot: dict[str, Any], chance: random.Random, number: int
    ) -> None:
        state = engine.load(snapshot["game"]["name"], **snapshot["game"]["options"]).start()
        ply = 0
        while state.outcome is None:
            await asyncio.sleep(chance.uniform(0, MAX_THINKING_S))
            seat = state.to_move
            move = chance.choice(state.moves())
            if chance.random() < 0.02:
                # A lost connection: the same player reconnects and resumes.
                players[seat].abort()
                players[seat] = await self._come(f"Pair {number}{'ab'[seat]}")
                await self._must(players[seat], "join", match=match, since=0)
                self._report.resumed += 1
            await self._must(players[seat], "play", match=match, ply=ply, move=move)
            state, ply = engine.apply(state, move), ply + 1
            self._report.moves += 1
            if chance.random() < 0.01:
                await self._must(players[seat], "say", match=match, room="players", text=f"move {ply}")
                self._report.lines_said += 1

    async def watcher(self, number: int) -> None:
        """Watch a match for a while, chat, read its history, and leave."""
        chance = random.Random(1_000 + number)
        for turn in itertools.count():
            if not self.is_on:
                return
            socket = await self._come(f"Watcher {number}.{turn % PLAYERS_PER_ROLE}")
            for match in list(self._live)[-3:]:
                await self._must(socket, "join", match=match)
                await self._must(socket, "ask_history", match=match)
                await self._must(socket, "ask_moves", match=match, ply=0)
            await asyncio.sleep(chance.uniform(0.2, 1.5))
            await (socket.close() if chance.random() < 0.5 else _abort(socket))
            self._report.visits += 1

    async def guest(self, number: int) -> None:
        """Read the lobby, open and cancel a seek, fetch pages."""
        chance = random.Random(2_000 + number)
        for turn in itertools.count():
            if not self.is_on:
                return
            socket = await self._come(f"Guest {number}.{turn % PLAYERS_PER_ROLE}")
            await self._must(socket, "watch_lobby")
            table = await self._must(socket, "create_seek", settings={"game": {"name": "quoridor"}})
            await asyncio.sleep(chance.uniform(0.1, 1.0))
            await self._must(socket, "cancel_seek", seek=table["ref"])
            await self._must(socket, "ask_games")
            host = self._server.address.removeprefix("http://")
            for path in ("/", "/ready"):
                status, _, _ = await request(
                    self._server.address, f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n", local=f"127.8.0.{number + 1}"
                )
                if status != 200:
                    raise RuntimeError(f"GET {path} is answered with {status}")
                self._report.pages += 1
            await socket.close()
            self._report.visits += 1

    async def forever(self, part: Callable[[int], Awaitable[None]], number: int) -> None:
        """Repeat one role until the end; an error is recorded and the role starts again."""
        while self.is_on:
            try:
                await part(number)
            except (OSError, TimeoutError, RuntimeError, KeyError) as error:
                self._report.fault(f"{part.__name__} {number}: {error!r}")
                await asyncio.sleep(0.5)

    async def figures(self) -> dict[str, float]:
        """Return the server's gauges."""
        looks = []
        for _ in range(SAMPLES):
            gauges = await self._server.gauges()
            known = {name: gauges[name] for name in ("sockets", "players")}
            # The number of live matches varies; the leak to find is a match task that stays without a match.
            known["idle match tasks"] = max(0.0, gauges["match_tasks"] - len(self._live))
            # Each match has a task, which ends with it.
            known["other tasks"] = gauges["tasks"] - gauges["match_tasks"]
            looks.append(known | {"resident bytes": self._server.resident, "handles": self._server.handles["all"]})
            await asyncio.sleep(0.2)
        return {name: min(look[name] for look in looks) for name in looks[0]}


async def _abort(socket: RawSocket) -> None:
    socket.abort()


async def _run(seconds: float, progress: Report) -> SoakReport:
    report = SoakReport(seconds)
    with tempfile.TemporaryDirectory(prefix="cornered-soak-") as folder:
        async with ServerProcess.start(Path(folder)) as server:
            soak = _Soak(server, report)
            parts = ((soak.pair, PAIR_COUNT), (soak.watcher, WATCHER_COUNT), (soak.guest, GUESTS))
            tasks = [
                asyncio.create_task(soak.forever(part, number), name=f"{part.__name__} {number}")
                for part, count in parts
                for number in range(count)
            ]
            began = time.monotonic()
            settled = min(WARM_UP_S, seconds / 2)
            while (passed := time.monotonic() - began) < seconds:
                note = f"{report.moves:,} moves, {len(report.errors)} errors"
                progress(Progress("soak", round(passed), round(seconds), note))
                await asyncio.sleep(min(1.0, seconds / 10))
                if not report.early and passed >= settled:
                    report.early = await soak.figures()
            report.late = await soak.figures()
            soak.is_on = False
            done, late = await asyncio.wait(tasks, timeout=30)
            for task in (*done, *late):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            report.errors += list(errors_in(server.log))
            if await server.stop(25) is None:
                report.fault("the server does not stop")
    report.errors += list(_growth(report))
    return report


def _growth(report: SoakReport) -> Iterator[str]:
    for name, early in report.early.items():
        late = report.late[name]
        filling = CACHE_BYTES if name == "resident bytes" and report.seconds < 2 * WARM_UP_S else 0
        if late > early * (1 + GROWTH_TOLERANCE) + SLACK[name] + filling:
            yield f"{name} grow from {early:,.0f} to {late:,.0f}"


def as_json(report: SoakReport) -> dict[str, Any]:
    """Return all measurements as JSON-compatible values."""
    return asdict(report)


def lines(report: SoakReport) -> Iterator[str]:
    """Yield the result of one run as lines."""
    yield (
        f"{report.seconds:,.0f} s: {report.matches:,} matches, {report.moves:,} moves, {report.visits:,} visits, "
        f"{report.resumed:,} resumed, {report.pages:,} pages, {report.lines_said:,} lines said"
    )
    for name, early in report.early.items():
        size = 2**20 if name == "resident bytes" else 1
        shown = "resident MiB" if name == "resident bytes" else name
        yield f"{shown:<16}{early / size:>10,.1f} after settling {report.late[name] / size:>10,.1f} at the end"
    yield f"errors: {len(report.errors)}"
    yield from (f"    - {error}" for error in report.errors)


def run(minutes: float, *, report: Report = no_report) -> SoakReport:
    """Soak a server for some minutes; `report` receives the seconds passed."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(_run(minutes * 60, report))
