"""Chromium, a server, and browser windows of players."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, sync_playwright

from cornered.cli.screenshots import FLAGS, find_chromium
from tests.conftest import IN_CI, INSTALL_LOCK, INSTALL_SECONDS, require
from tests.e2e.installation import Installation, installed
from tests.e2e.servers import running_server
from tests.e2e.window import Window

AXE = "axe-core@4.14.1"
HEADLESS_SHELL = "chromium-headless-shell"


@pytest.fixture(scope="session")
def chromium(pytestconfig: pytest.Config) -> Path:
    shell = pytestconfig.getoption("--headless-shell")

    def find() -> Path | None:
        found = shutil.which(HEADLESS_SHELL) if shell else find_chromium()
        return Path(found) if found else None

    return require(HEADLESS_SHELL if shell else "chromium", find)


@pytest.fixture(scope="module")
def browser(chromium: Path) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """The address of a server without bots."""
    with running_server("--no-bots") as address:
        yield address


TWO_NODES = pytest.param(2, id="two nodes on PostgreSQL", marks=[pytest.mark.mqtt, pytest.mark.postgres])


@pytest.fixture(scope="module", params=[pytest.param(1, id="one node on SQLite"), TWO_NODES])
def installation(request: pytest.FixtureRequest) -> Iterator[Installation]:
    """A server of either kind, without bots, whatever `--nodes` says; a test that takes it runs on both."""
    if request.param > 1:
        request.getfixturevalue("postgres_programs")
        request.getfixturevalue("mosquitto_program")
    with installed(request.param) as installation:
        yield installation


@pytest.fixture(scope="module")
def idle() -> Iterator[list[Window]]:
    """Windows of finished tests, for reuse: a page that is already open is quicker than a new one."""
    windows: list[Window] = []
    yield windows
    for window in windows:
        window.close()


@pytest.fixture
def open_window(browser: Browser, address: str, idle: list[Window]) -> Iterator[Callable[..., Window]]:
    """Return a function that opens windows, each of a new player; at the end their consoles have to be empty."""
    plain: list[Window] = []
    special: list[Window] = []

    def open_one(**how: object) -> Window:
        if how:
            special.append(Window(browser, **{"address": address, **how}))  # type: ignore[arg-type]
            return special[-1]
        plain.append(idle.pop() if idle else Window(browser, address))
        plain[-1].start_over()
        return plain[-1]

    yield open_one
    for window in special:
        window.close()
    idle.extend(plain)
    assert [error for window in (*plain, *special) for error in window.errors] == []


@pytest.fixture(scope="session")
def axe(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of the accessibility checker, fetched once by npm."""

    def find() -> Path | None:
        found = shutil.which("npm")
        return Path(found) if found else None

    npm = require("npm", find)
    # Without the plugin `cacheprovider` there is no such attribute.
    cache: pytest.Cache | None = getattr(pytestconfig, "cache", None)
    folder = cache.mkdir("axe") if cache else tmp_path_factory.mktemp("axe")
    script = folder / "node_modules/axe-core/axe.min.js"
    command = [
        str(npm),
        "install",
        "--prefix",
        str(folder),
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--silent",
        AXE,
    ]
    with FileLock(INSTALL_LOCK):
        if script.is_file():
            return script.read_text()
        if subprocess.run(command, capture_output=True, check=False, timeout=INSTALL_SECONDS).returncode:
            if IN_CI:
                pytest.fail(f"npm could not fetch {AXE}")
            pytest.skip(f"npm could not fetch {AXE}")
    return script.read_text()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests of a file in one process and in order: they share a server and its lobby."""
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
