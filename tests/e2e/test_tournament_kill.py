"""A class plays a Swiss tournament while its server is killed in the middle of rounds."""

from __future__ import annotations

import asyncio
import contextlib
import random
import signal
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import psutil
import pytest

from cornered.clients.sdk import Client
from cornered.clients.sdk.backoff import retry
from cornered.clients.sdk.match import MatchView
from cornered.clients.sdk.player import BotPlayer
from cornered.protocol.messages import Acknowledged
from cornered.protocol.tournaments import (
    AskPairings,
    AskStandings,
    AskTournament,
    CreateTournament,
    JoinTournament,
    PairingInfo,
    Pairings,
    Standings,
    StartTournament,
    TournamentInfo,
    TournamentSettings,
    TournamentState,
)
from cornered.protocol.values import Command, Fischer, GameSpec, Value
from tests.e2e.test_cluster import LOOK_AGAIN_S, Cluster, running, stop
from tests.e2e.test_kill import Nursery, free_port
from tests.waiting import until

T = TypeVar("T", bound=Value)
BOTS: Final = 4


@dataclass(frozen=True)
class Size:
    """How large the tournament is, and in the middle of which rounds the server is killed."""

    players: int
    rounds: int
    killed_in: tuple[int, ...]

    @property
    def games(self) -> int:
        """Games of a round."""
        return self.players // 2

    @property
    def settings(self) -> TournamentSettings:
        return TournamentSettings(
            name="Class 7b",
            format="swiss",
            game=GameSpec(name="trapgrid", options={"size": 3}),
            clock=Fischer(initial=120, increment=2),
            rounds=self.rounds,
            pause=0,
        )


SHORT: Final = Size(10, 3, (2, 3))
SHORT_ON_NODES: Final = Size(10, 3, (2,))
LONG: Final = Size(30, 5, (2, 4))


class Players:
    """Plays random moves; half of the games of a round in which the server is killed wait until it has been."""

    def __init__(self, size: Size) -> None:
        self._games = size.games
        self._begun: dict[str, int] = {}
        self.killed = {round_: asyncio.Event() for round_ in size.killed_in}

    async def choose(self, match: MatchView, _: object) -> str:
        round_, number = divmod(self._begun.setdefault(match.id, len(self._begun)), self._games)
        if number >= self._games // 2 and round_ + 1 in self.killed:
            await self.killed[round_ + 1].wait()
        await asyncio.sleep(random.uniform(0.02, 0.15))
        return random.choice(match.state.moves())


async def reached(organiser: Client, tournament: str, is_so: Callable[[TournamentInfo], bool]) -> None:
    """Ask for a tournament until it is so."""
    async for _ in every(0.1):
        if is_so((await asked(organiser, AskTournament, TournamentState, tournament=tournament)).tournament):
            return


async def asked(client: Client, kind: type[Command], answer: type[T], **fields: Any) -> T:
    """Send a command, again where the server is not ready for it."""
    return await retry(lambda: client.ask(kind(id=client.new_id(), **fields), answer))


async def every(seconds: float) -> AsyncIterator[None]:
    while True:
        yield
        await asyncio.sleep(seconds)


async def hold(port: int, size: Size, kill: Callable[[], Awaitable[None]]) -> None:
    """Hold the tournament, kill in the middle of two rounds, and check its results against the matches themselves."""
    url = f"ws://127.0.0.1:{port}/ws"
    async with AsyncExitStack() as stack:
        organiser = await stack.enter_async_context(Client.connect(url, name="Olga"))
        crowd = Players(size)
        players = [
            await stack.enter_async_context(
                Client.connect(url, name=f"Player {number}", kind="bot" if number < BOTS else "person")
            )
            for number in range(size.players)
        ]
        created = await asked(organiser, CreateTournament, Acknowledged, settings=size.settings)
        tournament = created.ref
        assert tournament is not None
        async with asyncio.TaskGroup() as tasks:
            playing = [tasks.create_task(BotPlayer(one, crowd.choose, accepts=()).run()) for one in players]
            for one in players:
                await asked(one, JoinTournament, Acknowledged, tournament=tournament)
            await asked(organiser, StartTournament, Acknowledged, tournament=tournament)
            for round_ in size.killed_in:
                await reached(
                    organiser,
                    tournament,
                    lambda info, round_=round_: info.round == round_ and 0 < info.pending < size.games,  # type: ignore[misc]
                )
                await kill()
                crowd.killed[round_].set()
            await reached(organiser, tournament, lambda info: info.status == "finished")
            for task in playing:
                task.cancel()
        await check(organiser, tournament, size)


