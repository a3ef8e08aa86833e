"""Chromium, a server, and browser windows of players."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Playwright, sync_playwright

from cornered.cli.house_process import ANALYST_KEY
from cornered.cli.screenshots import FLAGS
from tests.conftest import IN_CI, INSTALL_LOCK, INSTALL_SECONDS, require
from tests.e2e.installation import Installation, installed
from tests.e2e.servers import OPERATORS_KEY, UNLIMITED, running_server, started
from tests.e2e.window import HOST_NAME, Window

HERE: Final = Path(__file__).parent
AXE: Final = "axe-core@4.14.1"
LOOP: Final = pytest.StashKey[asyncio.AbstractEventLoop]()
"""The event loop of Playwright, once it has started."""
PAGES: Final = pytest.StashKey[str]()
"""The address of the server that all tests of the page share, once it has started."""


@pytest.fixture(scope="session")
def chromium(pytestconfig: pytest.Config) -> Path:
    return require("chromium" if pytestconfig.getoption("--full-chromium") else "chromium-headless-shell")


@pytest.fixture(scope="session")
def playwright(pytestconfig: pytest.Config) -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        pytestconfig.stash[LOOP] = asyncio.get_running_loop()
        yield playwright
        show_loop(pytestconfig)
    del pytestconfig.stash[LOOP]


def show_loop(config: pytest.Config) -> None:
    """Show the loop at the end of the session, whose last test may be one without a browser."""
    asyncio._set_running_loop(config.stash[LOOP])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Show Playwright's event loop, which runs in this thread between its calls too, to the tests of the page alone.

    In no other test could a loop start beside it.
    """
    loop = item.config.stash.get(LOOP, None)
    if loop is not None and item.path.is_relative_to(HERE) and item.get_closest_marker("browser") is not None:
        asyncio._set_running_loop(loop)
    try:
        return (yield)
    finally:
        if asyncio._get_running_loop() is item.config.stash.get(LOOP, None):
            asyncio._set_running_loop(None)


@pytest.fixture(scope="session")
def browser(pytestconfig: pytest.Config, playwright: Playwright, chromium: Path) -> Iterator[Browser]:
    """One browser of the whole process, to which this machine's servers have the name `HOST_NAME` too."""
    resolver = f"--host-resolver-rules=MAP {HOST_NAME} 127.0.0.1"
    browser = playwright.chromium.launch(executable_path=chromium, args=[*FLAGS, resolver])
    yield browser
    show_loop(pytestconfig)
    browser.close()


def server_of_pages() -> AbstractContextManager[str]:
    """Return a server without bots, with the operator's key and the name of this machine, that limits no haste."""
    variables = {ANALYST_KEY: OPERATORS_KEY, "CORNERED_HOSTS": HOST_NAME}
    return started(running_server("--no-bots"), **variables, **UNLIMITED)


@pytest.fixture(scope="session")
def shared_address(pytestconfig: pytest.Config, compiled: None) -> Iterator[str]:
    """The address of a server without bots of its own, for the tests of the page.

    Players keep what they did, so those of two files need different names.
    """
    with server_of_pages() as address:
        pytestconfig.stash[PAGES] = address
        yield address


@pytest.fixture(scope="module")
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a server without bots of its own: that of all tests of the page, or one of the file."""
    if request.node.get_closest_marker("browser") is not None:
        yield request.getfixturevalue("shared_address")
        return
    with running_server("--no-bots") as address:
        yield address


@pytest.fixture(scope="module")
def own_address(compiled: None) -> Iterator[str]:
    """The address of a server for the tests of one file, where nobody else is or has played."""
    with server_of_pages() as address:
        yield address


TWO_NODES = pytest.param(2, id="two nodes on PostgreSQL", marks=[pytest.mark.mqtt, pytest.mark.postgres])


@pytest.fixture(scope="module", params=[pytest.param(1, id="one node on SQLite"), TWO_NODES])
def installation(request: pytest.FixtureRequest, compiled: None) -> Iterator[Installation]:
    """A server of either kind, without bots, whatever `--nodes` says; a test that takes it runs on both."""
    if request.param > 1:
        request.getfixturevalue("postgres_programs")
        request.getfixturevalue("mosquitto_program")
    with installed(request.param) as installation:
        yield installation


@pytest.fixture(scope="session")
def shared_idle(pytestconfig: pytest.Config, browser: Browser) -> Iterator[list[Window]]:
    windows: list[Window] = []
    yield windows
    show_loop(pytestconfig)
    for window in windows:
        window.close()


@pytest.fixture(scope="module")
def idle(request: pytest.FixtureRequest, address: str) -> Iterator[list[Window]]:
    """Windows of finished tests, for reuse: a page that is already open is quicker than a new one."""
    if request.config.stash.get(PAGES, "") == address:
        yield request.getfixturevalue("shared_idle")
        return
    windows: list[Window] = []
    yield windows
    for window in windows:
        window.close()


@pytest.fixture
def open_window(browser: Browser, address: str, idle: list[Window]) -> Iterator[Callable[..., Window]]:
    """Return a function that opens windows; at the end their consoles have to be empty.

    Without arguments the window may be one of an earlier test, whose player keeps its name and its games; with any, as
    the size, it is of a new player.
    """
    plain: list[Window] = []
    special: list[Window] = []

    def open_one(**how: object) -> Window:
        if how:
            special.append(Window(browser, **{"address": address, **how}))  # type: ignore[arg-type]
            return special[-1]
        if idle:
            plain.append(idle.pop())
            plain[-1].start_over()
        else:
            plain.append(Window(browser, address))
        return plain[-1]

    yield open_one
    for window in (*plain, *special):
        window.leave()
    errors = [error for window in (*plain, *special) for error in window.errors]
    for window in special:
        window.close()
    idle.extend(plain)
    assert errors == []


@pytest.fixture(scope="session")
def axe(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of the accessibility checker, fetched once by npm."""
    npm = require("npm")
    # Without the plugin `cacheprovider` there is no such attribute.
    cache: pytest.Cache | None = getattr(pytestconfig, "cache", None)
    folder = cache.mkdir("axe") if cache else tmp_path_factory.mktemp("axe")
    script = folder / "node_modules/axe-core/axe.min.js"
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
    command = [str(npm), "install", *options, "--prefix", str(folder), AXE]
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
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
