"""Trials of failures of the machine (a stopped process, a store that takes nothing, a restart with thousands of
matches), of an operator who revokes a token, and of an owner who ends a stolen session."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import resource
import signal
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from sqlalchemy import select

from cornered.bench.attacks.bystanders import Bystanders
from cornered.bench.attacks.server_process import STOP_TIMEOUT_S
from cornered.bench.attacks.servers import Installation, Servers
from cornered.bench.attacks.sockets import TEXT, RawSocket, frame, start_match
from cornered.bench.attacks.stock import stock
from cornered.bench.attacks.verdict import MAX_LOG_LINES, AttackRow, errors_in
from cornered.server.adapters.database import address_of, open_engine
from cornered.server.adapters.tables import EVENTS
from cornered.server.app import revoke_tokens

__all__ = ["TRIALS_BY_NAME", "AttackTrial"]

TRIAL_CLOCK: Final = {"kind": "fischer", "initial": 2, "increment": 0}
OUTAGE_SECONDS: Final = 3.0
"""More than the initial time of either player."""
RESTART_SECONDS: Final = 3.0
RESTART_MATCHES: Final = 5_000
"""Live matches that may add at most `RESTART_SECONDS` of CPU to a start."""
LOAD_SECONDS: Final = 10.0
LOADED_MATCHES: Final = 100
"""Number of these matches that have to be in the lobby within `LOAD_SECONDS`."""
RESTART_NOISE_SECONDS: Final = 0.6
REVOKED_SECONDS: Final = 1.0
"""Seconds after its revocation within which a token's connections have to be closed."""
_PASSWORD: Final = "correct horse battery"
RunTrial: TypeAlias = Callable[[AttackRow, Installation, float], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class AttackTrial:
    """A trial in the registry; the last argument of `run` scales sockets and matches."""

    name: str
    words: str
    run: RunTrial
    runs_alone: bool
    """Whether it measures time, or ends what other trials need."""


TRIALS_BY_NAME: Final[dict[str, AttackTrial]] = {}


def _trial(name: str, words: str, *, runs_alone: bool = False) -> Callable[[RunTrial], None]:
    def register(run: RunTrial) -> None:
        TRIALS_BY_NAME[name] = AttackTrial(name, words, run, runs_alone)

    return register


@contextlib.asynccontextmanager
async def _servers(row: AttackRow, installation: Installation, database: str = "") -> AsyncIterator[Servers]:
    """Run servers inside the block, and put the lines of all their logs into `row`."""
    with tempfile.TemporaryDirectory(prefix="cornered-trial-") as folder:
        async with installation.start(Path(folder), database=database) as servers:
            try:
                yield servers
            finally:
                row.log = [line for node in servers.nodes for line in node.log]


@dataclass
class _Duel:
    """A match on short clocks in which both players have moved, with the first player to move."""

    players: tuple[RawSocket, RawSocket]
    match: str
    moves: list[str]
    position: str = ""

    @classmethod
    async def begin(cls, servers: Servers) -> _Duel:
        """Begin a match; with several nodes each player is at another one."""
        addresses = zip(("Ann", "Ben"), itertools.cycle(servers.addresses), strict=False)
        one, two = [await (await RawSocket.connect(address)).greet(name) for name, address in addresses]
        match = await start_match(one, two, game={"name": "isolation"}, clock=TRIAL_CLOCK)
        for socket in (one, two):
            await socket.ask("join", match=match)
        duel = cls((one, two), match, [])
        for _ in range(2):
            answer = await duel.play()
            assert answer["type"] == "acknowledged", answer
        return duel

    async def play(self) -> dict[str, Any]:
        """Make a legal move of the player to move; return its answer."""
        ply = len(self.moves)
        legal = await self.players[ply & 1].ask("ask_moves", match=self.match, ply=ply)
        if legal["type"] == "refused":
            return legal
        if not legal["moves"]:
            return {"type": "refused", "code": "match_over"}
        answer = await self.players[ply & 1].ask("play", match=self.match, ply=ply, move=legal["moves"][0])
        if answer["type"] == "acknowledged":
            self.moves.append(legal["moves"][0])
        return answer

    async def go_on(self, row: AttackRow) -> None:
        """Check that the outage cost neither player time nor the match."""
        snapshot = await self.players[0].ask("join", match=self.match)
        if snapshot["over"]:
            row.faults.append(f"the outage ended a match: {snapshot['reason']}")
            return
        answer = await self.play()
        if answer["type"] == "refused":
            row.faults.append(f"the first move after the outage is refused: {answer['code']}")
            return
        await asyncio.sleep(0.1)
        snapshot = await self.players[0].ask("join", match=self.match)
        if snapshot["over"]:
            row.faults.append(f"the outage ended a match: {snapshot['reason']}")


@_trial("frozen-server", "the server's process is stopped for longer than the clocks of its players")
async def _frozen_server(row: AttackRow, installation: Installation, _: float) -> None:
    async with _servers(row, installation) as servers:
        duel = await _Duel.begin(servers)
        servers.nodes[0].signal(signal.SIGSTOP)
        await asyncio.sleep(OUTAGE_SECONDS)
        servers.nodes[0].signal(signal.SIGCONT)
        # The move is sent after a delay, as a human's.
        await asyncio.sleep(0.3)
        await duel.go_on(row)
        row.did = f"stopped for {OUTAGE_SECONDS:.0f} s with {TRIAL_CLOCK['initial']} s on the clocks"


@_trial("full-disk", "the store takes nothing for longer than the clocks of its players", runs_alone=True)
async def _full_disk(row: AttackRow, installation: Installation, _: float) -> None:
    async with _servers(row, installation) as servers:
        duel = await _Duel.begin(servers)
        with _taking_nothing(servers):
            until, refused, was_ready = time.monotonic() + OUTAGE_SECONDS, 0, True
            while time.monotonic() < until:
                answer = await duel.play()
                if answer["type"] == "acknowledged":
                    row.faults.append("a move is acknowledged that could not be stored")
                refused += 1
                was_ready = any([await node.get("/ready") == 200 for node in servers.nodes])
                await asyncio.sleep(0.05)
        await asyncio.sleep(1.5)
        await duel.go_on(row)
        if was_ready:
            row.faults.append("/ready says ready while nothing can be stored")
        if not all([await node.get("/ready") == 200 for node in servers.nodes]):
            row.faults.append("/ready does not come back with the store")
        lines = max(len(node.log) for node in servers.nodes)
        if lines > MAX_LOG_LINES:
            row.faults.append(f"the log grows by {lines:,} lines; the bound is {MAX_LOG_LINES}")
        row.did = f"{OUTAGE_SECONDS:.0f} s without a store, {refused} moves refused"


@contextlib.contextmanager
def _taking_nothing(servers: Servers) -> Iterator[None]:
    """Have every write of the store fail inside the block: on SQLite as on a full disk, PostgreSQL is away."""
    if servers.services is not None:
        servers.services.kill_database()
        try:
            yield
        finally:
            servers.services.start_database()
        return
    (server,) = servers.nodes
    unlimited = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, unlimited[1]))
    try:
        yield
    finally:
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, unlimited)


