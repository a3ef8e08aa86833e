"""Services of one's own: protected, kept between runs, and never left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TypeVar

import aiomqtt
import psutil
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from cornered.bench.faults.services import FaultyService
from cornered.server.adapters.database import address_of, open_engine
from cornered.services import mosquitto, postgres
from cornered.services.bound_process import bound
from cornered.services.mosquitto import MOSQUITTO_ACL, Mosquitto
from cornered.services.postgres import Postgres
from cornered.services.service import ServiceError, accepts
from tests.waiting import TIMEOUT_S

ROOT = Path(__file__).resolve().parents[2]
S = TypeVar("S", Mosquitto, Postgres)
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="another user is needed")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users can get to, unlike pytest's."""
    with tempfile.TemporaryDirectory(prefix="cornered-services-") as name:
        Path(name).chmod(0o711)
        yield Path(name)


@contextmanager
def running(service: S) -> Iterator[S]:
    service.start()
    try:
        yield service
    finally:
        service.stop()


def test_a_service_that_is_not_installed_is_named_with_its_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(postgres, "POSTGRES_FOLDERS", str(tmp_path))
    monkeypatch.setattr(mosquitto, "SYSTEM_FOLDERS", ())
    for find, package in ((postgres.postgres_programs, "postgresql"), (mosquitto.mosquitto_program, "mosquitto")):
        with pytest.raises(ServiceError, match=f"not installed: apt install {package}"):
            find()


@pytest.mark.postgres
def test_data_need_the_version_that_made_them(postgres_programs: Path, folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "PG_VERSION").write_text("7\n")
    with pytest.raises(ServiceError, match=r"PostgreSQL 7 is not installed: apt install postgresql-7"):
        Postgres(folder)


def test_the_brokers_rights_are_those_of_the_containers() -> None:
    assert (ROOT / "deploy" / "mosquitto.acl").read_text() == MOSQUITTO_ACL


@pytest.mark.mqtt
async def test_only_the_servers_publish_and_hear_each_other(mosquitto_program: Path, folder: Path) -> None:
    with running(Mosquitto(folder, mosquitto_program)) as broker:
        password = broker.url.partition("server:")[2].partition("@")[0]
        feed, nodes = "cornered/v1/pub/match/m/state", "cornered/v1/nodes/node-1"
        async with (
            asyncio.timeout(TIMEOUT_S),
            aiomqtt.Client("127.0.0.1", broker.port) as anybody,
            aiomqtt.Client("127.0.0.1", broker.port, username="server", password=password) as server,
        ):
            await anybody.subscribe("cornered/#")
            await server.subscribe("cornered/#")
            await anybody.publish(feed, "forged", qos=1)
            await anybody.publish(nodes, "forged", qos=1)
            await server.publish(nodes, "between nodes", qos=1)
            await server.publish(feed, "told", qos=1)
            assert (await anext(anybody.messages)).payload == b"told"
            assert [(await anext(server.messages)).payload for _ in range(2)] == [b"between nodes", b"told"]
            with pytest.raises(aiomqtt.MqttError):
                async with aiomqtt.Client("127.0.0.1", broker.port, username="server", password="wrong"):
                    pass
    assert not accepts(broker.port)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[AsyncConnection]:
    engine = open_engine(address_of(url), "full", is_for_reading=True)
    try:
        async with engine.connect() as connection:
            yield connection
    finally:
        await engine.dispose()


@pytest.mark.postgres
async def test_a_database_needs_its_password_and_is_kept_between_runs(postgres_programs: Path, folder: Path) -> None:
    # What an interrupted first start left behind.
    (folder / "data.part").mkdir()
    with running(Postgres(folder, postgres_programs, is_durable=False)) as first:
        assert first.database("cornered") == first.database("cornered")
        async with connected(first.url("cornered")) as connection:
            await connection.execute(text("CREATE TABLE kept AS SELECT 7 AS number"))
        with pytest.raises(DBAPIError, match="password authentication failed"):
            async with connected(f"postgresql://cornered:wrong@127.0.0.1:{first.port}/cornered"):
                pass
        assert stat.S_IMODE((folder / "password").stat().st_mode) == 0o600
        assert stat.S_IMODE((folder / "data").stat().st_mode) == 0o700
        assert first.pid is not None
        assert psutil.Process(first.pid).uids().real != 0
    with running(Postgres(folder, postgres_programs, is_durable=False)) as second:
        async with connected(second.url("cornered")) as connection:
            assert (await connection.execute(text("SELECT number FROM kept"))).scalar() == 7
    assert "database system is shut down" in (folder / "log").read_text()


