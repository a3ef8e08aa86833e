"""The command line, called in the process of the tests, and a server beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from typer.testing import CliRunner, Result

from cornered.cli.main import narrowed_to
from cornered.server import log
from tests.server.conftest import PLENTY, started
from tests.waiting import TIMEOUT_S

__all__ = ["Served", "run", "served"]

T = TypeVar("T")


def run(*words: str, typed: str = "", **env: str) -> Result:
    """Call the command line as `main` does, with lines of standard input and more variables of the environment."""
    return CliRunner(env=env).invoke(narrowed_to(words[0]), words, input=typed)


class Served:
    """A server in the event loop of a thread: the commands are called in the main thread, which gets signals."""

    def __init__(self, url: str, loop: asyncio.AbstractEventLoop) -> None:
        self.url = url
        self.loop = loop

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine beside the server."""
        return asyncio.run_coroutine_threadsafe(work, self.loop)

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.begin(work).result(TIMEOUT_S)

    def run(self, *words: str, typed: str = "", **env: str) -> Result:
        """Call a command that reaches this server."""
        return run(*words, typed=typed, CORNERED_SERVER=self.url, **env)


@contextmanager
def serving(data: Path) -> Iterator[Served]:
    opened: Future[Served] = Future()
    ending = asyncio.Event()

    async def serve() -> None:
        async with started(data, log_level="error", **PLENTY) as server:
            opened.set_result(Served(server.address, asyncio.get_running_loop()))
            await ending.wait()

    with ThreadPoolExecutor(1) as threads:
        serving = threads.submit(asyncio.run, serve())
        either: tuple[Future[Any], ...] = (opened, serving)
        wait(either, return_when=FIRST_COMPLETED)
        if serving.done():
            serving.result()
        served = opened.result()
        yield served
        served.loop.call_soon_threadsafe(ending.set)


@pytest.fixture(scope="module")
def module_server(tmp_path_factory: pytest.TempPathFactory, compiled: None) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as served:
        yield served


@pytest.fixture
def served(module_server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Served:
    """One server for the tests of a module, with limits that these do not reach, and tokens of the test's own."""
    log.configure("error", "console")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return module_server