@_trial("stopping", "sockets that break the protocol, read nothing or never open are there when the server stops")
async def _stopping(row: AttackRow, installation: Installation, scale: float) -> None:
    async with _servers(row, installation) as servers, Bystanders.at(servers.addresses) as bystanders:
        await bystanders.settle()
        bystanders.turn(row.without)
        address = servers.addresses[0]
        hostile = [await RawSocket.connect(address, local="127.0.5.1") for _ in range(int(20 * scale))]
        for number, socket in enumerate(hostile):
            await socket.greet("Eve")
            await socket.ask("watch_lobby")
            for pair in bystanders.pairs:
                await socket.ask("join", match=pair.match)
            socket.transport.pause_reading()
            socket.write((frame(3), frame(TEXT, b"x" * 200)[:100], frame(9) * 100)[number % 3])
        hostile += [await RawSocket.connect(address, local="127.0.5.2", shake=False) for _ in range(int(50 * scale))]
        await asyncio.sleep(0.5)
        acknowledged = len(row.without.moves)
        slowest = 0.0
        for node in servers.nodes:
            took = await node.stop(STOP_TIMEOUT_S + 2)
            if took is None:
                row.faults.append(f"the server still runs {STOP_TIMEOUT_S + 2:.0f} s after SIGTERM")
            slowest = max(slowest, took or 0.0)
        # Moves acknowledged during the shutdown are stored too.
        stored = await _stored_moves(servers.settings.database_url)
        if stored < acknowledged:
            row.faults.append(f"{acknowledged - stored} acknowledged moves are not stored")
        for node in servers.nodes:
            row.faults += errors_in(node.log)
        row.did = f"stopped in {slowest:.1f} s with {len(hostile)} hostile sockets; {stored} moves stored"
        for socket in hostile:
            socket.abort()


async def _stored_moves(database: str) -> int:
    engine = open_engine(address_of(database), "full", is_for_reading=True)
    try:
        async with engine.connect() as connection:
            bodies = select(EVENTS.c.body).where(EVENTS.c.body.like('%"type":"played"%'))
            return len((await connection.execute(bodies)).all())
    finally:
        await engine.dispose()


@_trial("restart", "the server starts with hundreds of live matches")
async def _restart(row: AttackRow, installation: Installation, scale: float) -> None:
    matches = int(1_500 * scale)
    used = []
    for stocked in (0, matches):
        with tempfile.TemporaryDirectory() as folder:
            database = installation.database_url(Path(folder))
            await stock(database, stocked)
            async with _servers(row, installation, database) as servers:
                used.append(sum(node.ready_cpu for node in servers.nodes))
                if stocked:
                    await _look_for_matches(row, servers)
    more = used[1] - used[0]
    bound = RESTART_SECONDS * matches / RESTART_MATCHES + RESTART_NOISE_SECONDS * installation.count
    if more > bound:
        row.faults.append(f"{matches:,} live matches cost a start {more:.2f} s of CPU; the bound is {bound:.2f}")
    row.did = f"{matches:,} live matches cost {more:.2f} s of CPU, a start without them {used[0]:.2f}"