async def check(organiser: Client, tournament: str, size: Size) -> None:
    pairings = list[PairingInfo]()
    for round_ in range(1, size.rounds + 1):
        page = await asked(organiser, AskPairings, Pairings, tournament=tournament, round=round_)
        assert len({player.id for one in page.pairings for player in one.players}) == size.players
        assert len(page.pairings) == size.games
        pairings += page.pairings
    assert len({frozenset(player.id for player in one.players) for one in pairings}) == size.rounds * size.games
    assert len({one.match for one in pairings}) == size.rounds * size.games
    points = Counter[str]()
    for one in pairings:
        assert one.match is not None
        assert one.how == "played"
        match = one.match
        view = await retry(lambda match=match: organiser.join(match))  # type: ignore[misc]
        snapshot = view.snapshot
        await retry(view.leave)
        assert snapshot.tournament == tournament
        assert [seat.player.id for seat in snapshot.seats] == [player.id for player in one.players]
        assert snapshot.winner is not None
        assert one.points == ((1.0, 0.0) if snapshot.winner == 0 else (0.0, 1.0))
        points[one.players[snapshot.winner].id] += 1
    answer = await asked(organiser, AskStandings, Standings, tournament=tournament)
    assert {row.player.id: row.points for row in answer.standings} == {
        row.player.id: float(points[row.player.id]) for row in answer.standings
    }
    assert len(answer.standings) == size.players
    order = [row.points for row in answer.standings]
    assert order == sorted(order, reverse=True)
    assert sum(order) == size.rounds * size.games
    assert all(row.games == size.rounds for row in answer.standings)
    assert {row.player.kind for row in answer.standings} == {"person", "bot"}


async def test_a_tournament_survives_kill_9_of_its_server_in_the_middle_of_rounds(
    tmp_path: Path, *, is_long: bool
) -> None:
    port = free_port()
    async with Nursery.open(port, tmp_path) as nursery, asyncio.timeout(200):
        await nursery.start()
        await nursery.listens()

        async def kill() -> None:
            assert await nursery.end(signal.SIGKILL) == -signal.SIGKILL
            await nursery.start()
            await nursery.listens()

        await hold(port, LONG if is_long else SHORT, kill)
        assert await nursery.end(signal.SIGTERM) == 0
    assert b"Traceback" not in (tmp_path / "server.log").read_bytes()


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the services' users can get to, unlike pytest's."""
    with tempfile.TemporaryDirectory(prefix="cornered-tournament-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


async def kill_oldest(cluster: Cluster) -> None:
    """Kill the node that runs longest, which decides for the lobby, and return when another one is in its place."""
    before = node_processes(cluster)
    victim = min(before, key=lambda node: node.create_time())
    victim.kill()
    await until(lambda: len(node_processes(cluster) - {victim}) == len(before), every=LOOK_AGAIN_S)


def node_processes(cluster: Cluster) -> set[psutil.Process]:
    found = set()
    for part in cluster.parts():
        # One that has just been killed is there until its parent has noticed.
        with contextlib.suppress(psutil.NoSuchProcess):
            if "serve" in part.cmdline():
                found.add(part)
    return found


@pytest.mark.mqtt
@pytest.mark.postgres
@pytest.mark.usefixtures("postgres_programs", "mosquitto_program")
async def test_a_tournament_survives_kill_9_of_nodes_in_mid_round(folder: Path, *, is_long: bool) -> None:
    async with running(folder) as cluster:
        async with asyncio.timeout(200):
            await hold(cluster.port, LONG if is_long else SHORT_ON_NODES, lambda: kill_oldest(cluster))
        await stop(cluster)
