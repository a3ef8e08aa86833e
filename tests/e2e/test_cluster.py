"""`cornered cluster`: it survives the death of its parts, keeps its data, and leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from sqlalchemy import text

from cornered.protocol.events import EVENT, MatchEvent, Played
from cornered.server.adapters.database import address_of, open_engine
from cornered.services.postgres import Postgres
from tests.e2e.load import Promise, Record, keep_playing
from tests.waiting import until

pytestmark = [pytest.mark.mqtt, pytest.mark.postgres, pytest.mark.usefixtures("postgres_programs", "mosquitto_program")]

NODES = 2
KILLS = 1
LONG_KILLS = 4
PAIRS = 8
START_TIMEOUT_S = 180
STOP_TIMEOUT_S = 60
LOOK_AGAIN_S = 0.05


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that the services' users can get to, unlike pytest's."""
    with tempfile.TemporaryDirectory(prefix="cornered-cluster-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


class Cluster:
    """A running cluster with the addresses and processes that it printed."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.port = 0
        self.nodes: list[psutil.Process] = []
        self.said: list[str] = []

    async def begin(self) -> None:
        assert self.process.stdout is not None
        async with asyncio.timeout(START_TIMEOUT_S):
            while len(self.nodes) < NODES:
                line = (await self.process.stdout.readline()).decode()
                assert line, "the cluster has ended"
                self.said.append(line)
                if found := re.fullmatch(r"Cornered is at http://127\.0\.0\.1:(\d+)\n", line):
                    self.port = int(found[1])
                if found := re.match(r"node-\d+ is process (\d+) at http://127\.0\.0\.1:\d+, its log is /", line):
                    self.nodes.append(psutil.Process(int(found[1])))

    def parts(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def named(self, *names: str) -> list[psutil.Process]:
        """Return the parts with one of these names; PostgreSQL's come and go with its connections."""
        found = []
        for part in self.parts():
            with contextlib.suppress(psutil.NoSuchProcess):
                if part.name() in names:
                    found.append(part)
        return found

    def node_processes(self) -> list[psutil.Process]:
        return [part for part in self.parts() if "serve" in part.cmdline()]


@asynccontextmanager
async def running(folder: Path) -> AsyncIterator[Cluster]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "cornered", "cluster", "--nodes", str(NODES), "--no-bots"),
        *("--port", "0", "--data", str(folder / "cluster")),
        stdout=subprocess.PIPE,
    )
    cluster = Cluster(process)
    try:
        await cluster.begin()
        yield cluster
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def stop(cluster: Cluster) -> None:
    """Press Ctrl-C; everything ends in order."""
    parts = cluster.parts()
    cluster.process.send_signal(signal.SIGINT)
    async with asyncio.timeout(STOP_TIMEOUT_S):
        assert await cluster.process.wait() == 0
    assert not [part for part in parts if part.is_running()]


async def kill(cluster: Cluster) -> None:
    """Kill the command; all that it started ends by itself."""
    parts = cluster.parts()
    cluster.process.kill()
    _, alive = await asyncio.to_thread(psutil.wait_procs, parts, timeout=STOP_TIMEOUT_S)
    assert alive == []


async def journal_of(folder: Path) -> dict[str, list[MatchEvent]]:
    """Read the whole journal of a cluster that has ended."""
    logs: dict[str, list[MatchEvent]] = {}
    postgres = Postgres(folder / "cluster" / "postgres")
    postgres.start()
    engine = open_engine(address_of(postgres.url("cornered")), "full", is_for_reading=True)
    try:
        async with engine.connect() as connection:
            rows = await connection.execute(text('SELECT "match", body FROM events ORDER BY "match", seq'))
            for match, body in rows:
                logs.setdefault(match, []).append(EVENT.validate_json(body))
    finally:
        await engine.dispose()
        postgres.stop()
    return logs


async def kill_a_node(cluster: Cluster, record: Record) -> None:
    """Kill a node under load, and return when a successor plays."""
    await record.is_busy(PAIRS, len(record.promises) + 50)
    before = set(cluster.node_processes())
    assert len(before) == NODES
    victim = min(before, key=lambda node: node.pid)
    victim.kill()
    await record.is_busy(PAIRS, len(record.promises) + 50)
    await until(lambda: len(set(cluster.node_processes()) - {victim}) == NODES, every=LOOK_AGAIN_S)


async def kill_the_broker(cluster: Cluster) -> None:
    """Kill the broker, and return when another one runs."""
    (broker,) = cluster.named("mosquitto")
    broker.kill()
    await until(lambda: set(cluster.named("mosquitto")) - {broker}, every=LOOK_AGAIN_S)


async def test_no_acknowledged_move_is_lost_when_a_node_the_broker_and_all_of_the_cluster_die(
    folder: Path, *, is_long: bool
) -> None:
    record, is_dying = Record(), True
    async with running(folder) as cluster:
        assert cluster.said[:2] == [
            f"starting PostgreSQL and Mosquitto in {folder / 'cluster'}\n",
            f"starting {NODES} nodes\n",
        ]
        assert cluster.named("postgres")
        async with asyncio.timeout(240), asyncio.TaskGroup() as tasks:
            for number in range(PAIRS):
                tasks.create_task(keep_playing(number, cluster.port, record, lambda: is_dying))
            for _ in range(LONG_KILLS if is_long else KILLS):
                await kill_a_node(cluster, record)
            is_dying = False
        await kill_the_broker(cluster)
        second = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "cornered", "cluster", "--port", "0", "--data", str(folder / "cluster")),
            stderr=subprocess.PIPE,
        )
        _, errors = await second.communicate()
        assert second.returncode == 2
        assert b"another cluster uses" in errors
        await kill(cluster)
    async with running(folder) as cluster:
        await stop(cluster)
    assert not (folder / "cluster" / "postgres" / "data" / "postmaster.pid").exists()
    logs = await journal_of(folder)
    stored = [(name, event) for name, log in logs.items() for event in log if isinstance(event, Played)]
    found = Counter(Promise(name, event.seat, event.cause, event.ply, event.move) for name, event in stored)
    assert Counter(record.promises) == found
    assert record.lost_connections > 0


async def test_a_node_that_cannot_start_ends_the_cluster_with_its_reason(folder: Path) -> None:
    (folder / "cluster" / "node-1").mkdir(parents=True)
    (folder / "cluster" / "node-1" / "cornered.toml").write_text('prot = "8420"\n')
    (folder / "cluster").chmod(0o711)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "cornered", "cluster", "--nodes", "1", "--no-bots"),
        *("--port", "0", "--data", str(folder / "cluster")),
        stderr=subprocess.PIPE,
    )
    _, errors = await process.communicate()
    assert process.returncode == 2
    assert b"node-1 does not start: " in errors
    assert b"there is no setting 'prot'" in errors
    assert b"Traceback" not in errors
