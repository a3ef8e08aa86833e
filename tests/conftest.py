"""Hypothesis settings without deadlines, and services for tests: a Mosquitto broker and a PostgreSQL server, as
`cornered cluster` starts them."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import logging
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, AnyStr

import pytest
import structlog
from hypothesis import HealthCheck, settings

from cornered import engine
from cornered.engine.warming import warm
from cornered.services import postgres as own_postgres
from cornered.services.mosquitto import Mosquitto as Mosquitto
from cornered.services.service import accepts as accepts
from cornered.services.service import free_port as free_port
from tests.programs import IN_CI as IN_CI
from tests.programs import INSTALL_LOCK as INSTALL_LOCK
from tests.programs import INSTALL_SECONDS as INSTALL_SECONDS
from tests.programs import require as require
from tests.programs import said_of_missing_programs
from tests.virtual_time import VirtualTimeLoop

pytest_plugins = ["tests.cpu_time", "tests.tiers", "tests.changed"]

DEADLINE = 60.0
POLL_INTERVAL_S = 0.01
FAULTS = Path(__file__).parent / "faults"

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--full-chromium",
        action="store_true",
        help="run the page in Chromium with all its parts; chromium-headless-shell takes half of the CPU time",
    )
    parser.addoption("--nodes", type=int, default=1, help="the number of nodes of the servers in tests/e2e")
    parser.addoption("--long", action="store_true", help="run campaigns for minutes each, and kill servers more often")


def pytest_configure(config: pytest.Config) -> None:
    # Before any module reads it, in the workers too.
    os.environ["NODES_UNDER_TEST"] = str(config.getoption("--nodes"))
    # What a script of a shell puts into the background ignores SIGINT, and programs under test would inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In CI a test that fails runs once more, and the summary names it: a busy machine must not hold up a change, nor
    hide what is still to be mended. What faults and kills show is final: a move that is lost once is lost."""
    for item in items:
        if IN_CI and not item.path.is_relative_to(FAULTS) and item.path.name != "test_kill.py":
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print why tests ran again."""
    for report in terminalreporter.getreports("rerun"):
        terminalreporter.section(f"run again: {report.nodeid}")
        terminalreporter.write_line(report.longreprtext)


def pytest_report_header() -> str:
    return said_of_missing_programs()


def pytest_asyncio_loop_factories(
    config: pytest.Config, item: pytest.Item
) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    if item.get_closest_marker("virtual_time") is not None:
        return {"virtual_time": VirtualTimeLoop}
    return {"system": asyncio.new_event_loop}


def wait_until(is_ready: Callable[[], bool], process: subprocess.Popen[Any], what: str = "the program") -> None:
    """Return when `is_ready()` holds; fail the test when the process ends before."""
    deadline = time.monotonic() + DEADLINE
    while not is_ready():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(POLL_INTERVAL_S)
            pytest.fail(f"{what} has ended")
        assert time.monotonic() < deadline, f"{what} does not get ready"


@contextlib.contextmanager
def program_group(process: subprocess.Popen[AnyStr]) -> Iterator[subprocess.Popen[AnyStr]]:
    """Kill at the end what is left of a program's process group, which a test that fails would leave running.

    The program leads the group, as with `start_new_session`.
    """
    with process:
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="session")
def is_long(pytestconfig: pytest.Config) -> bool:
    """Whether a campaign runs in its long form: the short one finds the same faults, where they show at once."""
    return bool(pytestconfig.getoption("--long"))


@pytest.fixture(autouse=True)
def _no_deadline(*, is_long: bool) -> None:
    """Let a long campaign take more than `faulthandler_timeout`."""
    if is_long:
        faulthandler.cancel_dump_traceback_later()


@pytest.fixture(autouse=True)
def _default_log() -> None:
    """Undo what an earlier test's server set: its level drops lines before `capture_logs` of structlog has them.

    Tracebacks are plain: those of rich, with all variables of a server in them, take up to a second each."""
    structlog.reset_defaults()
    renderer = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], renderer])


@pytest.fixture(scope="session", autouse=True)
def _fork_server(pytestconfig: pytest.Config) -> None:
    """In a worker of pytest-xdist start the server that forks processes with all that searches need: a bot of a file
    would start one without, and each later process would import it again."""
    if hasattr(pytestconfig, "workerinput"):
        # Imported here, since few tests need it.
        from cornered.bots.pool.worker_process import start_fork_server

        start_fork_server(["minimax"], "cornered.lab.contests.arena")


@pytest.fixture(scope="session")
def compiled() -> None:
    """Compile the rules before a server runs: compilation stalls the event loop long enough to count as an outage."""
    for kind in engine.games():
        warm(kind.name)


def migrate(url: str) -> None:
    """Bring a database up to date, in an event loop of its own: a test may be running in this thread's."""
    # Imported here, since most tests need no database.
    from cornered.server.adapters.database import Database

    async def opened() -> None:
        await (await Database.open(url)).close()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, opened()).result()


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An SQLite file with the newest tables, which are empty: copying it takes a twentieth of a migration's time."""
    file = tmp_path_factory.mktemp("migrated") / "cornered.db"
    migrate(f"sqlite:///{file}")
    return file


@pytest.fixture
def sqlite_url(migrated_file: Path, tmp_path: Path) -> str:
    """The address of an SQLite database of the test's own with the newest tables, which are empty: the file
    `cornered.db` in the test's folder, where a server with that data directory has it too."""
    return f"sqlite:///{shutil.copy(migrated_file, tmp_path / 'cornered.db')}"


@pytest.fixture(scope="session")
def mosquitto_program() -> Path:
    return require("mosquitto")


@pytest.fixture
def mosquitto(mosquitto_program: Path) -> Iterator[Mosquitto]:
    """A new broker for one test, to which anyone may publish. It loses all state when killed."""
    with tempfile.TemporaryDirectory(prefix="cornered-mosquitto-") as folder:
        broker = Mosquitto(Path(folder), mosquitto_program, acl="")
        broker.start()
        yield broker
        broker.kill()


class Postgres(own_postgres.Postgres):
    """A database server whose databases are new ones."""

    TEMPLATE = "migrated"
    _made = 0
    _has_template = False

    def empty_database(self) -> str:
        """Return the address of a database without tables."""
        self._made += 1
        return self.database(f"test{self._made}")

    def new_database(self) -> str:
        """Return the address of a database with the newest tables, which are empty."""
        if not self._has_template:
            migrate(self.database(self.TEMPLATE))
            self._has_template = True
        self._made += 1
        return self.database(f"test{self._made}", template=self.TEMPLATE)


@pytest.fixture(scope="session")
def postgres_programs() -> Path:
    return require("postgresql")


@pytest.fixture(scope="session")
def postgres(postgres_programs: Path) -> Iterator[Postgres]:
    """A database server for the whole session; each test takes a `new_database`, or an `empty_database`."""
    with tempfile.TemporaryDirectory(prefix="cornered-postgres-") as folder:
        server = Postgres(Path(folder), postgres_programs, is_durable=False)
        server.start()
        yield server
        server.kill()


@pytest.fixture(autouse=True)
def _own_logging() -> Iterator[None]:
    """Undo what a command that runs bots sets for the whole process, which is the command's own."""
    root, bot = logging.getLogger(), logging.getLogger("cornered.bot")
    before = root.handlers[:], root.level, bot.level
    yield
    root.handlers[:], level, bot_level = before
    root.setLevel(level)
    bot.setLevel(bot_level)
