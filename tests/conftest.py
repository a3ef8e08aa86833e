"""Hypothesis settings without deadlines, and programs for tests: a Mosquitto broker and a PostgreSQL server. They
listen on free ports, with folders of their own. Where a program is not installed, the tests that need it are skipped;
in CI it is installed, and a skip is a failure."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from cornered import engine
from cornered.engine.warming import warm
from tests.virtual_time import VirtualTimeLoop

IN_CI = os.environ.get("CI") == "true"
DEADLINE = 60.0
INSTALL_SECONDS = 240.0
INSTALL_LOCK = Path(tempfile.gettempdir()) / f"cornered-tests-{os.getuid()}.lock"
"""Two processes that run tests must not install a package at the same time."""
POLL_INTERVAL_S = 0.01

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--campaigns", action="store_true", help="run the attacks, the fuzzer, the soak and all kills, in minutes"
    )


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.get_closest_marker("virtual_time") is not None:
        return {"virtual_time": VirtualTimeLoop}
    return {"system": asyncio.new_event_loop}


def free_port() -> int:
    """Return a port that is not in use."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def wait_until(is_ready: Callable[[], bool], process: subprocess.Popen[Any], what: str = "the program") -> None:
    """Return when `is_ready()` holds; fail the test when the process ends before."""
    deadline = time.monotonic() + DEADLINE
    while not is_ready():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(POLL_INTERVAL_S)
            pytest.fail(f"{what} has ended")
        assert time.monotonic() < deadline, f"{what} does not get ready"


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


def install(package: str, find: Callable[[], Path | None]) -> Path | None:
    """Install a system package, and return the path of its program."""
    root = [] if os.geteuid() == 0 else ["sudo"]
    limits = ["-o", "Acquire::Retries=3", "-o", "Acquire::http::Timeout=30", "-o", "DPkg::Lock::Timeout=60"]
    for command in (["update", "-q"], ["install", "-q", "-y", "--no-install-recommends", package]):
        subprocess.run(
            [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *limits, *command],
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=INSTALL_SECONDS,
        )
    return find()


def require(package: str, find: Callable[[], Path | None]) -> Path:
    """Return the path of a program; where it is missing install it in CI, and skip the test elsewhere."""
    found = find()
    if found is None and IN_CI:
        with FileLock(INSTALL_LOCK):
            found = find() or install(package, find)
    if found is None:
        if IN_CI:
            pytest.fail(f"{package} is not installed and could not be")
        pytest.skip(f"{package} is not installed")
    return found


class Mosquitto:
    """A broker that can be killed and restarted on the same port. It loses all state when killed."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.port = free_port()
        self.url = f"mqtt://127.0.0.1:{self.port}"
        config = folder / "mosquitto.conf"
        config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\nlog_type error\n")
        self._command = [str(program), "-c", str(config)]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command)
        wait_until(lambda: accepts(self.port), self._process, "Mosquitto")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


class Postgres:
    """A database server that can be killed and restarted."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self.port = free_port()
        self._programs = programs
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        # PostgreSQL refuses to run as root.
        self._user = "postgres" if os.geteuid() == 0 else None
        self._made = 0
        if self._user is not None:
            account = pwd.getpwnam(self._user)
            os.chown(folder, account.pw_uid, account.pw_gid)
        self._run("initdb", "-D", str(folder / "data"), "-U", "cornered", "-A", "trust", "-E", "UTF8", "--no-sync")

    def _run(self, program: str, *arguments: str) -> None:
        command = self._command(program, *arguments)
        subprocess.run(command, check=True, user=self._user, capture_output=True, timeout=2 * DEADLINE)

    def _command(self, program: str, *arguments: str) -> Sequence[str]:
        return [str(self._programs / program), *arguments]

    def start(self) -> None:
        options = ["-h", "127.0.0.1", "-p", str(self.port), "-k", "", "-F", "-c", "max_connections=200"]
        command = self._command("postgres", "-D", str(self._folder / "data"), *options)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, user=self._user, stdout=log, stderr=log)
        ready = self._command("pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self.port), "-U", "cornered")
        wait_until(lambda: subprocess.run(ready, check=False).returncode == 0, self._process, "PostgreSQL")

    def kill(self) -> None:
        """Kill it: every connection breaks, committed data stay."""
        if self._process is not None:
            self._run("pg_ctl", "stop", "-D", str(self._folder / "data"), "-m", "immediate")
            self._process.wait()
            self._process = None

    def new_database(self) -> str:
        """Return the address of an empty database."""
        self._made += 1
        name = f"test{self._made}"
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "cornered", name)
        return f"postgresql://cornered@127.0.0.1:{self.port}/{name}"


@pytest.fixture(scope="session")
def compiled() -> None:
    """Compile the rules before a server runs: compilation stalls the event loop long enough to count as an outage."""
    for kind in engine.games():
        warm(kind.name)


@pytest.fixture(scope="session")
def mosquitto_program() -> Path:
    def find() -> Path | None:
        found = shutil.which("mosquitto", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        return None if found is None else Path(found)

    return require("mosquitto", find)


@pytest.fixture
def mosquitto(mosquitto_program: Path, tmp_path: Path) -> Iterator[Mosquitto]:
    """A new broker for one test."""
    broker = Mosquitto(mosquitto_program, tmp_path)
    broker.start()
    yield broker
    broker.kill()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A database server for the whole session; each test takes a `new_database`."""

    def find() -> Path | None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
        on_path = shutil.which("postgres")
        return found[-1].parent if found else None if on_path is None else Path(on_path).parent

    programs = require("postgresql", find)
    with tempfile.TemporaryDirectory(prefix="cornered-postgres-") as folder:
        server = Postgres(programs, Path(folder))
        server.start()
        yield server
        server.kill()