@pytest.mark.postgres
async def test_a_crashed_database_leaves_no_process_and_keeps_what_was_committed(
    postgres_programs: Path, folder: Path
) -> None:
    with running(Postgres(folder, postgres_programs, is_durable=False)) as server:
        port, service = server.port, FaultyService(server)
        url = server.database("cornered")
        async with connected(url) as connection:
            await connection.execute(text("CREATE TABLE kept AS SELECT 7 AS number"))
            await connection.commit()
        assert server.pid is not None
        tree = [psutil.Process(server.pid), *psutil.Process(server.pid).children()]
        await service.kill()
        psutil.wait_procs(tree, timeout=TIMEOUT_S)
        assert not any(process.is_running() for process in tree)
        # Kills and starts take turns, and the last one wins.
        await asyncio.gather(service.start(), service.kill(), service.start())
        assert server.port == port
        async with connected(url) as connection:
            assert (await connection.execute(text("SELECT number FROM kept"))).scalar() == 7


@pytest.mark.mqtt
def test_a_paused_service_stands_still_until_it_is_resumed(mosquitto_program: Path, folder: Path) -> None:
    with running(Mosquitto(folder, mosquitto_program)) as broker:
        assert broker.pid is not None
        process = psutil.Process(broker.pid)
        broker.pause()
        wait_for(lambda: process.status() == psutil.STATUS_STOPPED)
        broker.resume()
        wait_for(lambda: process.status() != psutil.STATUS_STOPPED)
        assert accepts(broker.port)


def wait_for(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while not is_so():
        assert time.monotonic() < deadline, "it never came to that"


@pytest.mark.mqtt
def test_a_port_that_was_taken_meanwhile_is_replaced(mosquitto_program: Path, folder: Path) -> None:
    broker = Mosquitto(folder, mosquitto_program)
    with socket.create_server(("127.0.0.1", 0)) as other:
        broker.port = taken = other.getsockname()[1]
        with running(broker):
            assert broker.port != taken


@pytest.mark.mqtt
def test_a_service_that_does_not_start_says_why(mosquitto_program: Path, folder: Path) -> None:
    broker = Mosquitto(folder, mosquitto_program, acl="nonsense\n")
    with pytest.raises(ServiceError, match=r"Mosquitto does not start: .*its log is "):
        broker.start()
    assert not broker.is_running


@needs_root
@pytest.mark.postgres
def test_a_folder_that_the_services_user_cannot_get_to_is_refused(postgres_programs: Path, folder: Path) -> None:
    folder.chmod(0o700)
    with pytest.raises(ServiceError, match=f"since {folder} is closed to others: choose another folder"):
        Postgres(folder / "postgres", postgres_programs)


PARENT = """
import sys, time
from pathlib import Path
from cornered.services.mosquitto import Mosquitto
from cornered.services.postgres import Postgres
started = [Postgres(Path(sys.argv[1]) / "postgres", is_durable=False), Mosquitto(Path(sys.argv[1]) / "mosquitto")]
for service in started:
    service.start()
print(*(service.pid for service in started), flush=True)
time.sleep(600)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel sends no signal")
@pytest.mark.mqtt
@pytest.mark.postgres
def test_services_end_with_a_parent_that_is_killed(
    postgres_programs: Path, mosquitto_program: Path, folder: Path
) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, str(folder)], stdout=subprocess.PIPE, text=True) as parent:
        try:
            assert parent.stdout is not None
            started = [psutil.Process(int(word)) for word in parent.stdout.readline().split()]
            assert [process.name() for process in started] == ["postgres", "mosquitto"]
        finally:
            parent.send_signal(signal.SIGKILL)
    _, alive = psutil.wait_procs(started, timeout=TIMEOUT_S)
    assert not alive
    assert "database system is shut down" in (folder / "postgres" / "log").read_text()
    # The next start needs no repair.
    successor = Postgres(folder / "postgres", is_durable=False)
    successor.start()
    successor.stop()
    assert "not properly shut down" not in (folder / "postgres" / "log").read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel sends no signal")
def test_a_program_whose_parent_ended_before_it_began_does_not_begin(tmp_path: Path) -> None:
    command = bound(["touch", str(tmp_path / "begun")], signal.SIGTERM)
    command[command.index(str(os.getpid()))] = "1000000000"
    assert subprocess.run(command, check=False).returncode == 1
    assert not (tmp_path / "begun").exists()