async def _look_for_matches(row: AttackRow, servers: Servers) -> None:
    """Check that the lobby of every node gets live matches, which are loaded in the background."""
    for address in servers.addresses:
        socket = await (await RawSocket.connect(address)).greet("Ann")
        until = time.monotonic() + LOAD_SECONDS
        found = 0
        while found < LOADED_MATCHES and time.monotonic() < until:
            found = (await socket.ask("watch_lobby")).get("matches_total", 0)
            await asyncio.sleep(0.2)
        if found < LOADED_MATCHES:
            row.faults.append(f"the lobby shows {found} live matches {LOAD_SECONDS:.0f} s after the start")


@_trial(
    "revoked-token",
    "the holder of a stolen token is on every node when the operator revokes it",
    runs_alone=True,
)
async def _revoked_token(row: AttackRow, installation: Installation, _: float) -> None:
    async with _servers(row, installation) as servers, Bystanders.at(servers.addresses) as bystanders:
        await bystanders.settle()
        bystanders.turn(row.during)
        thief = await (await RawSocket.connect(servers.addresses[0])).greet("Eve")
        sockets = [thief, *[await _with_token(address, thief.token) for address in servers.addresses]]
        began = time.monotonic()
        await revoke_tokens(servers.settings, thief.player)
        revoked = time.monotonic()
        for number, address in enumerate(servers.addresses, 1):
            with contextlib.suppress(ConnectionError):
                await _with_token(address, thief.token)
                row.faults.append(f"node {number} takes a token that is revoked")
        refused = time.monotonic()
        try:
            async with asyncio.timeout(revoked + REVOKED_SECONDS - time.monotonic()):
                await asyncio.gather(*(socket.closed.wait() for socket in sockets))
        except TimeoutError:
            still = sum(not socket.closed.is_set() for socket in sockets)
            row.faults.append(f"{still} of {len(sockets)} connections are open {REVOKED_SECONDS:.0f} s later")
        closed = time.monotonic()
        await bystanders.finish()
        row.faults += row.during.faults
        row.did = (
            f"revoked in {revoked - began:.2f} s, refused by {len(servers.nodes)} nodes {refused - revoked:.2f} s "
            f"later, {len(sockets)} connections closed after {closed - revoked:.2f} s"
        )


async def _with_token(address: str, token: str) -> RawSocket:
    """Return a socket of the token's player. Raises OSError."""
    socket = await RawSocket.connect(address)
    socket.token = token
    return await socket.greet("")


@_trial(
    "stolen-session",
    "the holder of a stolen session and a stolen personal token is on every node when the owner ends them",
    runs_alone=True,
)
async def _stolen_session(row: AttackRow, installation: Installation, _: float) -> None:
    async with _servers(row, installation) as servers, Bystanders.at(servers.addresses) as bystanders:
        await bystanders.settle()
        bystanders.turn(row.during)
        # The owner is at the last node, and the thief at all of them.
        owner = await (await RawSocket.connect(servers.addresses[-1])).greet("Owner")
        await _expect("registered", owner, "register", name="Anna", password=_PASSWORD)
        signed_in = await _expect("signed_in", owner, "sign_in", name="Anna", password=_PASSWORD)
        personal = await _expect(
            "token_created", owner, "create_token", label="a bot", scopes=["play"], password=_PASSWORD
        )
        stolen = (signed_in["token"], personal["secret"])
        sockets = [await _with_token(address, token) for address in servers.addresses for token in stolen]
        sessions = (await _expect("sessions", owner, "ask_sessions"))["sessions"]
        (session,) = [one["session"] for one in sessions if not one["is_current"]]
        began = time.monotonic()
        await _expect("acknowledged", owner, "end_session", session=session)
        await _expect("acknowledged", owner, "revoke_token", token=personal["token"]["token"])
        for number, address in enumerate(servers.addresses, 1):
            for token in stolen:
                with contextlib.suppress(ConnectionError):
                    await _with_token(address, token)
                    row.faults.append(f"node {number} takes a token that its owner has ended")
        try:
            async with asyncio.timeout(began + REVOKED_SECONDS - time.monotonic()):
                await asyncio.gather(*(socket.closed.wait() for socket in sockets))
        except TimeoutError:
            still = sum(not socket.closed.is_set() for socket in sockets)
            row.faults.append(f"{still} of {len(sockets)} connections are open {REVOKED_SECONDS:.0f} s later")
        closed = time.monotonic()
        if (await owner.ask("ping"))["type"] != "pong":
            row.faults.append("the owner's own session has ended too")
        await bystanders.finish()
        row.faults += row.during.faults
        row.did = f"ended by the owner, {len(sockets)} connections of the thief closed after {closed - began:.2f} s"


async def _expect(kind: str, socket: RawSocket, command: str, **fields: object) -> dict[str, Any]:
    """Return the answer to a command. Raises ConnectionError where it is of another type."""
    answer = await socket.ask(command, **fields)
    if answer["type"] != kind:
        raise ConnectionError(f"{command} was refused: {answer['code']}")
    return answer
